"""What a reader reads on a page: words, columns, tables, code, headings, pages."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import Document

from ragstone.plugins.book_chat import PdfReader
from tests.plugins.book_chat.pdfs import Text, lines, make, rules
from tests.plugins.book_chat.reading import places
from tests.support.needs import needed
from tests.support.patience import grows_linearly, without_hanging

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


def test_a_line_of_dots_takes_no_long_time(read: Any) -> None:
    with without_hanging(60):
        assert read(make([lines(72, 700, FILLER[0], "." * 8_000 + "!")])).text.startswith(FILLER[0])


def test_a_word_far_beside_the_page_of_a_damaged_file_takes_no_memory(read: Any) -> None:
    page = [*lines(72, 700, *FILLER), Text(2e8, 400, "far")]
    assert read(make([page])).text.startswith(FILLER[0])


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
        "| resumereq | lets it go on |\n\nTable 2.1: Fields of the register\n"
    )


def test_code_keeps_its_lines(read: Any) -> None:
    code = lines(72, 680, "def halt(hart):", "    if hart.running:", "        hart.stop()", font="F3")
    text = read(make([[*lines(72, 720, "To halt:"), *code, *lines(72, 600, "After it.")]])).text
    assert text == "To halt:\n\n```\ndef halt(hart):\n    if hart.running:\n        hart.stop()\n```\n\nAfter it.\n"


def test_a_numbered_listing_is_whole_though_keywords_have_another_type(read: Any) -> None:
    def numbered(y: float, number: int, words: str, font: str = "F3") -> list[Text]:
        return [Text(60, y, str(number), 5), Text(72, y, words, 9, font)]

    prose = lines(72, 740, *FILLER, *FILLER)
    code = [*numbered(640, 1, "class Leg {"), *numbered(629, 2, "public:", "F1"), *numbered(618, 3, "  int knee;")]
    text = read(make([[*prose, *code, *numbered(607, 4, "};"), *lines(72, 570, "After it.")]])).text
    assert "\n```\nclass Leg {\npublic:\n  int knee;\n};\n```\n\nAfter it.\n" in text


def test_a_listing_over_two_pages_is_one_and_a_long_one_has_its_marks_in_each_part(read: Any) -> None:
    def pages(count: int) -> list[list[Text]]:
        code = lines(72, 700, *(f"leg[{at}].lift(height)" for at in range(count)), font="F3")
        return [[*lines(72, 740, *FILLER[:1]), *code[: count // 2]], code[count // 2 :]]

    def blocks(count: int) -> list[str]:
        text = read(make([list(page) for page in pages(count)])).text
        return re.findall(r"^```\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)

    assert blocks(6) == ["\n".join(f"leg[{at}].lift(height)" for at in range(6))]
    parts = blocks(100)
    assert len(parts) > 1 and all(len(part) <= 1300 for part in parts)
    assert [line for part in parts for line in part.split("\n")] == [f"leg[{at}].lift(height)" for at in range(100)]


def test_the_end_of_a_sentence_in_the_type_of_code_is_prose(read: Any) -> None:
    page = [
        *lines(72, 700, "The greatest value is the one that"),
        Text(72, 687, "in"),
        Text(84, 687, "misa.", 11, "F3"),
    ]
    assert read(make([[*page, *lines(72, 660, *FILLER)]])).text.startswith(
        "The greatest value is the one that in misa.\n"
    )


def test_terms_and_their_definitions_below_them(read: Any) -> None:
    def entry(y: float, term: str, *words: str, font: str = "F2") -> list[Text]:
        return [Text(72, y, term, font=font), *lines(99, y - 13, *words)]

    page = [
        *entry(700, "stance phase", "the time in which a foot", "is on the ground."),
        *entry(640, "swing", "The time in which it is not."),
        *entry(600, "gait.c", "The file that computes both.", font="F3"),
        *[Text(72, 560, "Note", font="F2"), Text(110, 560, "Readers of the first edition call it a step.")],
        *[Text(72, 540, "Bold", font="F2"), Text(110, 540, "words begin many sentences.")],
    ]
    text = read(make([page])).text
    assert text.split("\n\n")[:4] == [
        "stance phase: the time in which a foot is on the ground.",
        "swing: The time in which it is not.",
        "gait.c: The file that computes both.",
        "Note: Readers of the first edition call it a step.",
    ]
    assert "Bold words begin" in text


def test_captions_have_their_own_names_and_sentences_are_none(read: Any) -> None:
    page = [
        Text(72, 700, "Fig. 3: The knee."),
        Text(72, 660, "Table 2-1. Its parts."),
        Text(72, 620, "Figure 3.1 shows the knee of a robot that walks."),
    ]
    captions = "Figure 3: The knee.\n\nTable 2-1: Its parts.\n\n"
    assert read(make([[*page]])).text == f"{captions}Figure 3.1 shows the knee of a robot that walks.\n"


def test_a_table_without_lines_between_its_rows_over_two_pages(read: Any) -> None:
    def page(*cells: str) -> list[Text | str]:
        ys = [700 - 14 * at for at in range(len(cells) + 2)]
        sides = [f"{x} {low} m {x} {high} l S" for x in (72, 172, 320) for high, low in pairwise(ys)]
        lined = [f"72 {y} m 320 {y} l S" for y in ys[:2]]
        words = [Text(76, ys[0] - 11, "Address"), Text(176, ys[0] - 11, "Name")]
        for at, cell in enumerate(cells, 1):
            words += [Text(76, ys[at] - 11, f"0x0{at}"), Text(176, ys[at] - 11, cell)]
        caption = Text(72, 720, "Table 4: Registers")
        return [caption, *sides, *lined, *words, Text(200, ys[-1] - 14, "Continued on next page")]

    text = read(make([page("control", "status"), page("command")])).text
    head = "| Address | Name |\n| --- | --- |\n"
    assert text == (f"Table 4: Registers\n\n{head}| 0x01 | control |\n| 0x02 | status |\n\n{head}| 0x01 | command |\n")


def test_a_plot_is_no_table_and_the_labels_of_its_axes_no_text(read: Any) -> None:
    grid = rules([72 + 20 * at for at in range(12)], [700, 680, 660, 640])
    ticks = [Text(60, 690 - 20 * at, f"-{at}.5", 7) for at in range(3)] + [Text(72, 625, "0 1 2 3 4", 7)]
    text = read(make([[grid, Text(80, 690, "the compile flag"), *ticks, *lines(72, 580, *FILLER)]])).text
    assert "|" not in text and "the compile flag" in text
    assert "0 1 2" not in text and text.count("keeps its balance") == 1


def test_a_list_of_commits_is_a_table(read: Any) -> None:
    log = lines(
        72,
        690,
        "6ca221d 2017-10-05 A. Miller Clarify | the reset.",
        "d4118ab 2017-09-30 B. Jones Fix a",
        "typing error.",
    )
    text = read(make([[*lines(72, 740, "Changes of this document are these."), *log]])).text
    assert text.endswith(
        "| Revision | Date | Change |\n| --- | --- | --- |\n"
        "| 6ca221d | 2017-10-05 | A. Miller Clarify \\| the reset. |\n"
        "| d4118ab | 2017-09-30 | B. Jones Fix a typing error. |\n"
    )


def test_a_title_page_is_one_line_and_an_index_no_text(read: Any) -> None:
    title = [
        Text(72, 740, "Walking"),
        Text(72, 700, "Editors:"),
        Text(72, 660, "A. Miller <a@walk.example>, Legs, Inc."),
    ]
    index = [
        Text(72, 700, "ankle, 5, 9"),
        *lines(72, 680, "foot, 7 gait, 3–5", "hip, 11 knee, 12, 13", "shin, 4 toe, 9"),
    ]
    text = read(make([[*title], lines(72, 700, *FILLER), list(index[1:])])).text
    assert text.startswith("Walking · Editors · A. Miller <a@walk.example>, Legs, Inc.\n\nA robot that walks")
    assert "knee" not in text


def test_lists_and_what_looks_like_markdown(read: Any) -> None:
    page = [
        *lines(72, 720, "• first thing", "• second thing"),
        *lines(72, 660, "1. do this", "2. do that"),
        Text(72, 600, "# of robots: ten"),
        Text(72, 560, "> is greater than"),
    ]
    assert read(make([[*page]])).text == (
        "- first thing\n\n- second thing\n\n1. do this\n\n2. do that\n\n\\# of robots: ten\n\n\\> is greater than\n"
    )


def test_a_list_within_a_list_is_set_in(read: Any) -> None:
    page = [
        *lines(72, 720, "• Sauces, as follows:"),
        *lines(90, 690, "– Stir slowly.", "– Taste."),
        *lines(72, 630, "• Salads: leaves."),
    ]
    assert (
        read(make([[*page]])).text == "- Sauces, as follows:\n\n  - Stir slowly.\n\n  - Taste.\n\n- Salads: leaves.\n"
    )


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
    assert re.findall("^#+ (.*)$", text, re.MULTILINE) == ["Chapter 1: Walking", "1.1 Gait", "Not printed"]


@pytest.mark.parametrize(
    ("entries", "levels"),
    [
        ([(1, "Preface"), (1, "Legs"), (2, "Feet"), (1, "Arms")], [1, 1, 2, 1]),
        ([(1, "Preface"), (1, "Part I. Limbs"), (2, "Legs"), (3, "Feet"), (2, "Arms")], [1, 1, 1, 2, 1]),
        ([(1, "A Book of Limbs"), (2, "Legs"), (3, "Feet"), (2, "Arms")], [1, 1, 2, 1]),
        ([(1, "A Book of Limbs"), (2, "Part I"), (3, "Legs"), (4, "Feet"), (2, "Index")], [1, 1, 1, 2, 1]),
        ([(1, "Part of the body")], [1]),
        ([(1, "Legs")], [1]),
    ],
)
def test_chapters_are_on_the_level_of_their_part_and_of_the_lone_title(
    read: Any, entries: list[tuple[int, str]], levels: list[int]
) -> None:
    pages = [[Text(72, 720, title, 20), *lines(72, 680, *FILLER)] for _, title in entries]
    outline = [(title, at, 740.0) for at, (_, title) in enumerate(entries)]
    text = read(make(pages, outline=outline, levels=[level for level, _ in entries])).text
    assert re.findall("^(#+) (.*)$", text, re.MULTILINE) == [
        ("#" * level, title) for level, (_, title) in zip(levels, entries, strict=True)
    ]


def test_a_term_that_stands_alone_above_its_explanation_is_defined(read: Any) -> None:
    wide = "The wheel of a cart that turns about an upright axis and so follows the way in which"
    page = [
        Text(90, 720, "Caster"),
        *lines(120, 700, wide, "it is pulled over the floor."),
        Text(90, 664, "Stock split"),
        *lines(120, 644, wide),
        Text(90, 608, "Asset"),
        Text(120, 588, "What you own."),
        Text(90, 552, "Ann Author"),
        Text(120, 532, "Acme Limited"),
    ]
    text = read(make([[*page]])).text
    assert text.startswith("Caster: The wheel")
    assert "\n\nStock split: The wheel" in text
    assert "Asset: What you own." in text and "Ann Author:" not in text


def test_a_word_of_a_heading_that_is_cut_at_a_lines_end_is_joined(read: Any) -> None:
    page = [Text(72, 720, "On transac-", 20), Text(72, 696, "tions", 20), *lines(72, 640, *FILLER)]
    outline = [("On transactions", 0, 730.0), ("The end", 0, 100.0)]
    assert read(make([[*page]], outline=outline)).text.startswith("# On transactions\n")


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
    heads = re.findall("^#.*$", document.text, re.MULTILINE)
    assert heads == ["# 1 Balance", "## 1.1 The zero moment point", "# 2 Gait"]
    assert document.metadata["title"] == "A Book of Walking"


def test_chapters_are_the_largest_headings_below_the_title(read: Any) -> None:
    page = [Text(72, 740, "A Book of Walking", 26)]
    for at, (title, size) in enumerate((("Balance", 16), ("The moment point", 13), ("Gait", 16))):
        page += [Text(72, 690 - 180 * at, title, size), *lines(72, 660 - 180 * at, *FILLER, *FILLER)]
    heads = re.findall("^#.*$", read(make([page])).text, re.MULTILINE)
    assert heads == ["# Balance", "## The moment point", "# Gait"]


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
    found = dict(places(document))
    assert found["places"] == (1, "iv")
    assert found["foot"] == (2, "10")


def test_a_sentence_goes_over_a_page_with_a_number_high_above_its_edge_and_a_footnote(read: Any) -> None:
    def page(number: int) -> list[Text]:
        begin = lines(72, 300, *FILLER[:2], "second and places the next") if number == 2 else lines(72, 300, *FILLER)
        note = [Text(72, 200, "1A foot is what it stands on.", 8)] if number == 2 else []
        top = lines(72, 700, "foot so that it stays up.") if number == 3 else []
        return [*top, *begin, *note, Text(300, 110, str(number))]

    document = read(make([list(page(number)) for number in range(1, 6)]))
    assert "1A foot is what it stands on.\n\nA robot that walks" in document.text
    assert "places the next foot so that it stays up." in document.text
    assert not any(line.strip().isdigit() for line in document.text.splitlines())


def test_a_sentence_goes_over_a_page_to_a_name_where_its_last_word_ends_none(read: Any) -> None:
    pages = [
        [*lines(72, 700, *FILLER[:2], "second, as was first found by people who worked with")],
        [*lines(72, 700, "Marc Raibert on robots that hop.", "More.")],
    ]
    assert "worked with Marc Raibert on robots" in read(make([list(page) for page in pages])).text


def test_notes_in_the_margin_are_beside_the_text_and_part_no_sentence(read: Any) -> None:
    text = ["A robot that walks keeps its balance by moving", "the point at which the ground pushes it back, and"]
    margin = [Text(305, 688, "Of both feet, if it stands still:", 7), Text(305, 679, "of one foot, if it walks.", 7)]
    pages = [[*lines(72, 700, *text * 3, "so that the robot never"), *margin], [*lines(72, 700, "tips over.", *text)]]
    found = read(make(pages)).text
    assert "keeps its balance by moving the point" in found
    assert "so that the robot never tips over." in found and "still: of one foot" in found


def test_a_hyphen_between_two_words_of_the_book_stays(read: Any) -> None:
    page = lines(72, 700, "The laser has a range of ten metres. The laser-", "range finder is under-", "stood by all.")
    assert "The laser-range finder is understood by all." in read(make([[*page]])).text


def test_without_labels_the_printed_number_is_the_label(read: Any) -> None:
    pages = [[*lines(72, 700, *FILLER), Text(300, 30, str(at + 100))] for at in range(1, 6)]
    assert dict(places(read(make([list(page) for page in pages]))))["over."] == (5, "105")


def test_titles(read: Any) -> None:
    page = [Text(72, 740, "A Book of Walking", 26), *lines(72, 660, *FILLER)]
    assert read(make([[*page]], title="Given Title")).metadata["title"] == "Given Title"
    assert read(make([[*page]], title="thesis_v3.dvi")).metadata["title"] == "A Book of Walking"
    assert read(make([[*lines(72, 660, *FILLER)]])).metadata["title"] is None


def test_labels_are_the_files_own(read: Any) -> None:
    labels = "0 << /S /D /P (A-) >> 2 << /S /D /P (B-) /St 7 >> 3 << /P (x) >> 4 << /P (007) >> 5 << /S /D /St 8 >>"
    words = ["one", "two", "three", "four", "five", "six", "seven"]
    found = places(read(make([[*lines(72, 700, word)] for word in words], labels=labels)))
    assert found == list(zip(words, enumerate(["A-1", "A-2", "B-7", "x", "007", "8", "9"], 1), strict=True))


@pytest.mark.parametrize("labels", ["/S /r /St 999999999", "/S /A /St 99999999", "/P (\\000\\001\\177)"])
def test_a_label_that_is_too_long_or_of_controls_is_none(read: Any, labels: str) -> None:
    found = read(make([[*lines(72, 700, "Words of a page.")]], labels=f"0 << {labels} >>"))
    assert found.metadata["pdf"]["labels"] == []


def test_a_label_a_title_and_an_entry_have_no_controls(read: Any) -> None:
    page = [*lines(72, 700, "Words of a page.")]
    marks = [("Red\\001\\177 wheels", 0, 720.0)]
    found = read(make([page], labels="0 << /P (A\\001) >>", title="Robot\\001\\177 parts", outline=marks))
    assert found.metadata["pdf"]["labels"][0] == "A"
    assert found.metadata["title"] == "Robot parts"
    assert found.text.startswith("# Red wheels\n")


def test_a_long_word_takes_linear_time() -> None:
    from pypdfium2 import PdfDocument

    from ragstone.plugins.book_chat.pdf.book import read_book

    def work(length: int) -> None:
        shown = f"({'a' * 500}) Tj " * (length // 500)
        drawn = f"BT /F1 0.005 Tf 72 700 Td {shown} ET"
        assert len(read_book(PdfDocument(make([[drawn]])))["text"]) > length

    assert grows_linearly(work, 15_000)
