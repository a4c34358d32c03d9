"""A whole lesson in a real browser: a plan from a page of a real MediaWiki, its sources, questions, the chat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urldefrag

import httpx
import pytest

from tests.browser.audits import Open, Snap
from tests.support.mediawiki import Server, Wiki, server

from .conftest import serving

pytestmark = pytest.mark.browser

NO_SIDEWAYS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
WATCH = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""
PAGES = {
    "Tide": "A '''tide''' is the rise and fall of the sea that the [[Gravitation|gravitation]] of the Moon and the Sun "
    "causes. Most coasts have two high tides and two low tides within a day of the Moon, which lasts 24 hours and 50 "
    "minutes. Sailors read the times of the tides in a [[Tide table]].\n\n"
    "== Causes ==\nThe Moon pulls at the near side of the Earth more strongly than at its far side. The difference is "
    "called the tidal force, and it stretches the sea along the line to the Moon. Isaac Newton explained the tides in "
    "1687 by [[Gravitation]]. The Sun does the same with about half of the force, although it is far more massive.\n\n"
    "== Spring and neap ==\nA [[Spring tide]] is a tide of great range that comes when the Sun, the Moon and the Earth "
    "stand in a line. A [[Neap tide]] is a tide of small range that comes when the Sun and the Moon stand at a right "
    "angle. Between a spring tide and the next neap tide lie about seven days.\n\n"
    "== Currents ==\nA [[Tidal current]] is a flow of water that the tide causes. The flood current runs towards the "
    "coast while the water rises, and the ebb current runs away from it while the water falls. In narrow straits it "
    "reaches more than ten knots.",
    "Gravitation": "'''Gravitation''' is the attraction between all bodies that have mass. It grows with the "
    "masses and falls with the square of the distance. Isaac Newton published its law in 1687. It holds the Moon "
    "on its way around the Earth and the planets on theirs around the Sun, and it gives all things on the "
    "ground their weight.\n\n"
    "== Strength ==\nGravitation is the weakest of the four known forces, yet over great distances it is the one that "
    "counts, since it is never cancelled. Henry Cavendish measured the force between two balls of lead in 1798 with a "
    "torsion balance, and so weighed the Earth.",
    "Spring tide": "A '''spring tide''' is a [[tide]] of great range. It comes twice in a month of the Moon, shortly "
    "after the new moon and after the full moon, when the pull of the Sun and the pull of the Moon add to each other "
    "along one line. Its name has nothing to do with the season.\n\n== Height ==\nThe water stands some twenty percent "
    "higher than on the average. With a storm from the sea a spring tide can break dykes, as it did in the Netherlands "
    "in 1953, when more than eighteen hundred people drowned.",
    "Neap tide": "A '''neap tide''' is a [[tide]] of small range. It comes in the first and in the last quarter of the "
    "Moon, when the Sun pulls at a right angle to the Moon and takes away a part of what the Moon does. The water then "
    "rises least, and the currents between the islands are slack for longer than usual.",
    "Tidal current": "A '''tidal current''' is a flow of water that the [[tide]] causes. It turns about every six "
    "hours and is strongest half way between high water and low water. Power stations in France and in Korea turn "
    "their turbines with it, and pilots wait for it before they bring a large ship into port.",
    "Tide table": "A '''tide table''' is a table that lists the times and the heights of high water and low water at "
    "one place. It is computed for years ahead from the motions of the Moon and the Sun. The first one that is known "
    "was made for London Bridge in the thirteenth century by an abbot of Saint Albans.",
}
FOOTBALL = "Who won the football world cup in 1998?"


@pytest.fixture(scope="module")
def wiki() -> Iterator[Server]:
    with server(Wiki(pages=PAGES)) as running:
        yield running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, wiki: Server) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("tutor")
    (folder / "ragstone.toml").write_text(
        f"""
        [plugins.web]
        requests_per_minute = 0
        [plugins.book_chat]
        sample = false
        [plugins.concept_tutor]
        sample = false
        [plugins.concept_tutor.wikis.sites.harbour]
        url = "{wiki.url}"
        licence = "CC BY-SA 4.0"
        """,
        "utf-8",
    )
    with serving(folder) as address:
        yield address


@pytest.fixture(scope="module")
def plan(site: str) -> str:
    """The path of a plan with sources, made without a browser."""
    made = httpx.post(f"{site}/concept_tutor/plans/page", data={"page": "harbour/Tide"}, timeout=60)
    assert made.status_code == 303, made.text
    path = made.headers["Location"]
    with httpx.stream("GET", f"{site}{path}events", timeout=60) as events:
        assert "event: done" in "".join(events.iter_text())
    return str(path)


def ready(page: Any) -> None:
    page.wait_for_load_state("load")


def begin(page: Any) -> None:
    """From the page that offers a session to its first question; what is to be read before comes first."""
    page.get_by_role("button", name=re.compile(r"^Begin: up to \d+ questions$")).click()
    page.locator("form.lesson, .explained").first.wait_for()
    if page.locator(".explained").count():
        page.get_by_role("button", name="I have read it").click()
    page.locator("form.lesson").wait_for()


def answer_wrongly(page: Any) -> None:
    """Go on until an answer is not right: which option is, nobody knows."""
    for _ in range(8):
        page.locator("form.lesson, .explained").first.wait_for()
        if page.locator(".explained").count():
            page.get_by_role("button", name="I have read it").click()
            page.locator("form.lesson").wait_for()
        if page.locator(".option").count():
            page.locator(".option").last.click()
        else:
            page.locator("#answer").fill("Elephants from Hamburg")
        page.get_by_role("button", name="Answer").click()
        page.locator(".verdict").wait_for()
        if page.locator(".verdict.wrong").count():
            return
        page.get_by_role("button", name="Next question").click()
    raise AssertionError("every answer was right")


def opened(wiki: Server, url: str) -> None:
    """The wiki's own page has the section that the address names."""
    address, anchor = urldefrag(url)
    assert address.startswith(f"{wiki.url}/wiki/")
    shown = httpx.get(address)
    assert shown.status_code == 200
    section = anchor.partition(":~:")[0]  # what is behind it marks words, where a browser can
    if section:
        assert f'id="{unquote(section)}"' in shown.text


