"""Tables of HTML as rows of texts, whatever makes a cell's text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

#: Digits of a number of rows or columns that is believed.
_MOST_DIGITS = 5


class TableRows:
    """Makes a table's rows: a cell over several rows is in each of them, one over several columns in its first."""

    def __init__(self, most_columns: int, most_covered: int) -> None:
        """``most_columns``: up to which a cell may extend. ``most_covered``: rows, or columns, that one may cover: its
        text is repeated in each of its rows."""
        self._most_columns, self._most_covered = most_columns, most_covered
        #: By column, the rows for which a cell from above still reaches down, and its text.
        self._reaching: dict[int, tuple[int, str]] = {}

    def row(self, cells: Iterable[tuple[Any, str]]) -> list[str]:
        """The next row, of its cells as lxml has them, each with its text."""
        texts: list[str] = []
        for cell, text in cells:
            self._reach_down(texts)
            down, across = (min(_span(cell, name), self._most_covered) for name in ("rowspan", "colspan"))
            for shown in (text, *[""] * (min(across, self._most_columns - len(texts)) - 1)):
                if down > 1 and len(texts) < self._most_columns:
                    self._reaching[len(texts)] = (down - 1, shown)
                texts.append(shown)
        self._reach_down(texts)
        return texts

    def _reach_down(self, texts: list[str]) -> None:
        while (found := self._reaching.pop(len(texts), None)) is not None:
            left, text = found
            if left > 1:
                self._reaching[len(texts)] = (left - 1, text)
            texts.append(text)


def _span(cell: Any, name: str) -> int:
    stated = (cell.get(name) or "").strip()
    return max(1, int(stated)) if stated.isascii() and stated.isdigit() and len(stated) <= _MOST_DIGITS else 1
