"""What a reader reads on a page: words, columns, tables, code, headings, pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ragstone.plugins.book_chat import PdfReader
from ragstone.plugins.book_chat.markdown.blocks import read_blocks
from ragstone.plugins.book_chat.pdf.page_map import PageMap
from tests.plugins.book_chat.pdfs import Text, lines, make, rules
from tests.support.needs import needed

if TYPE_CHECKING:
    from pathlib import Path

    from llama_index.core.schema import Document

needed("pypdfium2")

FILLER = (
    "A robot that walks keeps its balance by moving the point at which the",
    "ground pushes back. The controller computes that point many times in a",
    "second and places the next foot so that the body does not tip over.",
)


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def read_(data: bytes, name: str = "book.pdf") -> Document:
        path = tmp_path / name
        path.write_bytes(data)
        (document,) = PdfReader().load_data(path)
        return document

    return read_


def test_words_cut_at_line_ends_are_whole_again(read: Any) -> None:
    page = lines(
        72, 700, "The con-", "troller is well-known; the well-", "known controller runs in real-", "Time mode."
    )
    document = read(make([[*page]]))
    assert document.text == "The controller is well-known; the well-known controller runs in real-Time mode.\n"


def test_words_are_reported_by_where_glyphs_stand_not_by_spaces(read: Any) -> None:
    # No space is in the file: each word is shown at its own place, as TeX does it.
    page = [Text(72, 700, "with"), Text(96, 700, "Java"), Text(120, 700, "was"), Text(141, 700, "striking")]
    assert read(make([[*page]])).text == "with Java was striking\n"


def test_running_heads_and_page_numbers_go(read: Any) -> None:
    pages = [
        [Text(72, 760, f"Walking machines {at}"), *lines(72, 700, *FILLER), Text(300, 30, str(at))]
        for at in range(1, 6)
    ]
    document = read(make([list(page) for page in pages]))
    assert "Walking machines" not in document.text
    assert not any(line.strip().isdigit() for line in document.text.splitlines())
    assert document.text.count("keeps its balance") == 5


def test_two_columns_are_read_one_after_the_other(read: Any) -> None:
    left = [f"left column line number {at} goes on here" for at in range(12)]
    right = [f"right column line number {at} goes on here" for at in range(12)]
    title = Text(72, 740, "A title over both of the columns that is long enough to cross the gutter between", 12)
    both: list[Text | str] = [title]
    for at in range(12):  # drawn row by row, as a careless producer does it
        both += [Text(72, 700 - 13 * at, left[at]), Text(320, 700 - 13 * at, right[at])]
    text = read(make([both])).text
    places = [text.index(line) for line in (*left, *right)]
    assert text.startswith("A title over both") and places == sorted(places)


def test_a_table_in_lines_is_a_table(read: Any) -> None:
    grid = rules([72, 172, 320], [700, 680, 660, 640])
    cells = [
        Text(76, 686, "Field", font="F2"), Text(176, 686, "Meaning", font="F2"),
        Text(76, 666, "haltreq"), Text(176, 666, "asks a hart to | halt"),
        Text(76, 646, "resumereq"), Text(176, 646, "lets it go on"),
    ]  # fmt: skip
    text = read(
        make([[*lines(72, 760, "Before it."), grid, *cells, *lines(72, 600, "Table 2.1: Fields of the register")]])
    ).text
    assert text == (
        "Before it.\n\n| Field | Meaning |\n| --- | --- |\n| haltreq | asks a hart to \\| halt |\n"
        "| resumereq | lets it go on |\n\nFigure: Table 2.1: Fields of the register\n"
    )
    assert [block.kind for block in read_blocks(text)] == ["paragraph", "table", "figure"]


def test_code_keeps_its_lines(read: Any) -> None:
    code = lines(72, 680, "def halt(hart):", "    if hart.running:", "        hart.stop()", font="F3")
    text = read(make([[*lines(72, 720, "To halt:"), *code, *lines(72, 600, "After it.")]])).text
    assert text == "To halt:\n\n```\ndef halt(hart):\n    if hart.running:\n        hart.stop()\n```\n\nAfter it.\n"


def test_lists_and_what_looks_like_markdown(read: Any) -> None:
    page = [
        *lines(72, 720, "• first thing", "• second thing"),
        *lines(72, 660, "1. do this", "2. do that"),
        Text(72, 600, "# of robots: ten"),
        Text(72, 560, "> is greater than"),
    ]
    text = read(make([[*page]])).text
    assert [(block.kind, block.plain) for block in read_blocks(text)] == [
        ("list_item", "first thing"),
        ("list_item", "second thing"),
        ("list_item", "do this"),
        ("list_item", "do that"),
        ("paragraph", "# of robots: ten"),
        ("paragraph", "> is greater than"),
    ]


def test_exponents_and_indices_are_marked(read: Any) -> None:
    def shifted(y: float, before: str, rise: float, small: str, after: str) -> str:
        full, low = "/F1 11 Tf 0 Ts", f"/F1 7 Tf {rise} Ts"
        return f"BT {full} 72 {y} Td ({before}) Tj {low} ({small}) Tj {full} ({after}) Tj ET"

    page = [
        shifted(700, "the value x", 4, "12", " of p"),
        shifted(660, "the pose p", -3, "i", "."),
        shifted(620, "ends", 4, "7", ""),
    ]
    text = read(make([[*page]])).text
    assert text == "the value x^{12} of p\n\nthe pose p_i.\n\nends7\n"


def test_headings_from_the_outline(read: Any) -> None:
    first = [Text(72, 720, "Chapter 1", 20), Text(72, 690, "Walking", 24), *lines(72, 640, *FILLER)]
    second = [Text(72, 720, "1.1 Gait", 14), *lines(72, 690, *FILLER), *lines(72, 600, *FILLER)]
    outline = [("Walking", 0, 730.0), ("Gait", 1, 735.0), ("Not printed", 1, 615.0)]
    text = read(make([[*first], [*second]], outline=outline)).text
    assert [b.plain for b in read_blocks(text) if b.kind == "heading"] == [
        "Chapter 1: Walking",
        "1.1 Gait",
        "Not printed",
    ]


def test_headings_from_type_and_numbers(read: Any) -> None:
    pages = [
        [
            Text(72, 740, "A Book of Walking", 26),
            Text(72, 690, "1 Balance", 16, "F2"),
            *lines(72, 660, *FILLER),
            Text(72, 600, "1.1 The zero moment point", 13, "F2"),
            *lines(72, 570, *FILLER, *FILLER),
        ],
        [Text(72, 740, "2 Gait", 16, "F2"), *lines(72, 700, *FILLER, *FILLER)],
    ]
    document = read(make([list(page) for page in pages]))
    heads = [(b.level, b.plain) for b in read_blocks(document.text) if b.kind == "heading"]
    assert heads == [(1, "1 Balance"), (2, "1.1 The zero moment point"), (1, "2 Gait")]
    assert document.metadata["title"] == "A Book of Walking"


def test_the_table_of_contents_is_not_text(read: Any) -> None:
    contents = [
        Text(72, 720, "Contents", 20),
        *lines(72, 690, "1 Walking . . . . . . . . . . 7", "1.1 Gait . . . . . . . . . . . 9"),
    ]
    text = read(make([[*contents], [Text(72, 720, "1 Walking", 20), *lines(72, 690, *FILLER, *FILLER)]])).text
    assert ". . ." not in text and "keeps its balance" in text


def test_a_paragraph_over_two_pages_is_one_and_its_pages_are_known(read: Any) -> None:
    pages = [
        [*lines(72, 700, *FILLER[:2], "second and places the next")],
        [*lines(72, 700, "foot so that it stays up.", "More.")],
    ]
    document = read(make([list(page) for page in pages], labels="0 << /S /r /St 4 >> 1 << /S /D /St 10 >>"))
    assert "places the next foot so that" in document.text
    pages_of = PageMap.of(document.metadata)
    assert pages_of is not None
    assert pages_of.at(0) == (1, "iv")
    assert pages_of.at(document.text.index("places")) == (1, "iv")
    assert pages_of.at(document.text.index("foot so")) == (2, "10")


def test_without_labels_the_printed_number_is_the_label(read: Any) -> None:
    pages = [[*lines(72, 700, *FILLER), Text(300, 30, str(at + 100))] for at in range(1, 6)]
    found = PageMap.of(read(make([list(page) for page in pages])).metadata)
    assert found is not None and found.at(10**6) == (5, "105")


def test_titles(read: Any) -> None:
    page = [Text(72, 740, "A Book of Walking", 26), *lines(72, 660, *FILLER)]
    assert read(make([[*page]], title="Given Title")).metadata["title"] == "Given Title"
    assert read(make([[*page]], title="thesis_v3.dvi")).metadata["title"] == "A Book of Walking"
    assert read(make([[*lines(72, 660, *FILLER)]])).metadata["title"] is None


@pytest.mark.parametrize(
    "labels", [[], ["1", "2", "3"], ["i", "ii", "1", "2"], ["A-1", "A-2", "B-1", "", "x", "007", "008", "9" * 30]]
)
def test_labels_are_packed_without_loss(labels: list[str]) -> None:
    from ragstone.plugins.book_chat.pdf.messages import Read
    from ragstone.plugins.book_chat.pdf.page_map import packed

    starts = [(at + 1, 10 * at) for at in range(len(labels))]
    output = Read(
        status="read",
        title="",
        text="x" * 100,
        pages=len(labels),
        labels=labels,
        starts=starts,
        needs_ocr=[],
        broken=[],
    )
    again = PageMap.of({"pdf": packed(output)})
    assert again is not None and list(again.labels) == labels
    assert list(zip(again.pages, again.offsets, strict=True)) == starts
