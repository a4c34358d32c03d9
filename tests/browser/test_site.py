"""What hangs the pages together, in a real browser: the header, the theme, search, and conversations."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.audits import Open, Snap

pytestmark = pytest.mark.browser

QUESTION = "What does a category 1 stop do?"
PAPER = "getComputedStyle(document.body).backgroundColor"
DARK, LIGHT = "rgb(21, 24, 27)", "rgb(250, 248, 244)"
#: Every colour that the page had from its first frame on.
FRAMES = f"window.colours = []; const look = () => {{ if (document.body) window.colours.push({PAPER}); \
requestAnimationFrame(look); }}; look();"


def ask(page: Any, question: str = QUESTION) -> None:
    page.get_by_role("textbox", name="Your question").fill(question)
    page.keyboard.press("Enter")
    page.locator(".exchange:last-child .sources").wait_for()


def test_one_header_leads_everywhere(open_page: Open, snap: Snap) -> None:
    page = open_page("/", viewport={"width": 390, "height": 780})
    places = page.get_by_role("navigation", name="Assistants").get_by_role("link")
    titles = places.all_inner_texts()
    assert titles == ["Book chat", "Concept tutor", "Memory", "Wiki edge"]
    assert len({place.bounding_box()["y"] for place in places.all()}) == 1, "one row on a phone"
    for title in titles:
        page.get_by_role("navigation", name="Assistants").get_by_role("link", name=title).click()
        here = page.locator(".assistants [aria-current]")
        assert here.inner_text() == title
    page.get_by_role("link", name="Ragstone").click()
    empty = page.locator(".unfilled")
    empty.first.wait_for()
    assert page.locator(".assistants [aria-current]").count() == 0
    assert empty.locator("h3").all_inner_texts() == ["Memory", "Wiki edge"], "how to fill them"
    snap(page, "home-phone")


def test_a_search_looks_in_every_source(open_page: Open, snap: Snap) -> None:
    page = open_page("/")
    page.get_by_role("searchbox", name="Search all sources").fill("category 1 stop")
    page.keyboard.press("Enter")
    found = page.locator("#in-book_chat")
    found.wait_for()
    snap(page, "search")
    page.locator(".found a").first.click()
    page.locator("#passage").wait_for()
    page.go_back()
    page.get_by_role("link", name="Ask Book chat this").click()
    page.locator(".exchange .sources").wait_for()


def test_a_phone_s_header_has_room_for_every_assistant(open_page: Open) -> None:
    page = open_page("/concept_tutor/", viewport={"width": 375, "height": 812})
    names = page.locator(".assistants")
    assert names.get_by_role("link").count() == 4
    assert names.evaluate("(row) => row.scrollWidth <= row.clientWidth")


@pytest.mark.parametrize(("system", "choice", "wanted"), [("light", "Dark", DARK), ("dark", "Light", LIGHT)])
def test_a_theme_is_chosen_and_kept_without_a_flash(open_page: Open, system: str, choice: str, wanted: str) -> None:
    page = open_page("/", color_scheme=system, script=FRAMES)
    theme = page.get_by_role("combobox", name="Theme")
    assert page.evaluate(PAPER) != wanted
    theme.select_option(choice)
    assert page.evaluate(PAPER) == wanted
    for path in ("/book_chat/", "/concept_tutor/", "/nowhere"):
        page.goto(path)
        page.wait_for_timeout(100)
        assert set(page.evaluate("window.colours")) == {wanted}, path
    assert theme.input_value() == choice.lower()
    theme.select_option("System")
    page.reload()
    assert page.evaluate(PAPER) != wanted
    assert page.evaluate("[localStorage.length, document.cookie]") == [0, ""]


def test_without_javascript_the_system_s_theme_holds(open_page: Open) -> None:
    page = open_page("/", color_scheme="dark", java_script_enabled=False)
    assert not page.locator("[data-theme-choice]").is_visible()
    assert page.locator("html").evaluate(f"() => {PAPER}") == DARK


def test_conversations_are_listed_renamed_exported_and_deleted(open_page: Open, snap: Snap, tmp_path: Any) -> None:
    page = open_page()
    ask(page)
    page.get_by_role("button", name="New conversation").click()
    assert page.locator(".exchange").count() == 0
    ask(page, "What is the zero moment point?")
    page.reload()
    assert page.locator(".exchange").count() == 1, "the one that was open"
    page.goto("/")
    page.goto("/book_chat/")
    assert page.locator(".exchange").count() == 0, "a new visit begins anew"
    page.get_by_role("button", name="Conversations").click()
    names = page.locator(".kept .name")
    names.nth(1).wait_for()
    assert names.all_inner_texts() == ["What is the zero moment point?", QUESTION]
    snap(page, "conversations")
    page.get_by_role("button", name=f"Rename: {QUESTION}").click()
    page.keyboard.type("Stopping <b>safely")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Stopping <b>safely", exact=True).wait_for()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export: Stopping <b>safely").click()
    assert saved.value.suggested_filename == "Stopping-b-safely.md"
    saved.value.save_as(tmp_path / "saved.md")
    text = (tmp_path / "saved.md").read_text("utf-8")
    assert text.startswith(f"# Stopping &lt;b>safely\n\n## {QUESTION}\n\n")
    assert "Sources:\n\n- [1] [Physical AI" in text
    assert "/book_chat/source/" in text
    assert "%25" not in text, "addresses are encoded once"
    page.get_by_role("button", name="Stopping <b>safely", exact=True).click()
    assert page.locator(".question").inner_text().endswith(QUESTION)
    page.get_by_role("button", name="Conversations").click()
    for _ in range(2):
        page.get_by_role("button", name="Delete: Stopping <b>safely").click()
    page.locator(".kept .name", has_text="Stopping").wait_for(state="detached")
    page.keyboard.press("Escape")
    assert page.locator(".exchange").count() == 0, "the open one was deleted"
    page.goto("/concept_tutor/chat")
    page.get_by_role("button", name="Conversations").click()
    assert page.locator(".kept .none").is_visible(), "each assistant has its own"


def test_words_of_a_source_make_no_link_in_markdown(open_page: Open) -> None:
    page = open_page()
    words = "Casters swivel [1].\n\n[1]: https://evil.example\n\n![x][1] [y](https://evil.example) [z][1]"
    script = page.locator('script[src*="chat.js"]').get_attribute("src") or ""
    made = page.evaluate(
        "async ([from, kept]) => (await import(from)).asMarkdown(kept, {})",
        [
            script.replace("chat.js", "conversations.js"),
            {"title": "A\n# B", "turns": [{"question": "q", "answer": {"answer": words}}]},
        ],
    )
    assert made.startswith("# A # B\n")
    assert not any(mark in made for mark in ("](", "][", "]:")), "a backslash is between them"


def test_an_answer_is_copied_with_its_citations(open_page: Open) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    ask(page)
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copied").wait_for()
    text = page.evaluate("navigator.clipboard.readText()")
    assert "[1]" in text.partition("Sources:\n")[0]
    assert "[1] Physical AI & Humanoid Robotics: A Primer · First Edition › " in text
    assert "/book_chat/source/" in text


def test_what_a_link_asked_is_the_beginning_of_the_conversation(open_page: Open) -> None:
    page = open_page("/book_chat/?q=" + QUESTION.replace(" ", "+"))
    page.wait_for_function("!location.search")
    with page.expect_request("**/query") as sent:
        page.get_by_role("textbox", name="Your question").fill("And why?")
        page.keyboard.press("Enter")
    page.locator(".exchange:nth-child(2) .answer:not([aria-busy])").wait_for()
    assert [turn["question"] for turn in sent.value.post_data_json["history"]] == [QUESTION]
    assert page.locator(".exchange").count() == 2
    page.reload()
    assert page.locator(".exchange").count() == 2


def test_a_follow_up_needs_no_javascript(open_page: Open, snap: Snap) -> None:
    page = open_page(java_script_enabled=False)
    for number, question in enumerate((QUESTION, "And a category 0 stop?", "Which one is gentler?"), start=1):
        page.get_by_role("textbox", name="Your question").fill(question)
        page.get_by_role("button", name="Ask").click()
        page.locator(".question").nth(number - 1).wait_for()
        assert page.locator(".question").count() == number
    assert page.locator(".question").first.inner_text().endswith(QUESTION)
    assert page.locator(".exchange").first.locator(".sources a").count() >= 1
    assert page.locator("#last").evaluate("e => e.getBoundingClientRect().top < innerHeight")
    snap(page, "no-javascript-follow-up")


def test_a_browser_that_keeps_nothing_still_asks(open_page: Open) -> None:
    denied = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('', 'SecurityError'); } })"
    page = open_page(script=denied)
    ask(page)
    page.get_by_role("button", name="Conversations").click()
    assert page.locator(".kept .none").is_visible()


#: What can be touched and is smaller than 24 pixels, links within a sentence left out.
SMALL = """() => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary")]
  .filter((e) => {
    const { width, height } = e.getBoundingClientRect();
    const within = e.matches(".badge, p > a") || e.closest(".sr, .skip");
    return width && height && !within && Math.min(width, height) < 23.5;
  })
  .map((e) => e.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("width", [390, 1280])
def test_what_is_touched_is_large_enough(open_page: Open, width: int) -> None:
    page = open_page("/", viewport={"width": width, "height": 860})
    book = "/book_chat/books/physical-ai-humanoid-robotics-a-primer/"
    asked = ("/search?q=gripper", f"/book_chat/?q={QUESTION}")
    for path in ("/", *asked, "/book_chat/books/", book, "/health", "/nowhere"):
        page.goto(path)
        page.wait_for_load_state()
        assert page.evaluate(SMALL) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_the_status_is_a_page_for_people_and_json_for_programs(open_page: Open, snap: Snap) -> None:
    page = open_page("/")
    page.get_by_role("link", name="Status").click()
    assert page.locator("h1").inner_text() == "All is well"
    snap(page, "status")
    # Words for who runs the server are shown on demand.
    assert not page.get_by_text("all-MiniLM", exact=False).is_visible()
    page.get_by_text("For the person who runs this server").click()
    assert page.locator(".status details li").count() > 2
    snap(page, "status-parts")
    assert page.evaluate("async () => (await (await fetch('/health')).json()).status") == "ok"


def test_what_is_not_there_says_so_and_leads_on(open_page: Open, snap: Snap) -> None:
    page = open_page("/nowhere/at/all")
    assert page.locator("h1").inner_text() == "There is no such page here"
    snap(page, "not-found")
    page.get_by_role("link", name="Go to the home page").click()
    page.locator(".offer").first.wait_for()
    page.goto("/book_chat/books/nothing/")
    words = page.locator("main").inner_text()
    assert "There is no book 'nothing'" in words
    assert "ragstone" not in words, "no command"
