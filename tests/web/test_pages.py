from __future__ import annotations

import posixpath
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from ragstone.core import Question, QuestionFilter, StorageError
from ragstone.core.answering import EmptyState

from .conftest import Speaker, SpeakingHost

PAGE = "/assistants/book_chat/"


def test_home_lists_what_can_be_asked(client: FlaskClient) -> None:
    page = client.get("/").text
    assert f'<a href="{PAGE}">Book chat</a>' in page
    assert "Answers from a book." in page
    assert f'href="{PAGE}?q=What%20is%20a%20node%3F">What is a node?</a>' in page
    assert "Why &lt;b&gt;?" in page


def test_home_without_assistants_says_where_to_look(client: FlaskClient, host: SpeakingHost) -> None:
    host.hooks.assistants.clear()
    assert "ragstone plugins" in client.get("/").text


def test_home_shows_how_to_fill_what_is_empty(client: FlaskClient, speaker: Speaker) -> None:
    speaker.empty_state = EmptyState("Nothing <i>yet</i>.", "/own/add", "Add a book")
    page = client.get("/").text
    assert "Nothing &lt;i&gt;yet&lt;/i&gt;." in page
    assert '<a class="button" href="/own/add">Add a book</a>' in page
    assert "What is a node?" not in page, "it could not be answered"


def test_the_header_has_every_assistant_and_where_one_is(client: FlaskClient) -> None:
    assert f'<a href="{PAGE}" aria-current="page">Book chat</a>' in client.get(PAGE).text
    for path in ("/", "/search"):
        assert f'<a href="{PAGE}">Book chat</a>' in client.get(path).text


def test_all_sources_are_searched_at_once(client: FlaskClient, speaker: Speaker) -> None:
    page = client.get("/search", query_string={"q": "What is <a> node?"}).text
    assert "A node does &lt;b&gt;one&lt;/b&gt; job." in page
    assert '<a href="/book_chat/source/c1">3.2 Nodes</a>' in page
    assert "copy-of-c1" not in page, "a passage is shown once"
    assert page.count("3.2 Nodes") == 1, "its heading is not said again in its place"
    assert f'href="{PAGE}?q=What%20is%20%3Ca%3E%20node%3F"' in page
    speaker.error = StorageError("the disk is <gone>", where="/secret")
    page = client.get("/search", query_string={"q": "node"}).text
    assert "It could not be searched. The disk is &lt;gone&gt;." in page
    assert "/secret" not in page


def test_what_only_comes_closest_is_folded_where_another_source_answers(
    client: FlaskClient, speaker: Speaker, host: SpeakingHost
) -> None:
    other = Speaker(name="other", title="Another", verdict="closest")
    host.hooks.assistants["other"] = other
    page = client.get("/search?q=node").text
    places = [page.index("3.2 Nodes"), page.index("<details>"), page.rindex("3.2 Nodes"), page.index("</details>")]
    assert places == sorted(places)
    speaker.verdict = "closest"
    page = client.get("/search?q=node").text
    assert ("<details>" in page, page.count("What comes closest:")) == (False, 2)


def test_filters_are_folded(client: FlaskClient, speaker: Speaker) -> None:
    speaker.filters = {"as_of": QuestionFilter("a day")}
    page = client.get(PAGE).text
    assert '<details class="filters">' in page
    assert '>as of <input name="as_of"' in page


def test_a_question_goes_along_to_an_assistants_own_page(client: FlaskClient, speaker: Speaker) -> None:
    speaker.own_page = "/elsewhere/"
    asked = client.get(PAGE, query_string={"q": "What is <a> node & why?", "book": "b"})
    assert asked.headers["Location"] == "/elsewhere/?q=What+is+%3Ca%3E+node+%26+why%3F&book=b"
    assert client.post(PAGE, data={"q": "What is a node?"}).status_code == 307


