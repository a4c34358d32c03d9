"""The commands of learning, as they are typed."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.core import Host
from ragstone.plugins.concept_tutor import Lessons
from tests.plugins.concept_tutor.learning import texts
from tests.plugins.concept_tutor.material import run


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with texts.planted(tmp_path) as opened:
        yield opened


def test_learn_asks_gives_hints_and_says_what_is_right(host: Host) -> None:
    question = Lessons(host).next("garden")
    assert question is not None
    message = run(host, "learn", "garden", "--most", "1", typed=f"?\n\n{question.key}\n")
    assert question.text in message
    assert "Look it up in the article on" in message
    assert "There it says [1]: “" in message
    assert "Right." in message
    assert "https://en.wikipedia.org/wiki/" in message
    assert "known, 0 due." in message
    assert [attempt.hints for attempt in Lessons(host).last()] == [2]
    assert "1 answer, 1 day in a row (longest 1)." in run(host, "progress", "garden")


def test_an_option_is_named_by_its_letter_and_nonsense_is_asked_again(host: Host) -> None:
    lessons = Lessons(host)
    choice = next(one for one in lessons.questions("garden", "mulch") if one.form == "choice")
    others = {one.question_id for key in texts.GARDEN for one in lessons.questions("garden", key)}
    assert lessons.next("garden", "mulch", skip=others - {choice.question_id}) == choice
    for one in lessons.questions("garden", "mulch"):
        if one != choice:
            lessons.answer(one.question_id, one.key if one.form != "choice" else one.options[0])
    letter = "ABCD"[choice.options.index(choice.key)]
    message = run(host, "learn", "garden", "--concept", "mulch", "--most", "1", typed=f"nonsense\n{letter}\n")
    assert "none of the options" in message
    assert "Right." in message


def test_q_and_the_end_of_input_end_the_sitting(host: Host) -> None:
    for typed in ("q\n", ""):
        assert "known" in run(host, "learn", "garden", typed=typed)
    assert Lessons(host).last() == []


def test_questions_are_printed_with_proof_as_json_too(host: Host) -> None:
    result = json.loads(run(host, "questions", "garden", "--json"))
    assert {"question_id", "text", "key", "support", "sources", "explanation"} <= result[0].keys()
    assert result[0]["sources"][0].keys() == {"index", "pageTitle", "pageUrl"}
    assert result[0]["support"]["text"] in texts.GARDEN[result[0]["concept"]]
    plain = run(host, "questions", "garden", "--concept", "mulch")
    assert "   = mulch" in plain
    assert "Compost" not in plain.replace("compost", "")


def test_due_lists_what_is_to_be_asked_again(host: Host) -> None:
    assert "Nothing is due." in run(host, "due", "garden")
    assert json.loads(run(host, "due", "--json")) == []


def test_anki_writes_a_package(host: Host, tmp_path: Path) -> None:
    target = tmp_path / "garden.apkg"
    assert "In Anki: File, Import." in run(host, "anki", "garden", "--out", str(target))
    assert "collection.anki2" in zipfile.ZipFile(target).namelist()
    message = json.loads(run(host, "anki", "garden", "--out", str(target), "--json"))
    assert message == {"file": str(target), "bytes": target.stat().st_size}


def test_what_cannot_be_is_one_line(host: Host, tmp_path: Path) -> None:
    from ragstone.core import NotFound, StorageError

    for command in ("learn", "questions", "due"):
        with pytest.raises(NotFound, match="no plan"):
            run(host, command, "nowhere")
    with pytest.raises(StorageError, match="cannot be written"):
        run(host, "anki", "garden", "--out", str(tmp_path / "nowhere" / "x.apkg"))
