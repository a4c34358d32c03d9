"""Language models over HTTP: real clients, a real server on loopback, and everything that such a server does wrong."""

from __future__ import annotations

import logging
import shutil
import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import Answer, Delta, Host, LLMError, Settings, SettingsError
from ragstone.core.runtime import Budget, set_budget
from ragstone.core.testing import ScriptedLLM, TestModels, plugin_state
from tests.support.allocations import peak_bytes
from tests.support.llm_server import (
    Handler,
    Server,
    compressed,
    drip,
    drop,
    endless,
    refuse,
    say,
    say_until,
    send,
    stall,
)
from tests.support.patience import HANG, until, without_hanging
from tests.support.third_party_fakes import Here, add_book, run, write_pages

QUESTION = "What is a caster?"
CASTER = "A caster is a wheel that swivels about a vertical axis"
LOAD = "Casters bear load but give no traction"
#: No sentence of the chunks is close to it.
ASTRAY = "Wheels fly like birds"
KEY = "sk-very-secret-0123456789abcdef"


@pytest.fixture
def small_book(tmp_path: Path) -> Path:
    """A book about nothing that moves by itself: of real hardware no sentence is given out before all are known."""
    pages = {
        "01-wheels.md": f"# Wheels\n\n## Casters\n\n{CASTER}. {LOAD}.\n\n## Tyres\n\nRubber tyres grip wet concrete "
        "better than nylon tyres. Nylon tyres last about four times longer than rubber tyres.\n",
        "02-kites.md": "# Kites\n\n## Frames\n\nA kite has a frame of thin wood and a cover of paper.\n\n## Tails\n\n"
        "A long tail keeps a small kite steady in strong wind.\n",
    }
    return write_pages(tmp_path / "wheels", pages)


@contextmanager
def deployment(folder: Path, book: Path, **llm: Any) -> Iterator[Host]:
    stored = folder.parent / "shelf-of-one"  # filled once, then copied
    if not stored.exists():
        with _opened(stored) as host:
            add_book(host, book)
    shutil.copytree(stored, folder, dirs_exist_ok=True)
    with _opened(folder, **llm) as host:
        yield host


@contextmanager
def _opened(folder: Path, **llm: Any) -> Iterator[Host]:
    settings = Settings(data_dir=folder / "data", cache_dir=folder / "cache", index={"store": "none"}, llm=llm)
    with Host(settings, plugins={"test_models": TestModels()}) as host:
        host.start()
        yield host


Served = Callable[..., AbstractContextManager[Host]]


@pytest.fixture
def served(tmp_path: Path, small_book: Path, server: Server) -> Served:
    """Opens a deployment with the server's model; its arguments are further keys of ``[llm]``."""
    model = {"provider": "openai_like", "model": "test-1", "api_base": server.base, "timeout": 20}
    return lambda **llm: deployment(tmp_path, small_book, **{**model, **llm})


@pytest.fixture
def host(served: Served) -> Iterator[Host]:
    with served() as opened:
        yield opened


@pytest.fixture
def hasty(served: Served) -> Iterator[Host]:
    with served(timeout=1.5) as opened:
        yield opened


def ask(host: Host) -> Answer:
    return host.assistant("book_chat").ask(QUESTION)


def failure(host: Host) -> LLMError:
    with pytest.raises(LLMError) as caught, without_hanging():
        ask(host)
    return caught.value


