"""Conversations: carried along by a page's form, and kept on the server for those who have a key."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from ragstone.core import Host, Turn
from ragstone.core.testing import open_host
from ragstone.web import create_app
from ragstone.web.conversations import Conversations
from ragstone.web.keys.store import Keys

from .conftest import ANSWER, Speaker

PAGE = "/assistants/book_chat/"
KEPT = "/conversations/book_chat/"


def carried(page: str) -> str:
    found = re.search(r'<input type="hidden" name="history" value="([^"]*)">', page)
    assert found
    return html.unescape(found[1])


def test_a_form_carries_the_conversation(client: FlaskClient, speaker: Speaker) -> None:
    first = client.post(PAGE, data={"q": "What is a node?", "book": "primer", "history": "[]"}).text
    second = client.post(PAGE, data={"q": "And why?", "history": carried(first)})
    assert second.status_code == 200
    assert list(speaker.heard[-1].history) == [Turn("What is a node?", ANSWER.text)]
    assert second.text.count('<article class="exchange"') == 2
    assert second.text.count('href="/book_chat/source/c1#passage') >= 4, "the earlier answer has its sources still"
    assert second.text.index('id="last"') > second.text.index("What is a node?")
    speaker.error = RuntimeError("bug")
    assert client.post(PAGE, data={"q": "More?", "history": carried(second.text)}).status_code == 500


@pytest.mark.parametrize(("how", "carried"), [("refused", ""), ("closest", "No.")])
def test_a_question_that_was_refused_goes_along_without_an_answer(
    client: FlaskClient, speaker: Speaker, how: str, carried: str
) -> None:
    answer = {"answer": "No.", "refused": False, "closest": False, "citations": [], how: True}
    client.post(
        PAGE, data={"q": "And why?", "history": json.dumps([{"question": "What is a node?", "answer": answer}])}
    )
    assert list(speaker.heard[-1].history) == [Turn("What is a node?", carried)]


def test_a_page_without_a_question_shows_the_conversation(client: FlaskClient, speaker: Speaker) -> None:
    first = client.post(PAGE, data={"q": "What is a node?"}).text
    assert "A node does one job." in client.post(PAGE, data={"history": carried(first), "q": " "}).text
    assert len(speaker.heard) == 1


@pytest.mark.parametrize(
    "history",
    ["{", "{}", "[1]", '[{"question": "q"}]', '[{"question": "q", "answer": []}]', "[" * 100_000, '"text"',
     '[{"question": "q", "answer": {"answer": "a", "refused": false, "closest": false, "citations": [{}]}}]',
     '[{"question": "q", "answer": {"answer": "a", "refused": false, "closest": false, "citations": [{"n": 1e999}]}}]',
     '[{"question": "q", "answer": {"answer": "\\ud800", "refused": false, "closest": false, "citations": []}}]'],
)  # fmt: skip
def test_a_conversation_of_another_form_is_refused(client: FlaskClient, speaker: Speaker, history: str) -> None:
    assert client.post(PAGE, data={"q": "q", "history": history}).status_code == 400
    assert speaker.heard == []


def test_what_is_carried_is_no_markup_and_leads_nowhere_else(client: FlaskClient) -> None:
    evil = "<script>alert(1)</script>"
    cited = {"n": 1, "chunk_id": "c", "url": "javascript:alert(1)", "quote": evil, "book_title": evil}
    answer = {"answer": f"{evil} [1]", "refused": False, "closest": False, "citations": [cited]}
    page = client.post(PAGE, data={"history": json.dumps([{"question": evil, "answer": answer}])}).text
    assert "<script>alert" not in page
    assert 'href="javascript' not in page


def test_other_sites_cannot_send_the_form(client: FlaskClient, speaker: Speaker) -> None:
    headers = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.post(PAGE, data={"q": "q"}, headers=headers).status_code == 403
    assert speaker.heard == []


# On the server


@pytest.fixture(scope="module")
def kept_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    options = {"web": {"requests_per_minute": 0, "access": "key", "conversations_per_key": 3}}
    with open_host(tmp_path_factory.mktemp("conversations"), options=options) as opened:
        yield opened


@pytest.fixture(scope="module")
def keyed(kept_host: Host) -> FlaskClient:
    return create_app(kept_host).test_client()


def held(host: Host, **limits: Any) -> dict[str, str]:
    held.number += 1  # type: ignore[attr-defined]
    return {"Authorization": f"Bearer {Keys(host).add(f'key {held.number}', **limits)}"}  # type: ignore[attr-defined]


held.number = 0  # type: ignore[attr-defined]
BODY = {"title": "A\x00 title", "turns": [{"question": "q\x00", "answer": {"answer": "a"}}]}


def test_a_key_has_its_conversations(keyed: FlaskClient, kept_host: Host) -> None:
    mine, other = held(kept_host), held(kept_host)
    assert keyed.put(f"{KEPT}first-one", json=BODY, headers=mine).status_code == 204
    assert [each["title"] for each in keyed.get(KEPT, headers=mine).get_json()["conversations"]] == ["A title"]
    assert keyed.get(f"{KEPT}first-one", headers=mine).get_json()["turns"] == BODY["turns"]
    renamed = {**BODY, "title": "Renamed"}
    assert keyed.put(f"{KEPT}first-one", json=renamed, headers=mine).status_code == 204
    assert [each["title"] for each in keyed.get(KEPT, headers=mine).get_json()["conversations"]] == ["Renamed"]
    assert keyed.get(KEPT, headers=other).get_json() == {"conversations": []}
    assert keyed.get(f"{KEPT}first-one", headers=other).status_code == 404
    assert keyed.delete(f"{KEPT}first-one", headers=other).status_code == 204
    assert keyed.get("/conversations/wiki_edge/", headers=mine).get_json() == {"conversations": []}
    assert keyed.get(f"{KEPT}first-one", headers=mine).status_code == 200, "another key removes nothing of mine"
    assert 'data-kept="/conversations/book_chat/"' in keyed.get("/book_chat/", headers=mine).text
    assert keyed.delete(f"{KEPT}first-one", headers=mine).status_code == 204
    assert keyed.get(f"{KEPT}first-one", headers=mine).status_code == 404


def test_the_latest_are_kept(keyed: FlaskClient, kept_host: Host) -> None:
    mine, other = held(kept_host), held(kept_host)
    keyed.put(f"{KEPT}of-another", json=BODY, headers=other)
    for number in range(5):
        keyed.put(f"{KEPT}number-{number}", json=BODY, headers=mine)
    found = [each["id"] for each in keyed.get(KEPT, headers=mine).get_json()["conversations"]]
    assert found == ["number-4", "number-3", "number-2"]
    assert len(keyed.get(KEPT, headers=other).get_json()["conversations"]) == 1


@pytest.mark.parametrize("turns", ["", "{", "[" * 100_000])
def test_a_damaged_one_is_named_and_can_be_removed(keyed: FlaskClient, kept_host: Host, turns: str) -> None:
    mine = held(kept_host)
    keyed.put(f"{KEPT}damaged-one", json=BODY, headers=mine)
    with Conversations(kept_host)._tables.write() as connection:
        connection.execute(text("UPDATE web_conversation_kept SET turns = :turns"), {"turns": turns})
    answer = keyed.get(f"{KEPT}damaged-one", headers=mine)
    assert (answer.status_code, "'damaged-one' is damaged" in answer.get_json()["detail"]) == (500, True)
    assert keyed.delete(f"{KEPT}damaged-one", headers=mine).status_code == 204


def test_they_go_with_their_key(keyed: FlaskClient, kept_host: Host) -> None:
    mine = held(kept_host)
    keyed.put(f"{KEPT}the-last-one", json=BODY, headers=mine)
    key_id = mine["Authorization"].split("_")[1]
    assert len(Conversations(kept_host).list(key_id, "book_chat")) == 1
    Keys(kept_host).remove(f"key {held.number}")  # type: ignore[attr-defined]
    Conversations(kept_host).forget_removed()
    assert Conversations(kept_host).list(key_id, "book_chat") == []


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (KEPT + "short", BODY, 404),
        (KEPT + "x" * 65, BODY, 404),
        (KEPT + "..%2f..%2fetc", BODY, 403),
        ("/conversations/nobody/long-enough", BODY, 403),
        ("/conversations/wiki_edge/long-enough", BODY, 403),
        (KEPT + "long-enough", [], 400),
        (KEPT + "long-enough", {"title": 1, "turns": []}, 400),
        (KEPT + "long-enough", {"title": "t", "turns": [{}] * 201}, 400),
        (KEPT + "long-enough", {"title": "t", "turns": ["x" * 1_000_000]}, 413),
    ],
)
def test_what_is_none_is_refused(keyed: FlaskClient, kept_host: Host, path: str, body: Any, status: int) -> None:
    assert keyed.put(path, json=body, headers=held(kept_host, assistants=["book_chat"])).status_code == status


def test_without_a_key_or_the_setting_nothing_is_kept(keyed: FlaskClient, tmp_path: Path) -> None:
    for call in (keyed.get, keyed.put, keyed.delete):
        assert call(f"{KEPT}long-enough", json=BODY).status_code == 401
    with open_host(tmp_path, options={"web": {"conversations_per_key": 3}}) as host:
        open_to_all = create_app(host).test_client()
        assert open_to_all.put(f"{KEPT}long-enough", json=BODY).status_code == 404
        assert 'data-kept=""' in open_to_all.get("/book_chat/").text
    with open_host(tmp_path, options={"web": {"access": "key"}}) as host:
        client = create_app(host).test_client()
        assert client.put(f"{KEPT}long-enough", json=BODY, headers=held(host)).status_code in {404, 405}