def test_an_assistant_with_a_page_of_its_own_is_there(client: FlaskClient, speaker: Speaker) -> None:
    speaker.own_page = "/elsewhere/"
    assert 'href="/elsewhere/"' in client.get("/").text
    assert client.get(PAGE).headers["Location"] == "/elsewhere/"


def test_a_question_is_answered_without_javascript(client: FlaskClient, speaker: Speaker) -> None:
    page = client.get(PAGE, query_string={"q": " What? ", "book": "primer"})
    assert page.status_code == 200
    assert speaker.heard == [Question("What?", filters={"book": "primer"})]
    marked = "/book_chat/source/c1#passage:~:text=A%20node%20does%20one%20job."
    assert f'href="{marked}" aria-label="Source 1"' in page.text
    assert "3.2 Nodes" in page.text
    assert "Simulation" in page.text
    assert "It has a name [7]." in page.text, "a marker without a citation is only text"


def test_a_refusal_shows_as_one(client: FlaskClient, speaker: Speaker) -> None:
    speaker.answer = replace(speaker.answer, text="I cannot say.", citations=(), refused=True)
    page = client.get(PAGE, query_string={"q": "weather"}).text
    assert 'class="answer refused"' in page
    assert "Not in the sources" in page
    assert 'class="sources"' not in page


def test_an_error_is_reported_in_words_with_its_status(client: FlaskClient, speaker: Speaker) -> None:
    page = client.get(PAGE, query_string={"q": "q", "book": "unknown"})
    assert page.status_code == 404
    assert "There is no book &#39;unknown&#39;" in page.text
    assert ">q</textarea>" in page.text, "the question is still there to be changed"


def test_nothing_in_an_answer_is_markup(client: FlaskClient, speaker: Speaker) -> None:
    evil = "<script>alert(1)</script>"
    citation = replace(
        speaker.answer.citations[0], quote=evil, url='/x"onclick="y', fields={"title": evil, "section": evil}
    )
    speaker.answer = replace(speaker.answer, text=f"{evil} [1]\n```\n{evil}\n```\n| {evil} |", citations=(citation,))
    page = client.get(PAGE, query_string={"q": evil}).text
    assert "<script>alert" not in page
    assert 'onclick="' not in page


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,x", "//evil.example/", "/\\evil.example/", "", "JaVaScRiPt:x"],
)
def test_a_badge_leads_to_pages_only(client: FlaskClient, speaker: Speaker, url: str) -> None:
    speaker.answer = replace(speaker.answer, citations=(replace(speaker.answer.citations[0], url=url),))
    page = client.get(PAGE, query_string={"q": "q"}).text
    assert '<span class="badge" tabindex="0"' in page
    assert not url or f'href="{url}"' not in page


@pytest.mark.parametrize("path", ["/", PAGE, f"{PAGE}?q=x", "/nowhere"])
def test_pages_hold_no_script_or_style_of_their_own(client: FlaskClient, path: str) -> None:
    page = client.get(path, headers={"Accept": "text/html"}).text
    assert "<style" not in page
    assert " style=" not in page
    assert " onclick=" not in page
    assert page.count("<script") == page.count('<script type="module" src="/static/') + 1
    assert '<script src="/static/ragstone/theme.js"></script>' in page, "before anything is drawn"
    assert 'lang="en"' in page
    assert '<main id="main"' in page


def test_the_icon_and_the_files_are_small_and_there(client: FlaskClient) -> None:
    sizes: dict[str, int] = {}
    scripts = ("ask.js", "chat.js", "conversations.js", "render.js", "selection.js", "theme.js")
    for name in ("../../favicon.ico", *scripts, "ragstone.css"):
        path = posixpath.normpath(f"/static/ragstone/{name}")
        with client.get(path, headers={"Accept-Encoding": "gzip"}) as file:
            assert file.status_code == 200
            kind = file.mimetype or ""
            sizes[kind] = sizes.get(kind, 0) + len(file.data)
    assert sizes.keys() == {"image/svg+xml", "text/javascript", "text/css"}
    assert max(sizes.values()) < 14_000, "as they are sent"
