"""Word's documents: headings, captions, listings, tables and formulas, and files that must not be read."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from llama_index.core.readers.base import BaseReader

from ragstone.core import Host
from ragstone.core.runtime import Unanswered
from ragstone.core.testing import FileReaderContract
from ragstone.plugins.book_chat import UnreadableFile
from ragstone.plugins.book_chat.markdown.html.docx import read_docx
from tests.plugins.book_chat.docxs import make_docx, paragraph
from tests.plugins.book_chat.reading import kinds, read_bytes, read_file
from tests.support.needs import needed

needed("mammoth")


class TestReader(FileReaderContract):
    @pytest.fixture
    def reader(self, fast_host: Host) -> BaseReader:
        return fast_host.hooks.readers[".docx"]

    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        return make_docx(tmp_path / "parts.docx")


def test_a_clock_that_begins_in_1970_prevents_no_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_docx(tmp_path / "parts.docx")
    monkeypatch.setattr(time, "time", lambda: 0.0)
    with made.open("rb") as file:
        assert "A caster is a wheel" in read_docx(file).text


def test_a_document_is_read_with_its_structure(reading_host: Host, tmp_path: Path) -> None:
    found = read_file(reading_host, make_docx(tmp_path / "parts.docx"))
    assert found.metadata["title"] == "Robot parts"
    assert found.text == (
        "# Wheels\n\n## Casters\n\nA caster is a wheel that swivels about a vertical axis.\n\n"
        "The energy is E=mc^{2}.\n\nFigure 2: A caster\n\n```\nturn(left)\nstop()\n```\n\n"
        "| Tyre | Grip |\n| --- | --- |\n| nylon | low |\n\n# Grippers\n\nA gripper closes two jaws.\n"
    )
    assert [kind for kind, _ in kinds(found)] == ["caption"]


def test_each_part_of_a_nested_formula_is_read_once(reading_host: Host, tmp_path: Path) -> None:
    inner = "<m:r><m:t>x</m:t></m:r>"
    for _ in range(12):  # read twice at each level, it would never end
        inner = f"<m:box><m:e><m:f><m:num>{inner}</m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:e></m:box>"
    found = read_file(reading_host, make_docx(tmp_path / "a.docx", paragraph(f"<m:oMath>{inner}</m:oMath>")))
    assert found.text == "(" * 12 + "x" + ")/(2)" * 12 + "\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"\xd0\xcf\x11\xe0 and more", "encrypted"), (b"", "broken"), (b"PK\x03\x04", "broken")],
)
def test_what_is_no_document_is_refused(reading_host: Host, data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        read_bytes(reading_host, data, ".docx")
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    "document",
    ["<w:document>", '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>', "<a/>"],
)
def test_a_main_part_that_is_broken_is_refused(reading_host: Host, tmp_path: Path, document: str) -> None:
    with pytest.raises(UnreadableFile):
        read_file(reading_host, make_docx(tmp_path / "a.docx", document=document))


@pytest.mark.parametrize(
    "main",
    [
        "<w:document><w:body><w:p><w:r><w:sym/></w:r></w:p></w:body></w:document>",
        '<w:document><w:body><w:p><w:r><w:sym w:font="Wingdings" w:char="none"/></w:r></w:p></w:body></w:document>',
        f"<w:document><w:body>{'<w:r>' * 5000}{'</w:r>' * 5000}</w:body></w:document>",
        "<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>",
    ],
)
def test_what_the_converter_fails_on_is_a_broken_document(tmp_path: Path, main: str) -> None:
    spaces = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:m="'
    spaces += 'http://schemas.openxmlformats.org/officeDocument/2006/math"'
    made = make_docx(tmp_path / "parts.docx", document=main.replace(">", f" {spaces}>", 1))
    with made.open("rb") as file, pytest.raises(Unanswered) as caught:
        read_docx(file)
    assert caught.value.reason in {"broken", "empty"}


def test_no_file_of_the_machine_is_opened(reading_host: Host, tmp_path: Path) -> None:
    """A picture that a document names outside of itself is passed over."""
    (tmp_path / "secret.png").write_bytes(b"x")
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r9" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" TargetMode="External" '
        f'Target="file://{tmp_path}/secret.png"/></Relationships>'
    )
    drawing = (
        '<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
        '<wp:docPr id="1" name="x" descr="A drawing of a caster with its fork"/><a:graphic '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData><pic:pic '
        'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:link="r9"/></pic:blipFill>'
        "</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )
    path = make_docx(tmp_path / "a.docx", paragraph("Words."), paragraph(drawing), relations=relations)
    assert read_file(reading_host, path).text == "Words.\n\nFigure: A drawing of a caster with its fork\n"