def test_a_whole_lesson(open_page: Open, snap: Snap, wiki: Server) -> None:
    page = open_page("/concept_tutor/", script=WATCH)
    streams: list[str] = []
    page.on("response", lambda response: streams.append(response.headers.get("content-type", "")))
    ready(page)
    page.get_by_text("From a wiki page").click()
    page.get_by_label("Page", exact=True).fill("harbour/Tide")
    snap(page, "tutor-plans")
    page.get_by_role("button", name="Make the plan").click()
    page.get_by_role("heading", name="Tide", exact=True).first.wait_for()
    snap(page, "tutor-gathering")
    # the page says how far each concept is, and begins anew when all are done
    page.locator("[data-gathering]").wait_for(state="hidden")
    page.locator("svg a.box[data-key=neap-tide]:visible").wait_for()  # the page that begins anew may not be there yet
    assert any(kind.startswith("text/event-stream") for kind in streams)
    keys = {box.get_attribute("data-key") for box in page.locator("svg a.box:visible").all()}
    assert {"tide", "gravitation", "spring-tide", "neap-tide"} <= keys
    assert page.locator(".for-wide path.curve").count() >= 2
    assert page.locator("svg .badge").count() == 0
    page.locator("svg a.box[data-key=spring-tide]:visible").click()
    page.locator("aside.chosen", has_text="CC BY-SA 4.0").wait_for()
    assert "concept=spring-tide" in page.url
    snap(page, "tutor-plan")

    page.get_by_role("link", name="Learn", exact=True).first.click()
    begin(page)
    answer_wrongly(page)
    assert page.locator(":focus").get_attribute("id") == "verdict", "the verdict is where the reader is"
    badge = page.locator(".verdict a.badge").first
    badge.hover()
    card = page.locator(".verdict .cite .card").first
    card.wait_for()
    assert card.locator("b").inner_text() in PAGES
    snap(page, "tutor-feedback")
    assert (badge.get_attribute("target"), badge.get_attribute("rel")) == ("_blank", "noopener noreferrer")
    with page.expect_popup() as popup:
        badge.click()
    assert popup.value.url == badge.get_attribute("href")
    assert popup.value.evaluate("window.opener") is None
    opened(wiki, popup.value.url)
    popup.value.close()

    page.get_by_role("link", name="Ask the tutor why").click()
    page.locator(".answer .text a.badge").first.wait_for()
    assert page.locator(".answer.refused").count() == 0
    ready(page)
    ask = page.get_by_role("textbox", name="Your question")
    ask.fill("What is a neap tide?")
    ask.press("Enter")
    explained = page.locator(".exchange", has_text="What is a neap tide?")
    explained.locator(".sources").wait_for()
    assert "small range" in explained.locator(".text").inner_text()
    assert "CC BY-SA 4.0" in explained.locator(".sources").inner_text()
    first = explained.locator("a.badge").first
    assert first.get_attribute("rel") == "noopener noreferrer"
    opened(wiki, first.get_attribute("href"))
    ask.fill(FOOTBALL)
    ask.press("Enter")
    page.locator(".exchange", has_text=FOOTBALL).locator(".refused").wait_for()
    snap(page, "tutor-chat")
    assert page.evaluate("window.violations") == []


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_a_phone_has_no_sideways_scrolling(open_page: Open, snap: Snap, plan: str, scheme: str) -> None:
    page = open_page(f"{plan}?concept=tide", viewport={"width": 390, "height": 780}, color_scheme=scheme)
    for name, path in (
        ("plans", "/concept_tutor/"),
        ("plan", f"{plan}?concept=tide"),
        ("begin", f"{plan}learn"),
        ("explanation", f"{plan}learn?concept=tide"),
        ("edit", f"{plan}edit"),
        ("concept", f"{plan}concepts/tide"),
        ("learners", "/concept_tutor/learners"),
        ("chat", f"/concept_tutor/chat?plan={plan.split('/')[-2]}&q=What+is+a+tide%3F"),
    ):
        page.goto(path)
        ready(page)
        assert page.evaluate(NO_SIDEWAYS), name
        snap(page, f"tutor-phone-{scheme}-{name}")


