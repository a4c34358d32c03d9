"""Tables of HTML as rows of texts, whatever makes a cell's text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

#: Rows or columns that one cell may cover.
_MOST_COVERED = 1000


class TableRows:
    """Makes a table's rows: a cell over several rows is in each of them, one over several columns in its first."""

    def __init__(self, most_columns: int) -> None:
        """``most_columns``: up to which a cell may extend."""
        self._most_columns = most_columns
        #: By column, the rows for which a cell from above still reaches down, and its text.
        self._reaching: dict[int, tuple[int, str]] = {}

    def row(self, cells: Iterable[tuple[Any, str]]) -> list[str]:
        """The next row, of its cells as lxml has them, each with its text."""
        texts: list[str] = []
        for cell, text in cells:
            self._reach_down(texts)
            down, across = _span(cell, "rowspan"), _span(cell, "colspan")
            for shown in (text, *[""] * (min(across, self._most_columns - len(texts)) - 1)):
                if down > 1 and len(texts) < _MOST_COVERED:
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
    return max(1, min(int(stated), _MOST_COVERED)) if stated.isascii() and stated.isdigit() and len(stated) < 6 else 1
