"""Words that would be scripts, wherever a plan, its sources or a learner may bring them: none runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ragstone.core import Host, Settings
from ragstone.plugins.concept_tutor import Edge, NewChunk, NewConcept, NewPlan, PlanStore, SourceChunk
from tests.browser.audits import Open
from tests.plugins.concept_tutor.learning.texts import Form, Question, QuestionSource, Support, put_questions

from .conftest import serving
from .payloads import payloads

pytestmark = pytest.mark.browser

WATCH = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""
CONCEPTS = 24
QUESTIONS = 9
FORMS: tuple[Form, ...] = ("choice", "blank", "open")
TOOLS = (
    "Windlass",
    "Capstan",
    "Sextant",
    "Rudder",
    "Anchor",
    "Halyard",
    "Keel",
    "Mast",
    "Spar",
    "Bilge",
    "Helm",
    "Boom",
)
VERBS = ("lifts heavy loads", "measures angles", "turns the bow", "holds a rope", "shows the wind", "keeps the time")
FORMULAS = (
    r"$\href{javascript:window.struck=1}{x}$",
    r"$\text{<img src=x onerror=window.struck=1>}$",
    r'$\class{x" onmouseover="window.struck=1}{y}$',
    r"$$\style{background:url(javascript:window.struck=1)}{z}$$",
)
URLS = (
    "javascript:window.struck=1",
    "data:text/html,<script>window.struck=1</script>",
    "//evil.example/x",
    'https://wiki.example/wiki/A"onclick="window.struck=1',
    "https://user@evil.example/",
    "jAvAsCrIpT:window.struck=1//https://wiki.example",
)
PATH = "/concept_tutor/plans/hostile/"


def inline_text(text: str, most: int) -> str:
    return " ".join(text.split())[:most]


def question(number: int, chunk: SourceChunk) -> Question:
    """One that a language model might have written."""
    evil = [inline_text(each, 300) for each in payloads(60)[5 * number : 5 * number + 5]]
    source = QuestionSource(1, evil[0], URLS[number % len(URLS)], evil[1], evil[2], chunk.chunk_id)
    options = tuple(f"{letter} {words}" for letter, words in zip("abcd", evil, strict=False))
    return Question(
        question_id=f"evil{number}",
        plan="hostile",
        concept="c1",
        form=FORMS[number % 3],
        asked="term",
        text=f"What [1] {evil[3]} is ____ {FORMULAS[number % len(FORMULAS)]}?",
        key=options[0],
        options=options if FORMS[number % 3] == "choice" else (),
        also=(),
        explanation=f"{evil[4]} [1]",
        support=Support(chunk.chunk_id, 0, len(chunk.content), chunk.content),
        sources=(source,),
    )


def fill(folder: Path) -> None:
    evil = payloads(CONCEPTS)
    # every second one has a plain name, as questions are asked only about what a sentence can be about
    with_names = {
        f"c{number}": TOOLS[number // 2] if number % 2 else f"Sprocket{number} {inline_text(each, 170)}"
        for number, each in enumerate(evil)
    }
    with Host(Settings(data_dir=folder)) as host:
        host.start()
        store = host.once(PlanStore)
        store.add(
            NewPlan(
                "hostile",
                inline_text(evil[0], 200),
                tuple(NewConcept(key, name, inline_text(evil[-1], 400)) for key, name in with_names.items()),
                tuple(Edge(f"c{number}", f"c{number + 1}", inline_text(evil[1], 99)) for number in range(CONCEPTS - 1)),
                description=evil[2],
                origin=evil[3],
            )
        )
        for number, (key, words) in enumerate(zip(with_names, evil, strict=True)):
            formula = FORMULAS[number % len(FORMULAS)]
            chunk = NewChunk(
                source=inline_text(words, 60),
                page_title=TOOLS[number // 2] if number % 2 else inline_text(f"Page {number} {words}", 200),
                page_url=URLS[number % len(URLS)],
                section="" if number % 2 else inline_text(words, 200),
                revision="1",
                licence=inline_text(words, 200),
                retrieved=datetime(2026, 11, 1, tzinfo=UTC),
                relevance=1.0,
                content=f"A {TOOLS[number // 2].lower() if number % 2 else 'sprocket'} is a tool that "
                f"{VERBS[number % 6]} on large wooden ships of the navy. Ada Lovelace described it in "
                f"{1800 + number} as {words} with brass. Some write {words} on it. The rule {formula} gives its speed.",
            )
            store.put_sources("hostile", key, [chunk] if number != CONCEPTS - 1 else [])
        kept = store.sources("hostile", "c1")
        put_questions(host, *(question(number, kept[0]) for number in range(QUESTIONS)))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("hostile")
    fill(folder)
    with serving(
        folder,
        RAGSTONE_PLUGINS__WEB__REQUESTS_PER_MINUTE="0",
        RAGSTONE_PLUGINS__CONCEPT_TUTOR__SAMPLE="false",
        RAGSTONE_PLUGINS__BOOK_CHAT__SAMPLE="false",
    ) as address:
        yield address


def look(page: Any, path: str) -> None:
    page.goto(path)
    page.wait_for_load_state("load")
    nothing_ran(page)


def nothing_ran(page: Any) -> None:
    # whatever waits for the mouse or the focus gets it
    page.evaluate("for (const e of document.querySelectorAll('*')) { e.dispatchEvent(new Event('mouseover')); }")
    assert page.evaluate("[window.struck, window.violations]") == [None, []]
    scripts = "[...document.querySelectorAll('a[href], area[href], form[action]')].map(e => e.href?.baseVal ?? e.href)"
    for url in page.evaluate(scripts):
        assert not str(url).lower().startswith(("javascript:", "data:")), url
        assert "evil.example" not in str(url)


@pytest.mark.slow
def test_nothing_of_a_plan_or_its_sources_runs(open_page: Open) -> None:
    page = open_page("/", script=WATCH)
    dialogs: list[str] = []

    def refuse(dialog: Any) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", refuse)
    for path in ("/concept_tutor/", PATH, f"{PATH}?whole=1&concept=c3", f"{PATH}?concept=c{CONCEPTS - 1}"):
        look(page, path)
    chunks: set[str] = set()
    learn = [f"{PATH}learn?concept=c{number}" for number in (1, 3)]
    for number, path in enumerate([*learn, *(f"{PATH}learn?question=evil{each}" for each in range(QUESTIONS))]):
        look(page, path)
        if "concept=" in path:
            page.get_by_role("button", name="Ask me").click()
            page.locator("form.lesson").wait_for()
            nothing_ran(page)
        page.get_by_role("button", name="Hint").click()
        page.locator(".hints").wait_for()
        if page.locator(".option").count():
            page.locator(".option").first.click()
        else:
            page.locator("#answer").fill(inline_text(payloads(CONCEPTS)[number], 300))
        page.get_by_role("button", name="Answer").click()
        page.locator(".verdict").wait_for()
        nothing_ran(page)
        chunks |= set(page.locator(".verdict a.badge").evaluate_all("all => all.map(a => a.href)"))
    assert chunks
    page.get_by_role("link", name="Learn", exact=True).first.click()
    page.get_by_role("button", name="questions").click()
    page.get_by_role("button", name="End here").click()
    page.locator(".outlook").wait_for()
    nothing_ran(page)
    for path in ("", "edit", "concepts/c1", "delete", "delete?concept=c2", "learn"):
        look(page, PATH + path)
    for number in (1, 5):
        asked = f"What did Ada Lovelace describe in {1800 + number}? {inline_text(payloads(CONCEPTS)[number], 200)}"
        look(page, f"/concept_tutor/chat?plan=hostile&q={quote(asked)}")
        assert page.locator(".exchange .answer").count() == 1
    look(page, "/concept_tutor/chat?plan=hostile")
    for asked in ("What is a windlass?", "What rule gives the speed of a sextant?"):
        page.get_by_role("textbox", name="Your question").fill(asked)
        page.keyboard.press("Enter")
        page.locator(".exchange", has_text=asked).locator(".sources, .refused").wait_for()
        if "rule" in asked:
            page.locator(".exchange", has_text=asked).locator("math mtext", has_text="<img src=x").wait_for()
        nothing_ran(page)
    for url in sorted(each for each in chunks if "/concept_tutor/source/" in each)[:4]:
        look(page, url)
    look(page, f"/concept_tutor/source/{quote(payloads(1)[0], safe='')}")
    assert dialogs == []


def test_what_a_form_brings_back_is_text(open_page: Open) -> None:
    page = open_page("/concept_tutor/", script=WATCH)
    evil = payloads(8)
    page.wait_for_load_state("load")
    page.get_by_label("Title", exact=True).first.fill(inline_text(evil[3], 150))
    page.get_by_label("Concepts, one per line").fill("\n".join([evil[4], evil[4]]).replace("\n\n", "\n"))
    page.get_by_role("button", name="Make the plan").click()
    page.locator("[role=alert], [data-plan]").wait_for()
    nothing_ran(page)
