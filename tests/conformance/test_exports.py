"""Other people's programs read what the tutor exports: Anki itself, and Cito's converter of QTI.

``text2qti`` only writes QTI, so that it cannot read ours; Cito's reads QTI 2.1 and writes it as QTI 3.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from ragstone.plugins.concept_tutor.learning.export import anki
from ragstone.plugins.concept_tutor.learning.qti import qti
from tests.plugins.concept_tutor.learning.test_export import AT, NAMES, questions
from tests.support.patience import HANG
from tests.support.suites import suites_python

if TYPE_CHECKING:
    from pathlib import Path

QTI3 = "{http://www.imsglobal.org/xsd/imsqtiasi_v3p0}"
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


def imported(folder: Path, *packages: bytes) -> Any:
    files = []
    for number, package in enumerate(packages):
        files.append(folder / f"{number}.apkg")
        files[-1].write_bytes(package)
    done = suites_python("-c", ANKI, folder / "collection.anki2", *files, timeout=2 * HANG)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_anki_updates_what_it_has_and_doubles_nothing(tmp_path: Path) -> None:
    asked = questions()
    first = anki("A garden", "garden", NAMES, asked, AT)
    again = anki("A garden", "garden", NAMES, asked, AT + timedelta(days=1))
    changed = [replace(question, explanation="Explained anew.") for question in asked]
    later = anki("A garden", "garden", NAMES, changed, AT + timedelta(days=2))

    counts, explanations, _models = imported(tmp_path, first, first, again, later)
    total = len(asked)
    assert {(count["notes"], count["cards"]) for count in counts} == {(total, total)}
    assert [count["new"] for count in counts] == [total, 0, 0, 0]
    assert counts[3]["updated"] == total
    assert set(explanations) == {"Explained anew."}
    assert not any(count["conflicting"] or count["missing_notetype"] for count in counts)


def test_anki_imports_a_plan_without_questions(tmp_path: Path) -> None:
    empty = anki("Nothing", "nothing", {}, [], AT)
    counts, _explanations, _models = imported(tmp_path, empty, empty)
    assert [count["notes"] for count in counts] == [0, 0]


@pytest.fixture
def upgraded(tmp_path: Path) -> Path:
    """Our package as QTI 3, by Cito."""
    (tmp_path / "ours.zip").write_bytes(qti("A garden", "garden", NAMES, questions(), AT))
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
