"""The wiki client against two real MediaWikis: one with articles of Wikipedia, one as its Wikibooks."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from ragstone.plugins.concept_tutor.mediawiki.client.client import WikiClient
from ragstone.plugins.concept_tutor.mediawiki.client.errors import WikiPageMissing
from ragstone.plugins.concept_tutor.mediawiki.client.request_slots import RequestSlots
from tests.plugins.concept_tutor.mediawiki.client.clients import SiteSettings, WikiSettings
from tests.support.mediawiki import Server


@pytest.fixture
def settings(wikipedia: Server, wikibooks: Server) -> WikiSettings:
    sites = {
        "wikipedia": SiteSettings(url=wikipedia.url, licence="CC BY-SA 4.0"),
        "wikibooks": SiteSettings(url=wikibooks.url, licence="CC BY-SA 3.0"),
    }
    return WikiSettings(sites=sites, fresh_hours=0)


def test_what_a_search_finds_can_be_opened(settings: WikiSettings, tmp_path: Path, wikipedia: Server) -> None:
    client = WikiClient("wikipedia", settings, tmp_path)
    (first, *_) = client.search("anarchism philosophy", 3)
    assert first == "Anarchism"
    page = client.page(first)
    assert (page.title, page.url) == ("Anarchism", f"{wikipedia.url}/wiki/Anarchism")
    assert page.revision.isdecimal()
    assert b"data-mw-section-id" in page.html
    assert len(page.html) > 100_000
    # The next time it says that nothing has changed.
    again = client.page(first)
    assert (again.revision, again.html) == (page.revision, page.html)
    assert again.retrieved_at > page.retrieved_at


def test_hard_names(settings: WikiSettings, tmp_path: Path, wikibooks: Server) -> None:
    client = WikiClient("wikibooks", settings, tmp_path)
    for title in ("Guitar/Chords", "100% & more?", "C++ by example", "Ägypten: 'Kö\"ln'"):
        page = client.page(title)
        assert page.title == title
        assert (page.key, page.licence) == (title.replace(" ", "_"), "CC BY-SA 3.0")
    assert client.search("fretboard") == ("Guitar/Chords",)


def test_a_redirect_leads_to_its_page(settings: WikiSettings, tmp_path: Path, wikibooks: Server) -> None:
    page = WikiClient("wikibooks", settings, tmp_path).page("Guitars")
    assert (page.key, page.title) == ("Guitar/Chords", "Guitar/Chords")
    assert page.url.endswith("/wiki/Guitar/Chords")


def test_there_is_no_such_page(settings: WikiSettings, tmp_path: Path) -> None:
    client = WikiClient("wikibooks", settings, tmp_path)
    with pytest.raises(WikiPageMissing):
        client.page("Nothing of this name")
    assert client.search("zyzzyvaquux") == ()


def test_an_edit_is_a_new_revision(settings: WikiSettings, tmp_path: Path, wikibooks: Server) -> None:
    client = WikiClient("wikibooks", settings, tmp_path)
    wikibooks.edit("Edited", "It was so at first.")
    first = client.page("Edited")
    wikibooks.edit("Edited", "It is so by now.")
    second = client.page("Edited")
    assert int(second.revision) > int(first.revision)
    assert b"by now" in second.html


def test_the_servers_never_see_more_than_three_at_once(
    settings: WikiSettings, tmp_path: Path, wikipedia: Server
) -> None:
    before, slots = len(wikipedia.requests), RequestSlots()

    def ask(word: str) -> None:
        client = WikiClient("wikipedia", settings, tmp_path, slots=slots)
        assert len(client.search(word, 2)) <= 2

    threads = [threading.Thread(target=ask, args=(f"word{n}",)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result = wikipedia.requests[before:]
    assert len([what for what, *_ in result if what == "begin"]) == 16
    assert 1 < wikipedia.most_at_once(before) <= 3
    assert all("(concept tutor; " in agent for *_, agent in result)


def test_offline_it_is_all_still_there(settings: WikiSettings, tmp_path: Path, wikibooks: Server) -> None:
    client = WikiClient("wikibooks", settings, tmp_path)
    page, found = client.page("Guitar/Chords"), client.search("fretboard")
    wikibooks.stop()
    try:
        away = client.page("Guitar/Chords")
        assert (away.html, away.retrieved_at) == (page.html, page.retrieved_at)
        assert client.search("fretboard") == found
    finally:
        wikibooks.start()
