from __future__ import annotations

import pytest

from ragstone.web.rendering import Block, Piece, blocks, pieces


def text(words: str) -> tuple[Piece, ...]:
    return (Piece("text", words),)


def test_a_line_is_text_code_strong_words_and_citations() -> None:
    assert pieces("A `b` **c** d [1][2] [3].", {1, 2}) == (
        Piece("text", "A "),
        Piece("code", "b"),
        Piece("text", " "),
        Piece("strong", "c"),
        Piece("text", " d\u00a0"),
        Piece("cite", "1"),
        Piece("cite", "2"),
        Piece("text", " [3]."),
    )


def test_a_formula_is_one_piece_and_its_index_no_citation() -> None:
    assert pieces(r"So $\sqrt[3]{x}$ [3] costs $5 or $6.", {3}) == (
        Piece("text", "So "),
        Piece("math", r"$\sqrt[3]{x}$"),
        Piece("text", "\u00a0"),
        Piece("cite", "3"),
        Piece("text", " costs $5 or $6."),
    )


@pytest.mark.parametrize("words", ["`open", "**open", "[x]", "[1", "1]", "a ** b", "``", ""])
def test_what_is_no_mark_stays_as_it_is(words: str) -> None:
    assert "".join(piece.text for piece in pieces(words, {1})) == words


def test_an_answer_is_paragraphs_lists_code_and_tables() -> None:
    found = blocks(
        "One\ntwo  \n[1]\n\n- a\n- b\n3. c\n```py\nx = [1]\n\n# y\n```\n| h | i |\n|---|---|\n| j | k |\nend", {1}
    )
    assert found == [
        Block("p", ((Piece("text", "One two\u00a0"), Piece("cite", "1")),)),
        Block("ul", (text("a"), text("b"))),
        Block("ol", (text("c"),), start=3),
        Block("code", (("x = [1]",), ("",), ("# y",))),
        Block("table", ((text("h"), text("i")), (text("j"), text("k"))), headed=True),
        Block("p", (text("end"),)),
    ]


def test_a_quotation_s_marks_are_not_its_words() -> None:
    assert blocks("> [!WARNING]\n> Mind your head.\n> - a") == [
        Block("p", ((Piece("strong", "Warning."), Piece("text", " Mind your head.")),)),
        Block("ul", (text("a"),)),
    ]


def test_an_item_goes_on_until_a_blank_line() -> None:
    assert blocks("- a\n  more\n- b\n[1]\n\nend", {1}) == [
        Block("ul", (text("a more"), (Piece("text", "b\u00a0"), Piece("cite", "1")))),
        Block("p", (text("end"),)),
    ]


def test_a_number_at_the_beginning_of_a_line_makes_no_list_of_a_sentence() -> None:
    assert blocks("in the year\n99. Then\n1. a") == [
        Block("p", (text("in the year 99. Then"),)),
        Block("ol", (text("a"),)),
    ]


def test_code_that_is_never_closed_goes_to_the_end() -> None:
    assert blocks("```\na\n- b") == [Block("code", (("a",), ("- b",)))]


@pytest.mark.parametrize("words", ["", "\n\n", "   "])
def test_nothing_is_nothing(words: str) -> None:
    assert blocks(words) == []
