"""A learner's way through a plan: questions, hints, grades, what is due, what is known; on the real database."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from ragstone.core import BadRequest, Host, NotFound, TooLarge
from ragstone.core.testing import open_host
from ragstone.plugins.concept_tutor import Lessons
from tests.plugins.concept_tutor.learning import texts
from tests.plugins.concept_tutor.learning.conftest import Clock
from tests.plugins.concept_tutor.learning.texts import Question


def of_form(lessons: Lessons, form: str, concept: str = "mulch") -> Question:
    return next(question for question in lessons.questions("garden", concept) if question.form == form)


def wrong_option(question: Question) -> str:
    return next(option for option in question.options if option != question.key)


def test_questions_are_written_once_and_stay(lessons: Lessons, host: Host) -> None:
    first = lessons.questions("garden", "mulch")
    assert first
    assert Lessons(host).questions("garden", "mulch") == first
    assert lessons.question(first[0].question_id) == first[0]
    source = first[0].sources[0]
    assert source.as_json() == {"index": 1, "pageTitle": "Mulch", "pageUrl": "https://en.wikipedia.org/wiki/Mulch"}


def test_a_right_answer_is_reported_so_with_its_source(lessons: Lessons) -> None:
    question = of_form(lessons, "choice")
    grade = lessons.answer(question.question_id, question.key)
    assert (grade.verdict, grade.credit, grade.cited_sources) == ("right", 1.0, (1,))
    assert grade.feedback.startswith("Right. As the article on Mulch says [1]: “")


def test_a_wrong_answer_names_what_to_read(lessons: Lessons) -> None:
    question = of_form(lessons, "choice")
    grade = lessons.answer(question.question_id, wrong_option(question))
    assert (grade.verdict, grade.credit) == ("wrong", 0.0)
    assert grade.feedback.startswith(f"Not right. The answer is “{question.key}”.")
    assert grade.feedback.endswith("Read on there, in the section “Overview” [1].")
    assert grade.sources[0].page_url == "https://en.wikipedia.org/wiki/Mulch"


def test_the_three_hints_come_nearer_and_none_is_the_answer(lessons: Lessons) -> None:
    for question in (question for key in texts.GARDEN for question in lessons.questions("garden", key)):
        where, place, beginning = (lessons.hint(question.question_id, step) for step in (1, 2, 3))
        assert where.text.startswith("Look it up in the article")
        assert f"article on {question.key}".casefold() not in where.text.casefold()
        assert where.text.endswith("[1].")
        assert "____" in place.text
        for text in (where.text, place.text, beginning.text):
            if question.form == "open":
                assert question.key not in text
        if question.form == "choice":
            assert beginning.text.startswith("It is either “")
            assert question.key in beginning.text
        else:
            assert question.key not in beginning.text
    with pytest.raises(BadRequest, match="no hint 4"):
        lessons.hint(question.question_id, 4)


def test_the_place_shows_the_sentence_beside_what_the_question_shows_already(lessons: Lessons) -> None:
    question = next(one for one in lessons.questions("garden", "pruning") if one.form == "open")
    place = lessons.hint(question.question_id, 2).text
    assert place == "There it says [1]: “Pruning is ____. Pruning results in stronger shoots.”"


def test_an_answer_after_hints_counts_less_and_is_due_sooner(lessons: Lessons) -> None:
    with_hints = of_form(lessons, "choice", "mulch")
    without = of_form(lessons, "choice", "sowing")
    late = lessons.answer(without.question_id, without.key)
    soon = lessons.answer(with_hints.question_id, with_hints.key, hints=2)
    assert (soon.verdict, soon.credit) == ("right", 0.6)
    assert soon.due is not None
    assert late.due is not None
    assert soon.due < late.due
    assert lessons.mastery("garden")["mulch"].level < lessons.mastery("garden")["sowing"].level


def test_the_same_attempt_counts_once(lessons: Lessons) -> None:
    question = of_form(lessons, "choice")
    first = lessons.answer(question.question_id, wrong_option(question), "attempt-1")
    again = lessons.answer(question.question_id, question.key, "attempt-1")
    assert again == first
    assert len(lessons.last("garden")) == 1
    other = of_form(lessons, "open")
    with pytest.raises(BadRequest, match="another answer's"):
        lessons.answer(other.question_id, "straw", "attempt-1")


def test_the_same_attempt_at_once_counts_once(lessons: Lessons) -> None:
    question = of_form(lessons, "choice")
    threads = [
        threading.Thread(target=lessons.answer, args=(question.question_id, question.key, "double-click"))
        for _each in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lessons.last("garden")) == 1
    assert lessons.mastery("garden")["mulch"].attempts == 1


def test_what_is_no_answer_is_refused_and_not_kept(lessons: Lessons) -> None:
    choice, free = of_form(lessons, "choice"), of_form(lessons, "open")
    with pytest.raises(BadRequest, match="none of the options"):
        lessons.answer(choice.question_id, "")
    with pytest.raises(TooLarge, match="100,000 characters, and 2,000 are read"):
        lessons.answer(free.question_id, "x" * 100_000)
    with pytest.raises(BadRequest, match="attempt's id"):
        lessons.answer(free.question_id, "straw", "../../etc")
    with pytest.raises(BadRequest, match="learner's name"):
        lessons.answer(free.question_id, "straw", learner="a\x00b")
    for nowhere in ("nowhere", "", "\x00", "../.."):
        with pytest.raises(NotFound, match=r"no (such )?question"):
            lessons.answer(nowhere, "straw")
    assert lessons.last() == []


def test_an_answer_of_strange_characters_is_an_answer(lessons: Lessons) -> None:
    free = of_form(lessons, "open")
    for number, strange in enumerate(("\x00", "\ud800 stones", "\u202e", "🌱" * 500)):
        assert lessons.answer(free.question_id, strange, f"strange-{number}").verdict == "wrong"
    assert [attempt.answer for attempt in lessons.last()] == ["🌱" * 500, "\u202e", "\ufffd stones", "\ufffd"]


def test_the_next_question_follows_the_prerequisites_then_what_is_due(lessons: Lessons, clock: Clock) -> None:
    first = lessons.next("garden")
    assert first is not None
    assert first.concept == "pruning"  # the first that needs nothing before it
    seen: set[str] = set()
    while (question := lessons.next("garden", skip=seen)) is not None:
        seen.add(question.question_id)
    assert len(seen) == sum(len(lessons.questions("garden", key)) for key in texts.GARDEN)
    mulch = of_form(lessons, "choice", "mulch")
    lessons.answer(mulch.question_id, wrong_option(mulch))
    assert lessons.due("garden") == []
    clock.now += timedelta(hours=1)
    assert [review.question for review in lessons.due("garden")] == [mulch]
    assert lessons.next("garden") == mulch
    only = lessons.next("garden", "sowing")
    assert only is not None
    assert only.concept == "sowing"


def test_mastery_grows_with_right_answers_and_falls_with_time(lessons: Lessons, clock: Clock) -> None:
    assert lessons.mastery("garden")["mulch"].level == 0
    levels = []
    for question in lessons.questions("garden", "mulch"):
        lessons.answer(question.question_id, question.key)
        levels.append(lessons.mastery("garden")["mulch"].level)
    assert levels == sorted(levels)
    assert levels[-1] > 0.8
    clock.now += timedelta(days=90)
    assert lessons.mastery("garden")["mulch"].level < levels[-1] - 0.1


def test_the_weakest_concepts_are_those_that_went_wrong(lessons: Lessons) -> None:
    good, bad = of_form(lessons, "choice", "sowing"), of_form(lessons, "choice", "mulch")
    lessons.answer(good.question_id, good.key)
    lessons.answer(bad.question_id, wrong_option(bad))
    assert lessons.weakest("garden")[0].concept == "mulch"
    assert lessons.last("garden")[0].question == bad.text
    assert [attempt.verdict for attempt in lessons.last("garden")] == ["wrong", "right"]


def test_learners_are_kept_apart(lessons: Lessons) -> None:
    question = of_form(lessons, "choice")
    lessons.answer(question.question_id, question.key, learner="ada")
    assert lessons.last(learner="me") == []
    assert lessons.mastery("garden", "ada")["mulch"].level > 0
    assert lessons.mastery("garden")["mulch"].level == 0


def test_questions_whose_source_is_gone_are_replaced_and_answers_stay(lessons: Lessons, host: Host) -> None:
    from dataclasses import fields

    from ragstone.plugins.concept_tutor import NewChunk, PlanStore

    old = of_form(lessons, "open")
    lessons.answer(old.question_id, old.key)
    store = host.once(PlanStore)
    (before,) = store.sources("garden", "mulch")
    known = {each.name for each in fields(NewChunk)}
    facts = {name: value for name, value in vars(before).items() if name in known and name != "chunk_id"}
    words = "Mulch is a cover of stones or sheets that keeps the water in the ground of a bed."
    store.put_sources("garden", "mulch", [NewChunk(**{**facts, "content": words})])
    new = lessons.questions("garden", "mulch")
    assert old not in new
    assert all("stones" in question.support.text for question in new)
    assert lessons.question(old.question_id) == old
    assert lessons.hint(old.question_id, 2).text  # the words of its source were kept with it
    assert [attempt.question_id for attempt in lessons.last()] == [old.question_id]
    assert lessons.due("garden") == []


def _answer_and_die(folder: str, question_id: str, key: str) -> None:
    with open_host(Path(folder), options={"concept_tutor": {"sample": False}}) as host:
        Lessons(host).answer(question_id, key, "before-the-kill")
        os.kill(os.getpid(), signal.SIGKILL)


def test_an_acknowledged_attempt_survives_kill_9(tmp_path: Path) -> None:
    with open_host(tmp_path, options={"concept_tutor": {"sample": False}}) as host:
        texts.put(host)
        question = of_form(Lessons(host), "choice")
    child = multiprocessing.get_context("spawn").Process(
        target=_answer_and_die, args=(str(tmp_path), question.question_id, question.key)
    )
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    with open_host(tmp_path, options={"concept_tutor": {"sample": False}}) as host:
        lessons = Lessons(host)
        assert [attempt.attempt_id for attempt in lessons.last("garden")] == ["before-the-kill"]
        assert lessons.mastery("garden")["mulch"].attempts == 1
