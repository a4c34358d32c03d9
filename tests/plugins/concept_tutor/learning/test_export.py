"""Questions as GIFT and as a package of QTI 2.1, read again by rules of their own."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from ragstone.core import BadRequest, Host, NotFound
from ragstone.core.testing import open_host
from ragstone.plugins.concept_tutor import PlanStore, export_questions, read_plan
from tests.plugins.concept_tutor.learning import texts
from tests.plugins.concept_tutor.learning.test_questions_proved import written
from tests.plugins.concept_tutor.learning.texts import Question
from tests.plugins.concept_tutor.material import run

NASTY = "a ~ b = c # {d} 1:2 \\n // <b>&amp;</b> 50% -> “x”"
QTI = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
PACKAGE = "{http://www.imsglobal.org/xsd/imscp_v1p1}"
#: What the schema allows of the elements that are written: required and optional attributes, and children in order.
ELEMENTS = {
    "assessmentItem": (
        "identifier title adaptive timeDependent",
        "responseDeclaration* outcomeDeclaration* itemBody? responseProcessing?",
    ),
    "responseDeclaration": ("identifier cardinality baseType", "defaultValue? correctResponse? mapping?"),
    "outcomeDeclaration": ("identifier cardinality baseType", "defaultValue?"),
    "defaultValue": ("", "value+"),
    "correctResponse": ("", "value+"),
    "value": ("", ""),
    "mapping": ("defaultValue", "mapEntry+"),
    "mapEntry": ("mapKey mappedValue caseSensitive", ""),
    "itemBody": ("", "choiceInteraction? p? extendedTextInteraction? rubricBlock*"),
    "choiceInteraction": ("responseIdentifier shuffle maxChoices", "prompt? simpleChoice+"),
    "prompt": ("", ""),
    "simpleChoice": ("identifier", ""),
    "extendedTextInteraction": ("responseIdentifier expectedLines", "prompt?"),
    "textEntryInteraction": ("responseIdentifier", ""),
    "rubricBlock": ("view", "p+"),
    "p": ("", "textEntryInteraction? a?"),
    "a": ("href", ""),
    "responseProcessing": ("template", ""),
    "assessmentTest": ("identifier title", "testPart+"),
    "testPart": ("identifier navigationMode submissionMode", "assessmentSection+"),
    "assessmentSection": ("identifier title visible", "assessmentItemRef+"),
    "assessmentItemRef": ("identifier href", ""),
}


def questions() -> list[Question]:
    made = written(texts.garden())
    assert {"choice", "open"} <= {question.form for question in made}
    blank = replace(
        next(question for question in made if question.form == "open"),
        question_id="blank", form="blank", text="A ____ grows.", key="plant", also=("shrub",),
    )  # fmt: skip
    return [*made, blank]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A host with two plans of the garden; the title of the second is no plain text."""
    with open_host(tmp_path_factory.mktemp("export"), options={"concept_tutor": {"sample": False}}) as opened:
        texts.put(opened)
        texts.put(opened, "nasty", title=NASTY)
        yield opened


def entries(made: bytes) -> list[str]:
    """The entries of a GIFT file; an escaped character becomes one of the private use area, so that no rule sees it."""
    text = re.sub(r"\\(.)", lambda found: chr(0xE000 + ord(found[1])), made.decode())
    return text.strip().split("\n\n")


def plain(text: str) -> str:
    return re.sub("[\ue000-\ue0ff]", lambda found: chr(ord(found[0]) - 0xE000), text)


def test_gift_has_a_category_for_each_concept_and_an_entry_for_each_question(host: Host) -> None:
    made = questions()
    found = entries(texts.exported(host, "gift", made))
    categories = [entry for entry in found if entry.startswith("$CATEGORY: ")]
    assert categories[0] == "$CATEGORY: A garden/Compost"
    by_id = {match[1]: match for entry in found if (match := re.fullmatch(
        r"::([^:]+)::\[plain\]([^{}~=#:]+) \{\n((?:[=~]\[plain\][^{}~=#:]+\n)*)####\[plain\]([^{}~=#:]+)\n\}", entry
    ))}  # fmt: skip
    assert by_id.keys() == {question.question_id for question in made}
    for question in made:
        match = by_id[question.question_id]
        assert plain(match[2]).replace("_____", "____") == question.text
        answers = [(line[0], plain(line[1:].removeprefix("[plain]"))) for line in match[3].splitlines()]
        if question.form == "choice":
            assert answers == [("=" if one == question.key else "~", one) for one in question.options]
        elif question.form == "blank":
            assert answers == [("=", one) for one in dict.fromkeys((question.key, *question.also))]
        else:
            assert (answers, question.key in plain(match[4])) == ([], True)
        assert question.explanation in plain(match[4])
        assert question.sources[0].page_url in plain(match[4])


