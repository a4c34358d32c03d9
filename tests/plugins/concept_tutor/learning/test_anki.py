"""Packages for Anki, read again as Anki reads them: a zip with a SQLite collection."""

from __future__ import annotations

import io
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ragstone.core import Host
from tests.plugins.concept_tutor.learning import texts
from tests.plugins.concept_tutor.learning.test_questions_proved import written
from tests.plugins.concept_tutor.learning.texts import Question


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with texts.planted(tmp_path) as opened:
        yield opened


def notes(made: bytes, folder: Path) -> list[tuple[str, str, list[str]]]:
    """``(id, tags, fields)`` of the notes in a package."""
    with zipfile.ZipFile(io.BytesIO(made)) as packed:
        (folder / "collection").write_bytes(packed.read("collection.anki2"))
    with closing(sqlite3.connect(folder / "collection")) as collection:
        assert collection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = collection.execute("SELECT guid, tags, flds FROM notes ORDER BY id").fetchall()
        assert collection.execute("SELECT count(*) FROM cards").fetchone()[0] == len(rows)
    return [(guid, tags, fields.split("\x1f")) for guid, tags, fields in rows]


def of_mulch() -> list[Question]:
    return [question for question in written(texts.garden()) if question.concept == "mulch"]


def test_a_note_has_question_options_answer_explanation_and_links(host: Host, tmp_path: Path) -> None:
    questions = of_mulch()
    found = notes(texts.exported(host, "anki", questions), tmp_path)
    assert len(found) == len(questions)
    choice = next(question for question in questions if question.form == "choice")
    fields = next(fields for guid, _tags, fields in found if guid == f"ragstone-{choice.question_id}")
    assert fields[0].startswith("Which of these is a layer of straw")
    assert fields[1].count("<li>") == 4
    assert fields[2] == "mulch"
    assert "[1]" in fields[3]
    assert fields[4] == ('[1] <a href="https://en.wikipedia.org/wiki/Mulch">Mulch</a> · CC BY-SA 4.0')
    assert {tags.strip() for _guid, tags, _fields in found} == {"garden Mulch"}


def test_importing_again_would_bring_cards_up_to_date(host: Host, tmp_path: Path) -> None:
    first = notes(texts.exported(host, "anki", of_mulch()), tmp_path)
    second = notes(texts.exported(host, "anki", of_mulch()), tmp_path)
    assert [guid for guid, _tags, _fields in first] == [guid for guid, _tags, _fields in second]


def test_words_of_a_source_are_text_and_never_markup(host: Host, tmp_path: Path) -> None:
    question = of_mulch()[0]
    evil = replace(question, text="<script>alert(1)</script> {{Answer}} [sound:x.mp3] [LaTeX]x[/latex] [$]y[/$]",
                   key="<b>", explanation="\x1fanother field \ud800",
                   sources=(replace(question.sources[0], page_url="javascript:alert(1)"),))  # fmt: skip
    ((_guid, _tags, fields),) = notes(texts.exported(host, "anki", [evil]), tmp_path)
    assert "<script>" not in fields[0]
    assert "{{" not in fields[0]
    assert not any(mark in fields[0] for mark in ("[sound:", "[LaTeX]", "[$]"))
    assert fields[3] == "\ufffdanother field \ufffd"
    assert fields[2] == "&lt;b&gt;"
    assert fields[4] == "[1] Mulch · CC BY-SA 4.0"
