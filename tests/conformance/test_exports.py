"""Other people's programs read what the tutor exports: Anki itself, Cito's converter of QTI, and text2qti.

Cito's reads QTI 2.1 and writes it as QTI 3. text2qti writes QTI and reads none, ours or its own: it reads the questions
as its own text, of which it makes QTI 1.2.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from lxml.html import fromstring

from ragstone.core import Host
from tests.plugins.concept_tutor.learning import texts
from tests.plugins.concept_tutor.learning.test_export import NASTY, questions
from tests.support.patience import HANG
from tests.support.suites import suites_python

AT = datetime(2026, 3, 1, tzinfo=UTC)
QTI3 = "{http://www.imsglobal.org/xsd/imsqtiasi_v3p0}"
QTI1 = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"
HOSTILE = f"1. ![x](/etc/hostname) $x^2$ `c` *e* \\\\num{{3}} <script>x</script> [^1] {NASTY}"
ANKI = """
import json, sys
from anki.collection import Collection, ImportAnkiPackageRequest

collection = Collection(sys.argv[1])
counts = []
for path in sys.argv[2:]:
    log = collection.import_anki_package(ImportAnkiPackageRequest(package_path=path)).log
    kinds = ("new", "updated", "duplicate", "conflicting", "missing_notetype")
    counts.append({"notes": collection.note_count(), "cards": collection.card_count()}
        | {kind: len(getattr(log, kind)) for kind in kinds})
