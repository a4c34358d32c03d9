"""Tables inside drawn lines: connected lines make a grid, words go into its cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from .lines import lines_of
from .model import Page, Rule, Table, Word

_TOUCH = 4.5  # points between lines that are meant to meet
_APART = 5.0  # points between two lines that are not one
_MAX_RULES = 3000
_FILLED = 0.25  # of a table's cells


def take_tables(page: Page) -> None:
    """Move the words of every grid of two or more columns from ``page.words`` into ``page.tables``."""
    for grid in _grids(page.rules[:_MAX_RULES]):
        columns = _distinct(r.x0 for r in grid if r.upright)
        rows = _rows(grid, len(columns))
        if len(columns) < 3 or len(rows) < 2:  # a frame around text is no table
            continue
        inside = [w for w in page.words if _inside(w, columns, rows)]
        cells = _fill(inside, columns, rows)
        filled = [sum(map(bool, row)) for row in cells]
        # A plot's grid has few words in many cells.
        if max(filled, default=0) < 2 or (len(columns) > 6 and sum(filled) < _FILLED * len(rows) * len(columns)):
            continue
        page.tables.append(Table(columns[0], rows[0], columns[-1], rows[-1], cells))
        taken = set(map(id, inside))
        page.words = [w for w in page.words if id(w) not in taken]


def _grids(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Lines that touch, directly or through others."""
    parent = list(range(len(rules)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    order = sorted(range(len(rules)), key=lambda at: rules[at].top)
    open_: list[int] = []
    for at in order:
        rule = rules[at]
        open_ = [other for other in open_ if rules[other].bottom + _TOUCH >= rule.top]
        for other in open_:
            if rules[other].x0 - _TOUCH <= rule.x1 and rule.x0 <= rules[other].x1 + _TOUCH:
                parent[root(at)] = root(other)
        open_.append(at)
    grids: dict[int, list[Rule]] = {}
    for at in range(len(rules)):
        grids.setdefault(root(at), []).append(rules[at])
    return [grid for grid in grids.values() if len(grid) >= 5]


def _rows(grid: Sequence[Rule], columns: int) -> list[float]:
    """The edges of the rows: drawn across, or where the upright lines of all columns begin or end."""
    ends = sorted(place for r in grid if r.upright for place in (r.top, r.bottom))
    shared = [at for at in _distinct(ends) if sum(1 for end in ends if 0 <= end - at <= _APART) >= columns]
    across = _distinct(r.top for r in grid if not r.upright)
    return _distinct([*across, *shared]) if shared and across else across


def _distinct(places: Iterable[float]) -> list[float]:
    """The places in order, those that are one line's two edges or parts counted once."""
    out: list[float] = []
    for place in sorted(places):
        if not out or place - out[-1] > _APART:
            out.append(place)
    return out


def _inside(word: Word, columns: Sequence[float], rows: Sequence[float]) -> bool:
    x, y = (word.x0 + word.x1) / 2, (word.top + word.bottom) / 2
    return columns[0] - 1 <= x <= columns[-1] + 1 and rows[0] - 1 <= y <= rows[-1] + 1


def _fill(words: Sequence[Word], columns: Sequence[float], rows: Sequence[float]) -> list[list[str]]:
    cells: list[list[list[Word]]] = [[[] for _ in columns[1:]] for _ in rows[1:]]
    for word in words:
        x, y = (word.x0 + word.x1) / 2, (word.top + word.bottom) / 2
        column = next((n for n, (_, right) in enumerate(pairwise(columns)) if x < right), len(columns) - 2)
        row = next((n for n, (_, low) in enumerate(pairwise(rows)) if y < low), len(rows) - 2)
        cells[row][column].append(word)
    read = [["\n".join(line.text for line in lines_of(cell)) for cell in row] for row in cells]
    return [row for row in read if any(row)]
