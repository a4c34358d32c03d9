"""Lines as paragraphs, list items, code, captions and tables."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from .model import Block, Line, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .columns import Column
    from .headings import Headings
    from .model import Word

_ITEM = re.compile(r"([•◦▪‣∙●○■–−∗*·]|\(?\d{1,2}[.)]|\([a-z]\))(?:\s+|$)")
_CAPTION = re.compile(
    r"(?:Figure|Fig\.|Table|Listing|Algorithm)\s+(?:[A-Z]\.?)?\d+(?:[.\-]\d+)*\s*[:.]\s*\S", re.IGNORECASE
)
_LEADERS = re.compile(r"(?:\s*[.·…]){4,}\s*[\divxlcA-Z.\-]*$")
_MATHS = re.compile(r"[=≈≤≥<>→←↦∑∫∏√∈∝≡±×⊕∂∇]|\^|_")
_ENDS = re.compile(r"[.!?:;][\"')\]”’]*$")


@dataclass
class _Open:
    """The block that the next line may continue."""

    kind: str
    lines: list[Line]
    page: int
    level: int = 0
    pieces: list[tuple[int, str]] = field(default_factory=list)


def blocks_of(number: int, columns: Sequence[Column], headings: Headings) -> list[Block]:
    """The blocks of page ``number`` in reading order."""
    out: list[Block] = []
    for column in columns:
        reader = _Reader(number, column)
        for item in column.items:
            for heading in headings.before.get(id(item), ()):
                reader.close()
                reader.out.append(Block("heading", [(number, heading.text)], heading.level))
            if id(item) not in headings.taken:
                reader.take(item)
        reader.close()
        if reader.out:
            reader.out[0].first = reader.out[-1].last = True
        out += reader.out
    return out


class _Reader:
    """Reads one column, item by item."""

    def __init__(self, number: int, column: Column) -> None:
        self.out: list[Block] = []
        self._number = number
        self._column = column
        self._open: _Open | None = None
        lines = [item for item in column.items if isinstance(item, Line)]
        steps = [b.bottom - a.bottom for a, b in itertools.pairwise(lines) if 2 < b.bottom - a.bottom < 3 * b.size]
        self._step = median(steps) if steps else 12.0

    def take(self, item: Line | Table) -> None:
        if isinstance(item, Table):
            self.close()
            self.out.append(Block("table", [(self._number, markdown_table(item.rows))]))
            return
        text = item.text
        if _LEADERS.search(text):  # a line of the table of contents: the headings say the same
            self.close()
            return
        if self._is_line_number(item):
            return
        if item.share(mono=True) > 0.7:
            if not self._continues_code(item):
                self.close()
                self._open = _Open("code", [], self._number)
            assert self._open is not None  # noqa: S101
            self._open.lines.append(item)
            return
        marker = _ITEM.match(text)
        if marker:
            self._begin("item", item)
        elif _CAPTION.match(text):
            self._begin("caption", item)
        elif self._open is None or self._open.kind == "code" or self._starts_paragraph(item) or self._is_formula(item):
            self._begin("paragraph", item)
        else:
            self._open.lines.append(item)

    def _is_formula(self, line: Line) -> bool:
        """Whether a line is a displayed formula: set in from both sides, with a sign of mathematics."""
        wide = self._column.x1 - self._column.x0
        return line.x0 > self._column.x0 + 0.12 * wide and bool(_MATHS.search(line.text)) and len(line.words) < 25

    def _continues_code(self, item: Line) -> bool:
        return (
            self._open is not None
            and self._open.kind == "code"
            and item.top - self._open.lines[-1].bottom < 2.6 * max(item.size, 6)
        )

    def _is_line_number(self, item: Line) -> bool:
        """Whether a line of a listing has only its line number."""
        if self._open is None or self._open.kind != "code" or item.share(mono=True) > 0:
            return False
        return item.text.replace(" ", "").isdecimal() and item.size < 0.9 * self._open.lines[-1].size

    def _begin(self, kind: str, line: Line) -> None:
        self.close()
        self._open = _Open(kind, [line], self._number)

    def _starts_paragraph(self, line: Line) -> bool:
        """Whether a line begins a paragraph: by the gap above it, its type, its indentation."""
        assert self._open is not None  # noqa: S101
        last = self._open.lines[-1]
        if self._open.kind == "paragraph" and self._is_formula(last):
            return True
        if line.bottom - last.bottom > 1.35 * max(self._step, 1.05 * min(line.size, last.size)):
            return True
        if line.bottom < last.top or abs(line.size - last.size) > 0.12 * last.size:
            return True
        edge = self._open.lines[1].x0 if len(self._open.lines) > 1 else self._column.x0
        if self._open.kind == "item":
            return line.x0 < self._open.lines[0].x0 - 1 or (
                len(self._open.lines) > 1 and line.x0 > edge + 0.8 * line.size
            )
        short = last.x1 < self._column.x1 - 0.12 * (self._column.x1 - self._column.x0)
        indented = line.x0 > edge + 0.8 * line.size and line.x0 > last.x0 + 0.8 * line.size
        return bool(_ENDS.search(last.text)) and (short or indented)

    def close(self) -> None:
        opened, self._open = self._open, None
        if opened is None:
            return
        if opened.kind == "code" and (len(opened.lines) > 1 or " " in opened.lines[0].text):
            self.out.append(Block("code", [(opened.page, code_text(opened.lines))]))
            return
        text = "\n".join(line.text for line in opened.lines)
        if opened.kind == "item":
            marker = _ITEM.match(text)
            sign = marker[1] if marker else ""
            words = text[marker.end() :] if marker else text
            number = re.fullmatch(r"(\d{1,2})[.)]", sign)
            if not words.strip():
                return
            keep = sign.startswith("(")
            text = f"{number[1]}. {words}" if number else f"- {sign + ' ' if keep else ''}{words}"
        # A single word in the type of code, such as an address, is a line of prose.
        kind = "paragraph" if opened.kind == "code" else opened.kind
        self.out.append(Block(kind, [(opened.page, text)]))


def code_text(lines: Sequence[Line]) -> str:
    """Code with its lines, indentation and blank lines, from the positions of its glyphs."""
    wide = [(w.x1 - w.x0) / len(w.text) for line in lines for w in line.words if w.mono and len(w.text) > 1]
    step = median(wide) if wide else 6.0
    step = max(step, 1.0)
    shown = [_code_words(line) for line in lines]
    left = min(words[0].x0 for words in shown)
    pitch = [b.bottom - a.bottom for a, b in itertools.pairwise(lines) if b.bottom - a.bottom > 1]
    usual = min(pitch) if pitch else 12.0
    out: list[str] = []
    for at, words in enumerate(shown):
        if at and lines[at].bottom - lines[at - 1].bottom > 1.6 * usual:
            out.append("")
        row = ""
        for word in words:
            place = round((word.x0 - left) / step)
            row += " " * min(max(place - len(row), 1 if row else 0), 120) + word.text
        out.append(row)
    return "\n".join(out)


def _code_words(line: Line) -> list[Word]:
    """The line's words without the number that a listing prints before it."""
    first, rest = line.words[0], line.words[1:]
    if rest and first.text.isdecimal() and (not first.mono or first.size < 0.85 * rest[0].size):
        return rest
    return line.words


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a Markdown table whose first row is its head."""
    width = max(len(row) for row in rows)
    cells = [[" ".join(join_lines(cell).split()).replace("|", "\\|") for cell in row] for row in rows]
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def join_lines(text: str) -> str:
    """A cell's or a heading's lines as one, words that were cut at line ends whole again."""
    return re.sub(r"(?<=[a-z])[-\xad]\n(?=[a-z])", "", text).replace("\xad", "").replace("\n", " ")