explanations = [collection.get_note(number).fields[3] for number in collection.find_notes("")]
print(json.dumps([counts, explanations, len(collection.models.all_names_and_ids())]))
collection.close()
"""


@pytest.fixture
def garden(tmp_path: Path) -> Iterator[Host]:
    with texts.planted(tmp_path) as host:
        yield host


def imported(folder: Path, *packages: bytes) -> Any:
    files = []
    for number, package in enumerate(packages):
        files.append(folder / f"{number}.apkg")
        files[-1].write_bytes(package)
    done = suites_python("-c", ANKI, folder / "collection.anki2", *files, timeout=2 * HANG)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_anki_updates_what_it_has_and_doubles_nothing(garden: Host, tmp_path: Path) -> None:
    asked = questions()
    first = texts.exported(garden, "anki", asked, at=AT)
    again = texts.exported(garden, "anki", asked, at=AT + timedelta(days=1))
    changed = [replace(question, explanation="Explained anew.") for question in asked]
    later = texts.exported(garden, "anki", changed, at=AT + timedelta(days=2))

    counts, explanations, _models = imported(tmp_path, first, first, again, later)
    total = len(asked)
    assert {(count["notes"], count["cards"]) for count in counts} == {(total, total)}
    assert [count["new"] for count in counts] == [total, 0, 0, 0]
    assert counts[3]["updated"] == total
    assert set(explanations) == {"Explained anew."}
    assert not any(count["conflicting"] or count["missing_notetype"] for count in counts)


@pytest.fixture
def upgraded(garden: Host, tmp_path: Path) -> Path:
    """Our package as QTI 3, by Cito."""
    (tmp_path / "ours.zip").write_bytes(texts.exported(garden, "qti", questions()))
    folder = tmp_path / "qti3"
    done = suites_python("-m", "qti_convert.cli", "upgrade", tmp_path / "ours.zip", folder, timeout=2 * HANG)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "warning" not in done.stderr.lower(), done.stderr
    return folder


def test_cito_reads_every_question_with_its_right_answer(upgraded: Path) -> None:
    items = [ET.parse(path).getroot() for path in upgraded.rglob("items/*.xml")]
    found = {item.get("title"): item for item in items}
    assert found.keys() == {question.text[:200] for question in questions()}
    for question in questions():
        item = found[question.text[:200]]
        right = item.findtext(f".//{QTI3}qti-correct-response/{QTI3}qti-value")
        choices = {each.get("identifier"): each.text for each in item.iter(f"{QTI3}qti-simple-choice")}
        assert choices.get(right or "", right) == question.key
        assert list(choices.values()) == list(question.options if question.form == "choice" else ())


def test_cito_reads_the_test_and_the_manifest(upgraded: Path) -> None:
    test = ET.parse(upgraded / "test.xml").getroot()
    references = [each.get("href") for each in test.iter(f"{QTI3}qti-assessment-item-ref")]
    assert len(references) == len(questions())
    assert all((upgraded / str(reference)).is_file() for reference in references)
    manifest = ET.parse(upgraded / "imsmanifest.xml").getroot()
    types = [each.get("type") for each in manifest.iter() if each.tag.endswith("}resource")]
    assert sorted(set(map(str, types))) == ["imsqti_item_xmlv3p0", "imsqti_test_xmlv3p0"]


def by_text2qti(path: Path) -> CompletedProcess[str]:
    return suites_python("-c", "from text2qti.cmdline import main; main()", path, timeout=2 * HANG)


def quiz_of(path: Path) -> dict[str, ET.Element]:
    """The questions of what text2qti writes, by the text that is asked."""
    with zipfile.ZipFile(path) as archive:
        (name,) = [each for each in archive.namelist() if re.fullmatch(r"[^/]+/(?!assessment_meta)[^/]+\.xml", each)]
        root = ET.fromstring(archive.read(name))
    return {shown(each.find(f".//{QTI1}presentation/{QTI1}material")): each for each in root.iter(f"{QTI1}item")}


def shown(material: ET.Element | None) -> str:
    """What a reader sees of a text, which is HTML or plain."""
    assert material is not None
    (text,) = material.iter(f"{QTI1}mattext")
    written = text.text or ""
    return fromstring(written).text_content().strip() if text.get("texttype") == "text/html" else written


def words(text: str) -> str:
    """Without quotation marks and dashes, of which text2qti makes others."""
    return " ".join(re.findall(r"\w+", text))


def test_text2qti_reads_the_questions_as_its_own_text(garden: Host, tmp_path: Path) -> None:
    asked = questions()
    nasty = next(question for question in asked if question.form == "choice")
    asked.append(replace(nasty, question_id="nasty", text=HOSTILE, options=(HOSTILE, "b"), key=HOSTILE))
    (tmp_path / "garden.txt").write_bytes(texts.exported(garden, "text2qti", asked))
    done = by_text2qti(tmp_path / "garden.txt")
    assert done.returncode == 0, done.stderr[-2000:]

    found = quiz_of(tmp_path / "garden.zip")
    assert len(found) == len(asked)
    for question in asked:
        item = found[question.text.replace("____", "_____")]
        labels = item.iter(f"{QTI1}response_label") if question.form == "choice" else ()
        answers = {label.get("ident"): shown(label) for label in labels}
        right = [each.text for each in item.iter(f"{QTI1}varequal")]
        if question.form == "choice":
            assert [answers[each] for each in right] == [question.key]
            assert sorted(answers.values()) == sorted(question.options)
        else:
            assert right == ([question.key, *question.also] if question.form == "blank" else [])
        feedback = [words(shown(each)) for each in item.iter(f"{QTI1}itemfeedback")]
        assert any(words(question.explanation) in each for each in feedback)


def test_text2qti_reads_no_qti(garden: Host, tmp_path: Path) -> None:
    """Should it ever, this fails, and our package is to be given to it."""
    (tmp_path / "ours.zip").write_bytes(texts.exported(garden, "qti", questions()))
    done = by_text2qti(tmp_path / "ours.zip")
    assert done.returncode != 0
    assert "is not encoded in valid UTF-8" in done.stderr
    with zipfile.ZipFile(tmp_path / "ours.zip") as archive:
        archive.extractall(tmp_path)
    for path in tmp_path.rglob("*.xml"):
        done = by_text2qti(path)
        assert done.returncode != 0
        assert "Text2qtiError" in done.stderr