def test_words_of_a_source_are_never_marks_of_gift(host: Host) -> None:
    choice = next(question for question in questions() if question.form == "choice")
    nasty = replace(choice, text=f"{NASTY}\n\n::x:: {{=y}}", options=(NASTY, "b", "c"), key=NASTY, explanation=NASTY)
    category, entry = entries(texts.exported(host, "gift", [nasty], plan="nasty"))
    assert "//// <b>&amp;<//b> 50%" in plain(category)
    of = r"\[plain\][^{}~=#:]+"
    assert re.fullmatch(rf"::[^:]+::{of} \{{\n={of}\n~\[plain\]b\n~\[plain\]c\n####{of}\n\}}", entry)
    assert plain(entry.split("\n=[plain]")[1].split("\n")[0]).replace("\u200b", "") == NASTY


@pytest.mark.parametrize("words", ["%50%half", "[html]<img src=x>", "[markdown]x", "a*"])
def test_an_answer_is_plain_text_in_gift(host: Host, words: str) -> None:
    choice, blank = (next(one for one in questions() if one.form == form) for form in ("choice", "blank"))
    asked = replace(choice, options=(words, "b"), key=words, explanation=words)
    _, entry = entries(texts.exported(host, "gift", [asked]))
    assert re.search(rf"\n=\[plain\]{re.escape(words)}\n~\[plain\]b\n####\[plain\]", plain(entry))
    _, entry = entries(texts.exported(host, "gift", [replace(blank, key=words, also=())]))
    assert f"\n=[plain]{words}\n".replace("*", r"\*") in plain(entry)


def checked(root: ET.Element) -> ET.Element:
    """The element, after its names, attributes and children were compared with the schema's."""
    for element in root.iter():
        attributes, children = ELEMENTS[element.tag.removeprefix(QTI)]
        known = {name for name in element.attrib if not name.startswith("{http://www.w3.org/2001/XMLSchema-instance}")}
        assert known == set(attributes.split()), element.tag
        names = "".join(f"{child.tag.removeprefix(QTI)} " for child in element)
        allowed = re.sub(r"(\w+)([*+?])", r"(?:\1 )\2", children).replace(") (", ")(")
        assert re.fullmatch(re.sub(r"(?<=[*+?]) ", "", allowed), names), (element.tag, names)
        if "identifier" in element.attrib:
            assert re.fullmatch(r"[A-Za-z_][\w.-]*", element.attrib["identifier"])
    return root


def unpacked(made: bytes) -> tuple[dict[str, ET.Element], ET.Element, ET.Element]:
    """The items by name, the test and the manifest."""
    with zipfile.ZipFile(io.BytesIO(made)) as packed:
        assert packed.testzip() is None
        files = {name: ET.fromstring(packed.read(name)) for name in packed.namelist()}
    manifest, test = files.pop("imsmanifest.xml"), checked(files.pop("test.xml"))
    return {name: checked(root) for name, root in files.items()}, test, manifest


