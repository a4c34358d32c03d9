"""Sessions, learners, progress and changes of a plan, on the pages and without a script."""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import fields as fields_of
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from ragstone.core import Host
from ragstone.core.testing import open_host
from ragstone.plugins.concept_tutor import Lessons, NewChunk, PlanStore, Sessions, export_questions
from ragstone.plugins.concept_tutor.pages.wording import pieces, reason_words
from ragstone.web import create_app

from ..learning import texts
from ..material import NAMES, SLUG, put_plan
from .test_pages import OPTIONS, PAGE, PLAN, ROOT, tree, words

FORMATS = get_args(get_type_hints(export_questions)["format"])


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the plan and its questions."""
    folder = tmp_path_factory.mktemp("lessons")
    with open_host(folder, options=OPTIONS) as host:
        put_plan(host)
        for key in NAMES:
            host.once(Lessons).questions(SLUG, key)
    return folder


@pytest.fixture
def host(tmp_path: Path, stored: Path) -> Iterator[Host]:
    shutil.copytree(stored, tmp_path, dirs_exist_ok=True)
    with open_host(tmp_path, options=OPTIONS) as host:
        yield host


@pytest.fixture
def client(host: Host) -> FlaskClient:
    return create_app(host).test_client()


def begin(client: FlaskClient, **fields: str) -> Any:
    began = client.post(f"{PLAN}/learn/start", data=fields, headers=PAGE)
    assert began.status_code == 303, began.text
    return tree(client.get(began.location))


def hidden(page: Any) -> dict[str, str]:
    form = page.cssselect("form.lesson, form.onward")[-1]
    return {each.get("name"): each.get("value") for each in form.cssselect("input[type=hidden]")}


def send(client: FlaskClient, page: Any, **fields: str) -> TestResponse:
    return client.post(f"{PLAN}/learn/answer", data={**hidden(page), **fields}, headers=PAGE, follow_redirects=True)


def onward(client: FlaskClient, page: Any) -> Any:
    return tree(client.get(f"{PLAN}/learn", query_string=hidden(page), follow_redirects=True))


def test_before_the_first_question_comes_its_explanation_and_then_never_again(client: FlaskClient) -> None:
    page = begin(client)
    assert words(page.cssselect("h1")[0]) == "Derivative"
    assert "minute" in words(page.cssselect(".eyebrow")[0])
    said = page.cssselect(".said")[0]
    assert "tells how quickly a function changes" in words(said)
    badge = said.cssselect("a.badge")[0]
    assert badge.get("href").startswith("https://wiki.example/wiki/Derivative")
    assert (badge.get("target"), badge.get("rel")) == ("_blank", "noopener noreferrer")
    boxes = page.cssselect(".where svg a.box")
    assert [box.get("data-key") for box in page.cssselect(".where a.box.chosen")] == ["derivative"]
    assert {"derivative", "gradient", "chain-rule"} <= {box.get("data-key") for box in boxes}
    page = onward(client, page)
    assert page.cssselect("form.lesson")
    page = onward(client, tree(send(client, page, do="unknown")))
    assert not page.cssselect(".explained") or words(page.cssselect("h1")[0]) != "Derivative"


def test_a_concept_s_explanation_is_where_its_lesson_begins(client: FlaskClient) -> None:
    page = tree(client.get(f"{PLAN}/learn?concept=gradient"))
    assert "vector of all partial derivatives" in words(page.cssselect(".said")[0])
    page = begin(client, concept="gradient")
    assert page.cssselect("form.lesson"), "it was read before"


def test_a_concept_of_which_nothing_is_due_is_practised_and_not_asked(client: FlaskClient, host: Host) -> None:
    lessons = host.once(Lessons)
    for question in lessons.questions(SLUG, "gradient"):
        lessons.answer(question.question_id, question.key, question.question_id)
    page = tree(client.get(f"{PLAN}/learn?concept=gradient"))
    assert [words(each) for each in page.cssselect(".onward button")] == ["Practise it again"]
    assert "none is due yet" in words(page.cssselect("main .help")[-1])
    assert begin(client, concept="gradient", kind="practice").cssselect("form.lesson")


def test_a_concept_that_needs_nothing_has_no_drawing_of_itself_alone(client: FlaskClient, host: Host) -> None:
    put_plan(host, slug="alone", edges=())
    page = tree(client.get(f"{PLAN.rpartition('/')[0]}/alone/learn?concept=gradient"))
    assert words(page.cssselect(".where figcaption")[0]).startswith("2 of 7 in")
    assert not page.cssselect(".where svg")
    host.once(PlanStore).remove("alone")


def test_a_concept_without_questions_is_there_to_be_read(client: FlaskClient, host: Host) -> None:
    put_plan(host, slug="read")
    store, plan = host.once(PlanStore), f"{PLAN.rpartition('/')[0]}/read"
    (chunk, *_) = store.sources("read", "gradient")
    text = "Is a gradient a vector? It may be one for each of those points that we have seen."
    values = {one.name: getattr(chunk, one.name) for one in fields_of(NewChunk)}
    store.put_sources("read", "gradient", [NewChunk(**{**values, "content": text})])
    page = tree(client.get(f"{plan}/learn?concept=gradient"))
    assert "there to be read" in words(page.cssselect(".onward .help")[0])
    assert "Ask me" not in words(page.cssselect(".onward")[0])
    rows = {words(row.cssselect("a")[0]): words(row) for row in tree(client.get(f"{plan}/")).cssselect(".concepts li")}
    assert "to read" in rows["Gradient"]
    store.remove("read")


def test_a_question_in_one_s_own_words_has_its_concept_above_it(client: FlaskClient, host: Host) -> None:
    asked = next(one for one in host.once(Lessons).questions(SLUG, "gradient") if one.form == "open")
    named = replace(asked, key=f"a gradient is {asked.key}")  # the question has the word as well
    texts.put_questions(host, replace(named, question_id="own"), replace(named, question_id="gap", form="blank"))
    for question_id, heading in (("own", "Gradient"), ("gap", "Question")):
        page = tree(client.get(f"{PLAN}/learn", query_string={"question": question_id}))
        assert words(page.cssselect("h1")[0]) == heading


def test_a_session_ends_with_its_score_and_what_comes_next(client: FlaskClient, host: Host) -> None:
    page, answered, seen = begin(client), 0, list[str]()
    going = host.once(Sessions).session(hidden(page)["session"])
    while not page.cssselect(".outlook"):
        if page.cssselect(".explained"):
            page = onward(client, page)
            continue
        assert words(page.cssselect(".session-bar p")[0]) == f"{answered + 1} of {going.length}"
        question = host.once(Lessons).question(hidden(page)["question"])
        seen.append(question.question_id)
        page = tree(send(client, page, answer=question.key))
        assert words(page.cssselect(".verdict h2")[0]) == "Right", question
        answered += 1
        page = onward(client, page)
    assert 5 < answered == len(set(seen)) == going.length <= 10
    assert words(page.cssselect("h1")[0]) == f"{answered} of {answered} right"
    outlook = words(page.cssselect(".outlook")[0])
    assert f"{answered} questions come again, the first in 10 minutes" in outlook
    assert len(page.cssselect(".asked li")) == answered
    begun = words(tree(client.get(f"{PLAN}/learn")).cssselect(".offer-session")[0])
    assert "Nothing is due" in begun
    assert "come again in 10 minutes" in begun
    again = client.post(f"{PLAN}/learn/start", data={"kind": "due"}, headers=PAGE)
    assert again.status_code == 400
    assert "Nothing is due now" in words(tree(again).cssselect("[role=alert]")[0])


def test_not_knowing_and_skipping_are_buttons(client: FlaskClient, host: Host) -> None:
    page = onward(client, begin(client))
    names = [words(button) for button in page.cssselect("form.lesson button")]
    assert names == ["Answer", "Hint (1 of 3)", "I don’t know", "Skip"]
    first = hidden(page)["question"]
    page = tree(send(client, page, do="unknown"))
    assert words(page.cssselect(".verdict h2")[0]) == "Here is the answer"
    assert host.once(Lessons).question(first).support.text in words(page.cssselect("article.lesson")[0])
    page = onward(client, page)
    page = onward(client, page) if page.cssselect(".explained") else page
    second = hidden(page)["question"]
    page = tree(send(client, page, do="skip"))
    assert hidden(page).get("question") not in {first, second}
    assert len(host.once(Lessons).last(SLUG)) == 1, "what is skipped is no answer"


def test_a_session_can_be_left_and_gone_on_with_and_ended(client: FlaskClient, host: Host) -> None:
    page = begin(client, concept="gradient")
    session = hidden(page)["session"]
    send(client, page, do="unknown")
    go_on = tree(client.get(f"{PLAN}/learn")).cssselect(".offer-session a.button")[0].get("href")
    assert session in go_on
    assert tree(client.get(go_on)).cssselect("form.lesson, .explained")
    ended = tree(client.post(f"{PLAN}/learn/end", data={"session": session}, headers=PAGE, follow_redirects=True))
    assert words(ended.cssselect("h1")[0]) == "0 of 1 right"
    assert "1 not known" in words(ended.cssselect(".concept-head")[0])
    late = client.get(f"{PLAN}/learn?session={session}", headers=PAGE)
    assert late.location.endswith(f"/result?session={session}")
    put_plan(host, slug="second", title="Second")
    for path in (f"{ROOT}/plans/second/learn?session={session}", f"{PLAN}/learn?session=none", f"{PLAN}/learn/result"):
        assert client.get(path, headers=PAGE).status_code == 404


def test_the_options_stay_with_why_each_is_right_or_wrong(client: FlaskClient, host: Host) -> None:
    lessons = host.once(Lessons)
    texts.put(host)
    question = next(one for one in lessons.questions("garden", "mulch") if one.form == "choice")
    wrong = next(option for option in question.options if option != question.key)
    form = {"question": question.question_id, "answer": wrong}
    page = tree(client.post(f"{ROOT}/plans/garden/learn/answer", data=form, headers=PAGE))
    notes = {words(row.cssselect("b")[0]): row for row in page.cssselect(".noted li")}
    assert set(notes) == set(question.options)
    assert "not right, your answer" in words(notes[wrong])
    assert "right" in notes[question.key].get("class")
    assert notes[question.key].cssselect("a.badge")
    quoted = [each.text_content() for row in notes.values() for each in row.cssselect(".why > q")]
    assert quoted
    assert all(any(quote in text for text in texts.GARDEN.values()) for quote in quoted)
    assert words(page).count(question.support.text) == 1  # in the feedback, and not a second time below the options


def test_hints_have_no_runs_of_underscores() -> None:
    assert [(one.kind, one.text, one.more) for one in pieces("It has 2 words: g_______ d____-r___")] == [
        ("text", "It has 2 words: ", 0), ("begun", "g", 7), ("text", " ", 0), ("begun", "d", 4), ("text", "-", 0),
        ("begun", "r", 3),
    ]  # fmt: skip
    assert [one.kind for one in pieces("The ____ is a ____.")] == ["text", "blank", "text", "blank", "text"]
    assert [(one.kind, one.more) for one in pieces("It has 1 word: ####")] == [("text", 0), ("begun", 4)]
    assert [one.kind for one in pieces("snake_case and __init__")] == ["text"]


def test_a_hint_on_the_page_is_readable(client: FlaskClient, host: Host) -> None:
    lessons = host.once(Lessons)
    question = next(one for key in NAMES for one in lessons.questions(SLUG, key) if one.form != "choice")
    page = tree(client.get(f"{PLAN}/learn", query_string={"question": question.question_id, "hint": "3"}))
    hint = page.cssselect(".hints li")[2]
    assert hint.cssselect(".begun i")
    assert not hint.cssselect(".blank")
    assert "_" not in words(hint)


def test_learners_have_names_and_progress_of_their_own(client: FlaskClient, host: Host) -> None:
    chosen = client.post(f"{ROOT}/learners", data={"name": "Ada Lovelace", "plan": SLUG}, headers=PAGE)
    assert chosen.location == f"{PLAN}/"
    cookie = chosen.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    send(client, begin(client, concept="gradient"), do="unknown")
    assert [one.learner for one in host.once(Lessons).last(SLUG, "Ada Lovelace")] == ["Ada Lovelace"]
    assert not host.once(Lessons).last(SLUG)
    page = tree(client.get(f"{PLAN}/"))
    assert "Progress of Ada Lovelace" in words(page)
    assert "Why was my answer wrong?" in words(tree(client.get(f"{ROOT}/chat?plan={SLUG}")))
    rows = tree(client.get(f"{ROOT}/learners")).cssselect(".learners li")
    assert [words(row.cssselect("b")[0]) for row in rows] == ["Ada Lovelace"]
    answered = tree(client.get(f"{ROOT}/chat?plan={SLUG}&q=Why+was+my+answer+wrong%3F"))
    assert answered.cssselect(".answer .sources")
    client.delete_cookie("ragstone_learner", path=ROOT)
    assert "Your progress" in words(tree(client.get(f"{PLAN}/")))


@pytest.mark.parametrize("name", ["", " ", "<b>", "x" * 65, "a\nb\x00"])
def test_what_is_no_name_is_refused(client: FlaskClient, name: str) -> None:
    response = client.post(f"{ROOT}/learners", data={"name": name}, headers=PAGE)
    assert response.status_code == 400
    assert tree(response).cssselect("[role=alert]")
    assert "Set-Cookie" not in response.headers
    client.set_cookie("ragstone_learner", "<script>", path=ROOT)
    assert "<script>" not in client.get(f"{ROOT}/learners").text.replace("<script type", "")


def test_progress_is_drawn_with_tables(client: FlaskClient, host: Host) -> None:
    assert "Nothing was answered yet" in words(tree(client.get(f"{PLAN}/")).cssselect(".progress")[0])
    for question in host.once(Lessons).questions(SLUG, "gradient"):
        host.once(Lessons).answer(question.question_id, question.key)
    section = tree(client.get(f"{PLAN}/")).cssselect(".progress")[0]
    assert "1 day in a row" in words(section)
    drawings = section.cssselect("svg[role=img]")
    assert len(drawings) == len(section.cssselect("details table")) == 3
    assert all(each.get("aria-label") for each in drawings)
    assert not section.cssselect("[style], script"), "the strict policy allows neither"


def test_charts_stay_in_their_frames(client: FlaskClient, host: Host) -> None:
    lessons, now = host.once(Lessons), [datetime(2026, 3, 1, 12, tzinfo=UTC)]
    today, lessons.clock = now[0], lambda: now[0]
    questions = [one for key in NAMES for one in lessons.questions(SLUG, key)]
    for ago in range(90, -1, -3):
        now[0] = today - timedelta(ago)
        for number, question in enumerate(questions[: 1 + (90 - ago) // 15]):
            lessons.answer(question.question_id, question.key if (ago + number) % 4 else None)
    drawings = tree(client.get(f"{PLAN}/")).cssselect(".progress svg[role=img]")
    assert len(drawings) == 3
    for drawing in drawings:
        _x, _y, width, height = map(float, drawing.get("viewbox").split())
        marks = drawing.cssselect("rect, circle")
        assert marks
        for mark in marks:
            x, y, wide, high = (float(mark.get(name, 0)) for name in ("x", "y", "width", "height"))
            assert 0 <= x + float(mark.get("cx", 0)) <= x + wide + float(mark.get("cx", 0)) <= width
            assert 0 <= y + float(mark.get("cy", 0)) <= y + high + float(mark.get("cy", 0)) <= height
    for marks, size in (("rect.bar", "height"), ("circle.point", "cy")):
        values = [
            (int(re.findall(r"\d+", words(mark))[-1]), float(mark.get(size)))
            for drawing in drawings
            for mark in drawing.cssselect(marks)
        ]
        assert len(values) > 1
        heights = [high for _, high in sorted(values)]
        assert heights == sorted(heights, reverse=size == "cy"), "more is higher"


def test_a_plan_is_renamed_edited_and_deleted(client: FlaskClient, host: Host) -> None:
    store = host.once(PlanStore)
    page = tree(client.get(f"{PLAN}/edit"))
    assert page.cssselect("#title")[0].get("value") == "How networks learn"
    assert client.post(f"{PLAN}/edit", data={"title": "Networks", "description": "x"}).status_code == 303
    assert store.plan(SLUG).title == "Networks"
    refused = client.post(f"{PLAN}/edit", data={"title": " "}, headers=PAGE)
    assert refused.status_code == 400
    assert tree(refused).cssselect("[role=alert]")

    added = {"name": "Adam", "summary": "An optimiser.", "needs": ["gradient-descent", "loss"]}
    assert client.post(f"{PLAN}/concepts", data=added).status_code == 303
    assert store.concept(SLUG, "adam").summary == "An optimiser."
    page = tree(client.get(f"{PLAN}/concepts/adam"))
    assert {box.get("value") for box in page.cssselect("input[name=needs][checked]")} == {"gradient-descent", "loss"}
    circle = client.post(
        f"{PLAN}/concepts/derivative", data={"name": "Derivative", "needs": ["gradient"]}, headers=PAGE
    )
    assert circle.status_code == 400
    assert "Derivative → Gradient → Derivative" in words(tree(circle).cssselect("[role=alert]")[0])
    client.post(f"{PLAN}/concepts/adam", data={"name": "Adam optimiser", "needs": ["gradient"]})
    assert store.concept(SLUG, "adam").name == "Adam optimiser"

    for fields in ({"concept": "adam"}, {}):
        asked = tree(client.get(f"{PLAN}/delete", query_string=fields))
        assert asked.cssselect("input[name=sure][required]")
        unsure = client.post(f"{PLAN}/delete", data=fields, headers=PAGE)
        assert unsure.status_code == 400
    assert store.concept(SLUG, "adam")
    assert client.post(f"{PLAN}/delete", data={"concept": "adam", "sure": "yes"}).status_code == 303
    assert "adam" not in {one.key for one in store.concepts(SLUG)}
    assert client.post(f"{PLAN}/delete", data={"sure": "yes"}).location == f"{ROOT}/"
    assert not store.plans()


def test_a_plan_is_taken_along_and_loaded_again(client: FlaskClient, host: Host) -> None:
    export = client.get(f"{PLAN}/export?format=json")
    assert export.headers["Content-Disposition"] == f'attachment; filename="{SLUG}.json"'
    assert json.loads(export.data)["title"] == "How networks learn"
    host.once(PlanStore).remove(SLUG)
    data = {"file": (io.BytesIO(export.data), "plan.json")}
    assert client.post(f"{ROOT}/plans/file", data=data).status_code == 303
    assert {one.key for one in host.once(PlanStore).concepts(SLUG)} == set(NAMES)


def test_a_plan_s_page_offers_its_questions_in_each_format(client: FlaskClient, host: Host) -> None:
    (form,) = tree(client.get(f"{PLAN}/")).cssselect("form.take")
    offered = [option.get("value") for option in form.cssselect("select[name=format] option")]
    assert offered == [*FORMATS, "json"]
    for wanted in FORMATS:
        file = client.get(form.get("action"), query_string={"format": wanted})
        assert file.status_code == 200
        assert file.headers["Content-Disposition"].startswith(f'attachment; filename="{SLUG}.')
        if wanted in {"gift", "text2qti"}:
            assert file.data == export_questions(host, SLUG, wanted)
        else:
            inside = "collection.anki2" if wanted == "anki" else "imsmanifest.xml"
            assert inside in zipfile.ZipFile(io.BytesIO(file.data)).namelist()
    assert client.get(form.get("action"), query_string={"format": "pdf"}).status_code == 400


@pytest.mark.parametrize("path", ["learn/start", "learn/end", "edit", "concepts", "concepts/loss", "delete"])
def test_another_site_s_page_changes_nothing(client: FlaskClient, path: str) -> None:
    response = client.post(
        f"{PLAN}/{path}", data={"sure": "yes", "name": "x"}, headers={"Origin": "https://evil.example"}
    )
    assert response.status_code == 403
    evil = {"Origin": "https://evil.example"}
    assert client.post(f"{ROOT}/learners", data={"name": "x"}, headers=evil).status_code == 403


def test_a_plan_s_chat_offers_that_plan_s_questions(client: FlaskClient, host: Host) -> None:
    put_plan(host, slug="knots", title="Knots", names={"loss": "Bowline"}, edges=[])
    chips = [words(chip) for chip in tree(client.get(f"{ROOT}/chat?plan=knots")).cssselect(".chip")]
    assert chips[0] == "What is “Bowline”?"
    assert all("Derivative" not in chip for chip in chips)
    chips = [words(chip) for chip in tree(client.get(f"{ROOT}/chat?plan={SLUG}")).cssselect(".chip")]
    assert chips[0] == "What is “Derivative”?"


@pytest.mark.parametrize(
    ("state", "reason", "told"),
    [
        (
            "failed",
            "books: cannot be reached: [Errno 111] Connection refused (try again later)",
            "could not be reached",
        ),
        ("failed", "books: did not answer within 20 s (try again later)", "could not be reached"),
        ("failed", "books: asks to wait for 600 s, which is longer", "in a few minutes"),
        ("failed", "it failed (ValueError); see the log", "looking for sources failed"),
        ("none", "no page of the wikis is about it", "no page of the wikis is about it"),
        ("found", "books (http://x): cannot be reached: [Errno 111]", "one of the wikis did not answer"),
        ("found", "", ""),
        ("waiting", "", ""),
    ],
)
def test_what_failed_is_said_in_words_for_learners(state: str, reason: str, told: str) -> None:
    said = reason_words(state, reason)
    assert told in said
    assert bool(said) == bool(told)
    assert "Errno" not in said
    assert "http" not in said
