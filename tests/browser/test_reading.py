"""What a reader does, in a real browser on a real server."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.audits import Open, Snap

pytestmark = pytest.mark.browser

OUT_OF_SCOPE = "Who won the football world cup in 1998?"
#: Resolves when the page has come to rest.
RESTS = """() => new Promise((done) => {
    const look = (before) => scrollY === before ? done() : setTimeout(look, 200, scrollY);
    setTimeout(look, 200, -1);
})"""
#: Pixels between the lower edge of the header and the last question.
BELOW_HEADER = """() => [...document.querySelectorAll(".question")].at(-1).getBoundingClientRect().top
    - document.querySelector("header.top").getBoundingClientRect().bottom"""
NO_SIDEWAYS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"


def ask(page: Any, question: str) -> None:
    page.get_by_role("textbox", name="Your question").fill(question)
    page.keyboard.press("Enter")


def ask_example(page: Any) -> None:
    page.wait_for_load_state()  # until then the examples are links
    page.locator("[data-ask]").first.click()
    page.locator(".exchange .sources").wait_for()


def select_first_paragraph(page: Any) -> str:
    words: str = page.evaluate(
        """() => {
            const range = document.createRange();
            const block = "#passage-text p, #passage-text li, #passage-text code";
            range.selectNodeContents(document.querySelector(block));
            getSelection().removeAllRanges();
            getSelection().addRange(range);
            return getSelection().toString().trim();
        }"""
    )
    return words


def test_from_home_to_an_answer_with_badges(open_page: Open, snap: Snap) -> None:
    page = open_page("/")
    snap(page, "home")
    page.locator(".offer h2 a").first.click()
    snap(page, "chat-empty")
    question = page.locator("[data-ask]").first.inner_text()
    ask_example(page)
    assert question in page.locator(".question").inner_text()
    assert page.locator(".text a.badge").count() >= 1
    assert page.locator(".sources li").count() >= 1
    assert page.locator("[data-status]").inner_text().strip()
    assert page.locator("[aria-busy]").count() == 0
    assert "?q=" not in page.url
    page.evaluate(RESTS)
    assert page.evaluate(BELOW_HEADER) > 0
    snap(page, "chat-answer")


def test_an_example_on_the_home_page_is_asked(open_page: Open) -> None:
    page = open_page("/")
    example = page.locator(".offer .chip").first
    question = example.inner_text()
    example.click()
    page.locator(".exchange .sources").wait_for()
    assert question in page.locator(".question").inner_text()


def test_a_badge_shows_its_source_and_opens_the_chunk(open_page: Open, snap: Snap) -> None:
    page = open_page()
    ask_example(page)
    badge = page.locator(".text a.badge").first
    badge.hover()
    card = page.locator(".text .cite .card").first
    assert card.is_visible()
    title = card.locator("b").inner_text()
    quote = card.locator("q").inner_text()
    assert title
    assert quote
    assert badge.get_attribute("aria-describedby") == card.get_attribute("id")
    snap(page, "chat-card")
    page.keyboard.press("Escape")
    assert not card.is_visible()

    badge.click()
    page.wait_for_url("**/book_chat/source/**")
    assert page.evaluate("location.hash") == "#passage"
    chunk = page.locator("#passage")
    assert "Cited passage" in chunk.inner_text()
    assert chunk.evaluate("e => e.getBoundingClientRect().top < innerHeight && e.getBoundingClientRect().bottom > 0")
    assert chunk.evaluate("e => getComputedStyle(e).borderLeftWidth") == "4px"
    assert title in page.locator(".crumbs").inner_text()
    assert " ".join(quote.split())[:40] in " ".join(chunk.inner_text().split())
    snap(page, "source")

    page.go_back()
    assert page.locator(".exchange .sources").count() == 1, "the conversation is still there"


def test_a_refusal_is_visible_and_no_error(open_page: Open, snap: Snap) -> None:
    page = open_page()
    ask(page, OUT_OF_SCOPE)
    refused = page.locator(".answer.refused")
    refused.wait_for()
    assert "Not in the sources" in refused.inner_text()
    assert refused.locator(".badge, .sources").count() == 0
    assert page.locator(".failed").count() == 0
    snap(page, "chat-refused")


def test_a_question_that_is_too_long_is_reported_in_words(open_page: Open) -> None:
    page = open_page()
    ask(page, "why " * 30_000)
    page.locator(".answer.failed").wait_for()
    assert page.get_by_role("textbox", name="Your question").input_value().startswith("why why")


def test_selected_text_is_asked_about_alone(open_page: Open, snap: Snap) -> None:
    page = open_page()
    ask_example(page)
    page.locator(".sources a").first.click()
    page.wait_for_url("**/book_chat/source/**")
    words = select_first_paragraph(page)
    float_ = page.get_by_role("button", name="Ask about this", exact=True)
    float_.wait_for()
    snap(page, "source-selected")
    with page.expect_request("**/query-selection") as sent:
        float_.click()
        assert page.locator("[data-quote]").inner_text().split() == words.split()
        page.keyboard.type("What does this mean?")
        page.keyboard.press("Enter")
    body = sent.value.post_data_json
    assert body["selection"].split() == words.split()
    assert body["book"]
    page.locator(".ask-panel .answer:not([aria-busy])").wait_for()
    assert page.locator(".ask-panel .failed, .ask-panel .refused").count() == 0
    assert page.locator(".ask-panel .text .badge").count() >= 1
    snap(page, "source-asked")
    page.keyboard.press("Escape")
    assert not page.locator(".ask-panel").is_visible()


def test_a_conversation_can_be_started_over(open_page: Open) -> None:
    page = open_page()
    ask_example(page)
    page.get_by_role("button", name="New conversation").click()
    assert page.locator(".exchange").count() == 0
    page.reload()
    assert page.locator(".exchange").count() == 0


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_a_phone_needs_no_sideways_scrolling(open_page: Open, snap: Snap, scheme: str) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "color_scheme": scheme, "has_touch": True}
    page = open_page("/", **phone)
    assert page.evaluate(NO_SIDEWAYS)
    page.goto("/book_chat/")
    ask_example(page)
    assert page.evaluate(NO_SIDEWAYS)
    snap(page, f"phone-answer-{scheme}")
    page.locator(".text a.badge").first.focus()
    box = page.locator(".text .card").first.bounding_box()
    assert 0 <= box["x"] < box["x"] + box["width"] <= 360
    snap(page, f"phone-card-{scheme}")
    page.locator(".text a.badge").first.click()
    page.wait_for_url("**/book_chat/source/**")
    assert page.evaluate(NO_SIDEWAYS)
    snap(page, f"phone-source-{scheme}")
    page.get_by_role("button", name="Ask about this passage").click()
    assert page.evaluate(NO_SIDEWAYS)
    snap(page, f"phone-panel-{scheme}")


def test_dark_is_dark(open_page: Open, snap: Snap) -> None:
    page = open_page(color_scheme="dark")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in background[4:-1].split(",")) < 64
    ask_example(page)
    snap(page, "dark-answer")
    page.locator(".text a.badge").first.click()
    page.wait_for_url("**/book_chat/source/**")
    snap(page, "dark-source")


def test_one_question_is_answered_without_javascript(open_page: Open, snap: Snap) -> None:
    page = open_page(java_script_enabled=False)
    page.locator("[data-ask]").first.click()
    page.locator(".text a.badge").first.wait_for()
    assert "?q=" in page.url
    snap(page, "no-javascript")
    page.locator(".text a.badge").first.hover()
    assert page.locator(".text .card").first.is_visible()
    page.get_by_role("textbox", name="Your question").fill(OUT_OF_SCOPE)
    page.get_by_role("button", name="Ask").click()
    page.locator(".answer.refused").wait_for()
    page.go_back()
    page.locator(".text a.badge").first.click()
    page.locator("#passage").wait_for()


def test_the_keyboard_is_enough(open_page: Open) -> None:
    page = open_page()
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.locator(":focus").get_attribute("data-ask") is not None
    page.keyboard.press("Enter")
    page.locator(".exchange .sources").wait_for()
    assert page.locator(":focus").get_attribute("name") == "q", "the next question can be typed at once"
    page.keyboard.type("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    assert page.locator("textarea").input_value() == "one\ntwo"
    assert page.locator(".exchange").count() == 1

    page.locator(".text a.badge").first.focus()
    assert page.locator(".text .card").first.is_visible()
    assert page.locator(":focus").evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**/book_chat/source/**")

    button = page.get_by_role("button", name="Ask about this passage")
    for _ in range(100):
        if button.evaluate("e => e === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator(":focus").get_attribute("name") == "q"
    page.keyboard.type("What does this mean?")
    page.keyboard.press("Enter")
    page.locator(".ask-panel .answer:not([aria-busy])").wait_for()
    page.keyboard.press("Escape")
    assert button.evaluate("e => e === document.activeElement"), "back where one came from"


def test_text_selected_by_keyboard_leads_to_its_button(open_page: Open) -> None:
    page = open_page()
    ask_example(page)
    page.locator(".sources a").first.click()
    page.wait_for_url("**/book_chat/source/**")
    select_first_paragraph(page)
    float_ = page.get_by_role("button", name="Ask about this", exact=True)
    float_.wait_for()
    for _ in range(30):
        page.keyboard.press("Tab")
        if float_.evaluate("e => e === document.activeElement"):
            break
    page.keyboard.press("Enter")
    assert page.locator("[data-quote]").inner_text().strip()


def test_a_chunk_that_is_gone_is_a_page_in_words(open_page: Open, snap: Snap) -> None:
    page = open_page("/book_chat/source/00000000-0000-0000-0000-000000000000")
    assert page.locator("h1").inner_text() == "There is no such thing here"
    snap(page, "error")