def test_qti_has_an_item_for_each_question_with_the_right_answer(host: Host) -> None:
    made = questions()
    items, test, manifest = unpacked(texts.exported(host, "qti", made))
    for question in made:
        root = items[f"items/question-{question.question_id}.xml"]
        right = [value.text for value in root.iterfind(f"{QTI}responseDeclaration/{QTI}correctResponse/{QTI}value")]
        options = {each.get("identifier"): each.text for each in root.iter(f"{QTI}simpleChoice")}
        said = " ".join(" ".join(root.itertext()).split())
        if question.form == "choice":
            assert list(options.values()) == list(question.options)
            assert [options[each] for each in right] == [question.key]
        else:
            assert right == [question.key]
        if question.form == "blank":
            answers = list(dict.fromkeys((question.key, *question.also)))
            assert [entry.get("mapKey") for entry in root.iter(f"{QTI}mapEntry")] == answers
        template = root.find(f"{QTI}responseProcessing")
        named = {"choice": "match_correct", "blank": "map_response"}.get(question.form)
        assert (template.get("template", "").rpartition("/")[2] if template is not None else None) == named
        assert question.explanation in said
        assert [each.get("href") for each in root.iter(f"{QTI}a")] == [one.page_url for one in question.sources]
    refs = [each.get("href", "") for each in test.iter(f"{QTI}assessmentItemRef")]
    assert sorted(refs) == sorted(items)
    assert [each.get("title") for each in test.iter(f"{QTI}assessmentSection")][:2] == ["Compost", "Mulch"]
    order = [each.tag.removeprefix(PACKAGE) for each in manifest]
    assert order == ["metadata", "organizations", "resources"]
    resources = {each.get("href"): each for each in manifest.iter(f"{PACKAGE}resource")}
    assert set(resources) == {*items, "test.xml"}
    needed = {each.get("identifierref") for each in resources["test.xml"].iter(f"{PACKAGE}dependency")}
    assert needed == {each.get("identifier") for href, each in resources.items() if href != "test.xml"}


def test_words_of_a_source_are_text_in_qti(host: Host) -> None:
    choice = next(question for question in questions() if question.form == "choice")
    nasty = replace(choice, text=f"{NASTY}\x00\ud800", options=(NASTY, "b"), key=NASTY, explanation=f"]]> {NASTY}")
    items, _, _ = unpacked(texts.exported(host, "qti", [nasty], plan="nasty"))
    (root,) = items.values()
    assert next(root.iter(f"{QTI}prompt")).text == f"{NASTY}\ufffd\ufffd"
    assert next(root.iter(f"{QTI}simpleChoice")).text == NASTY


@pytest.mark.parametrize("year", [1970, 2200])
@pytest.mark.parametrize("format_", ["anki", "qti"])
def test_a_wrong_clock_prevents_no_export(host: Host, format_: str, year: int) -> None:
    made = texts.exported(host, format_, questions(), at=datetime(year, 1, 1, tzinfo=UTC))
    with zipfile.ZipFile(io.BytesIO(made)) as packed:
        assert packed.testzip() is None


@pytest.mark.parametrize("format_", ["gift", "text2qti"])
def test_only_an_address_that_others_can_open_is_in_a_text(host: Host, format_: str) -> None:
    question = questions()[0]
    assert question.sources[0].page_url.encode() in texts.exported(host, format_, [question]).replace(b"\\", b"")
    kept = replace(question, sources=(replace(question.sources[0], page_url="/concept_tutor/source/1"),))
    assert b"concept" not in texts.exported(host, format_, [kept])


def test_an_exported_file_is_replaced_as_a_whole(host: Host, tmp_path: Path) -> None:
    out, link, old = (tmp_path / name for name in ("questions", "link", "old"))
    old.write_bytes(b"of last week")
    out.hardlink_to(old)
    link.symlink_to(out)
    run(host, "gift", "garden", "--out", str(link))
    assert old.read_bytes() == b"of last week"  # not written into
    assert link.is_symlink()
    assert out.read_bytes() == export_questions(host, "garden", "gift")
    os.mkfifo(tmp_path / "pipe")
    with os.fdopen(os.open(tmp_path / "pipe", os.O_RDWR | os.O_NONBLOCK), "rb", buffering=0) as pipe:
        run(host, "gift", "garden", "--out", str(tmp_path / "pipe"))
        assert pipe.read(1_000_000) == out.read_bytes()


@pytest.mark.parametrize("format_", ["anki", "gift", "text2qti", "qti"])
def test_a_plan_is_exported_by_a_command_and_by_python(tmp_path: Path, format_: str) -> None:
    with open_host(tmp_path, options={"concept_tutor": {"sample": False}}) as host:
        texts.put(host)
        out = tmp_path / "questions"
        assert f"{out}: " in run(host, format_, "garden", "--out", str(out))
        made = export_questions(host, "garden", format_)  # type: ignore[arg-type]
        assert out.read_bytes()[:2] == made[:2]
        with pytest.raises(NotFound):
            export_questions(host, "nowhere", format_)  # type: ignore[arg-type]
        host.once(PlanStore).add(read_plan("Mulch", title="Bare").plan)
        with pytest.raises(BadRequest, match="'bare' has no question yet"):
            export_questions(host, "bare", format_)  # type: ignore[arg-type]
