from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient

from ragstone.core import LLMError, NotFound, Question, StorageFull
from tests.support.patience import HANG

from .conftest import FIELDS, Speaker, SpeakingHost

EVENTS = {"Accept": "text/event-stream"}


def events(text: str) -> list[tuple[str, Any]]:
    found = []
    for block in text.removesuffix("\n\n").split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def test_json_is_the_specification_s(client: FlaskClient) -> None:
    response = client.post("/query", json={"question": "What is a node?"})
    assert response.status_code == 200
    assert response.mimetype == "application/json"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.get_json() == {
        "answer": "A node does one job. [1] It has a name [7].",
        "refused": False,
        "closest": False,
        "reason": None,
        "warnings": [],
        "citations": [
            {
                "n": 1,
                "chunk_id": "c1",
                **FIELDS,
                "url": "/book_chat/source/c1",
                "quote": "A node does one job.",
            }
        ],
        "dropped": [],
        "timings_ms": {"encode": 1.2, "retrieve": 2, "answer": 3},
    }


def test_what_narrows_a_question_reaches_the_assistant(client: FlaskClient, speaker: Speaker) -> None:
    client.post("/query", json={"question": "q", "book": "primer", "top_k": 3})
    client.post("/query-selection", json={"question": "q", "selection": "some text", "book": "primer"})
    assert speaker.heard == [
        Question("q", top_k=3, filters={"book": "primer"}),
        Question("q", selection="some text", filters={"book": "primer"}),
    ]


def test_a_stream_gives_words_and_then_the_answer(client: FlaskClient) -> None:
    whole = client.post("/query", json={"question": "q"}).json
    response = client.post("/query", json={"question": "q"}, headers=EVENTS)
    assert response.mimetype == "text/event-stream"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Accel-Buffering"] == "no"
    *deltas, last = events(response.text)
    assert {name for name, _ in deltas} == {"delta"}
    assert "".join(data["text"] for _, data in deltas).strip() == "A node does one job. [1] It has a name [7]."
    assert last == ("answer", whole)


def test_whoever_takes_anything_gets_json(client: FlaskClient) -> None:
    for accept in ("*/*", "application/json", "text/event-stream;q=0.1, application/json"):
        response = client.post("/query", json={"question": "q"}, headers={"Accept": accept})
        assert response.mimetype == "application/json", accept


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFound("there is no book 'x'"), 404),
        (StorageFull("no space left"), 507),
        (LLMError("no answer"), 502),
    ],
)
def test_an_error_before_the_first_word_has_its_own_status(
    client: FlaskClient, speaker: Speaker, accept: str, error: Exception, status: int
) -> None:
    speaker.error = error
    response = client.post("/query", json={"question": "q"}, headers={"Accept": accept})
    assert response.status_code == status
    assert response.mimetype == "application/problem+json"
    assert response.get_json()["status"] == status
    assert response.get_json()["detail"] == str(error)


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_bug_tells_nothing_and_logs_everything(
    client: FlaskClient, speaker: Speaker, accept: str, caplog: pytest.LogCaptureFixture
) -> None:
    speaker.error = RuntimeError("secret insides")
    response = client.post("/query", json={"question": "q"}, headers={"Accept": accept})
    assert (response.status_code, response.mimetype) == (500, "application/problem+json")
    assert "secret" not in response.text
    assert "secret insides" in caplog.text


def test_a_bug_in_the_middle_is_the_stream_s_last_event(
    client: FlaskClient, speaker: Speaker, caplog: pytest.LogCaptureFixture
) -> None:
    speaker.fails_after = 2
    *deltas, (name, problem) = events(client.post("/query", json={"question": "q"}, headers=EVENTS).text)
    assert len(deltas) == 2
    assert (name, problem["status"]) == ("error", 500)
    assert "secret" not in json.dumps(problem)
    assert "secret insides" in caplog.text


def test_a_stream_without_an_answer_says_so(client: FlaskClient, speaker: Speaker) -> None:
    speaker.fails_after = 1000
    assert events(client.post("/query", json={"question": "q"}, headers=EVENTS).text)[-1][0] == "error"


def test_an_assistant_stops_when_its_response_is_closed(client: FlaskClient, speaker: Speaker) -> None:
    response = client.post("/query", json={"question": "q"}, headers=EVENTS, buffered=False)
    assert not speaker.closed.is_set()
    response.close()
    assert speaker.closed.is_set()


def test_an_assistant_stops_when_its_client_goes(
    host: SpeakingHost, speaker: Speaker, served: Callable[[], Any]
) -> None:
    speaker.answer = type(speaker.answer)("word " * 4000)
    speaker.pause = 0.05
    with served() as url:
        place = urlsplit(url)
        body = json.dumps({"question": "q"})
        with socket.create_connection((place.hostname, place.port), timeout=60) as connection:
            connection.sendall(
                f"POST /query HTTP/1.1\r\nHost: {place.netloc}\r\nAccept: text/event-stream\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
            )
            received = b""
            while b"event: delta" not in received:
                more = connection.recv(4096)
                assert more, "it ended before"
                received += more
            assert not speaker.closed.is_set(), "it comes at the end and not as it is made"
        assert speaker.closed.wait(HANG)
