"""What the wiki client keeps on disk, and what it gives when the wiki is away."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import BadRequest, SettingsError
from ragstone.plugins.concept_tutor.mediawiki.client.cache import Cache, Entry
from ragstone.plugins.concept_tutor.mediawiki.client.client import WikiClient
from ragstone.plugins.concept_tutor.mediawiki.client.errors import (
    WikiInvalidAnswer,
    WikiPageMissing,
    WikiRateLimited,
    WikiUnavailable,
)
from tests.plugins.concept_tutor.mediawiki.client.clients import wiki_client
from tests.plugins.concept_tutor.mediawiki.client.wiki_server import Server, answer, found, html, moved, page


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(page()) as running:
        yield running


def client(url: str, folder: Path, **settings: Any) -> WikiClient:
    site = {"language": "de", "page_path": "/w/index.php/"}
    return wiki_client(url, folder, site=site, **({"seconds": 5} | settings))


def test_a_page_has_all_that_a_citation_needs(server: Server, tmp_path: Path) -> None:
    server.acts(page("AC/DC", 12))
    before = datetime.now(UTC)
    given = client(server.url, tmp_path).page("AC/DC")
    assert (given.key, given.title, given.revision, given.html) == ("AC/DC", "AC/DC", "12", html("AC/DC", 12))
    assert (given.licence, given.language) == ("CC BY-SA 4.0", "de")
    assert given.url == f"{server.url}/w/index.php/AC/DC"
    assert before <= given.retrieved_at <= datetime.now(UTC)
    assert server.asked[0][0] == "GET /w/rest.php/v1/page/AC%2FDC/html HTTP/1.1"


@pytest.mark.parametrize(
    ("key", "sent"),
    [
        ("C++", "C%2B%2B"),
        ("100% & more?", "100%25_%26_more%3F"),
        ("a/b...", "a%2Fb..."),
        ("Ä:ö", "%C3%84%3A%C3%B6"),
    ],
)
def test_keys_are_encoded(server: Server, tmp_path: Path, key: str, sent: str) -> None:
    given = client(server.url, tmp_path).page(key)
    assert server.asked[0][0] == f"GET /w/rest.php/v1/page/{sent}/html HTTP/1.1"
    assert given.key == key.replace(" ", "_")
    assert "?" not in given.url


@pytest.mark.parametrize(
    "key", ["", " ", ".", "..", "../../etc", "a/../b", "a/.", "a#b", "a|b", "<b>", "a\r\nb", "x" * 300, "\ud800"]
)
def test_what_can_be_no_key_is_not_asked_for(server: Server, tmp_path: Path, key: str) -> None:
    with pytest.raises(BadRequest):
        client(server.url, tmp_path).page(key)
    assert not server.asked


def test_a_search_gives_the_pages_keys(server: Server, tmp_path: Path) -> None:
    server.acts(
        found(
            {"key": "Dog", "title": "Dog", "description": None, "thumbnail": None, "excerpt": "<span>Dogs", "id": 1},
            {"key": "Cat", "title": "Cat", "description": "a pet"},
            {"key": "", "title": "None"},
            {"title": "No key"},
            "no page",  # type: ignore[arg-type]
        )
    )
    assert client(server.url, tmp_path).search("dogs &  cats", 5) == ("Dog", "Cat")
    assert server.asked[0][0] == "GET /w/rest.php/v1/search/page?q=dogs%20%26%20cats&limit=5 HTTP/1.1"


def test_searches_of_wikipedia_are_read(server: Server, tmp_path: Path, data: Path) -> None:
    body = (data / "mediawiki" / "parsoid" / "rest_v1_search_page_samples.json").read_bytes()
    server.acts(answer(body=body, kind="application/json"))
    assert len(client(server.url, tmp_path).search("samples", 100)) == len(json.loads(body)["pages"])


@pytest.mark.parametrize(
    ("query", "limit"), [("", 3), (" ", 3), ("x" * 301, 3), ("dogs", 0), ("dogs", 101), ("\ud800", 3)]
)
def test_a_search_has_bounds(server: Server, tmp_path: Path, query: str, limit: int) -> None:
    with pytest.raises(BadRequest):
        client(server.url, tmp_path).search(query, limit)
    assert not server.asked


def test_a_title_is_text(server: Server, tmp_path: Path) -> None:
    server.acts(page("A &amp; B_C"), answer(body=html("").replace(b"<title></title>", b"")))
    assert client(server.url, tmp_path).page("A").title == "A & B C"
    assert client(server.url, tmp_path).page("The_key").title == "The key"


def test_what_is_fresh_is_not_asked_for(server: Server, tmp_path: Path) -> None:
    first = client(server.url, tmp_path).page("Dog")
    assert client(server.url, tmp_path).page("Dog") == first
    assert len(server.asked) == 1


def test_what_is_not_is_asked_about(server: Server, tmp_path: Path) -> None:
    server.acts(page(ETag='"7/abc"'), answer(304), page(revision=8))
    asking = client(server.url, tmp_path, fresh_hours=0)
    first, second, third = (asking.page("Dog") for _ in range(3))
    assert server.asked[1][1]["if-none-match"] == '"7/abc"'
    assert replace(second, retrieved_at=first.retrieved_at) == first
    assert second.retrieved_at > first.retrieved_at
    assert third.revision == "8"


def test_offline_the_kept_pages_and_searches_are_served(server: Server, tmp_path: Path) -> None:
    asking = client(server.url, tmp_path, fresh_hours=0)
    first = asking.page("Dog")
    server.acts(found({"key": "Dog", "title": "Dog"}))
    search = asking.search("dogs")
    server.acts(answer(500))
    assert asking.page("Dog") == first
    assert asking.search("dogs") == search == ("Dog",)
    server.acts(answer(429, Retry_After="60"))
    assert asking.page("Dog") == first
    with pytest.raises(WikiRateLimited):
        asking.page("Cat")


def test_a_wiki_that_is_gone_leaves_what_was_kept(tmp_path: Path) -> None:
    with Server(page()) as server:
        asking = client(server.url, tmp_path, fresh_hours=0)
        first = asking.page("Dog")
    assert asking.page("Dog") == first
    with pytest.raises(WikiUnavailable):
        asking.page("Cat")


def test_without_a_contact_what_was_kept_is_served(server: Server, tmp_path: Path) -> None:
    url, loopback = f"http://wiki.example:{server.port}", {"lookup": lambda *_: ["127.0.0.1"]}
    allowed = client(url, tmp_path, contact="me@example.org", private_hosts=("wiki.example",), **loopback)
    first = allowed.page("Dog")
    asking = client(url, tmp_path, fresh_hours=0)
    assert asking.page("Dog") == first
    with pytest.raises(SettingsError, match="contact"):
        asking.page("Cat")


def test_a_page_that_was_deleted_is_missing(server: Server, tmp_path: Path) -> None:
    asking = client(server.url, tmp_path, fresh_hours=0)
    asking.page("Dog")
    server.acts(answer(404))
    with pytest.raises(WikiPageMissing):
        asking.page("Dog")


def entry(body: bytes = b"body", revision: str = "1", at: datetime | None = None) -> Entry:
    return Entry("Dog", revision, None, at or datetime.now(UTC), body)


def cache(folder: Path, megabytes: float = 1) -> Cache:
    return Cache(folder, megabytes=megabytes, unpacked=1_000_000)


def test_damaged_entries_are_dropped(tmp_path: Path) -> None:
    kept = cache(tmp_path)
    kept.put(("page", "Dog"), entry())
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    line, _, packed = whole.partition(b"\n")
    facts = json.loads(line)
    for damaged in (
        b"",
        whole[:20],
        whole[:-1],
        whole[:-1] + b"\0",
        b"null\n" + packed,
        b"[" * 100_000 + b"\n",
        json.dumps(facts | {"revision": 7}).encode() + b"\n" + packed,
        json.dumps(facts | {"retrieved_at": "2020-01-01"}).encode() + b"\n" + packed,
        json.dumps(facts | {"name": ["page", "Cat"]}).encode() + b"\n" + packed,
    ):
        path.write_bytes(damaged)
        assert kept.get(("page", "Dog")) is None
        assert not path.exists()
    path.write_bytes(whole)
    assert kept.get(("page", "Dog")) is not None


def test_the_newest_is_given(tmp_path: Path) -> None:
    kept = cache(tmp_path)
    now = datetime.now(UTC)
    kept.put(("page", "Dog"), entry(b"new", "2", now))
    kept.put(("page", "Dog"), entry(b"old", "1", now - timedelta(days=1)))
    given = kept.get(("page", "Dog"))
    assert given
    assert given.body == b"new"


def test_the_oldest_go_when_there_are_too_many(tmp_path: Path) -> None:
    import os
    import random

    kept = cache(tmp_path, megabytes=0.03)
    for number in range(5):
        kept.put(("page", str(number)), entry(random.Random(number).randbytes(9_000)))
        for path in tmp_path.iterdir():
            result = path.stat()
            os.utime(path, (result.st_atime - 10, result.st_mtime - 10))
        kept.get(("page", "0"))  # what is read stays
    assert [number for number in range(5) if kept.get(("page", str(number)))] == [0, 3, 4]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 30_000
    kept.put(("page", "long"), entry(random.Random(9).randbytes(40_000)))
    assert kept.get(("page", "long")) is None


def test_a_folder_that_cannot_be_written_keeps_nothing(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "kept").write_text("no folder")
    assert client(server.url, tmp_path).page("Dog").revision == "7"
    assert "cannot be kept" in caplog.text


def test_threads_may_share_it(tmp_path: Path) -> None:
    kept = cache(tmp_path, megabytes=0.02)
    failed: list[Exception] = []

    def work(number: int) -> None:
        try:
            for round_ in range(30):
                kept.put(("page", str(round_ % 7)), entry(bytes([number]) * 5_000))
                given = kept.get(("page", str((round_ + 1) % 7)))
                assert given is None or len(set(given.body)) == 1
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert not list(tmp_path.glob(".ragstone-*"))


def test_a_page_that_only_names_another_is_followed_within_bounds(server: Server, tmp_path: Path) -> None:
    link = '<link rel="mw:PageProp/redirect" href="./{}" id="mwAg"/>'
    server.acts(page("Hound", extra=link.format("Dog%2Fs")), page("Dog/s", 9))
    given = client(server.url, tmp_path).page("Hound")
    assert (given.key, given.revision) == ("Dog/s", "9")
    server.acts(page("Loop", extra=link.format("Loop")))
    assert client(server.url, tmp_path).page("Loop").key == "Loop"
    assert len(server.asked) == 5
    server.acts(page("Out", extra=link.format("..%2F..%2Fetc")))
    with pytest.raises(WikiInvalidAnswer, match="leads to a page that cannot be"):
        client(server.url, tmp_path).page("Out")
    server.acts(moved("/w/rest.php/v1/page/%23/html"), page())
    with pytest.raises(WikiInvalidAnswer, match="leads to a page that cannot be"):
        client(server.url, tmp_path).page("Moved")


def test_a_revision_that_is_none_names_no_file(tmp_path: Path) -> None:
    kept = cache(tmp_path / "kept")
    kept.put(("page", "Dog"), entry())
    for revision in ("../../1", "", "1" * 30, "one"):
        with pytest.raises(ValueError, match="is no revision"):
            kept.put(("page", "Dog"), entry(b"body", revision))
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_files_whose_writing_was_interrupted_are_removed_later(tmp_path: Path) -> None:
    import os

    kept = cache(tmp_path)
    kept.put(("page", "Dog"), entry())
    (path,) = tmp_path.iterdir()
    old, new = (tmp_path / f".ragstone-{path.name}-{digit * 16}" for digit in "01")
    earlier = tmp_path / ".entry-abc_1234.new"
    for half in (old, new, earlier):
        half.write_bytes(b"half")
    for half in (old, earlier):
        os.utime(half, (0, 0))
    kept.put(("page", "Cat"), entry())
    assert [half.exists() for half in (old, new, earlier)] == [False, True, False]
