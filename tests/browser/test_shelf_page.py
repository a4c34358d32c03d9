"""The shelf's page: whoever has the key adds a book, sees how far it is, and takes it off."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragstone.plugins.book_chat.library.uploads.files import store
from ragstone.plugins.book_chat.library.uploads.jobs import MOST_BEGUN
from tests.browser.audits import Open, Snap
from tests.support.patience import until

from .conftest import serving

pytestmark = pytest.mark.browser

KEY = "a key of enough characters"
#: Chapters of which the encoder takes more than one helping, so that the bar stands between them for seconds.
CHAPTERS = 420
NO_SIDEWAYS = "document.documentElement.scrollWidth <= innerWidth"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, first_start: Callable[[Path], Path]) -> Iterator[str]:
    folder = first_start(tmp_path_factory.mktemp("shelf"))
    lost = store(io.BytesIO(b"# Lost\n"), "lost.md", folder / "uploads", suffixes={".md"})
    for _ in range(MOST_BEGUN):
        lost.begin()
    lost.release()
    with serving(folder, RAGSTONE_ADMIN_KEY=KEY) as address:
        yield address


def open_shelf(page: Any) -> None:
    key = page.get_by_label("Key of the shelf")
    if not key.is_visible():
        page.get_by_text("Add or remove books").click()
    key.fill(KEY)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Add a book").wait_for()


@pytest.mark.parametrize(
    "size",
    [pytest.param((1280, 860), id="desktop"), pytest.param((390, 780), id="phone", marks=pytest.mark.slow)],
)
def test_a_book_is_added_watched_and_removed(open_page: Open, snap: Snap, size: tuple[int, int]) -> None:
    name = "shelf-phone" if size[0] < 500 else "shelf"
    page = open_page("/book_chat/books/", viewport={"width": size[0], "height": size[1]})
    page.get_by_text("Add or remove books").click()
    page.get_by_label("Key of the shelf").fill("not the right key at all")
    page.keyboard.press("Enter")
    page.get_by_role("alert").get_by_text("not the key").wait_for()
    snap(page, f"{name}-key")
    open_shelf(page)
    page.locator("[data-books] li").first.wait_for()
    assert page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]
    page.goto("/book_chat/")
    page.goto("/book_chat/books/")  # the key is asked for once
    page.get_by_label("File").set_input_files(
        {"name": "gears.md", "mimeType": "text/markdown", "buffer": b"# Gears\n\nA gear turns another gear.\n"}
    )
    page.get_by_label("Title").fill("Gears and belts")
    page.get_by_role("button", name="Add to the shelf").click()
    page.locator("[data-jobs] .done").wait_for()
    assert "1 added" in page.locator("[data-jobs]").inner_text()
    row = page.locator("[data-books] li", has_text="Gears and belts")
    row.wait_for()
    assert page.evaluate(NO_SIDEWAYS)
    snap(page, f"{name}-added")
    row.locator("summary").click()
    snap(page, f"{name}-remove")
    row.get_by_role("button", name="Really remove?").click()
    row.wait_for(state="detached")
    page.get_by_label("File").set_input_files({"name": "bad.zip", "mimeType": "application/zip", "buffer": b"none"})
    page.get_by_role("button", name="Add to the shelf").click()
    failed = page.locator("[data-jobs] .failed", has_text="bad.zip")
    failed.wait_for()
    assert "ZIP" in failed.inner_text()
    snap(page, f"{name}-failed")


def test_what_was_lost_over_restarts_is_reported(open_page: Open, snap: Snap) -> None:
    page = open_page("/book_chat/admin", viewport={"width": 390, "height": 780})
    open_shelf(page)
    lost = page.locator("[data-jobs] .failed", has_text="lost.md")
    lost.wait_for()
    assert "sent again" in lost.inner_text()
    lost.scroll_into_view_if_needed()
    snap(page, "shelf-phone-lost")


def big_book() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        for number in range(CHAPTERS):
            turns = f"Wheel {number} turns about its own axis and bears a load of {number} newtons. " * 3
            out.writestr(f"{number:03}.md", f"# Wheel {number}\n\n{turns}\n")
    return packed.getvalue()


@pytest.mark.slow
def test_the_bar_is_seen_half_way(open_page: Open, snap: Snap) -> None:
    page = open_page("/book_chat/admin", viewport={"width": 390, "height": 780})
    streams: list[str] = []
    page.on("response", lambda response: streams.append(response.headers.get("content-type", "")))
    open_shelf(page)
    page.get_by_label("File").set_input_files(
        {"name": "wheels.zip", "mimeType": "application/zip", "buffer": big_book()}
    )
    page.get_by_label("Title").press("Enter")
    job = page.locator("[data-jobs] li", has_text="wheels.zip")
    bar = job.get_by_role("progressbar", name="Progress of wheels.zip")
    between = (
        "() => { const at = document.querySelector('[data-jobs] progress').position; return at > 0.2 && at < 0.8 }"
    )
    bar.wait_for()
    page.wait_for_function(between, timeout=60_000)
    # each event draws the bar anew, so it is looked at in one go
    done, of = page.evaluate("(({ value, max }) => [value, max])(document.querySelector('[data-jobs] progress'))")
    assert (0 < done < CHAPTERS, of) == (True, CHAPTERS)
    assert f"of {CHAPTERS} files" in job.inner_text()
    assert page.evaluate(NO_SIDEWAYS)
    assert job.evaluate("row => row.getBoundingClientRect().bottom <= innerHeight"), "nobody has to scroll to see it"
    snap(page, "shelf-phone-half-way")
    page.set_viewport_size({"width": 1280, "height": 860})
    snap(page, "shelf-half-way")
    assert any(kind.startswith("text/event-stream") for kind in streams)
    page.locator("[data-jobs] .done").wait_for(timeout=120_000)
    assert f"{CHAPTERS} added" in page.locator("[data-jobs]").inner_text()
    snap(page, "shelf-done")


def test_a_book_is_browsed_and_asked(open_page: Open, snap: Snap) -> None:
    page = open_page("/book_chat/books/")
    page.locator("[data-books] a").first.click()
    page.locator(".chapter summary").nth(1).click()
    snap(page, "book")
    section = page.locator(".chapter[open] li a").nth(1)
    title = section.inner_text()
    section.click()
    assert page.locator("h1").inner_text() == title
    assert page.locator(".passage").count() == 0, "it is read, not cited"
    page.get_by_role("link", name="Next section").click()
    assert page.locator(".passage").count() == 0
    page.locator(".crumbs a").nth(1).click()
    page.get_by_role("textbox", name="Your question").fill("What does a category 1 stop do?")
    page.keyboard.press("Enter")
    page.locator(".exchange .sources").wait_for()


def test_books_are_managed_without_javascript(open_page: Open) -> None:
    page = open_page("/book_chat/books/", java_script_enabled=False)
    page.locator(".key summary").click()
    page.get_by_label("Key of the shelf").fill(KEY)
    page.get_by_role("button", name="Open").click()
    page.get_by_label("File").set_input_files(
        {"name": "belts.md", "mimeType": "text/markdown", "buffer": b"# Belts\n\nA belt drives a wheel.\n"}
    )
    page.get_by_role("button", name="Add to the shelf").click()
    row = page.locator("[data-books] li", has_text="Belts")
    until(lambda: page.reload() and row.count())
    row.locator("summary").click()
    row.get_by_role("button", name="Really remove?").click()
    assert row.count() == 0