class TestGoodAnswers:
    def test_the_request_is_what_the_settings_say(
        self, server: Server, host: Host, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
        monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody-else")
        server.acts(say(f"{CASTER} [1]."))
        assert ask(host).text == f"{CASTER}. [1]"
        (asked,) = server.asked
        assert asked.path == "/v1/chat/completions"
        result = {key: asked.body.get(key) for key in ("model", "stream", "temperature", "max_tokens", "seed")}
        assert result == {"model": "test-1", "stream": True, "temperature": 0.0, "max_tokens": 1024, "seed": None}
        assert not any("somebody-else" in value for value in asked.headers.values())
        assert "authorization" not in asked.headers

    def test_further_settings(self, served: Served, server: Server) -> None:
        server.acts(say(f"{CASTER} [1]."))
        with served(temperature="default", seed=7, max_tokens=99) as host:
            ask(host)
        body = server.asked[0].body
        assert (body["seed"], body["max_tokens"]) == (7, 99)
        assert "temperature" not in body

    def test_a_sentence_is_given_out_while_the_next_is_being_written(self, server: Server, host: Host) -> None:
        gate = threading.Event()
        server.acts(say_until(gate, f"{CASTER}. [1] Cas", "ters bear load but give no traction [1]."))
        stream = host.assistant("book_chat").stream(QUESTION)
        first = next(stream)
        assert isinstance(first, Delta)
        assert first.text == f"{CASTER}. [1]"
        gate.set()
        *_, answer = stream
        assert isinstance(answer, Answer)
        assert answer.text == f"{CASTER}. [1] {LOAD}. [1]"

    def test_markers_stand_anywhere_and_invented_ones_go(self, server: Server, host: Host) -> None:
        server.acts(say(f"{CASTER} [", "1", "][99]. ", f"{LOAD}.", " [1", ", 99]"))
        answer = ask(host)
        assert answer.text == f"{CASTER}. [1] {LOAD}. [1]"
        assert answer.dropped == ()

    @pytest.mark.parametrize("hidden", ["\ud800", "\0", "\x1b", "\u202e", "\u200b", "\U000e0041"])
    def test_hidden_characters_are_left_out(self, server: Server, host: Host, hidden: str) -> None:
        server.acts(say(f"{CASTER.replace('about', f'{hidden} about{hidden}')} [1]."))
        assert " ".join(ask(host).text.split()) == f"{CASTER}. [1]"

    def test_a_list_with_what_announces_it(self, server: Server, host: Host) -> None:
        server.acts(say(f"{LOAD}:\n\n- {CASTER} [1]\n\n**{LOAD}**. [1]"))
        assert ask(host).text == f"{LOAD}: [1]\n\n- {CASTER} [1]"

    def test_a_sentence_that_is_not_supported_is_replaced_by_its_source(self, server: Server, host: Host) -> None:
        server.acts(say(f"{CASTER} [1]. Casters give traction [1]. Casters only bear load [1]."))
        answer = ask(host)
        assert answer.text in {f"{CASTER}. [1] {LOAD}. [1]", f"{CASTER}. [1]\n\n{LOAD}. [1]"}
        assert len(server.asked) == 1
        assert [dropped.partition(" (")[0] for dropped in answer.dropped] == [
            "Casters give traction.",
            "Casters only bear load.",
        ]
        assert all("replaced by the source's own words" in dropped for dropped in answer.dropped)

    def test_chunks_that_do_not_fit_are_not_offered(self, tmp_path: Path, small_book: Path, server: Server) -> None:
        llm = {"provider": "openai_like", "model": "m", "api_base": server.base, "max_tokens": 100}
        server.acts(say(f"{CASTER} [1]. Nylon tyres last about four times longer than rubber tyres [4]."))
        offered = []
        for window in range(400, 1000, 40):
            with deployment(tmp_path / str(window), small_book, context_window=window, **llm) as host:
                try:
                    answer = ask(host)
                except LLMError as error:
                    assert "do not fit" in str(error)
                    offered.append(0)
                    continue
                offered.append(server.asked[-1].prompt.count(" number="))
                if offered[-1] < len(answer.chunks):
                    assert "cites no passage" in answer.dropped[0]
        assert offered == sorted(offered)
        assert {0, 1, 4} <= set(offered)


class TestDroppedSentences:
    def test_a_sentence_without_a_close_source_is_left_out(self, server: Server, host: Host) -> None:
        server.acts(say(f"{CASTER} [1]. {ASTRAY} [1]. {LOAD}."))
        answer = ask(host)
        assert answer.text == f"{CASTER}. [1]"
        assert len(server.asked) == 1
        assert [dropped.partition(" (")[0] for dropped in answer.dropped] == [f"{ASTRAY}.", f"{LOAD}."]
        assert answer.to_dict()["dropped"] == list(answer.dropped)

    @pytest.mark.parametrize(
        "text",
        [
            f"{CASTER} [2].",
            f"{CASTER}.",
            f"{CASTER} [99].",
            "Bananas grow in warm countries [1].",
            "NOT IN THE BOOK",
            "A caster, see https://example.com/x [1].",
        ],
    )
    def test_nothing_that_stands_is_a_refusal(self, server: Server, host: Host, text: str) -> None:
        server.acts(say(text))
        answer = ask(host)
        assert answer.refused
        assert answer.citations == ()
        assert answer.dropped


class TestMisbehaviour:
    @pytest.mark.parametrize(
        ("act", "message"),
        [
            (refuse(401), "refuses the key (401)"),
            (refuse(404), "knows no such address or model (404)"),
            (refuse(400), "refused the request (400)"),
            (refuse(302), "refused the request (302)"),
            (refuse(503, retry_after="0"), "failed (503)"),
            (refuse(429, retry_after="0"), "takes no more requests now (429)"),
            (send("text/event-stream", b"data: {broken\n\n"), "failed (JSONDecodeError)"),
            (send("text/event-stream", b'data: {"choices": []}\n\ndata: [DONE]\n\n'), "before the end"),
            (send("text/html", b"<html>Welcome to the router</html>"), "is empty"),
            (send("application/octet-stream", b"\x00\xff\xfe" * 1000), "the language model"),
            (send("text/event-stream", b'data: {"error": {"message": "out of memory"}}\n\n'), "failed (APIError)"),
            (say(), "is empty"),
            (drop(), "the language model's server"),
            (drop("A caster is"), "broke off"),
            (drop("A caster is", clean=True), "before the end"),
        ],
    )
    def test_it_is_an_error_in_our_words(self, server: Server, host: Host, act: Any, message: str) -> None:
        server.acts(act)
        assert message in str(failure(host))

    @pytest.mark.parametrize(
        "act",
        [
            stall(headers=False),
            stall(),
            stall("A caster "),
            stall(f"{CASTER} [1]. Then"),
            drip(),
            drip(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: "),
            drip(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: "),
            drip(b"HTTP/1.1 500 Oh\r\nContent-Length: 99999\r\n\r\n"),
        ],
    )
    def test_what_does_not_end_is_cut_at_the_deadline(self, server: Server, hasty: Host, act: Any) -> None:
        server.acts(act)
        assert "did not finish within 1.5 s" in str(failure(hasty))
        assert server.left.wait(HANG), "the connection was not closed"
        assert len(server.asked) == 1

    def test_a_compressed_answer_is_refused_before_it_is_unpacked(self, server: Server, host: Host) -> None:
        server.acts(compressed(b"data: " + b" " * 50_000_000))
        assert "compresses its answer" in failure(host).what  # what is loaded once
        assert peak_bytes(lambda: failure(host)) < 20_000_000
        assert len(server.asked) == 2, "it is not asked again"

    @pytest.mark.parametrize("data", [b"x" * 100_000, b": still thinking\n\n" * 5_000])
    def test_a_line_and_an_answer_are_read_up_to_a_bound(
        self, server: Server, host: Host, data: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("ragstone.core.llm.redaction.LONGEST_LINE", 1_000_000)
        monkeypatch.setattr("ragstone.core.llm.redaction.LONGEST_RESPONSE", 2_000_000)

        def act(handler: Handler) -> None:
            handler.begin()
            while True:
                handler.raw(data)

        server.acts(act)
        assert "sends too much" in failure(host).what
        assert server.left.wait(HANG)

    @pytest.mark.parametrize("piece", [f"{CASTER} [1]. ", "word ", "[1]", "\n", "x" * 500, "a. A. "])
    def test_an_answer_without_an_end_has_one(self, host: Host, server: Server, piece: str) -> None:
        # Some 500 characters at a time: what counts is how much comes, not in how many events.
        server.acts(endless(piece * (500 // len(piece))), say("NOT IN THE BOOK"))
        try:
            with without_hanging():
                answer = ask(host)
        except LLMError as error:  # on a slow machine the deadline comes first
            assert "did not finish" in str(error)
            answer = Answer("", refused=True)
        assert answer.refused or answer.text == f"{CASTER}. [1]"
        assert server.left.wait(HANG)
        assert len(answer.dropped) <= 50
        assert max(map(len, answer.dropped), default=0) < 500

    def test_what_was_cut_short_loses_its_last_half_sentence(self, server: Server, host: Host) -> None:
        server.acts(say(f"{CASTER} [1]. Casters bear load", finish="length"))
        answer = ask(host)
        assert answer.text == f"{CASTER}. [1]"
        assert answer.dropped == ("Casters bear load (it was not written to its end)",)

    def test_nobody_listens(self, tmp_path: Path, small_book: Path) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            base = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
            with deployment(tmp_path, small_book, provider="openai_like", model="m", api_base=base) as host:
                assert "cannot be reached (is it running, and is api_base its address?)" in str(failure(host))

    def test_whoever_stops_reading_ends_the_request(self, served: Served, server: Server) -> None:
        server.acts(stall(f"{CASTER} [1]. Casters"))
        with served(timeout=3000) as host:
            stream = host.assistant("book_chat").stream(QUESTION)
            assert isinstance(next(stream), Delta)
            stream.close()  # type: ignore[attr-defined]
            assert server.left.wait(HANG)

    def test_a_client_that_leaves_ends_the_request_while_nothing_comes(self, server: Server, host: Host) -> None:
        server.acts(stall("A caster "))
        set_budget(Budget(60, client_left=lambda: bool(server.asked)))
        try:
            assert "nobody waits" in str(failure(host))
        finally:
            set_budget(None)
        assert server.left.wait(HANG), "the connection was not closed"
        assert len(server.asked) == 1, "it is not asked again"

    def test_no_thread_is_left(self, server: Server, hasty: Host) -> None:
        server.acts(drip(), stall(), say(f"{CASTER} [1]."))
        for _ in range(2):
            failure(hasty)
        ask(hasty)
        until(lambda: "ragstone-llm" not in {thread.name for thread in threading.enumerate()}, "the end of the threads")


class TestRetry:
    @pytest.mark.parametrize(
        "first",
        [
            refuse(429, retry_after="0"),
            refuse(500),
            refuse(503, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"),
            refuse(502, retry_after="soon"),
            drop("A caster is"),
        ],
    )
    def test_once(self, server: Server, host: Host, first: Any) -> None:
        server.acts(first, say(f"{CASTER} [1]."))
        answer = ask(host)
        assert (answer.text, answer.dropped) == (f"{CASTER}. [1]", ())
        assert len(server.asked) == 2

    def test_not_twice(self, server: Server, host: Host) -> None:
        server.acts(refuse(503), refuse(503), say(f"{CASTER} [1]."))
        failure(host)
        assert len(server.asked) == 2

    @pytest.mark.parametrize("act", [refuse(401), refuse(400), refuse(404), say()])
    def test_not_where_it_would_not_help(self, server: Server, host: Host, act: Any) -> None:
        server.acts(act, say(f"{CASTER} [1]."))
        failure(host)
        assert len(server.asked) == 1

    def test_not_after_the_first_sentence(self, server: Server, host: Host) -> None:
        server.acts(drop(f"{CASTER} [1]. Casters"), say(f"{CASTER} [1]."))
        stream = host.assistant("book_chat").stream(QUESTION)
        assert isinstance(next(stream), Delta)
        with pytest.raises(LLMError, match="broke off"):
            list(stream)
        assert len(server.asked) == 1

    def test_not_later_than_the_deadline(self, server: Server, host: Host) -> None:
        server.acts(refuse(429, retry_after="3600"), say(f"{CASTER} [1]."))
        assert "longer than [llm] timeout leaves" in str(failure(host))
        assert len(server.asked) == 1


class TestKeys:
    """Only from the environment, only into a header."""

    @pytest.mark.parametrize(
        "act",
        [
            say(f"{CASTER} [1]. It was {KEY} [1]."),
            refuse(401, body={"error": {"message": f"Incorrect API key provided: {KEY}"}}),
            refuse(400, body={"error": {"message": f"bad {KEY}"}}),
            refuse(500, body={"error": {"message": f"oops {KEY}"}}),
            send("text/event-stream", f"data: {{{KEY}\n\n".encode()),
            stall(),
        ],
    )
    @pytest.mark.parametrize("provider", ["openai_like", "gemini"])
    def test_it_is_nowhere_else(
        self,
        served: Served,
        server: Server,
        act: Any,
        provider: str,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setenv("RAGSTONE_LLM_API_KEY", KEY)
        caplog.set_level(logging.DEBUG)
        server.acts(act)
        result = ""
        with served(provider=provider, timeout=2) as host:
            try:
                answer = ask(host)
                result += answer.text + " ".join(c.quote for c in answer.citations)
                result += str(answer.dropped)
            except LLMError as error:
                logging.getLogger("ragstone.tests").exception("as a server would log it")
                result += str(error) + str(error.to_problem()) + "".join(traceback.format_exception(error))
            result += (
                repr(host.settings)
                + repr(host.hooks.llm)
                + str(host.hooks.llm and host.hooks.llm.to_dict())
                + str(host.plugins)
            )
        output = capfd.readouterr()
        formatter = logging.Formatter("%(name)s %(message)s")
        result += output.out + output.err + "\n".join(formatter.format(record) for record in caplog.records)
        header = "authorization" if provider == "openai_like" else "x-goog-api-key"
        assert all(asked.headers[header].endswith(KEY) for asked in server.asked)
        assert not any(KEY in asked.path or KEY in asked.prompt for asked in server.asked)
        assert KEY not in result

    @pytest.mark.parametrize("key", ["api_key", "key", "token", "API_KEY", "openai_api_key"])
    @pytest.mark.parametrize("provider", ["openai_like", "gemini", "somebody"])
    def test_a_key_in_the_settings_is_refused(self, tmp_path: Path, key: str, provider: str) -> None:
        file = tmp_path / "ragstone.toml"
        file.write_text(f'[llm]\nprovider = "{provider}"\nmodel = "m"\napi_base = "http://x/v1"\n{key} = "{KEY}"\n')
        with pytest.raises(SettingsError, match="RAGSTONE_LLM_API_KEY in the environment") as caught:
            Host.open(file)
        assert KEY not in "".join(traceback.format_exception(caught.value))

    @pytest.mark.parametrize("base", [f"http://me:{KEY}@x/v1", f"http://x/v1?key={KEY}", f"ftp://{KEY}", "x:80", ""])
    def test_no_key_in_the_address(self, tmp_path: Path, base: str) -> None:
        file = tmp_path / "ragstone.toml"
        file.write_text(f'[llm]\nprovider = "openai_like"\nmodel = "m"\napi_base = "{base}"\n')
        with pytest.raises(SettingsError, match="api_base") as caught:
            Host.open(file)
        assert KEY not in "".join(traceback.format_exception(caught.value))

    def test_a_redirect_is_not_followed(self, server: Server, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("RAGSTONE_LLM_API_KEY", KEY)
        with Server() as other:
            other.acts(say(f"{CASTER} [1]."))

            def act(handler: Any) -> None:
                handler.begin(307, "text/plain", Location=f"{other.base}/chat/completions")
                handler.raw(b"")

            server.acts(act)
            assert "(307)" in str(failure(host))
            assert other.asked == []


class TestGemini:
    @pytest.fixture
    def gemini(self, served: Served, server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
        base = server.base.removesuffix("/v1")
        with served(provider="gemini", model="gemini-2.5-flash", api_base=base, seed=3) as opened:
            yield opened

    def test_a_streamed_answer(self, server: Server, gemini: Host) -> None:
        gate = threading.Event()
        server.acts(say_until(gate, f"{CASTER}. [1] Cas", "ters bear load but give no traction [1]."))
        stream = gemini.assistant("book_chat").stream(QUESTION)
        first = next(stream)
        assert isinstance(first, Delta)
        gate.set()
        *_, answer = stream
        assert isinstance(answer, Answer)
        assert answer.text == f"{CASTER}. [1] {LOAD}. [1]"
        (asked,) = server.asked
        assert asked.path == "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
        assert asked.headers["x-goog-api-key"] == KEY
        config = asked.body["generationConfig"]
        assert (config["temperature"], config["seed"], config["maxOutputTokens"]) == (0.0, 3, 8192)

    def test_newer_models_keep_their_temperature(
        self, served: Served, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        server.acts(say(f"{CASTER} [1]."))
        with served(provider="gemini", model="gemini-3-flash-preview") as host:
            assert not ask(host).refused
        assert "temperature" not in server.asked[0].body.get("generationConfig", {})

    @pytest.mark.parametrize(
        ("act", "message", "requests"),
        [
            (refuse(403), "refuses the key (403)", 1),
            (refuse(429, retry_after="0"), "takes no more requests", 2),
            (refuse(503), "failed (503)", 2),
            (drop("A caster"), "the language model", 2),
            (send("text/html", b"<p>hi"), "the language model", 1),
        ],
    )
    def test_misbehaviour(self, server: Server, gemini: Host, act: Any, message: str, requests: int) -> None:
        server.acts(act)
        assert message in str(failure(gemini))
        assert len(server.asked) == requests

    def test_googles_own_way_to_ask_for_patience(self, server: Server, gemini: Host) -> None:
        info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3600s"}
        server.acts(refuse(429, body={"error": {"code": 429, "message": "quota", "details": [info]}}))
        assert "longer than [llm] timeout leaves" in str(failure(gemini))

    def test_a_stall_is_cut(self, served: Served, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        for act in (stall("A caster "), drip()):
            server.left.clear()
            server.acts(act)
            with served(provider="gemini", model="gemini-2.5-flash", timeout=1.5) as host:
                assert "did not finish" in str(failure(host)) or "in time" in str(failure(host))
            assert server.left.wait(HANG)

    def test_without_a_key(self, tmp_path: Path, small_book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
            monkeypatch.delenv(name, raising=False)
        with deployment(tmp_path, small_book, provider="gemini", model="gemini-2.5-flash") as host:
            with pytest.raises(SettingsError, match="GEMINI_API_KEY"):
                ask(host)
            monkeypatch.setenv("GEMINI_API_KEY", KEY)
            monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
            with pytest.raises(SettingsError, match="GOOGLE_GENAI_USE_VERTEXAI"):
                ask(host)


class TestProviders:
    def test_a_plugin_of_somebody_wins(self, tmp_path: Path, small_book: Path) -> None:
        llm = ScriptedLLM()
        llm.enqueue(f"{CASTER} [1].")
        settings = Settings(
            data_dir=tmp_path / "data",
            index={"store": "none"},
            llm={"provider": "openai_like", "model": "m", "api_base": "http://127.0.0.1:9/v1"},
        )
        with Host(settings, plugins={"test_models": TestModels(llm)}) as host:
            host.start()
            add_book(host, small_book)
            assert ask(host).text == f"{CASTER}. [1]"

    def test_an_extra_that_is_not_there_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from ragstone.core import MissingExtra, errors

        def missing(extra: str, *modules: str) -> None:
            raise MissingExtra(extra, modules)

        monkeypatch.setattr(errors, "require_extra", missing)
        for module in ("openai_like", "gemini"):
            monkeypatch.delitem(__import__("sys").modules, f"ragstone.core.providers.{module}", raising=False)
        settings = Settings(
            data_dir=tmp_path / "data", llm={"provider": "openai_like", "model": "m", "api_base": "http://x/v1"}
        )
        host = Host(settings)
        state = plugin_state(host, "openai_like")
        assert (state.state, state.install) == ("disabled", "pip install 'ragstone[openai-like]'")
        with pytest.raises(SettingsError, match=r"pip install 'ragstone\[openai-like\]'"):
            _ = host.hooks.llm

    def test_the_command(
        self,
        tmp_path: Path,
        small_book: Path,
        server: Server,
        monkeypatch: pytest.MonkeyPatch,
        fast_site: Path,
        here: Here,
    ) -> None:
        monkeypatch.setenv("RAGSTONE_LLM_API_KEY", KEY)
        assert here("book", "add", str(small_book), "--title", "Robot parts").code == 0
        config = tmp_path / "llm.toml"
        result = f'[llm]\nprovider = "openai_like"\nmodel = "test-1"\napi_base = "{server.base}"\nremember = false\n'
        config.write_text(result, "utf-8")
        question = ("--config", str(config), "ask", "book_chat", QUESTION)
        server.acts(say(f"{CASTER} [1]. Wheels fly [1]."), refuse(401, body={"error": KEY}))
        done = run(*question, site=fast_site)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith(f"{CASTER}. [1]")
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
        failed = here("-v", *question)
        assert failed.code == 1
        assert "refuses the key (401)" in failed.err
        assert KEY not in failed.err + failed.out
        assert "refuses the key (401)" in here(*question).line
