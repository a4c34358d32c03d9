"""Cells of HTML's tables that cover several rows or columns."""

from __future__ import annotations

from ragstone.core.ingestion import TableRows


def made(*rows: list[tuple[dict[str, str], str]], most: int = 10) -> list[list[str]]:
    table = TableRows(most, 5)
    return [table.row(row) for row in rows]


def test_a_cell_over_rows_is_in_each_and_one_over_columns_in_its_first() -> None:
    wide = {"rowspan": "2", "colspan": "2"}
    assert made([({}, "a"), (wide, "b"), ({}, "c")], [({}, "d"), ({}, "e")], [({}, "f")]) == [
        ["a", "b", "", "c"],
        ["d", "b", "", "e"],
        ["f"],
    ]


def test_what_is_no_number_of_rows_or_columns_is_one() -> None:
    for stated in ("", "0", "-3", "x", "²", "9" * 400):
        assert made([({"rowspan": stated, "colspan": stated}, "a"), ({}, "b")], [({}, "c")]) == [["a", "b"], ["c"]]


def test_a_cell_covers_no_more_columns_than_it_may() -> None:
    assert made([({"colspan": "99999"}, "a"), ({}, "b")], most=3) == [["a", "", "", "b"]]


def test_a_cell_covers_no_more_rows_than_it_may() -> None:
    below: list[tuple[dict[str, str], str]] = [({}, "b")]
    rows = made([({"rowspan": "1000"}, "a")], *[below] * 6)
    assert [row[0] for row in rows] == ["a"] * 5 + ["b"] * 2
