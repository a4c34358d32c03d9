"""The widget on other sites' pages, which have a strict policy, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from ragstone.core import Answer
from ragstone.web import rendering
from tests.browser.audits import Open, Snap

from .conftest import serving
from .elsewhere import Elsewhere, elsewhere
from .test_script import ANSWER as RICH
from .test_script import STREAM

pytestmark = pytest.mark.browser

DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 780}
PLACES = ["docusaurus", "mdbook"]
OUT_OF_SCOPE = "Who won the football world cup in 1998?"
CITED = "What does a category 1 stop do?"


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory, first_start: Callable[[Path], Path]) -> Iterator[Elsewhere]:
    """Two books of another site, and a server that lists its origin."""
    with (
        elsewhere() as place,
        serving(first_start(tmp_path_factory.mktemp("widget")), RAGSTONE_PLUGINS__WEB__ORIGINS=place.origin) as address,
    ):
        place.server, place.book = address, "physical-ai-humanoid-robotics-a-primer"
        yield place


@pytest.fixture
def open_book(chromium: Any, books: Elsewhere) -> Iterator[Open]:
    """Open a page of the other site; whatever it complains of, and whatever else it loads, fails the test."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def open_(place: str = "docusaurus", *, script: str | None = None, **options: Any) -> Any:
        options.setdefault("viewport", DESKTOP)
        context = chromium.new_context(base_url=books.origin, **options)
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", leave)
        if script:
            page.add_init_script(script)
        page.goto(f"/{place}/")
        page.locator("ragstone-widget .open").wait_for()
        return page

    def note(message: Any) -> None:
        refused = message.text.startswith("Failed to load resource: the server responded with a status of 4")
        if message.type in {"error", "warning"} and not (refused or "favicon" in message.location["url"]):
            complaints.append(message.text)

    def leave(request: Any) -> None:
        if not request.url.startswith((books.origin, books.server)):
            complaints.append(f"asked elsewhere: {request.url}")

    yield open_
    for context in contexts:
        assert context.cookies() == []
        context.close()
    assert complaints == []


def open_panel(page: Any) -> Any:
    page.locator(".pill.open").click()
    return page.get_by_role("dialog")


def ask(page: Any, question: str) -> Any:
    page.get_by_role("textbox", name="Your question").fill(question)
    page.keyboard.press("Enter")
    answer = page.locator(".turn .answer").last
    page.locator(".turn").last.locator(".answer:not([aria-busy])").wait_for()
    return answer


def select(page: Any, what: str = "#first") -> str:
    words: str = page.evaluate(
        """(what) => {
            getSelection().selectAllChildren(document.querySelector(what));
            return getSelection().toString().trim();
        }""",
        what,
    )
    return words


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_question_is_answered_on_another_site_s_page(
    open_book: Open, books: Elsewhere, snap: Snap, place: str, size: dict[str, int]
) -> None:
    name = f"widget-{place}-{'phone' if size is PHONE else 'desktop'}"
    page = open_book(place, viewport=size, has_touch=size is PHONE)
    snap(page, f"{name}-closed")
    panel = open_panel(page)
    snap(page, f"{name}-empty")
    answer = ask(page, CITED)
    assert answer.locator("a.badge").count() >= 1
    link = answer.locator(".sources a").first
    assert link.get_attribute("href").startswith(f"{books.server}/book_chat/source/")
    assert link.get_attribute("rel") == "noopener noreferrer"
    assert "1" in panel.locator(".badge").first.inner_text()
    snap(page, f"{name}-answer")
    with page.context.expect_page() as opened:
        link.click()
    source = opened.value
    source.locator("#passage").wait_for()
    assert source.evaluate("opener") is None
    ask(page, OUT_OF_SCOPE)
    refused = page.locator(".refused")
    assert "Not in the book" in refused.inner_text()
    assert refused.locator("a").count() == 0
    snap(page, f"{name}-refused")
    box = panel.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    if size is PHONE:
        assert (box["x"], box["width"]) == (0, size["width"])
        assert box["y"] + box["height"] == size["height"], "a sheet at the bottom"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("place", ["docusaurus", pytest.param("mdbook", marks=pytest.mark.slow)])