def tab_to(page: Any, result: str, what: str) -> None:
    """Press Tab until the property of whatever has the focus is this."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.{result}") == what:
            return
    raise AssertionError(f"Tab does not come to {what!r}")


def test_everything_can_be_done_with_the_keyboard(open_page: Open, plan: str) -> None:
    page = open_page(plan)
    ready(page)
    page.locator("svg a.box:visible").first.focus()
    page.keyboard.press("Enter")
    page.locator("aside.chosen").wait_for()
    assert page.locator("svg a.box:focus").count() == 1, "who chose stays where they were"
    page.goto(f"{plan}learn")
    ready(page)
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the content"
    tab_to(page, "textContent", "Begin: up to 10 questions")
    page.keyboard.press("Enter")
    page.locator(".explained").wait_for()
    tab_to(page, "textContent", "I have read it: ask me")
    page.keyboard.press("Enter")
    page.locator("form.lesson").wait_for()
    tab_to(page, "name", "answer")
    page.keyboard.press("Space") if page.locator(".option").count() else page.keyboard.type("Elephants")
    if page.locator("textarea").count():  # in which Enter begins a new line
        tab_to(page, "textContent", "Answer")
    page.keyboard.press("Enter")
    page.locator(".verdict").wait_for()
    tab_to(page, "textContent", "Next question")
    page.keyboard.press("Enter")
    page.locator("form.lesson, .explained").first.wait_for()
    assert page.evaluate("document.activeElement.hasAttribute('data-focus')")


def test_it_works_without_javascript(open_page: Open, plan: str) -> None:
    page = open_page(f"{plan}learn", java_script_enabled=False)
    begin(page)
    page.get_by_role("button", name=re.compile("Hint")).click()
    page.locator(".hints li").wait_for()  # it fails where there are two
    page.get_by_role("button", name=re.compile("hint")).click()
    page.locator(".hints li").nth(1).wait_for()
    assert page.locator(".hints li").count() == 2
    answer_wrongly(page)
    page.locator(".verdict a.badge").first.wait_for()
    page.get_by_role("button", name="Next question").click()
    page.locator("form.lesson, .explained").first.wait_for()
    page.get_by_role("link", name="Concepts").click()
    page.locator("svg a.box:visible").first.click()
    page.locator("aside.chosen").wait_for()
    page.get_by_role("link", name="Ask the tutor").click()
    page.get_by_role("textbox", name="Your question").fill("What is a spring tide?")
    page.get_by_role("button", name="Ask", exact=True).click()
    assert "great range" in page.locator(".answer .text").inner_text()


#: The gathering of a small wiki is over before the drawing is asked for: its last event comes three seconds later.
LATE_END = """
const listen = EventSource.prototype.addEventListener;
EventSource.prototype.addEventListener = function (name, heard) {
  listen.call(this, name, name === "done" ? (event) => setTimeout(() => heard(event), 3000) : heard);
};
"""


def test_the_drawing_follows_the_gathering(open_page: Open) -> None:
    page = open_page("/concept_tutor/", script=LATE_END)
    ready(page)
    page.get_by_label("Title", exact=True).first.fill("Following")
    page.get_by_label("Concepts, one per line").fill(
        "\n".join([*PAGES, *(f"Xylophonistics of Neptune {number}" for number in range(30))])
    )
    loads: list[str] = []
    page.get_by_role("button", name="Make the plan").click()
    page.get_by_role("heading", name="Following").wait_for()
    page.on("framenavigated", lambda frame: loads.append(frame.url))
    seen = set()
    while page.locator("[data-gathering]:visible").count() and not loads:
        seen.add(page.locator(".for-wide a.box.none").count())
        page.wait_for_timeout(100)
    page.locator("[data-gathering] >> text=30 concepts without sources").wait_for()
    assert page.locator(".for-wide a.box.none").count() == 30
    assert len(seen) > 1, f"the drawing changed only at the end: {seen}"


FITS = """() => [...document.querySelectorAll("[data-graph]")].filter((one) => one.clientWidth).map((one) =>
    [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight,
     Math.min(...[...one.querySelectorAll(".box > text")].map((text) => text.getBoundingClientRect().height))])"""


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_drawing_fits_its_frame(open_page: Open, plan: str, width: int) -> None:
    page = open_page(plan, viewport={"width": width, "height": 800})
    ready(page)
    for path in (plan, f"{plan}?concept=tide"):
        page.goto(path)
        ((sideways, down, letters),) = page.evaluate(FITS)
        assert (sideways, down) == (0, 0)
        assert letters >= 10, "its words can be read"


#: A form that is filled in and sent twice, without the server: what its button says, and how often it was sent.
TWICE = """() => {
  const form = document.querySelector(".new-plan details[open] form");
  const button = form.querySelector("button");
  let sent = 0;
  form.addEventListener("submit", (event) => { sent += 1; event.preventDefault(); });
  for (const field of form.querySelectorAll("[required]")) field.value = "Tide";
  button.click();
  button.click();
  return [button.textContent, sent];
}"""


def test_a_button_says_that_a_plan_is_being_made_and_sends_it_once(open_page: Open) -> None:
    page = open_page("/concept_tutor/")
    page.wait_for_load_state("networkidle")
    assert page.evaluate(TWICE) == ["Making the plan …", 1]


def test_without_a_wiki_a_concept_says_so_and_is_retried(open_page: Open, wiki: Server) -> None:
    page = open_page("/concept_tutor/")
    ready(page)
    page.get_by_label("Title", exact=True).first.fill("Far away")
    page.get_by_label("Concepts, one per line").fill("Tide table\nXylophonistics of Neptune")
    page.get_by_role("button", name="Make the plan").click()
    page.get_by_role("heading", name="Far away").wait_for()
    row = page.locator(".concepts li", has_text="Neptune")
    retry = row.get_by_role("button", name="Retry")
    retry.wait_for()
    assert "no page of the wikis" in row.inner_text()
    retry.click()
    row.get_by_role("button", name="Retry").wait_for()
    assert page.locator(".concepts li", has_text="Tide table").get_by_role("link", name="Learn").count() == 1
