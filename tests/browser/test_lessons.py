"""Sessions in a real browser: reading first, an end, buttons, options with reasons, hints, progress, plans."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import Host, Settings
from ragstone.plugins.concept_tutor import PlanStore
from tests.browser.audits import Open, Snap
from tests.plugins.concept_tutor.learning.texts import Question, QuestionSource, Support, put_questions

from .conftest import serving
from .test_tutor import NO_SIDEWAYS, WATCH

pytestmark = pytest.mark.browser

PLAN = "/concept_tutor/plans/elementary-statistics/"
#: Everything that can be pressed and is no link within a sentence, as WCAG's 2.5.8 has it; hidden ones have no size.
TOO_SMALL = """() => [...document.querySelectorAll("button, input, select, summary, textarea, a")].filter((one) => {
  const { width, height } = one.getBoundingClientRect();
  const label = one.closest("label")?.getBoundingClientRect() ?? { width: 0, height: 0 };
  const inline = getComputedStyle(one).display === "inline" && !one.closest("nav, .onward, .how, .of-plan");
  return width && !inline && !one.closest("svg, .skip")
    && Math.min(Math.max(width, label.width), Math.max(height, label.height)) < 24;
}).map((one) => one.outerHTML.slice(0, 120))"""

#: How much of a row of tabs lies below it, where a scrollbar would come.
SCROLLED_TABS = (
    "Math.max(0, ...[...document.querySelectorAll('.tabs')].map((row) => row.scrollHeight - row.clientHeight))"
)


def _put_choice(folder: Path) -> None:
    """Add a question that has options to the sample, which a short text gives no ground for."""
    with Host(Settings(data_dir=folder)) as host:
        host.start()
        chunk = host.once(PlanStore).sources("elementary-statistics", "median")[0]
        question = Question(
            question_id="choice",
            plan="elementary-statistics",
            concept="median",
            form="choice",
            asked="term",
            text="Which of these is the middle value of a list that is sorted by size?",
            key="median",
            options=("variance", "median", "probability", "normal distribution"),
            also=(),
            explanation="The median is the middle value. [1]",
            support=Support(chunk.chunk_id, 0, len(chunk.content), chunk.content),
            sources=(
                QuestionSource(1, chunk.page_title, chunk.page_url, chunk.section, chunk.licence, chunk.chunk_id),
            ),
        )
        put_questions(host, question)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, first_start: Callable[[Path], Path]) -> Iterator[str]:
    folder = first_start(tmp_path_factory.mktemp("lessons"))
    _put_choice(folder)
    with serving(folder, RAGSTONE_PLUGINS__WEB__REQUESTS_PER_MINUTE="0") as address:
        yield address


@pytest.fixture
def learn_as(open_page: Open) -> Callable[..., Any]:
    """Open a page as a learner of that name, in a browser of its own."""

    def open_(name: str, path: str, **options: Any) -> Any:
        page = open_page("/concept_tutor/learners", script=options.pop("script", None), **options)
        page.get_by_label("Another name").fill(name)
        page.get_by_role("button", name="Learn under this name").click()
        page.wait_for_url("**/concept_tutor/")
        page.goto(path)
        page.wait_for_load_state("load")
        return page

    return open_


def to_question(page: Any) -> bool:
    """Whether a question comes; what is to be read before it is read. The other end is the result."""
    page.locator("form.lesson, .explained, .outlook").first.wait_for()
    if page.locator(".explained").count():
        page.get_by_role("button", name="I have read it").click()
        page.locator("form.lesson").wait_for()
    return bool(page.locator("form.lesson").count())


def reply(page: Any, words: str = "Elephants from Hamburg", option: int = 0) -> None:
    if page.locator(".option").count():
        page.locator(".option").nth(option).click()
    else:
        page.locator("#answer").fill(words)
    page.get_by_role("button", name="Answer").click()
    page.locator("article.lesson").wait_for()


def begin(page: Any, name: str = r"^Begin: up to \d+ questions$") -> None:
    page.get_by_role("button", name=re.compile(name)).click()


@pytest.mark.parametrize("scripts", [True, False])
def test_the_explanation_comes_before_the_first_question(learn_as: Any, snap: Snap, scripts: bool) -> None:
    page = learn_as(f"Reader {scripts}", f"{PLAN}learn", java_script_enabled=scripts)
    begin(page)
    page.locator(".explained").wait_for()
    assert page.locator("h1").inner_text() == "Population and sample"
    assert "complete set of items" in page.locator(".said").inner_text()
    assert page.locator(".said a.badge").count() >= 1
    assert page.locator(".where svg a.box.chosen").count() == 1
    assert page.locator(".where svg a.box").count() >= 2
    snap(page, f"lesson-explanation-{scripts}")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.locator(".where figcaption").is_visible()
    assert not page.locator(".where svg").is_visible(), "on a phone it would be between the text and the button"
    page.get_by_role("button", name="I have read it").click()
    page.locator("form.lesson").wait_for()


@pytest.mark.parametrize("scripts", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_session_has_an_end_and_nothing_right_comes_again(learn_as: Any, snap: Snap, scripts: bool) -> None:
    page = learn_as(f"Ender {scripts}", f"{PLAN}learn", java_script_enabled=scripts)
    begin(page)
    right: set[str] = set()
    answered = 0
    while to_question(page):
        question = page.locator(".question-text").inner_text()
        assert question not in right, "what was right came again"
        assert page.locator(".session-bar p").inner_text() == f"{answered + 1} of 10"
        reply(page, option=answered % 4)
        if page.locator(".verdict.right").count():
            right.add(question)
        answered += 1
        assert answered <= 10
        page.locator(".onward .button").click()
        page.locator("article.lesson").wait_for(state="detached") if scripts else None
    assert answered == 10
    assert page.locator("h1").inner_text() == f"{len(right)} of 10 right"
    assert "come again, the first" in page.locator(".outlook").inner_text()
    assert page.locator(".asked li").count() >= 5
    snap(page, f"lesson-result-{scripts}")
    page.goto(PLAN)
    assert "10 answers in all" in page.locator(".progress").inner_text()
    assert page.locator(".progress svg[role=img]").count() == 3
    page.locator(".as-table summary").first.click()
    assert page.locator(".as-table table").first.is_visible()
    snap(page, f"lesson-progress-{scripts}")


def test_not_knowing_and_skipping_are_buttons(learn_as: Any) -> None:
    page = learn_as("Unsure", f"{PLAN}learn", script=WATCH)
    begin(page)
    to_question(page)
    first = page.locator(".question-text").inner_text()
    page.get_by_role("button", name="Skip").click()
    page.locator(".question-text", has_text=first).wait_for(state="detached")
    to_question(page)
    assert page.locator(".session-bar p").inner_text() == "1 of 10", "what is skipped does not count"
    page.get_by_role("button", name="I don’t know").click()
    page.locator(".verdict.unknown", has_text="Here is the answer").wait_for()
    assert page.evaluate("document.activeElement.id") == "verdict"
    page.get_by_role("button", name="End here").click()
    page.locator(".outlook").wait_for()
    assert page.locator("h1").inner_text() == "0 of 1 right"
    assert "1 not known, 1 skipped" in page.locator(".concept-head").inner_text()
    assert page.evaluate("window.violations") == []


def test_options_stay_with_their_reasons_and_hints_are_readable(learn_as: Any, snap: Snap) -> None:
    page = learn_as("Chooser", f"{PLAN}learn?question=choice")
    options = page.locator(".option").all_inner_texts()
    reply(page, option=0)
    assert page.locator(".noted .name").all_inner_texts() == options
    assert page.locator(".noted li.right").count() == 1
    assert page.locator(".noted a.badge").count() >= 2
    assert page.locator(".noted q").count() >= 1
    snap(page, "lesson-options")
    page.goto(f"{PLAN}learn")
    begin(page)
    hinted = False
    while not hinted and to_question(page):
        for name in (r"^Hint", r"^Another hint \(2", r"^Another hint \(3"):
            page.get_by_role("button", name=re.compile(name)).click()
        page.locator(".hints li").nth(2).wait_for()
        assert "__" not in page.locator(".hints").inner_text()
        hinted = page.locator(".hints .begun i").count() > 0
        reply(page)
        page.locator(".onward .button").click()
        page.locator("article.lesson").wait_for(state="detached")
    assert hinted


def test_a_session_that_was_left_is_gone_on_with(learn_as: Any) -> None:
    page = learn_as("Leaver", f"{PLAN}learn")
    begin(page)
    to_question(page)
    reply(page)
    page.goto(f"{PLAN}learn")
    page.get_by_role("link", name="Go on with it").click()
    assert to_question(page)
    assert page.locator(".session-bar p").inner_text() == "2 of 10"


@pytest.mark.parametrize("scripts", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_plans_are_renamed_edited_exported_and_deleted(learn_as: Any, tmp_path: Path, scripts: bool) -> None:
    page = learn_as("Editor", "/concept_tutor/", java_script_enabled=scripts)
    page.get_by_label("Title", exact=True).first.fill(f"Knots {scripts}")
    page.get_by_label("Concepts, one per line").fill("Knot\nBowline <- Knot\nSheet bend <- Bowline")
    page.get_by_role("button", name="Make the plan").click()
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_label("Title").fill("Ropework")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    page.get_by_text("Add a concept").click()
    form = page.locator(".new-concept")
    form.get_by_label("Name").fill("Reef knot")
    form.get_by_label("Bowline").check()
    form.get_by_role("button", name="Add it").click()
    page.get_by_role("link", name="Reef knot", exact=True).click()
    assert page.get_by_label("Bowline").is_checked()
    page.get_by_label("Name").fill("Square knot")
    page.get_by_label("Bowline").uncheck()
    page.get_by_label("Knot", exact=True).check()
    page.get_by_role("button", name="Save").click()
    page.locator(".concepts li", has_text="Square knot").get_by_text("needs Knot").wait_for()
    page.get_by_role("link", name="Remove Bowline").click()
    page.get_by_label("Yes, remove “Bowline”").check()
    page.get_by_role("button", name="Remove the concept").click()
    page.locator(".concepts li", has_text="Sheet bend").get_by_text("needs Knot").wait_for()
    page.get_by_role("link", name="Concepts", exact=True).click()
    page.get_by_label("Take it along").select_option("json")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    saved = tmp_path / "plan.json"
    download.value.save_as(saved)
    plan = json.loads(saved.read_text("utf-8"))
    assert (plan["title"], [one["name"] for one in plan["concepts"]]) == (
        "Ropework",
        ["Knot", "Sheet bend", "Square knot"],
    )
    # No concept has a source yet, so there is no question to take along.
    options = page.get_by_label("Take it along").locator("option")
    assert options.all_inner_texts() == ["The plan with its sources (JSON)"]
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_role("link", name="Delete …").click()
    page.get_by_label("Yes, delete “Ropework”").check()
    page.get_by_role("button", name="Delete the plan").click()
    page.get_by_role("heading", name="What would you like to learn?").wait_for()
    assert page.get_by_text("Ropework").count() == 0


def test_two_learners_have_their_own_progress(learn_as: Any, open_page: Open) -> None:
    page = learn_as("Grace", f"{PLAN}learn?concept=median")
    page.get_by_role("button", name="Ask me").click()
    to_question(page)
    reply(page)
    page.goto(PLAN)
    assert "Progress of Grace" in page.locator(".progress").inner_text()
    other = learn_as("Alan", PLAN)
    assert "Nothing was answered yet" in other.locator(".progress").inner_text()
    other.goto("/concept_tutor/learners")
    other.locator("li", has_text="Grace").get_by_role("button", name="Choose Grace").click()
    other.goto(PLAN)
    assert "Progress of Grace" in other.locator(".progress").inner_text()


def test_a_plan_s_chat_offers_and_answers_its_questions(learn_as: Any) -> None:
    page = learn_as("Asker", "/concept_tutor/chat?plan=elementary-statistics")
    chip = page.locator(".chip").first
    words = chip.inner_text()
    chip.click()
    page.locator(".exchange", has_text=words).locator(".sources").wait_for()
    assert page.locator(".exchange .refused").count() == 0


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (390, "light"),
        *(
            pytest.param(width, scheme, marks=pytest.mark.slow)
            for width, scheme in [(390, "dark"), (768, "light"), (768, "dark"), (1280, "light"), (1280, "dark")]
        ),
    ],
)
def test_every_state_fits_and_can_be_touched(learn_as: Any, snap: Snap, width: int, scheme: str) -> None:
    page = learn_as(
        f"Looker {width} {scheme}", f"{PLAN}learn", viewport={"width": width, "height": 800}, color_scheme=scheme
    )

    def check(name: str) -> None:
        page.wait_for_load_state("load")
        assert page.evaluate(NO_SIDEWAYS), name
        assert page.evaluate(TOO_SMALL) == [], name
        assert page.evaluate(SCROLLED_TABS) == 0, name
        snap(page, f"lesson-{width}-{scheme}-{name}")

    check("begin")
    begin(page)
    page.locator(".explained").wait_for()
    check("explanation")
    to_question(page)
    page.get_by_role("button", name=re.compile("^Hint")).click()
    page.locator(".hints").wait_for()
    check("question")
    reply(page)
    check("feedback")
    page.get_by_role("button", name="End here").click()
    page.locator(".outlook").wait_for()
    check("result")
    for name, path in (
        ("plan", PLAN),
        ("chosen", f"{PLAN}?concept=median"),
        ("edit", f"{PLAN}edit"),
        ("concept", f"{PLAN}concepts/median"),
        ("delete", f"{PLAN}delete"),
        ("learners", "/concept_tutor/learners"),
        ("plans", "/concept_tutor/"),
    ):
        page.goto(path)
        check(name)
