"""Word's documents: headings, captions, listings, tables and formulas, and files that must not be read."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

from ragstone.core.runtime import Unanswered
from ragstone.core.testing import FileReaderContract
from ragstone.plugins.book_chat.markdown.html import docx
from ragstone.plugins.book_chat.markdown.html.docx import read_docx
from tests.plugins.book_chat.docxs import make_docx, paragraph
from tests.support.needs import needed

if TYPE_CHECKING:
    from pathlib import Path

    from llama_index.core.readers.base import BaseReader

    from ragstone.core import Host
    from ragstone.plugins.book_chat.markdown.html.text import Text

needed("mammoth")


class TestReader(FileReaderContract):
    @pytest.fixture
    def reader(self, fast_host: Host) -> BaseReader:
        return fast_host.hooks.readers[".docx"]

    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        return make_docx(tmp_path / "parts.docx")


def read(path: Path) -> Text:
    with path.open("rb") as file:
        return read_docx(file)


def test_a_document_is_read_with_its_structure(tmp_path: Path) -> None:
    found = read(make_docx(tmp_path / "parts.docx"))
    assert found.title == "Robot parts"
    assert found.text == (
        "# Wheels\n\n## Casters\n\nA caster is a wheel that swivels about a vertical axis.\n\n"
        "The energy is E=mc^{2}.\n\nFigure 2: A caster\n\n```\nturn(left)\nstop()\n```\n\n"
        "| Tyre | Grip |\n| --- | --- |\n| nylon | low |\n\n# Grippers\n\nA gripper closes two jaws.\n"
    )
    assert [kind for *_, kind in found.kinds] == ["caption"]


def test_each_part_of_a_nested_formula_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_parts, linear = [], docx._linear

    def counted(element: Any, depth: int = 0) -> str:
        read_parts.append(element)
        return linear(element, depth)

    monkeypatch.setattr(docx, "_linear", counted)
    inner = "<m:r><m:t>x</m:t></m:r>"
    for _ in range(4):
        inner = f"<m:box><m:e><m:f><m:num>{inner}</m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:e></m:box>"
    found = read(make_docx(tmp_path / "a.docx", paragraph(f"<m:oMath>{inner}</m:oMath>")))
    assert found.text == "(" * 4 + "x" + ")/(2)" * 4 + "\n"
    assert len(read_parts) < 100


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"\xd0\xcf\x11\xe0 and more", "encrypted"), (b"", "broken"), (b"PK\x03\x04", "broken")],
)
def test_what_is_no_document_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(Unanswered) as caught:
        read_docx(io.BytesIO(data))
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    "document",
    ["<w:document>", '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>', "<a/>"],
)
def test_a_main_part_that_is_broken_is_refused(tmp_path: Path, document: str) -> None:
    with pytest.raises(Unanswered):
        read(make_docx(tmp_path / "a.docx", document=document))


def test_no_file_of_the_machine_is_opened(tmp_path: Path) -> None:
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
    assert read(path).text == "Words.\n\nFigure: A drawing of a caster with its fork\n"
