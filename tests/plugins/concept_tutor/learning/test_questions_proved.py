"""Hundreds of questions of real articles, checked by a script that shares no code with what wrote them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from ragstone.plugins.concept_tutor import SourceChunk
from ragstone.plugins.concept_tutor.learning.reading.material import Material
from ragstone.plugins.concept_tutor.learning.writing.built_in import BuiltIn
from tests.plugins.concept_tutor.learning import texts
from tests.plugins.concept_tutor.learning.independent_check import faults_of
from tests.plugins.concept_tutor.learning.texts import Question
from tests.support.needs import needed

pytestmark = pytest.mark.data
CHECK = Path(__file__).parent / "independent_check.py"


def written(sources: dict[str, list[SourceChunk]], most: int = 6) -> list[Question]:
    """Questions of each four chunks of an article, as if each four were a concept's."""
    material = Material([each for chunks in sources.values() for each in chunks])
    writer = BuiltIn(material, names={name: name for name in sources})
    found: dict[str, Question] = {}
    for name, chunks in sources.items():
        for at in range(0, len(chunks), 4):
            made = writer.write("plan", name, name, chunks[at : at + 4], most)
            found.update({question.question_id: question for question in made})
    return list(found.values())


def asked_once(questions: list[Question]) -> None:
    """No question and no sentence is asked twice, and none names its key."""
    assert len({question.text for question in questions}) == len(questions)
    places = [(question.support.text, question.form == "open") for question in questions]
    assert len(set(places)) == len(places)
    closed = [question for question in questions if question.form != "open"]
    assert not [one.text for one in closed if re.search(rf"\b{re.escape(one.key)}\b", one.text)]


def as_json(question: Question) -> dict[str, Any]:
    """As the command prints it."""
    return {**asdict(question), "sources": [source.as_json() for source in question.sources]}


@pytest.fixture(scope="module")
def dump(data: Path) -> dict[str, list[SourceChunk]]:
    needed("mwparserfromhell")
    return texts.of_dump(data, 40)


@pytest.fixture(scope="module")
def of_dump(dump: dict[str, list[SourceChunk]]) -> list[Question]:
    return written(dump)


@pytest.mark.slow
def test_questions_over_articles_have_a_proved_key_and_one_right_option(data: Path, tmp_path: Path) -> None:
    needed("mwparserfromhell")
    sources = {**texts.of_dump(data), **texts.of_squad(data)}
    questions = written(sources)
    assert len(questions) >= 150
    asked_once(questions)
    assert {question.form for question in questions} == {"choice", "blank", "open"}
    (tmp_path / "questions.json").write_text(json.dumps([as_json(question) for question in questions]), "utf-8")
    chunks = [
        {name: getattr(each, name) for name in ("chunk_id", "page_title", "page_url", "content")}
        for of_concept in sources.values()
        for each in of_concept
    ]
    (tmp_path / "chunks.json").write_text(json.dumps(chunks), "utf-8")
    done = subprocess.run(
        [sys.executable, str(CHECK), str(tmp_path / "questions.json"), str(tmp_path / "chunks.json")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_same_holds_for_other_articles(data: Path) -> None:
    sources = texts.of_squad(data)
    chunks = {each.chunk_id: asdict(each) for of_concept in sources.values() for each in of_concept}
    questions = written(sources)
    assert len(questions) >= 20
    assert [(question.text, faults_of(as_json(question), chunks)) for question in questions if
            faults_of(as_json(question), chunks)] == []  # fmt: skip


@pytest.mark.slow
def test_the_same_sources_and_seed_give_the_same_questions(
    dump: dict[str, list[SourceChunk]], of_dump: list[Question]
) -> None:
    few = dict(list(dump.items())[:8])
    assert written(few) == written(few)
    assert len({question.question_id for question in of_dump}) == len(of_dump)


def test_no_question_and_no_sentence_is_asked_twice(of_dump: list[Question]) -> None:
    asked_once(of_dump)


def test_the_check_finds_what_it_is_for() -> None:
    text = (
        "Deptford is a town on the Thames. Deptford was founded on the mud of a broad and slow river by fishermen of "
        "some Kentish villages in 1674."
    )
    source = texts.chunk("deptford", text)
    chunks = {source.chunk_id: asdict(source)}
    choice = next(question for question in written({"deptford": [source]}) if question.asked == "year")
    words = choice.support.text.split()
    other = next(word for word in words if word.istitle() and word not in choice.key and word not in choice.text[:80])
    wrong = [option for option in choice.options if option != choice.key]
    spoiled = {
        "its span is not in its chunk": replace(
            choice, support=replace(choice.support, start=choice.support.start + 1)
        ),
        "its key is not in its span": replace(choice, key=wrong[0]),
        "its options are not distinct": replace(choice, options=(*choice.options, wrong[0].upper())),
        "its key is not one of its options": replace(choice, options=tuple(wrong)),
        "its explanation cites nothing that it has": replace(choice, explanation="As the article says [99]."),
        "its text has its key": replace(choice, text=f"{choice.text} ({choice.key})"),
        f"{other!r} stands in the span too": replace(choice, options=(*choice.options, other)),
    }
    assert faults_of(as_json(choice), chunks) == []
    for fault, question in spoiled.items():
        assert fault in faults_of(as_json(question), chunks)
