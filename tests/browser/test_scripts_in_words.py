"""Words that would be scripts, in everything that is shown: none runs, none is even refused by the policy."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.browser.audits import Open

from .conftest import serving
from .elsewhere import Elsewhere, elsewhere
from .payloads import payloads
from .test_script import STREAM

pytestmark = pytest.mark.browser

PAYLOADS = payloads()
KEY = "a key of enough characters"
WATCH = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""
#: A page of 25 questions' payloads.
CHAPTERS = 8


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elsewhere]:
    """A server whose one book is made of such words, from its title to its files' names."""
    folder = tmp_path_factory.mktemp("hostile")
    book = folder / "book"
    book.mkdir()
    each = len(PAYLOADS) // CHAPTERS
    for chapter in range(CHAPTERS):
        mine = PAYLOADS[chapter * each : (chapter + 1) * each]
        text = f"---\ntitle: {json.dumps(mine[0])}\n---\n\n"
        for number, words in enumerate(mine):
            text += f"## Part {number} {words}\n\nThe sprocket number{chapter}x{number} turns {words} slowly.\n\n"
            text += f"```\n{words}\n```\n\n| a | b |\n|---|---|\n| {words.replace('|', '')} | c |\n\n"
        (book / f"{chapter} <img src=x onerror=alert(1)>.md").write_text(text, "utf-8")
    settings = {
        "RAGSTONE_ADMIN_KEY": KEY,
        "RAGSTONE_PLUGINS__WEB__REQUESTS_PER_MINUTE": "0",
        "RAGSTONE_PLUGINS__BOOK_CHAT__SAMPLE": "false",
    }
    with elsewhere() as place, serving(folder, **settings, RAGSTONE_PLUGINS__WEB__ORIGINS=place.origin) as address:
        place.server = address
        title = PAYLOADS[0][:200]
        form = {"title": title, "edition": "<svg onload=alert(1)>"}
        with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {KEY}"}, timeout=120) as client:
            answer = client.post("/api/books", data=form, files={"file": ("book.zip", zipped(book))})
            assert answer.status_code == 202, answer.text
            assert "event: done" in client.get(answer.headers["Location"]).text
            place.book = client.get("/api/books").json()["books"][0]["slug"]
        yield place


def zipped(folder: Path) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        for path in folder.iterdir():
            out.write(path, path.name)
    return packed.getvalue()


@pytest.fixture
def window(chromium: Any, hostile: Elsewhere) -> Iterator[Open]:
    """A page that fails the test as soon as anything runs, opens a dialog or is stopped by the policy."""
    contexts: list[Any] = []
    struck: list[str] = []

    def stop(dialog: Any) -> None:
        struck.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open_(address: str, script: str = "") -> Any:
        context = chromium.new_context(base_url=hostile.server)
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        page.on("dialog", stop)
        page.on(
            "console", lambda output: struck.append(output.text) if "Content Security Policy" in output.text else None
        )
        page.on("pageerror", lambda error: struck.append(str(error)))
        page.add_init_script(WATCH + script)
        page.goto(address)
        return page

    yield open_
    for context in contexts:
        for page in context.pages:
            assert page.evaluate("[window.struck ?? null, window.violations]") == [None, []]
        context.close()
    assert struck == []


def test_there_are_two_hundred_different_ones() -> None:
    assert len(set(PAYLOADS)) == 200


def test_a_browser_would_run_them(chromium: Any) -> None:
    """Otherwise the other tests show nothing."""
    page = chromium.new_page()
    page.set_content("<p></p>")
    ran = 0
    for words in PAYLOADS[:40]:
        page.evaluate("words => { window.struck = 0; document.querySelector('p').innerHTML = words; }", words)
        page.wait_for_timeout(20)
        ran += bool(page.evaluate("window.struck"))
    page.close()
    assert ran >= 5


def harmless(page: Any) -> None:
    assert page.locator("main img, main svg, main script, main iframe, main style, main object").count() == 0
    for address in page.locator("main a").evaluate_all("all => all.map((e) => e.protocol)"):
        assert address in {"http:", "https:"}


