"""The PDF beside a citation, in a real browser: the page that the highlighted chunk stands on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.browser.audits import Open, Snap
from tests.plugins.book_chat.pdfs import Text, lines, make
from tests.support.needs import needed
from tests.support.patience import until

from .conftest import serving

needed("pypdfium2")
pytestmark = pytest.mark.browser

KEY = "a key of enough characters"
GRIPPERS = ("A parallel gripper closes two jaws along one line.", "Its grip force is about 40 newtons, or less.")


def book(title: str) -> bytes:
    """Three pages, the last of them printed as page 7."""
    return make(
        [
            [Text(72, 720, title, 24, "F2")],
            [Text(72, 720, "1 Wheels", 18, "F2"), *lines(72, 680, "A caster swivels about a vertical axis.")],
            [Text(72, 720, "2 Arms", 18, "F2"), *lines(72, 680, *GRIPPERS)],
        ],
        title=title,
        labels="0 << /S /r >> 2 << /S /D /St 7 >>",
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server to which two books were uploaded, and that may serve one of them."""
    folder = tmp_path_factory.mktemp("pdfs")
    (folder / "ragstone.toml").write_text('[plugins.book_chat]\nsample = false\nserve_pdf = ["open-parts"]\n')
    with serving(folder, RAGSTONE_ADMIN_KEY=KEY) as address:
        for title in ("Open parts", "Closed parts"):
            file = {"file": ("parts.pdf", book(title))}
            sent = httpx.post(f"{address}/api/books", files=file, headers={"Authorization": f"Bearer {KEY}"})
            assert sent.status_code == 202
        slugs = ("open-parts", "closed-parts")  # they are read in the background
        until(lambda: all(slug in httpx.get(f"{address}/book_chat/").text for slug in slugs))
        yield address


def source_of(page: Any, slug: str) -> None:
    """Ask the book and open the citation of its answer."""
    page.locator("select[name=book]").select_option(slug)
    page.get_by_role("textbox", name="Your question").fill("How large is the grip force of a parallel gripper?")
    page.keyboard.press("Enter")
    page.locator(".exchange .sources a").first.click()
    page.locator("#passage").wait_for()


@pytest.mark.parametrize(
    "size",
    [pytest.param((1280, 860), id="desktop"), pytest.param((390, 780), id="phone", marks=pytest.mark.slow)],
)
def test_the_pdf_opens_at_the_chunk_s_page(open_page: Open, snap: Snap, size: tuple[int, int]) -> None:
    page = open_page(viewport={"width": size[0], "height": size[1]})
    source_of(page, "open-parts")
    assert "40 newtons" in page.locator("#passage-text").inner_text()
    link = page.get_by_role("link", name="Open the book at page 7")
    link.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture = page.locator(".page-picture img")
    picture.scroll_into_view_if_needed()
    page.wait_for_function("() => document.querySelector('.page-picture img').naturalWidth > 500")
    assert "grip%20force" in picture.get_attribute("src") or "grip+force" in picture.get_attribute("src")
    assert "Page 7 of Open parts" in picture.get_attribute("alt")
    beside = picture.evaluate("e => e.getBoundingClientRect().left > innerWidth / 2")
    assert beside == (size[0] > 1000), "beside the text, where there is room"
    snap(page, "source-pdf-phone" if size[0] < 500 else "source-pdf")
    address = link.evaluate("link => link.href")
    assert address.endswith("/book_chat/book/open-parts.pdf#page=3"), "the physical page"
    file = address.partition("#")[0]
    with (
        page.context.expect_page() as opened,
        page.context.expect_event("response", lambda response: response.url == file) as answered,
    ):
        link.click()
    assert answered.value.status == 200
    assert answered.value.headers["content-type"] == "application/pdf"
    assert page.locator("#passage").is_visible(), "beside it"
    opened.value.close()


def test_a_book_that_is_not_named_has_no_link(open_page: Open) -> None:
    page = open_page()
    source_of(page, "closed-parts")
    assert "p. 7" in page.locator(".meta").inner_text()
    assert page.locator("a[href*='.pdf']").count() == 0
    found = page.request.get("/book_chat/book/closed-parts.pdf")
    assert found.status == 404


def test_a_pdf_s_citation_is_exported_and_found_by_its_section(open_page: Open, tmp_path: Any) -> None:
    page = open_page("/search?q=How+large+is+the+grip+force")
    assert "2 Arms" in page.locator(".found a").all_inner_texts(), "the section, not the page's number"
    page.goto("/book_chat/?book=open-parts&q=How+large+is+the+grip+force+of+a+parallel+gripper?")
    page.get_by_role("button", name="Conversations").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export:").click()
    saved.value.save_as(tmp_path / "saved.md")
    text = (tmp_path / "saved.md").read_text("utf-8")
    assert "?quote=" in text
    assert "%25" not in text, "addresses are encoded once"