def test_selected_words_are_asked_about_alone(
    open_book: Open, books: Elsewhere, snap: Snap, place: str, size: dict[str, int]
) -> None:
    page = open_book(place, viewport=size)
    words = select(page)
    about = page.get_by_role("button", name="Ask about this")
    about.wait_for()
    name = f"widget-{place}-{'phone' if size is PHONE else 'desktop'}"
    snap(page, f"{name}-selected")
    about.click()
    assert page.locator(".subject .quote").inner_text() == words
    with page.expect_request(f"{books.server}/query-selection") as sent:
        answer = ask(page, "What does this mean?")
    body = sent.value.post_data_json
    assert body == {"question": "What does this mean?", "book": books.book, "selection": words}
    assert "cookie" not in sent.value.all_headers()
    assert answer.locator(".text").inner_text()
    snap(page, f"{name}-selection-answer")
    page.get_by_role("button", name="Ask about the whole book instead").click()
    with page.expect_request(f"{books.server}/query") as sent:
        ask(page, CITED)
    assert "selection" not in sent.value.post_data_json


def test_what_is_selected_in_a_field_of_the_page_is_left_alone(open_book: Open) -> None:
    page = open_book()
    page.locator("#search").fill("some words")
    page.locator("#search").select_text()
    page.wait_for_timeout(400)
    assert not page.locator(".about").is_visible()


def test_earlier_answers_go_along_with_a_follow_up(open_book: Open, books: Elsewhere) -> None:
    page = open_book()
    open_panel(page)
    answer = ask(page, CITED)
    output = answer.locator(".text").inner_text()
    ask(page, OUT_OF_SCOPE)
    with page.expect_request(f"{books.server}/query") as sent:
        ask(page, "Why does it do that?")
    turn, refused = sent.value.post_data_json["history"]
    assert turn["question"] == CITED
    assert turn["answer"][:20] == output[:20]
    assert refused == {"question": OUT_OF_SCOPE, "answer": ""}


def test_the_keyboard_is_enough(open_book: Open) -> None:
    page = open_book("mdbook")
    focus = "() => document.querySelector('ragstone-widget').shadowRoot.activeElement?.className"
    opener = page.locator(".pill.open")
    opener.focus()
    page.keyboard.press("Enter")
    question = page.get_by_role("textbox", name="Your question")
    assert page.evaluate(focus) == ""
    assert question.evaluate("e => e === e.getRootNode().activeElement")
    page.keyboard.type("this is")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+Enter")
    assert "\n" in question.input_value()
    assert page.evaluate("window.turned") == [], "the page took keys that were meant for the widget"
    ask(page, CITED)
    assert question.evaluate("e => e === e.getRootNode().activeElement"), "the next question can be typed at once"
    page.keyboard.press("ArrowUp")
    assert question.input_value() == CITED, "the last question again"
    # the focus goes round within the panel, both ways, and reaches every control
    seen = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.add(page.evaluate(focus))
        assert page.evaluate("document.activeElement.tagName") == "RAGSTONE-WIDGET"
    assert {"icon close", "icon anew", "log", "badge", "send"} <= seen
    for _ in range(3):
        page.keyboard.press("Shift+Tab")
        assert page.evaluate("document.activeElement.tagName") == "RAGSTONE-WIDGET"
    page.keyboard.press("Escape")
    assert not page.get_by_role("dialog").is_visible()
    assert opener.evaluate("e => e === e.getRootNode().activeElement"), "back where one came from"
    assert page.evaluate("window.turned") == []
    page.keyboard.press("Enter")
    assert page.locator(".turn").count() == 1, "the conversation is still there"


def test_words_selected_by_keyboard_lead_to_their_button(open_book: Open) -> None:
    page = open_book("mdbook")
    words = select(page)
    about = page.get_by_role("button", name="Ask about this")
    about.wait_for()
    for _ in range(30):
        page.keyboard.press("Tab")
        if about.evaluate("e => e === e.getRootNode().activeElement"):
            break
    page.keyboard.press("Enter")
    assert page.locator(".subject .quote").inner_text() == words


def test_a_screen_reader_is_reported_what_it_is_and_how_it_ended(open_book: Open) -> None:
    page = open_book()
    opener = page.get_by_role("button", name="Ask this book")
    assert (opener.get_attribute("aria-haspopup"), opener.get_attribute("aria-expanded")) == ("dialog", "false")
    opener.click()
    panel = page.get_by_role("dialog", name="Ask this book")
    assert panel.get_attribute("aria-modal") == "false"
    assert page.get_by_role("region", name="Conversation").is_visible()
    status = page.locator("[role=status]")
    assert status.get_attribute("aria-live") == "polite"
    answer = ask(page, CITED)
    result = status.inner_text()
    assert result
    assert not re.search(r"\[\d", result)
    assert re.fullmatch(r"Source 1: .+", answer.locator("a.badge").first.get_attribute("aria-label"))
    assert panel.get_by_role("list", name="Sources").is_visible()
    ask(page, OUT_OF_SCOPE)
    assert status.inner_text().startswith("Not in the book. ")
    names = panel.locator("button:visible, textarea").evaluate_all(
        "all => all.map((e) => e.ariaLabel || e.labels[0].textContent)"
    )
    assert all(names)


