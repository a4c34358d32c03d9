"""Real PDFs: their sections against their outlines, their labels against the file's, their order, their words."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

import pytest
from llama_index.core.schema import Document

from ragstone.plugins.book_chat import BookNodeParser, PdfReader, UnreadablePdf
from ragstone.plugins.book_chat.pdf.page_map import PageMap
from tests.support.needs import missing, needed

pypdfium2 = needed("pypdfium2")
pytestmark = pytest.mark.data

FOLDER = (
    Path(os.environ.get("RAGSTONE_DATA", Path(__file__).resolve().parents[5] / "shared" / "data")) / "books" / "pdf"
)
EDITIONS = ("riscv-debug-release", "riscv-debug-stable")


def file(name: str) -> Path:
    if not FOLDER.is_dir():
        missing(f"the folder of PDFs {FOLDER}")
    return FOLDER / f"{name}.pdf"


@cache
def document_of(name: str) -> Document:
    """The document, read once for all tests."""
    (document,) = PdfReader(seconds=300).load_data(file(name))
    return document


def headings(text: str) -> list[tuple[int, int, str]]:
    """Start, level and words of each heading, those of listings excepted."""
    prose = re.sub(r"^```.*?^```$", lambda code: "x" * len(code[0]), text, flags=re.MULTILINE | re.DOTALL)
    return [(found.start(), len(found[1]), found[2]) for found in re.finditer(r"^(#+) (.*)$", prose, re.MULTILINE)]


def bare(text: str) -> str:
    return re.sub(r"[\W_]", "", text.casefold())


def book(name: str) -> tuple[str, PageMap]:
    document = document_of(name)
    pages = PageMap.of(document.metadata)
    assert pages is not None
    return document.text, pages


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_section_of_the_outline_is_a_heading_on_its_page(edition: str) -> None:
    text, pages = book(edition)
    document = pypdfium2.PdfDocument(file(edition))
    entries = [(mark.level + 1, bare(mark.get_title()), mark.get_dest().get_index() + 1) for mark in document.get_toc()]
    heads = headings(text)
    assert len(entries) > 80 and len(heads) == len(entries)
    for (level, title, page), (start, marks, words) in zip(entries, heads, strict=True):
        place = pages.at(start)
        assert bare(words).endswith(title) and marks == min(level, 6)
        assert place is not None and place[0] == page, words


@pytest.mark.parametrize("edition", EDITIONS)
def test_labels_are_the_files_own(edition: str) -> None:
    document = pypdfium2.PdfDocument(file(edition))
    parser = BookNodeParser(count_tokens=lambda words: len(words.split()))
    nodes = parser.get_nodes_from_documents([document_of(edition)])
    assert len(nodes) > 50
    for node in nodes:
        assert node.metadata["page_label"] == document.get_page_label(node.metadata["page_index"] - 1)
        assert "pdf" not in node.metadata


def test_a_register_is_a_table() -> None:
    text, _ = book("riscv-debug-release")
    assert "| Access Size | Data Bits |\n| --- | --- |\n| 8 | sbdata0 bits 7:0 |\n" in text
    assert len(re.findall(r"^\|(?: --- \|)+$", text, re.MULTILINE)) > 60
    assert len(re.findall(r"^(?:Figure|Table|Listing) [\d.]+: ", text, re.MULTILINE)) > 15


@pytest.mark.parametrize("edition", EDITIONS)
def test_no_running_head_is_left(edition: str) -> None:
    text, _ = book(edition)
    assert "Debug Support Version 0.13.2\n\n" not in text[2000:]
    assert ". . . ." not in text and "\xad" not in text and "\x00" not in text


def test_two_columns_are_read_in_order() -> None:
    text, _ = book("cs229_super_cheatsheet")
    wanted = (
        "Notations and general concepts", "Loss function", "Cost function", "Gradient descent", "Likelihood",
        "Newton’s algorithm", "1.3.1 Linear regression", "Normal equations", "LMS algorithm", "1.3.2",
        "Sigmoid function",
    )  # fmt: skip
    places = [text.index(words) for words in wanted]
    assert places == sorted(places)
    assert "used to assess the performance of a model, and is defined with the loss function L as follows" in text
    assert "|  | Discriminative model | Generative model |" in text


def test_formulas_can_be_read_and_listings_stand_in_lines() -> None:
    mathematics, _ = book("gtsam_math")
    assert "h(a⊕ξ ) ≈ h(a) +H_aξ (1.2)" in mathematics and "R^{m×n}" in mathematics
    tutorial, _ = book("gtsam_gtsam")
    assert "\nauto priorNoise = noiseModel::Diagonal::Sigmas(Vector3(0.3, 0.3, 0.1));\n" in tutorial
    heads = [words for _, marks, words in headings(tutorial) if marks == 1]
    assert heads[:4] == [
        "1 Factor Graphs",
        "2 Modeling Robot Motion",
        "3 Robot Localization",
        "4 PoseSLAM",
    ]


def test_a_deck_of_pictures_needs_ocr() -> None:
    with pytest.raises(UnreadablePdf, match=r"needs_ocr.*26 pages"):
        PdfReader().load_data(file("no-text-layer"))
