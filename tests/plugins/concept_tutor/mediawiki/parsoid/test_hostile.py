"""HTML that would hang, fill the memory or lie: each ends in one word, and the parent goes on."""

from __future__ import annotations

import builtins
import importlib.util
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psutil
import pytest

from ragstone.core import MissingExtra, SourceError
from ragstone.plugins.concept_tutor.mediawiki.parsoid.pool import PageWorkers, UnreadablePage
from tests.support.needs import needed
from tests.support.patience import HANG, until

from .pages import PageSettings, document_of, fetched, fixture, html, page

needed("lxml")

URL = "https://en.wikipedia.org/wiki/Dog"

ATTRIBUTES = html("<p " + " ".join(f"a{number}=1" for number in range(80_000)) + ">x</p>")
ROWS = "<tr>" + "<td rowspan=1000 colspan=1>" + "x" * 500_000 + "</td>" + "</tr>" + "<tr><td>y</td></tr>" * 999


@pytest.fixture(scope="module")
def readers() -> Iterator[PageWorkers]:
    made = PageWorkers(PageSettings())
    yield made
    made.close()


@pytest.mark.parametrize(
    ("raw", "limits", "reason"),
    [
        (ATTRIBUTES, PageSettings(seconds=1), "timeout"),
        (html("<div>" * 3000 + "x"), PageSettings(), "too_deep"),
        (html("<b>" * 300 + "x"), PageSettings(), "too_deep"),
        (html(f"<table class=wikitable>{ROWS}</table>"), PageSettings(megabytes=500), "too_large"),
        (html("x" * 2000), PageSettings(page_bytes=1000), "too_large"),
    ],
    ids=["attributes", "deep", "deep inline", "spans", "bytes"],
)
def test_one_word_says_why(raw: bytes, limits: Any, reason: str) -> None:
    readers = PageWorkers(limits)
    with pytest.raises(UnreadablePage) as caught:
        readers.read(raw, URL)
    readers.close()
    assert caught.value.reason == reason
    assert caught.value.where == URL
    assert isinstance(caught.value, SourceError)
    assert caught.value.hint


@pytest.mark.parametrize(
    "raw", [b"", b"\x00\x01\x02", b"<", b"\xff" * 100, b"<html", html("<p>" + "<" * 5000), html("&#0;&#xD800;&bogus;")]
)
def test_odd_bytes_are_read_or_empty(readers: PageWorkers, raw: bytes) -> None:
    assert len(readers.read(raw, URL).sections) in (0, 1)


def test_the_child_reads_what_the_parent_would(readers: PageWorkers) -> None:
    assert readers.read(fixture("Dog.html"), URL) == page("Dog.html")


@pytest.mark.parametrize(
    "href", ["javascript:x", "java&#10;script:x", "&#106;avascript:x", "JaVaScRiPt&colon;x", "data:text/html,x",
    "//evil.example/"]
)  # fmt: skip
def test_no_link_of_the_content_is_kept(readers: PageWorkers, href: str) -> None:
    body = f'<h2 id="{href}">Head</h2><p>Some <a href="{href}">words</a> <img src="{href}"></p>'
    document = document_of(readers.read(html(f"<base href='{href}'>{body}"), URL), fetched())
    assert "Some words" in document.text
    for url in [document.metadata["url"], *document.metadata["urls"].values()]:
        assert url.startswith("https://en.wikipedia.org/wiki/Dog")
        assert not set(url) & set(" \n\"<>'\\`")


def test_the_memory_is_that_of_one_page() -> None:
    readers = PageWorkers(PageSettings.model_construct(megabytes=40))
    for _ in range(2):
        with pytest.raises(UnreadablePage) as caught:
            readers.read(html("x" * 19_000_000), URL)
        assert caught.value.reason == "too_large"
        assert readers.read(html("<p>x"), URL).sections
    readers.close()


@pytest.mark.parametrize(
    ("killed", "reason"),
    [
        (signal.SIGSEGV, "too_large"),
        (signal.SIGKILL, "too_large"),
        (signal.SIGABRT, "too_large"),
        (signal.SIGXCPU, "timeout"),
    ],
)
def test_a_child_that_dies_takes_its_own_page_only(killed: signal.Signals, reason: str) -> None:
    readers = PageWorkers(PageSettings())
    before = psutil.Process().children()
    with ThreadPoolExecutor(1) as pool:
        page = pool.submit(readers.read, ATTRIBUTES, URL)
        until(lambda: len(psutil.Process().children()) > len(before))
        for worker in set(psutil.Process().children()) - set(before):
            os.kill(worker.pid, killed)
        with pytest.raises(UnreadablePage) as caught:
            page.result(HANG)
    assert caught.value.reason == reason
    assert readers.read(html("<p>Some words."), URL).sections
    readers.close()


def test_one_worker_reads_one_page_after_another_under_its_limits() -> None:
    before = psutil.Process().children()
    readers = PageWorkers(PageSettings(seconds=HANG, megabytes=400))
    for _ in range(3):
        assert readers.read(html("<p>x"), URL).sections
    (worker,) = set(psutil.Process().children()) - set(before)
    soft, hard = worker.rlimit(psutil.RLIMIT_CPU)
    assert HANG < soft <= HANG + 20 < hard % (1 << 64)  # it is raised for each page
    assert worker.rlimit(psutil.RLIMIT_AS) == (400_000_000, 400_000_000)
    assert worker.rlimit(psutil.RLIMIT_FSIZE) == worker.rlimit(psutil.RLIMIT_CORE) == (0, 0)
    readers.close()
    assert not worker.is_running()


def test_without_lxml_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec

    def without(name: str, *rest: Any) -> Any:
        return None if name == "lxml" else find(name, *rest)

    monkeypatch.setattr("ragstone.core.errors.find_spec", without)
    with pytest.raises(MissingExtra, match="lxml") as caught:
        PageWorkers(PageSettings())
    assert caught.value.install == "pip install 'ragstone[tutor]'"
    assert builtins.__import__("lxml")
