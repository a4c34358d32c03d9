"""The shelf's page: whoever has the key adds a book, sees how far it is, and takes it off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from .conftest import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Open = Callable[..., Any]
    Snap = Callable[[Any, str], None]

pytestmark = pytest.mark.browser

KEY = "a key of enough characters"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("shelf"), RAGSTONE_ADMIN_KEY=KEY) as address:
        yield address


@pytest.mark.parametrize("size", [(1280, 860), (390, 780)], ids=["desktop", "phone"])
def test_a_book_is_added_watched_and_removed(open_page: Open, snap: Snap, size: tuple[int, int]) -> None:
    name = "shelf-phone" if size[0] < 500 else "shelf"
    page = open_page("/book_chat/admin", viewport={"width": size[0], "height": size[1]})
    page.get_by_label("Key").fill("not the right key at all")
    page.keyboard.press("Enter")
    page.get_by_role("alert").get_by_text("Bearer").wait_for()
    snap(page, f"{name}-key")
    page.get_by_label("Key").fill(KEY)
    page.keyboard.press("Enter")
    page.locator("[data-books] li").first.wait_for()
    assert page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]
    assert page.locator("#key").input_value() == ""
    page.get_by_label("File").set_input_files(
        {"name": "gears.md", "mimeType": "text/markdown", "buffer": b"# Gears\n\nA gear turns another gear.\n"}
    )
    page.get_by_label("Title").fill("Gears and belts")
    page.get_by_role("button", name="Add to the shelf").click()
    page.locator("[data-jobs] .done").wait_for()
    assert "1 added" in page.locator("[data-jobs]").inner_text()
    row = page.locator("[data-books] li", has_text="Gears and belts")
    row.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    snap(page, f"{name}-added")
    row.get_by_role("button").click()
    row.get_by_role("button", name="Remove").click()
    row.wait_for(state="detached")
    page.get_by_label("File").set_input_files({"name": "bad.zip", "mimeType": "application/zip", "buffer": b"none"})
    page.get_by_role("button", name="Add to the shelf").click()
    failed = page.locator("[data-jobs] .failed")
    failed.wait_for()
    assert "ZIP" in failed.inner_text()
    snap(page, f"{name}-failed")