@pytest.mark.slow
def test_answers_drawn_by_the_chat_page_and_the_widget(window: Open, hostile: Elsewhere) -> None:
    chat = window("/book_chat/", STREAM)
    chat.locator("[data-chat]").wait_for()
    page = window(f"{hostile.origin}/docusaurus/", STREAM)
    page.locator("ragstone-widget .open").click()
    field = {"chat": chat.locator("#question"), "widget": page.locator("ragstone-widget textarea")}
    size = 20
    for start in range(0, len(PAYLOADS), size):
        words = PAYLOADS[start : start + size]
        cited = [
            {"n": n, "chunk_id": f"c{n}", "book_title": one, "chapter": one, "section": one, "page_label": one}
            | {"edition": one, "url": one if n % 2 else f"/book_chat/source/{one}", "quote": one}
            for n, one in enumerate(words, 1)
        ]
        text = "\n\n".join(f"{one} [{n}]\n\n- {one}\n\n| {one} |\n|---|" for n, one in enumerate(words, 1))
        answer = {"answer": text, "refused": False, "citations": cited}
        for where, shown in (("chat", chat), ("widget", page)):
            shown.evaluate("said => { window.said = said; }", {"words": [text[:300]], "answer": answer})
            before = shown.locator(".sources").count()
            field[where].fill(words[0])
            field[where].press("Enter")
            shown.wait_for_function(
                "n => (document.querySelector('ragstone-widget')?.shadowRoot ?? document)"
                ".querySelectorAll('.sources').length > n",
                arg=before,
            )
    harmless(chat)
    inside = page.locator("ragstone-widget .log")
    assert inside.locator("img, svg, script, iframe, style, object, form").count() == 0
    protocols = inside.locator("a").evaluate_all("all => [...new Set(all.map((e) => e.protocol))]")
    assert set(protocols) <= {"http:", "https:"}


@pytest.mark.slow
def test_problems_drawn_by_the_chat_page_and_the_widget(window: Open, hostile: Elsewhere) -> None:
    for address in ("/book_chat/", f"{hostile.origin}/mdbook/"):
        page = window(address, STREAM)
        if hostile.origin in address:
            page.locator("ragstone-widget .open").click()
        for words in PAYLOADS[::20]:
            page.evaluate("said => { window.said = said; }", {"words": [words], "error": {"detail": words}})
            page.locator("textarea").fill(words)
            page.locator("textarea").press("Enter")
            page.locator(".failed").last.get_by_text(one_line(words)[1:30]).first.wait_for(state="attached")


@pytest.mark.slow
def test_a_book_of_such_words(window: Open, hostile: Elsewhere) -> None:
    """Titles, headings, chunks and files' names on the real pages, from the real server."""
    page = window("/")
    page.goto("/book_chat/")
    harmless(page)
    opened = 0
    for chapter in range(CHAPTERS):
        page.goto(f"/book_chat/?q=How+does+the+sprocket+number{chapter}x3+turn%3F")
        page.locator(".answer").wait_for()
        harmless(page)
        link = page.locator(".sources a").first
        if not link.count():
            continue
        page.goto(link.get_attribute("href").split("#")[0])
        page.locator("#passage").wait_for()
        harmless(page)
        opened += 1
    assert opened >= CHAPTERS // 2
    page = window(f"{hostile.origin}/docusaurus/")
    page.locator("ragstone-widget .open").click()
    for chapter in range(CHAPTERS):
        page.locator("textarea").fill(f"How does the sprocket number{chapter}x5 turn?")
        page.locator("textarea").press("Enter")
        page.locator(".turn").nth(chapter).locator(".answer:not([aria-busy])").wait_for()


@pytest.mark.slow
def test_such_questions_and_addresses(window: Open) -> None:
    page = window("/")
    for words in PAYLOADS[::10]:
        page.goto(f"/book_chat/?q={quote(words)}")
        harmless(page)
    for words in PAYLOADS[::40]:
        for path in ("/book_chat/source/", "/assistants/", "/"):
            page.goto(path + quote(words, safe=""))
            harmless(page)


@pytest.mark.slow
def test_such_words_on_the_shelf_s_page(window: Open) -> None:
    page = window("/book_chat/books/")
    page.get_by_text("Add or remove books").click()
    page.get_by_label("Key of the shelf").fill(KEY)
    page.get_by_role("button", name="Open").click()
    page.locator("[data-books] li").first.wait_for()
    name = "<img src=x onerror=alert(1)>.md"
    page.locator("#file").set_input_files(
        {"name": name, "mimeType": "text/markdown", "buffer": b"The gear turns once a minute.\n"}
    )
    page.get_by_label("Title").fill(PAYLOADS[3][:200])
    page.get_by_role("button", name="Add to the shelf").click()
    page.locator("[data-jobs] .done, [data-jobs] .failed").wait_for()
    harmless(page)
