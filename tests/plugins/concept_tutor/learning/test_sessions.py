"""Sessions on the real database: their length, what comes again in them, their end, and what comes next."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from ragstone.core import BadRequest, Host, NotFound
from ragstone.plugins.concept_tutor import Lessons, NewChunk, PlanStore, Progresses, Sessions
from ragstone.plugins.concept_tutor.learning.explanations import explain, option_notes
from tests.plugins.concept_tutor.learning import texts
from tests.plugins.concept_tutor.learning.conftest import Clock
from tests.plugins.concept_tutor.learning.test_lessons import of_form, wrong_option
from tests.plugins.concept_tutor.learning.texts import Question


@pytest.fixture
def sessions(host: Host, lessons: Lessons) -> Sessions:
    return Sessions(host, lessons)


def wrong(question: Question) -> str:
    return wrong_option(question) if question.options else "Elephants from Hamburg"


def test_a_session_has_a_length_and_nothing_right_comes_again(sessions: Sessions) -> None:
    session = sessions.start("garden", length=6)
    asked = []
    while (question := sessions.next(session)) is not None:
        asked.append(question.question_id)
        sessions.answer(session, question.question_id, question.key)
        session = sessions.session(session.session_id)
    assert len(asked) == len(set(asked)) == session.length == 6
    assert [one.outcome for one in session.steps] == ["right"] * 6
    ended = sessions.end(session)
    assert ended.ended is not None
    assert sessions.next(ended) is None
    assert sessions.end(ended).ended == ended.ended
    assert sessions.percent("garden") > ended.percent == 0


@pytest.mark.parametrize("length", [0, -1, 1_001, 10**30, True, 1.5, "5", None])
def test_a_length_that_is_none_is_refused(sessions: Sessions, length: Any) -> None:
    with pytest.raises(BadRequest, match=r"^length must be "):
        sessions.start("garden", length=length)


def test_what_was_right_comes_when_it_is_due_and_not_before(sessions: Sessions, lessons: Lessons, clock: Clock) -> None:
    session = sessions.start("garden", "sowing")
    while (question := sessions.next(session)) is not None:
        sessions.answer(session, question.question_id, question.key)
        session = sessions.session(session.session_id)
    sessions.end(session)
    with pytest.raises(BadRequest, match="nothing new, and nothing is due"):
        sessions.start("garden", "sowing")
    with pytest.raises(BadRequest, match="nothing is due now"):
        sessions.start("garden", kind="due")
    outlook = sessions.outlook("garden")
    assert outlook.due == 0
    assert "sowing" not in outlook.new
    assert outlook.next_due is not None
    clock.now = outlook.next_due
    again = sessions.start("garden", kind="due")
    assert again.length == len(lessons.due("garden"))
    clock.now += timedelta(hours=1)
    assert sessions.outlook("garden").due == len(session.steps)


def test_what_went_wrong_comes_once_more_after_others(sessions: Sessions) -> None:
    session = sessions.start("garden", length=5)
    asked = []
    for number in range(5):
        question = sessions.next(session)
        assert question is not None
        asked.append(question.question_id)
        sessions.answer(session, question.question_id, wrong(question) if number == 0 else question.key)
        session = sessions.session(session.session_id)
    assert asked.count(asked[0]) == 2
    assert asked[1] != asked[0] != asked[2]
    assert len(set(asked)) == 4


def test_a_short_session_has_room_for_what_went_wrong(sessions: Sessions) -> None:
    session = sessions.start("garden", "sowing")
    asked = []
    while (question := sessions.next(session)) is not None:
        asked.append(question.question_id)
        sessions.answer(session, question.question_id, None)
        session = sessions.session(session.session_id)
        assert len(session.answers) <= session.most <= 10
    assert 2 <= session.length < len(asked) <= 2 * session.length
    assert all(one != other for one, other in pairwise(asked)), "not at once"


def test_not_knowing_is_kept_and_skipping_is_not(sessions: Sessions, lessons: Lessons) -> None:
    session = sessions.start("garden")
    first = sessions.next(session)
    assert first is not None
    grade = sessions.answer(session, first.question_id, None)
    assert (grade.verdict, grade.credit) == ("wrong", 0.0)
    assert first.key in grade.feedback or first.support.text in grade.feedback
    session = sessions.session(session.session_id)
    second = sessions.next(session)
    assert second is not None
    assert second != first
    sessions.skip(session, second.question_id, "skipped-once")
    sessions.skip(session, second.question_id, "skipped-once")
    session = sessions.session(session.session_id)
    assert [one.outcome for one in session.steps] == ["unknown", "skipped"]
    assert len(session.answers) == 1
    assert [attempt.answer for attempt in lessons.last("garden")] == [""]
    while (question := sessions.next(session)) is not None:
        assert question != second, "what was skipped does not come again"
        sessions.answer(session, question.question_id, question.key)
        session = sessions.session(session.session_id)


def test_the_same_attempt_is_one_step(sessions: Sessions) -> None:
    session = sessions.start("garden")
    question = sessions.next(session)
    assert question is not None
    grades = [sessions.answer(session, question.question_id, question.key, "double-click") for _ in range(2)]
    assert grades[0] == grades[1]
    assert len(sessions.session(session.session_id).steps) == 1


def test_a_session_that_was_left_is_gone_on_with_until_another_begins(sessions: Sessions) -> None:
    session = sessions.start("garden", learner="ada")
    assert sessions.current("garden", "ada") is None, "nothing was answered yet"
    question = sessions.next(session)
    assert question is not None
    sessions.answer(session, question.question_id, question.key)
    found = sessions.current("garden", "ada")
    assert found is not None
    assert found.session_id == session.session_id
    assert sessions.current("garden", "bob") is None
    sessions.start("garden", learner="ada")
    assert sessions.session(session.session_id).ended is not None


def test_practice_asks_what_is_not_due(sessions: Sessions) -> None:
    with pytest.raises(BadRequest):
        sessions.start("garden", kind="practice")
    first = sessions.start("garden", length=2)
    for _ in range(2):
        question = sessions.next(sessions.session(first.session_id))
        assert question is not None
        sessions.answer(first, question.question_id, question.key)
    assert sessions.start("garden", kind="practice").length == 2


def test_what_cannot_be_is_refused(sessions: Sessions) -> None:
    with pytest.raises(NotFound):
        sessions.start("nowhere")
    with pytest.raises(NotFound):
        sessions.start("garden", "nothing")
    with pytest.raises(BadRequest, match="no such kind"):
        sessions.start("garden", kind="fun")
    with pytest.raises(BadRequest, match="learner's name"):
        sessions.start("garden", learner="<b>")
    for nowhere in ("../x", "", "x" * 100):
        with pytest.raises(BadRequest):
            sessions.session(nowhere)
    with pytest.raises(NotFound):
        sessions.session("nowhere")


def test_an_explanation_is_made_of_the_sources_words(host: Host, lessons: Lessons) -> None:
    chunks = host.once(PlanStore).sources("garden", "compost")
    questions = lessons.questions("garden", "compost")
    made = explain("Compost", chunks, questions)
    assert made.parts[0].text.startswith("Compost is a mixture of decayed plants")
    assert made.parts[0].text.endswith(" [1]")
    for question in questions:
        assert question.support.text in made.parts[0].text, "what is asked was read before"
    assert [source.page_url for source in made.sources] == [chunks[0].page_url]
    assert explain("Compost", [], []).parts == ()


def test_an_explanation_has_two_minutes_and_shows_what_it_leaves_out() -> None:
    many = " ".join(f"The sentence of number {n} says that the pond has {n} fishes and a frog." for n in range(60))
    chunks = [texts.chunk("pond", many, number=n, section=f"Part {n}") for n in range(1, 5)]
    made = explain("Pond", chunks, [])
    assert 100 < made.words <= 320
    assert made.minutes <= 2
    assert [part.heading for part in made.parts] == ["Part 1", "Part 2", "Part 3", "Part 4"]
    asked = texts.Question(
        "q", "p", "pond", "open", "definition", "?", "k", (), (), "",
        texts.Support("pond-1", many.index("The sentence of number 9 "), 0, "x"), (),
    )  # fmt: skip
    text = explain("Pond", chunks, [asked]).parts[0].text
    assert "number 3 says" in text
    assert "frog. … The sentence of number 9 " in text
    assert "number 6 says" not in text


def test_an_explanation_takes_of_other_pages_only_what_names_the_concept() -> None:
    of_war = "The war began in autumn and it lasted six years. An atom is the smallest part of matter that has its "
    of_war += "properties. Many treaties followed after the war had ended."
    of_atoms = "Atoms are made of a nucleus and of electrons around it. They are very very small."
    chunks = [texts.chunk("war", of_war, title="World war"), texts.chunk("atom", of_atoms, title="Atom")]
    of_bombs = "An atom bomb is a weapon. Its force comes from the nuclei of atoms that are split."
    chunks.insert(0, texts.chunk("bomb", of_bombs, title="Atom bomb"))
    made = explain("Atom", chunks, [])
    assert [source.page_title for source in made.sources] == ["Atom", "Atom bomb", "World war"]
    assert made.parts[0].text == "Atoms are made of a nucleus and of electrons around it. They are very very small. [1]"
    assert made.parts[2].text == "An atom is the smallest part of matter that has its properties. [3]"
    assert explain("Zyzzyva", chunks, []).parts == ()
    lead = "It is written with one letter. An atom, such as one of gold, is matter. It is very very small."
    (part,) = explain("Atom", [texts.chunk("atom", lead, title="Atom")], []).parts
    assert part.text.startswith("An atom, such as one of gold"), "not with what points to a sentence before"


def test_an_explanation_leaves_out_what_is_said_of_a_picture() -> None:
    lead = "Figure: A leaf of a locust has many leaflets. Each of them catches the light.\n"
    lead += "The parts of a moss by a botanist. The diagram shows only those above the ground.\n"
    lead += "A moss is a small plant without roots. Its stem is shown in the figure. The wind spreads its spores."
    (part,) = explain("Moss", [texts.chunk("moss", lead, title="Moss")], []).parts
    assert part.text == "A moss is a small plant without roots. … The wind spreads its spores. [1]"


def test_an_explanation_begins_with_what_stands_before_all_headings() -> None:
    sports = "Peatland is the best team of the northern moors and a guest at the games of the valleys."
    lead = (
        "Peatland, officially the Republic of the Peat and of all the Moors and Bogs around it (in its own language: "
    )
    lead += "Ye Turf Lond), is a country of the north."
    chunks = [
        texts.chunk("sports", sports, title="Peatland", section="Sports"),
        texts.chunk("lead", lead, title="Peatland", section=""),
    ]
    assert [part.heading for part in explain("Peatland", chunks, []).parts] == ["", "Sports"]


def test_no_part_is_headed_by_the_concept_again_or_by_summary() -> None:
    lead = "A moor is wet land that is covered with moss. "
    chunks = [
        texts.chunk("moor", lead + f"Moors of kind {number} are found in cold lands.", title="Moor", number=number,
                    section=section)
        for number, section in enumerate(["", "", "Use › Section Summary", "Kinds › Moors", "Use › Turf"], start=1)
    ]  # fmt: skip
    assert [part.heading for part in explain("Moor", chunks, []).parts] == ["", "", "", "", "Turf"]


def test_each_option_has_its_source(host: Host, lessons: Lessons) -> None:
    question = of_form(lessons, "choice")
    notes, sources = option_notes(question, host.once(PlanStore).all_sources("garden"))
    assert [note.option for note in notes] == list(question.options)
    for note in notes:
        assert note.is_right == (note.option == question.key)
        if note.quote:
            (source,) = (one for one in sources if one.index == note.source)
            assert note.quote in texts.GARDEN[source.page_title.lower()]
    assert sum(bool(note.quote) for note in notes) >= 2
    assert next(note for note in notes if note.is_right).quote == question.support.text


def test_progress_ends_where_mastery_is(host: Host, lessons: Lessons, clock: Clock) -> None:
    progresses = Progresses(host, lessons)
    before = progresses.progress("garden")
    assert (before.total, before.streak, before.mastery) == (0, 0, ())
    for day in range(3):
        for question in list(lessons.queue("garden"))[:4]:
            lessons.answer(question.question_id, question.key if day else wrong(question))
        clock.now += timedelta(days=1)
    clock.now += timedelta(days=40)
    found = progresses.progress("garden")
    levels = lessons.mastery("garden")
    assert found.mastery[-1][1] == round(100 * sum(one.level for one in levels.values()) / len(levels))
    assert found.mastery[0][1] == 0
    assert len(found.mastery) <= 24
    days = [day for day, _ in found.mastery]
    assert days == sorted(days)
    assert (found.streak, found.longest, found.total) == (0, 3, 12)
    assert sum(count for _, count in found.answers) == 12
    assert found.due[0][1] == len(lessons.due("garden")) > 0, "what is overdue is due today"
    assert found.as_json()["due"][found.due[0][0].isoformat()] == found.due[0][1]


def test_a_streak_goes_up_to_yesterday(host: Host, lessons: Lessons, clock: Clock) -> None:
    question = of_form(lessons, "choice")
    for _ in range(3):
        lessons.answer(question.question_id, question.key)
        clock.now += timedelta(days=1)
    assert Progresses(host, lessons).progress("garden").streak == 3
    clock.now += timedelta(days=1)
    assert Progresses(host, lessons).progress("garden").streak == 0


def test_answers_from_before_there_were_sessions_are_there(host: Host, lessons: Lessons, sessions: Sessions) -> None:
    question = of_form(lessons, "choice")
    lessons.answer(question.question_id, question.key, learner="ada")
    assert sessions.current("garden", "ada") is None
    assert sessions.outlook("garden", "ada").next_count == 1
    new = sessions.start("garden", learner="ada")
    asked = sessions.next(new)
    assert asked is not None
    assert asked != question


def test_a_session_begins_with_the_first_concept_that_has_questions(
    host: Host, sessions: Sessions, lessons: Lessons
) -> None:
    store = host.once(PlanStore)
    bare, following, *_ = lessons.order("garden")
    (chunk,) = store.sources("garden", bare)
    store.put_sources("garden", bare, [
        NewChunk(
            source=chunk.source, page_title=chunk.page_title, page_url="https://en.wikipedia.org/wiki/Spring",
            section="", revision="2", licence=chunk.licence, retrieved=chunk.retrieved, relevance=1.0, categories=(),
            content="Hello there! What would you like to plant this year? We wonder.",
        )
    ])  # fmt: skip
    session = sessions.start("garden", length=6)
    first = sessions.next(session)
    assert lessons.questions("garden", bare) == ()
    assert first is not None
    assert first.concept == following
    assert sessions.outlook("garden").new[0] == following
    with pytest.raises(BadRequest, match="there are no questions about this concept"):
        sessions.start("garden", bare)
    assert bare not in lessons.able("garden")
    sessions.answer(session, first.question_id, first.key)
    levels = [lessons.mastery("garden")[key].level for key in lessons.able("garden")]
    assert sessions.percent("garden") == round(100 * sum(levels) / 4)
    assert Progresses(host, lessons).progress("garden").mastery[-1][1] == sessions.percent("garden")


def test_what_one_sentence_proves_is_not_asked_for_twice_in_a_row(sessions: Sessions) -> None:
    session, proofs = sessions.start("garden", length=8), list[tuple[str, int]]()
    while (question := sessions.next(session)) is not None:
        proofs.append((question.support.chunk_id, question.support.start))
        sessions.answer(session, question.question_id, question.key)
        session = sessions.session(session.session_id)
    assert len(proofs) > len(set(proofs))
    assert all(one != other for one, other in pairwise(proofs))


def proof(question: Question) -> tuple[str, int]:
    return question.support.chunk_id, question.support.start


def test_a_second_question_on_a_sentence_waits_for_what_other_sentences_prove(sessions: Sessions) -> None:
    session, proofs = sessions.start("garden", length=8), list[tuple[str, int]]()
    while len(proofs) < 4:
        question = sessions.next(session)
        assert question is not None
        proofs.append(proof(question))
        sessions.answer(session, question.question_id, question.key)
        session = sessions.session(session.session_id)
    assert len(set(proofs)) == 4


def test_what_went_wrong_comes_again_in_another_form(sessions: Sessions, lessons: Lessons) -> None:
    forms = Counter(proof(one) for key in lessons.order("garden") for one in lessons.questions("garden", key))
    session, asked = sessions.start("garden", length=8), list[Question]()
    while (question := sessions.next(session)) is not None:
        asked.append(question)
        sessions.answer(session, question.question_id, None)
        session = sessions.session(session.session_id)
    again = [one for number, one in enumerate(asked) if proof(one) in map(proof, asked[:number])]
    assert len(again) == 4
    assert max(Counter(map(proof, asked)).values()) == 2
    several = [one for one in again if forms[proof(one)] > 1]
    assert several
    assert all(asked.count(one) == 1 for one in several)


def test_what_happened_in_another_year_is_no_note(host: Host, lessons: Lessons) -> None:
    question = replace(of_form(lessons, "choice"), asked="year", options=("1843", "1851", "1860"), key="1843")
    planted = [texts.chunk("mulch", "The town of Kew bought peat and straw for all its gardens in 1851.", number=9)]
    notes, sources = option_notes(question, {**host.once(PlanStore).all_sources("garden"), "mulch": planted})
    assert [note.quote for note in notes] == [question.support.text, "", ""]
    assert sources == question.sources
