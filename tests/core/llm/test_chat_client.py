"""Asking a server for one whole answer with nothing but httpx: what it sends, and everything that can go wrong."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from ragstone.core.llm import ChatFailed, ChatServer, ask_chat
from tests.support.allocations import peak_bytes
from tests.support.llm_server import Server, compressed, drip, refuse, send, stall

KEY = "sk-test-0123456789abcdef"


def reply(text: object, **more: Any) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    choice.update(more.pop("choice", {}))
    return json.dumps({"choices": [choice], **more}).encode()


def asking(server: Server, **more: Any) -> ChatServer:
    return ChatServer(**{"base": server.base, "model": "tiny", "max_tokens": 32, "timeout": 10.0, **more})


def test_an_answer_its_tokens_and_its_likelihood(server: Server) -> None:
    logprobs = {"content": [{"logprob": -0.1}, {"logprob": -0.3}]}
    usage = {"prompt_tokens": 7, "completion_tokens": 2}
    server.acts(send("application/json", reply("Wheels turn.", usage=usage, choice={"logprobs": logprobs})))
    output = ask_chat(asking(server, logprobs=True), "What turns?")
    assert (output.text, output.input_tokens, output.output_tokens, output.cut_short) == ("Wheels turn.", 7, 2, False)
    assert output.likelihood == pytest.approx(0.8187, abs=1e-3)
    body = server.asked[0].body
    assert body["messages"] == [{"role": "user", "content": "What turns?"}]
    assert (body["max_tokens"], body["stream"], body["logprobs"]) == (32, False, True)
    assert "authorization" not in server.asked[0].headers


def test_the_key_goes_into_the_header_and_out_of_the_answer(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_TEST_KEY", KEY)
    server.acts(send("application/json", reply(f"Your key is {KEY}.")))
    output = ask_chat(asking(server, key_variables=("EDGE_TEST_KEY",)), "?")
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in output.text


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{"message": {"content": 5}}]}',
        b'{"choices": ["x"]}',
        b"[" * 100_000,
        b"\xff\xfe",
        reply(None),
        reply("  \n"),
    ],
)
def test_what_is_no_answer_is_a_failure(server: Server, data: bytes) -> None:
    server.acts(send("application/json", data))
    with pytest.raises(ChatFailed):
        ask_chat(asking(server), "?")


def test_a_compressed_answer_is_refused_before_it_is_unpacked(server: Server) -> None:
    server.acts(compressed(b" " * 50_000_000, "application/json"))

    def asked() -> None:
        with pytest.raises(ChatFailed, match="compresses its answer"):
            ask_chat(asking(server), "?")

    asked()  # what is loaded once
    assert peak_bytes(asked) < 20_000_000
    assert server.asked[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    "usage", [None, 5, {}, {"prompt_tokens": -1, "completion_tokens": True}, {"prompt_tokens": "9"}]
)
def test_a_count_that_is_none_is_unknown(server: Server, usage: object) -> None:
    server.acts(send("application/json", reply("Yes.", usage=usage)))
    output = ask_chat(asking(server), "?")
    assert (output.input_tokens, output.output_tokens) == (None, None)


@pytest.mark.parametrize("status", [302, 400, 401, 429, 500, 503])
def test_a_refusal_tells_its_status_and_nothing_of_the_server(
    server: Server, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDGE_TEST_KEY", KEY)
    server.acts(refuse(status, body={"error": f"not with {KEY}"}))
    with pytest.raises(ChatFailed) as raised:
        ask_chat(asking(server, key_variables=("EDGE_TEST_KEY",)), "?")
    assert raised.value.refused == status
    assert raised.value.reached
    assert KEY not in str(raised.value)
    assert len(server.asked) == 1


@pytest.mark.parametrize(("variables", "named"), [(("EDGE_TEST_KEY",), "set EDGE_TEST_KEY"), ((), "set its key")])
def test_a_refused_key_is_named_by_its_variable(server: Server, variables: tuple[str, ...], named: str) -> None:
    server.acts(refuse(401))
    with pytest.raises(ChatFailed, match=named):
        ask_chat(asking(server, key_variables=variables), "?")


def test_an_address_that_is_none_was_never_reached() -> None:
    with pytest.raises(ChatFailed) as raised:
        ask_chat(ChatServer("http://[::1", "tiny", 8, 5.0), "?")
    assert not raised.value.reached


@pytest.mark.parametrize("act", [stall(headers=False), drip(), drip(b"HTTP/1.1 200 OK\r\n\r\n")])
def test_a_server_that_dawdles_is_cut_off(server: Server, act: Any) -> None:
    server.acts(act)
    with pytest.raises(ChatFailed, match=r"within 0\.5 s|in time"):
        ask_chat(asking(server, timeout=0.5), "?")
    assert server.left.wait(20), "the connection was left open"


def test_nobody_there_was_never_reached() -> None:
    with Server() as gone:
        base = gone.base
    with pytest.raises(ChatFailed) as raised:
        ask_chat(ChatServer(base, "tiny", 8, 5.0), "?")
    assert not raised.value.reached


def test_a_proxy_of_the_environment_is_not_asked(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    server.acts(send("application/json", reply("Here.")))
    assert ask_chat(asking(server), "?").text == "Here."


def test_an_endless_answer_is_cut(server: Server) -> None:
    def act(handler: Any) -> None:
        handler.begin(200, "application/json")
        while True:
            handler.raw(b"x" * 65536)
            time.sleep(0)

    server.acts(act)
    with pytest.raises(ChatFailed, match="sends too much"):
        ask_chat(asking(server, timeout=20.0), "?")
