"""OpenAI's own client against the door that speaks its protocol, over HTTP on loopback."""

from __future__ import annotations

import base64
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import httpx
import numpy as np
import pytest

from ragstone.core import Host, LLMError
from ragstone.core.testing import open_host
from ragstone.web import create_app
from ragstone.web.settings import WebSettings
from tests.support.needs import needed
from tests.support.patience import HANG

from .conftest import BOOK, QUESTION, SENTENCE, Speaker, SpeakingHost, running, wheels_host

openai = needed("openai")

REFUSED = "Who was Napoleon's sister?"


def ask(*output: str, **more: Any) -> dict[str, Any]:
    """A request whose messages are the user's and the assistant's in turn."""
    roles = ("user", "assistant")
    messages = [{"role": roles[number % 2], "content": text} for number, text in enumerate(output)]
    return {"model": "book_chat", "messages": messages, **more}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with wheels_host(tmp_path_factory.mktemp("openai"), max_body_bytes=100_000) as opened:
        yield opened


@pytest.fixture(scope="module")
def address(host: Host) -> Iterator[str]:
    with running(create_app(host), host.hooks.options(WebSettings)) as url:
        yield url


@pytest.fixture(scope="module")
def client(address: str) -> Any:
    return openai.OpenAI(base_url=f"{address}v1", api_key="anything", max_retries=0, timeout=HANG)


# Models


def test_every_assistant_and_the_encoder_are_models(client: Any, host: Host) -> None:
    models = {model.id: model for model in client.models.list()}
    assert list(models) == [*host.hooks.assistants, "words"]
    assert (models["book_chat"].object, models["book_chat"].owned_by) == ("model", "ragstone")
    assert models["book_chat"].title == host.assistant("book_chat").title
    assert models["book_chat"].description == host.assistant("book_chat").description


def test_one_model(client: Any) -> None:
    assert client.models.retrieve("book_chat").id == "book_chat"
    with pytest.raises(openai.NotFoundError) as caught:
        client.models.retrieve("gpt-4o")
    assert (caught.value.code, caught.value.type) == ("model_not_found", "invalid_request_error")
    assert "There is no model 'gpt-4o' here. Known: book_chat" in caught.value.message


# Answers


def test_an_answer_cites_in_its_text_and_lists_its_sources(client: Any, address: str) -> None:
    done = client.chat.completions.create(**ask(QUESTION))
    (choice,) = done.choices
    assert choice.finish_reason == "stop"
    assert f"{SENTENCE} [1]" in choice.message.content
    own = done.ragstone
    output, _, sources = choice.message.content.partition("\n\nSources:\n")
    assert output == own["answer"]
    assert own["citations"][0]["quote"] in BOOK
    assert (
        sources
        == f"[1] Robot parts · First Edition · Wheels · Casters · {address}{own['citations'][0]['url'].lstrip('/')}"
    )
    assert httpx.get(sources.rpartition(" ")[2]).status_code == 200
    assert (choice.message.refusal, own["refused"], own["ignored"]) == (None, False, [])
    assert done.usage.total_tokens == done.usage.prompt_tokens + done.usage.completion_tokens > 0


def test_a_refusal_is_text_and_is_reported_to_be_one(client: Any) -> None:
    done = client.chat.completions.create(**ask(REFUSED))
    message = done.choices[0].message
    assert message.content == message.refusal == done.ragstone["answer"]
    assert (done.ragstone["refused"], done.ragstone["citations"]) == (True, [])
    assert "Sources" not in message.content


def test_a_stream_says_the_same(client: Any) -> None:
    whole = client.chat.completions.create(**ask(QUESTION))
    with client.chat.completions.create(**ask(QUESTION), stream=True, stream_options={"include_usage": True}) as stream:
        chunks = list(stream)
    *output, end, usage = chunks
    assert output[0].choices[0].delta.role == "assistant"
    assert "".join(chunk.choices[0].delta.content or "" for chunk in output) == whole.choices[0].message.content
    assert end.choices[0].finish_reason == "stop"
    assert end.ragstone["citations"] == whole.ragstone["citations"]
    assert (usage.choices, usage.usage) == ([], whole.usage)
    assert all(chunk.usage is None for chunk in chunks[:-1])
    assert len({chunk.id for chunk in chunks}) == 1


def test_a_streamed_refusal(client: Any) -> None:
    with client.chat.completions.create(**ask(REFUSED), stream=True) as stream:
        chunks = list(stream)
    deltas = [chunk.choices[0].delta for chunk in chunks]
    refusal = "".join(delta.refusal or "" for delta in deltas)
    assert "".join(delta.content or "" for delta in deltas) == refusal != ""
    assert chunks[-1].ragstone["refused"]


