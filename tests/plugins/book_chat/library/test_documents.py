"""PDFs on the shelf: pages of chunks, reports, rebuilding, and the file beside the citation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragstone.core import SourceError
from ragstone.plugins.book_chat import Shelf
from tests.plugins.book_chat import pdfs
from tests.plugins.book_chat.pdfs import Text, lines, make
from tests.support.needs import needed

needed("pypdfium2")

WHEELS = ("A caster is a wheel that swivels about a vertical axis.", "It follows wherever the robot goes.")
ARMS = ("A gripper holds with a force of 40 newtons.", "Never reach into a moving gripper.")
PAGES = [
    [Text(72, 720, "1 Wheels", 18, "F2"), *lines(72, 680, *WHEELS)],
    [Text(72, 720, "2 Arms", 18, "F2"), Text(72, 690, "2.1 Grippers", 14, "F2"), *lines(72, 650, *ARMS)],
]
BOOK = make(
    [list(page) for page in PAGES],
    title="Robot parts",
    labels="0 << /S /r >> 1 << /S /D /St 7 >>",
)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "parts.pdf"
    path.write_bytes(BOOK)
    return path


def test_a_chunk_knows_its_page_and_carries_no_map(shelf: Shelf, book: Path) -> None:
    report = shelf.add(shelf.plan(book))
    assert (report.book, report.title, report.added) == ("robot-parts", "Robot parts", ["parts.pdf"])
    wheels, grippers = shelf.corpus.contents.document_nodes("robot-parts:parts.pdf")
    places = [(n.metadata["chapter"], n.metadata["page_label"], n.metadata["page_index"]) for n in (wheels, grippers)]
    assert places == [("1 Wheels", "i", 1), ("2 Arms", "7", 2)]
    for node in (wheels, grippers):
        assert '"sha256"' not in json.dumps(node.to_dict()) and str(book.parent) not in json.dumps(node.to_dict())
    (stored,) = shelf.corpus.contents.documents()
    assert stored.metadata["pdf"]["file"] == str(book)


def test_a_corpus_of_pdfs_is_rebuilt_without_the_file(shelf: Shelf, book: Path) -> None:
    shelf.add(shelf.plan(book))

    def chunks() -> list[tuple[str, str, dict[str, object]]]:
        nodes = shelf.corpus.contents.document_nodes("robot-parts:parts.pdf")
        return [(node.node_id, node.text, node.metadata) for node in nodes]

    before = chunks()
    book.unlink()
    shelf.corpus.rebuild()
    assert len(before) == 2 and chunks() == before


def test_adding_it_again_embeds_nothing(shelf: Shelf, book: Path) -> None:
    shelf.add(shelf.plan(book))
    again = shelf.add(shelf.plan(book))
    assert (again.unchanged, again.chunks) == (["parts.pdf"], 0)


def test_a_pdf_beside_other_files_of_a_book(shelf: Shelf, tmp_path: Path) -> None:
    folder = tmp_path / "book"
    folder.mkdir()
    (folder / "01-preface.md").write_text("# Preface\n\nWhat this is about.\n", "utf-8")
    (folder / "02-parts.pdf").write_bytes(BOOK)
    (folder / "03-legs.pdf").write_bytes(make([[*lines(72, 700, "Legs walk over rough ground.")]]))
    (folder / "04-scan.pdf").write_bytes(make([["200 200 300 300 re f"]]))
    report = shelf.add(shelf.plan(folder), title="Parts")
    assert report.added == ["01-preface.md", "02-parts.pdf", "03-legs.pdf"]
    assert [left.relative for left in report.left_out] == ["04-scan.pdf"]
    assert report.left_out[0].reason.startswith("needs_ocr")
    chapters = {
        n.metadata["chapter"]
        for d in shelf.corpus.contents.documents()
        for n in shelf.corpus.contents.document_nodes(d.doc_id)
    }
    assert chapters == {"Preface", "1 Wheels", "2 Arms", "03-legs"}


def test_pages_without_text_are_in_the_report(shelf: Shelf, tmp_path: Path) -> None:
    path = tmp_path / "mixed.pdf"
    path.write_bytes(make([[*lines(72, 700, *WHEELS)], ["200 200 300 300 re f"], ["200 200 300 300 re f"]]))
    report = shelf.add(shelf.plan(path))
    assert report.needs_ocr == {"mixed.pdf": [2, 3]}


@pytest.mark.parametrize(
    ("data", "word"),
    [(make([["200 200 300 300 re f"]]), "needs_ocr"), (pdfs.bomb(), "too_large"), (BOOK[:500], "broken")],
    ids=["scan", "bomb", "half"],
)
def test_what_cannot_be_read_leaves_the_shelf_as_it_was(shelf: Shelf, book: Path, data: bytes, word: str) -> None:
    shelf.add(shelf.plan(book))
    before = shelf.books()
    (book.parent / "bad.pdf").write_bytes(data)
    with pytest.raises(SourceError, match=word):
        shelf.add(shelf.plan(book.parent / "bad.pdf"))
    assert shelf.books() == before
    book.write_bytes(data)
    with pytest.raises(SourceError, match=word):
        shelf.add(shelf.plan(book), title="Robot parts")
    assert shelf.books() == before


@pytest.mark.parametrize(
    ("files", "title"),
    [
        ({"README.md": "# Walking machines\n", "a.md": "# Legs\n\nA leg.\n"}, "Walking machines"),
        ({"README.md": "# README\n", "intro.md": "# Machines that walk\n\nHello.\n"}, "Machines that walk"),
        ({"intro.md": "# Introduction\n\nHello.\n", "a.md": "# Legs\n\nA leg.\n"}, "Robot parts"),
    ],
)
def test_a_folder_without_a_configuration_has_the_title_of_its_introduction(
    shelf: Shelf, tmp_path: Path, files: dict[str, str], title: str
) -> None:
    folder = tmp_path / "robot_parts"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    assert shelf.add(shelf.plan(folder)).title == title