@pytest.mark.parametrize(
    ("place", "scheme", "dark"),
    [("docusaurus", "dark", False), ("docusaurus", "light", False), ("mdbook", "light", True)],
)
def test_the_colours_are_the_page_s(open_book: Open, snap: Snap, place: str, scheme: str, dark: bool) -> None:
    page = open_book(place, color_scheme=scheme)
    panel = "document.querySelector('ragstone-widget').shadowRoot.querySelector('.panel')"
    background = f"() => getComputedStyle({panel}).backgroundColor"
    paper = {False: "rgb(255, 254, 251)", True: "rgb(27, 31, 35)"}
    open_panel(page)
    assert page.evaluate(background) == paper[dark]
    if place == "docusaurus":
        page.locator("#theme").click()
        page.wait_for_function(f"({background})() === '{paper[True]}'")
        ask(page, CITED)
        snap(page, f"widget-{place}-dark-answer")


@pytest.mark.parametrize(
    ("style", "scheme", "dark"),
    [
        ("color-scheme: light dark", "dark", True),
        ("color-scheme: light dark", "light", False),
        ("color-scheme: only light", "dark", False),
        ("color-scheme: normal; background: #101418", "light", True),
        ("color-scheme: normal; background: #fff", "dark", False),
        ("color-scheme: normal; background: transparent", "dark", False),
    ],
)
def test_the_page_s_scheme_is_found_out(open_book: Open, style: str, scheme: str, dark: bool) -> None:
    page = open_book(color_scheme=scheme)
    page.evaluate("style => { document.documentElement.style.cssText = style; }", style)
    page.wait_for_function(
        "want => document.querySelector('ragstone-widget').dataset.scheme === want", arg="dark" if dark else "light"
    )


def test_nothing_moves_for_those_who_want_it_still(open_book: Open) -> None:
    page = open_book(reduced_motion="reduce")
    panel = open_panel(page)
    assert panel.evaluate("e => getComputedStyle(e).animationName") == "none"
    assert page.locator(".pill.open").evaluate("e => getComputedStyle(e).transitionDuration") in {"0s", "1e-05s"}


#: Asks for a book that is not there.
OTHER_BOOK = """
const real = window.fetch;
const body = JSON.stringify({ question: "q", book: "x" });
window.fetch = (url, options) => real(url, { ...options, body });
"""


def say(page: Any, output: dict[str, Any]) -> None:
    page.evaluate("said => { window.said = said; }", {"words": [], **output})
    page.get_by_role("textbox", name="Your question").fill("What?")
    page.keyboard.press("Enter")


def test_an_answer_can_be_stopped(open_book: Open, snap: Snap) -> None:
    page = open_book(script=STREAM)
    open_panel(page)
    say(page, {"words": ["It ", "starts "]})
    page.get_by_text("It starts").wait_for()
    assert page.locator("[role=status]").inner_text() == "", "not every token is read out"
    snap(page, "widget-streaming")
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped").first.wait_for()
    assert "It starts" in page.locator(".answer").inner_text()
    assert page.get_by_role("button", name="Send").is_visible()


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ({"down": True}, "The book's server cannot be reached. Please try again."),
        ({"words": ["It "], "cut": True}, "The answer broke off before its end. Please ask again."),
        ({"words": ["It "], "error": {"title": "t", "detail": "the model is gone"}}, "The model is gone"),
    ],
)
def test_what_goes_wrong_is_reported_in_words_and_can_be_tried_again(
    open_book: Open, snap: Snap, output: dict[str, Any], words: str
) -> None:
    page = open_book(script=STREAM)
    open_panel(page)
    say(page, output)
    page.locator(".failed").wait_for()
    assert words in page.locator(".failed").inner_text()
    assert page.locator("[role=status]").inner_text() == words
    snap(page, "widget-failed")
    good = {
        "answer": "A node. [1]",
        "refused": False,
        "citations": [{"n": 1, "url": "/x", "quote": "", "section": "S"}],
    }
    page.evaluate("said => { window.said = said; }", {"words": [], "answer": good})
    page.get_by_role("button", name="Try again").click()
    page.locator(".sources").wait_for()
    assert page.locator(".failed").count() == 0
    assert page.locator(".turn").count() == 1