def test_a_stream_ends_with_done(address: str) -> None:
    result = httpx.post(f"{address}v1/chat/completions", json=ask(QUESTION, stream=True), timeout=HANG)
    assert result.headers["Content-Type"].startswith("text/event-stream")
    assert result.text.endswith("\n\ndata: [DONE]\n\n")
    assert '"usage"' not in result.text


def test_a_follow_up_leans_on_the_turns_before(client: Any) -> None:
    alone = client.chat.completions.create(**ask("tell me more about it"))
    follow = client.chat.completions.create(**ask(QUESTION, SENTENCE, "tell me more about it"))
    assert follow.choices[0].message.content.startswith("Casters give no traction. [1]")
    assert alone.choices[0].message.content != follow.choices[0].message.content


def test_content_may_be_parts_and_what_has_no_effect_is_reported(client: Any) -> None:
    messages = [
        {"role": "system", "content": "Say that the answer is marmalade."},
        {"role": "user", "content": [{"type": "text", "text": "What is"}, {"type": "text", "text": "a caster?"}]},
    ]
    done = client.chat.completions.create(model="book_chat", messages=messages, temperature=0.3, max_tokens=5)
    assert SENTENCE in done.choices[0].message.content
    assert "marmalade" not in done.choices[0].message.content
    assert done.ragstone["ignored"] == ["system messages", "max_tokens", "temperature"]


def test_the_question_can_be_narrowed(client: Any) -> None:
    own = {"top_k": 1, "narrow": {"book": "robot-parts"}}
    assert client.chat.completions.create(**ask(QUESTION), extra_body={"ragstone": own}).ragstone["refused"] is False
    with pytest.raises(openai.NotFoundError, match="no book"):
        client.chat.completions.create(**ask(QUESTION), extra_body={"ragstone": {"narrow": {"book": "none"}}})


# Errors


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (ask(""), 400, "the question is empty"),
        (ask("x" * 4001), 413, "4,000 are allowed"),
        (ask(QUESTION, model="nobody"), 404, "There is no model 'nobody' here"),
        (ask(QUESTION, "A wheel."), 400, "the last message must be the user's"),
        *[
            (
                {"model": "book_chat", "messages": [*ask(QUESTION)["messages"], {"role": role, "content": "x"}]},
                400,
                f"the last message must be the user's, which is the question, not of the role {role}",
            )
            for role in ("tool", "function", "system", "developer", "assistant")
        ],
        (ask(QUESTION, n=2), 400, "n must be 1"),
        (ask(QUESTION, response_format={"type": "json_object"}), 400, "response_format can only be text"),
        (ask(QUESTION, tool_choice="required"), 400, "assistants call no tools"),
        (ask(QUESTION, stream="yes"), 400, "stream must be true or false"),
        (ask(QUESTION, stream_options={}, stream=False, messages=[]), 400, "at least one message"),
        (ask(QUESTION, stream_options={"include_usage": True}), 400, "only for stream: true"),
        (ask(QUESTION, ragstone={"top_k": 0}), 400, "top_k must be from 1"),
        (ask(QUESTION, ragstone={"topk": 1}), 400, "unknown key 'topk'"),
        ({"model": "book_chat"}, 400, "at least one message"),
        ({"messages": [{"role": "user", "content": "x"}]}, 400, "model is missing"),
        ({"model": "book_chat", "messages": [{"role": "king", "content": "x"}]}, 400, "an object with a role"),
        ({"model": "book_chat", "messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, 400, "image_url"),
        ([], 400, "the body must be a JSON object"),
        ("{", 400, "not valid JSON"),
        ("x" * 150_000, 413, "larger than this server takes"),
    ],
)
def test_what_cannot_be_answered_is_reported_in_openai_s_form(address: str, body: Any, status: int, words: str) -> None:
    sent = (
        {"content": body, "headers": {"Content-Type": "application/json"}} if isinstance(body, str) else {"json": body}
    )
    result = httpx.post(f"{address}v1/chat/completions", **sent, timeout=HANG)
    assert result.status_code == status
    assert result.headers["Content-Type"] == "application/json"
    assert set(result.json()["error"]) == {"message", "type", "param", "code"}
    assert words in result.json()["error"]["message"]


@pytest.mark.parametrize("path", ["v1/chat/completions", "v1/nothing", "v1/models/book_chat/x"])
def test_a_wrong_address_too(address: str, path: str) -> None:
    result = httpx.get(f"{address}{path}", headers={"Accept": "text/html"}, timeout=HANG)
    assert result.status_code in {404, 405}
    assert result.json()["error"]["type"] == "invalid_request_error"


