"""What one request may cost: processor time, texts to embed, and a place among those that wait for the model."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragstone.core.testing import ScriptedLLM
from ragstone.web import create_app
from tests.support.patience import HANG

from .conftest import wheels_host

QUESTION = {"question": "What is a caster?"}


class StalledLLM(ScriptedLLM):
    """A model that says nothing until it is let go."""

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        asked.set()
        goes_on.wait(HANG)
        return super().complete(prompt, formatted, **kwargs)


asked, goes_on = threading.Event(), threading.Event()


@pytest.fixture
def client_of(tmp_path: Path) -> Iterator[Any]:
    with ExitStack() as opened:

        def client(llm: Any = None, **web: Any) -> FlaskClient:
            return create_app(opened.enter_context(wheels_host(tmp_path, llm=llm, **web))).test_client()

        yield client


def test_a_question_that_computes_for_too_long_is_given_up(client_of: Any) -> None:
    report = client_of(request_cpu_seconds=1e-9).post("/query", json=QUESTION)
    assert report.status_code == 413
    assert "of processor time" in report.json["detail"]
    assert "request_cpu_seconds" in report.json["detail"]


@pytest.mark.parametrize(("texts", "status"), [(["one two three"] * 60, 200), (["one two three"] * 90, 413)])
def test_tokens_of_one_request_for_embeddings_are_limited(client_of: Any, texts: list[str], status: int) -> None:
    report = client_of(embedding_tokens=256).post("/v1/embeddings", json={"model": "words", "input": texts})
    assert report.status_code == status
    if status != 200:
        assert "360 tokens in all; 256 are allowed" in report.json["error"]["message"]


def test_a_model_that_hangs_takes_some_of_the_threads_and_no_more(client_of: Any) -> None:
    asked.clear()
    goes_on.clear()
    llm = StalledLLM()
    llm.enqueue("A caster is a wheel that swivels about a vertical axis [1].")
    client = client_of(llm, threads=2)
    with ThreadPoolExecutor(1) as pool:
        try:
            first = pool.submit(client.post, "/query", json=QUESTION)
            assert asked.wait(HANG)
            for path, body in (
                ("/query", {"question": "What is a caster wheel?"}),
                ("/v1/chat/completions", {"model": "book_chat", "messages": [{"role": "user", "content": "caster?"}]}),
            ):
                report = client.application.test_client().post(path, json=body)
                assert report.status_code == 503
                assert report.headers["Retry-After"]
                assert "wait for the language model" in report.text
            # what asks no model goes on
            assert client.application.test_client().post("/query", json={"question": "Who is Bo?"}).json["refused"]
        finally:
            goes_on.set()
        assert "swivels" in first.result().json["answer"]