@pytest.mark.slow
def test_it_says_whether_it_is_not_allowed_or_not_reachable(
    chromium: Any, snap: Snap, tmp_path: Path, first_start: Callable[[Path], Path]
) -> None:
    with elsewhere() as place:
        with serving(first_start(tmp_path / "closed")) as place.server:  # it lists no origin
            page = chromium.new_page(viewport=DESKTOP)
            page.goto(f"{place.origin}/docusaurus/")
            open_panel(page)
            ask(page, CITED)
            failed = page.locator(".failed")
            failed.wait_for()
            assert "Questions are not allowed from this page" in failed.inner_text()
            snap(page, "widget-not-allowed")
        page.get_by_role("button", name="Try again").click()
        failed.get_by_text("cannot be reached").wait_for()
        assert "not allowed" not in failed.inner_text()
        page.close()


def test_it_lists_no_books(open_book: Open) -> None:
    page = open_book(script=OTHER_BOOK)
    open_panel(page)
    ask(page, CITED)
    page.locator(".failed").wait_for()
    assert "This book is not on its server." in page.locator(".failed").inner_text()
    assert "primer" not in page.locator(".turn").inner_text().lower()


def test_a_citation_leads_to_the_book_s_own_page_and_to_no_script(open_book: Open, books: Elsewhere) -> None:
    page = open_book(script=STREAM)
    open_panel(page)
    urls = [
        "https://book.example/ch1.html",
        "/book_chat/source/c2",
        "javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "",
        f"{books.origin}/docusaurus/",
        "https://book.example/ch1.html#there",
    ]
    cited = [{"n": n, "url": url, "quote": "some words", "section": f"S{n}"} for n, url in enumerate(urls, 1)]
    text = " ".join(f"Said [{n}]." for n in range(1, 8))
    say(page, {"answer": {"answer": text, "refused": False, "citations": cited}})
    page.locator(".sources").wait_for()
    links = page.locator(".sources li").evaluate_all("all => all.map((e) => e.querySelector('a')?.href ?? null)")
    # the browser itself takes the text fragment off the address that scripts see, unless it stands in the attribute
    assert links == [
        "https://book.example/ch1.html#:~:text=some%20words",
        f"{books.server}/book_chat/source/c2#passage:~:text=some%20words",
        None,
        None,
        None,
        f"{books.origin}/docusaurus/#:~:text=some%20words",
        "https://book.example/ch1.html#there",
    ]
    targets = page.locator(".sources a").evaluate_all("all => all.map((e) => e.target)")
    assert targets == ["_blank", "_blank", "", "_blank"]
    assert page.locator("a.badge").count() == 4


def test_two_scripts_are_one_widget(open_book: Open) -> None:
    page = open_book("mdbook")
    assert page.locator("script[data-book]").count() == 2
    assert page.locator("ragstone-widget").count() == 1


def test_the_widget_draws_an_answer_as_the_chat_page_does(open_book: Open) -> None:
    answer: dict[str, Any] = {
        "answer": f"WARNING: Hot [1].\nVery.\n\n{RICH.text}\nand `no [1]` **more** [3]",
        "refused": False,
        "citations": [citation.to_dict() for citation in RICH.citations],
    }
    page = open_book(script=STREAM)
    open_panel(page)
    say(page, {"answer": answer})
    page.locator(".sources").wait_for()
    shape = """e => {
        const walk = (e) => [...e.childNodes].flatMap((n) =>
            n.nodeType !== 1 ? [n.textContent] : n.matches(".cite, .badge") ? [`<${n.textContent.match(/\\d+/)}>`] :
            n.tagName === "TBODY" ? walk(n) :
            [n.tagName.toLowerCase(), walk(n)]);
        return JSON.stringify(walk(e), null, 1);
    }"""
    ours = page.locator(".answer > .text").evaluate(shape)
    app = Flask("ragstone.web")
    rendering.install(app)
    with app.test_request_context():
        macros: Any = app.jinja_env.get_template("ragstone/answer.html").module
        html = str(macros.exchange("What?", Answer(answer["answer"], RICH.citations), None))
    page.goto("about:blank")
    theirs = page.evaluate(
        f"html => ({shape})(new DOMParser().parseFromString(html, 'text/html').querySelector('.text'))", html
    )
    assert "<img" in ours
    assert ours == theirs