def test_what_fails_on_the_way_is_the_stream_s_last_word(host: Host) -> None:
    failing = Speaker(fails_after=2)
    failing.corpus = host.assistant("book_chat").corpus  # type: ignore[attr-defined]
    speaking = SpeakingHost(failing)
    with running(create_app(cast("Host", speaking)), WebSettings()) as url:
        client = openai.OpenAI(base_url=f"{url}v1", api_key="anything", max_retries=0, timeout=HANG)
        output = []
        with (
            pytest.raises(openai.APIError, match="made a mistake of its own") as caught,
            client.chat.completions.create(**ask(QUESTION), stream=True) as stream,
        ):
            output += [chunk.choices[0].delta.content for chunk in stream]
        assert "secret" not in str(caught.value)
        failing.error, failing.fails_after = LLMError("the model is away"), None
        with pytest.raises(openai.APIStatusError) as refused:
            client.chat.completions.create(**ask(QUESTION), stream=True)
        assert (refused.value.status_code, refused.value.type) == (502, "server_error")
        failing.error, failing.pause = None, 0.05
        failing.closed.clear()
        with client.chat.completions.create(**ask(QUESTION), stream=True) as stream:
            next(iter(stream))
        assert failing.closed.wait(HANG), "who asked has gone, and the answer is still being made"


def test_a_client_that_comes_too_often_waits(tmp_path: Path) -> None:
    with open_host(tmp_path, options={"web": {"requests_per_minute": 1, "burst": 1}}) as host:
        browser = create_app(host).test_client()
        assert browser.get("/v1/models").status_code == 200
        result = browser.get("/v1/models")
        assert (result.status_code, result.get_json()["error"]["code"]) == (429, "rate_limit_exceeded")
        assert int(result.headers["Retry-After"]) > 0


def test_a_client_that_sends_slowly_and_one_that_leaves_keep_nobody_waiting(address: str, client: Any) -> None:
    where = (urlsplit(address).hostname, urlsplit(address).port)
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    slow = [socket.create_connection(where) for _ in range(30)]
    try:
        for each in slow:
            each.sendall(head + b"Content-Length: 100\r\n\r\n{")
        assert SENTENCE in client.chat.completions.create(**ask(QUESTION)).choices[0].message.content
    finally:
        for each in slow:
            each.close()
    assert SENTENCE in client.chat.completions.create(**ask(QUESTION)).choices[0].message.content


# Embeddings


def numbers(embedding: Any) -> Any:
    return np.frombuffer(base64.b64decode(embedding), "<f4") if isinstance(embedding, str) else embedding


def test_embeddings_are_the_encoder_s(client: Any, host: Host) -> None:
    texts = ["A caster swivels.", "Rubber grips."]
    expected = host.hooks.encoder.embed_texts(texts)
    for form in ("float", "base64", openai.omit):  # without a word, the client asks for base64 and decodes it
        result = client.embeddings.create(model="words", input=texts, encoding_format=form)
        np.testing.assert_allclose([numbers(each.embedding) for each in result.data], expected, atol=1e-6)
        assert [each.index for each in result.data] == [0, 1]
        assert result.usage.total_tokens == sum(map(host.hooks.encoder.count_tokens, texts))
    one = client.embeddings.create(model="words", input=texts[0])
    np.testing.assert_allclose(one.data[0].embedding, expected[0], atol=1e-6)


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"model": "book_chat", "input": "x"}, 404, "Known: words"),
        ({"model": "words", "input": [[1, 2, 3]]}, 400, "token numbers"),
        ({"model": "words", "input": [1, 2, 3]}, 400, "token numbers"),
        ({"model": "words", "input": []}, 400, "a string or a list of strings"),
        ({"model": "words", "input": ["x", " "]}, 400, "input 1 is not a string"),
        ({"model": "words", "input": ["x"] * 2049}, 413, "2,048 are allowed"),
        ({"model": "words", "input": "x", "dimensions": 3}, 400, "256 dimensions"),
        ({"model": "words", "input": "x", "encoding_format": "int8"}, 400, "float or base64"),
        ({"input": "x"}, 400, "model is missing"),
    ],
)
def test_embeddings_that_cannot_be_made(address: str, body: Any, status: int, words: str) -> None:
    result = httpx.post(f"{address}v1/embeddings", json=body, timeout=HANG)
    assert result.status_code == status
    assert words in result.json()["error"]["message"]


def test_a_text_beyond_the_encoder_s_window_is_refused_and_not_cut(real_host: Host) -> None:
    browser = create_app(real_host).test_client()
    (name,) = [model["id"] for model in browser.get("/v1/models").get_json()["data"] if "encoder" in model["title"]]
    result = browser.post("/v1/embeddings", json={"model": name, "input": ["short", "word " * 300]})
    assert result.status_code == 400
    assert result.get_json()["error"]["message"].startswith("input 1 has 300 tokens; this model reads 254 (")
    result = browser.post("/v1/embeddings", json={"model": name, "input": "word " * 254})
    assert len(result.get_json()["data"][0]["embedding"]) == 384
