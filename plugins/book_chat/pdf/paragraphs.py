"""Lines as paragraphs, list items, code, captions and tables."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from ..markdown.blocks import table_lines
from .headings import Headings
from .lines import Column, code_text, code_words
from .model import Block, Line, Table

_ITEM = re.compile(r"([•◦▪‣∙●○■□❏❑❒☐▶►▸➢➤✓✔◆◇–−∗*·]|\(?\d{1,2}[.)]|\([a-z]\))(?:\s+|$)")
# "Figure 3.1 shows …" is a sentence.
_CAPTION = re.compile(
    r"(?:Figure|Fig\.|Table|Listing|Algorithm)\s+(?:[A-Z]\.?)?\d+(?:[.\-]\d+)*+\s*[:.]\s*\S", re.IGNORECASE
)
_CONTINUED = re.compile(
    r"\W*(?:table )?(?:\S*\d)?\W*continue[ds](?: (?:on|from) (?:the )?(?:next|previous|following) page)?\W*",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"[-−–+\d.,%°\s]+")  # labels of a plot's axes
_NOTE = re.compile(r"(?:\d{1,2}|[*†‡§])\s?[^\W\d_]")
#: Size of a note's type, in that of the running text.
_NOTE_SIZE = 0.92
_COMMIT = re.compile(r"([0-9a-f]{7,40})\s+(\d{4}-\d\d-\d\d)\s+(?=\S)")
_LEADERS = re.compile(r"(?:\s*[.·…]){4,}\s*[\divxlcA-Z.\-]*$")
#: Characters at a line's end in which they are looked for, and of a line that a table goes on with.
_LONGEST_END = 200
_TERM_WORDS = 6
_MATHS = re.compile(r"[=≈≤≥<>→←↦∑∫∏√∈∝≡±×⊕∂∇]|\^|_")
_ENDS = re.compile(r"[.!?:;][\"')\]”’]*$")


def blocks_of(number: int, columns: Sequence[Column], headings: Headings) -> list[Block]:
    """The blocks of page ``number`` in reading order."""
    out: list[Block] = []
    prose = _prose_size(columns)
    for column in columns:
        reader = _Reader(number, column, prose)
        for item in column.items:
            for level, words in headings.before.get(id(item), ()):
                reader.close()
                reader.out.append(Block("heading", [(number, words)], level))
            if id(item) not in headings.taken:
                reader.take(item)
        reader.close()
        if running := [block for block in reader.out if block.kind != "note"]:
            running[0].first = running[-1].last = True
        out += reader.out
    return out


def _prose_size(columns: Sequence[Column]) -> float:
    """The size of most of the columns' type that is not that of code."""
    sizes: Counter[float] = Counter()
    for line in (item for column in columns for item in column.items if isinstance(item, Line)):
        sizes[line.size] += sum(len(word.text) for word in line.words if not word.mono)
    return max(sizes, key=sizes.__getitem__, default=10.0)


class _Reader:
    """Reads one column, item by item."""

    def __init__(self, number: int, column: Column, prose: float) -> None:
        """``prose``: the size of the page's running text."""
        self.out: list[Block] = []
        self._number = number
        self._column = column
        self._prose = prose
        #: Whether it is one of notes in the margin.
        self._is_margin = _prose_size([column]) < _NOTE_SIZE * prose
        #: The block that the next line may continue; "" without one.
        self._kind = ""
        self._lines: list[Line] = []
        #: Whether the first of them is a term that the others, set in, explain.
        self._has_term = False
        #: The least indented item so far.
        self._margin = float("inf")
        lines = [item for item in column.items if isinstance(item, Line)]
        steps = [b.bottom - a.bottom for a, b in itertools.pairwise(lines) if 2 < b.bottom - a.bottom < 3 * b.size]
        self._step = median(steps) if steps else 12.0

    def take(self, item: Line | Table) -> None:
        if isinstance(item, Table):
            self.close()
            rows = [list(map(_joined, row)) for row in item.rows]
            self.out.append(Block("table", [(self._number, "\n".join(table_lines(rows)))]))
            return
        text = item.text
        is_continued = len(text) <= _LONGEST_END and _CONTINUED.fullmatch(text)
        if _LEADERS.search(text[-_LONGEST_END:]) or is_continued:  # of the table of contents: the headings say the same
            self.close()
        elif self._is_line_number(item):
            return
        elif self._is_code(item):
            if not self._continues_code(item):
                self._begin("code")
            self._lines.append(item)
        else:
            if _ITEM.match(text):
                self._begin("item")
            elif _COMMIT.match(text):
                self._begin("change")
            elif _CAPTION.match(text):
                self._begin("caption")
            elif self._defines(item):
                self._kind = "paragraph"
            elif self._explains(item):
                self._has_term = True
            elif self._kind in ("", "code") or self._starts_paragraph(item) or self._is_formula(item):
                self._begin("paragraph")
            self._lines.append(item)

    def _is_formula(self, line: Line) -> bool:
        """Whether a line is a displayed formula: set in from both sides, with a sign of mathematics."""
        wide = self._column.x1 - self._column.x0
        inside = self._column.x0 + 0.12 * wide < line.x0 and line.x1 < self._column.x1 - 0.03 * wide
        return inside and bool(_MATHS.search(line.text)) and len(line.words) < 25

    def _is_code(self, line: Line) -> bool:
        """Whether a line is of a listing: in its type, its number aside, or between its lines in its size."""
        words = code_words(line)
        mono = sum(len(word.text) for word in words if word.mono) > 0.7 * sum(len(word.text) for word in words)
        if self._kind != "code":
            # "… the current value of" goes on with "in misa.".
            begun = bool(self._lines) and not _ENDS.search(self._lines[-1].text)
            return mono and (words[0].mono or len(words) < len(line.words) or (not begun and words[0].text != "•"))
        last = self._lines[-1]
        other = abs(line.size - self._prose) > 0.05 * line.size
        return mono or (other and abs(line.size - last.size) < 0.3 and self._continues_code(line) and not words[0].bold)

    def _defines(self, line: Line) -> bool:
        """Whether a line, set in, defines the term in the type of code that stands alone on the line above."""
        if self._kind != "code" or len(self._lines) > 1:
            return False
        term = self._lines[0]
        near = line.bottom - term.bottom < 2 * line.size
        return near and len(term.words) == 1 and line.x0 > term.x0 + 0.8 * line.size

    def _explains(self, line: Line) -> bool:
        """Whether a line, set in, begins what is said of the short term that stands alone above it."""
        if self._kind != "paragraph" or len(self._lines) != 1:
            return False
        term, wide = self._lines[0], self._column.x1 - self._column.x0
        is_term = len(term.words) <= _TERM_WORDS and term.text[0].isupper() and term.text[-1].isalpha()
        return (
            is_term
            and line.x0 > term.x0 + 0.8 * line.size
            and line.x1 > term.x1
            and (line.x1 > self._column.x0 + 0.5 * wide or _ENDS.search(line.text) is not None)
            and line.bottom - term.bottom < 3 * line.size
            and abs(line.size - term.size) < 0.3
            and line.text[0].isupper()
        )

    def _continues_code(self, item: Line) -> bool:
        return self._kind == "code" and item.top - self._lines[-1].bottom < 2.6 * max(item.size, 6)

    def _is_line_number(self, item: Line) -> bool:
        """Whether a line of a listing has only its line number."""
        if self._kind != "code" or item.share(mono=True) > 0:
            return False
        return item.text.replace(" ", "").isdecimal() and item.size < 0.9 * self._lines[-1].size

    def _begin(self, kind: str) -> None:
        self.close()
        self._kind, self._has_term = kind, False

    def _starts_paragraph(self, line: Line) -> bool:
        """Whether a line begins a paragraph: by the gap above it, its type, its indentation."""
        last = self._lines[-1]
        if self._kind == "change":
            return line.bottom - last.bottom > 2 * line.size
        if self._kind == "paragraph" and self._is_formula(last):
            return True
        if self._has_term and line.x0 < self._lines[1].x0 - 0.8 * line.size:
            return True
        if line.bottom - last.bottom > 1.35 * max(self._step, 1.05 * min(line.size, last.size)):
            return True
        if line.bottom < last.top or abs(line.size - last.size) > 0.12 * last.size:
            return True
        edge = self._lines[1].x0 if len(self._lines) > 1 else self._column.x0
        if self._kind == "item":
            return line.x0 < self._lines[0].x0 - 1 or (len(self._lines) > 1 and line.x0 > edge + 0.8 * line.size)
        short = last.x1 < self._column.x1 - 0.12 * (self._column.x1 - self._column.x0)
        indented = line.x0 > edge + 0.8 * line.size and line.x0 > last.x0 + 0.8 * line.size
        return bool(_ENDS.search(last.text)) and (short or indented)

    def close(self) -> None:
        kind, lines = self._kind, self._lines
        self._kind, self._lines = "", []
        if not kind:
            return
        if kind == "code" and (len(lines) > 1 or " " in lines[0].text):
            self.out.append(Block("code", [(self._number, code_text(lines))]))
            return
        text, level = "\n".join(line.text for line in lines), 0
        if kind == "item":
            first = lines[0]
            self._margin = min(self._margin, first.x0)
            level = int(first.x0 > self._margin + 0.5 * first.size)
            marker = _ITEM.match(text)
            sign = marker[1] if marker else ""
            words = text[marker.end() :] if marker else text
            number = re.fullmatch(r"(\d{1,2})[.)]", sign)
            if not words.strip():
                return
            keep = sign.startswith("(")
            text = f"{number[1]}. {words}" if number else f"- {sign + ' ' if keep else ''}{words}"
        # A single word in the type of code, such as an address, is a line of prose.
        kind = "paragraph" if kind == "code" else kind
        if kind == "paragraph":
            if _NUMBERS.fullmatch(text):
                return
            if (self._is_margin or _NOTE.match(text)) and lines[0].size < _NOTE_SIZE * self._prose:
                kind = "note"
            explained = "\n".join(line.text for line in lines[1:])
            text = f"{lines[0].text}: {explained}" if self._has_term else _with_term(lines) or text
        elif kind == "change":
            text = _COMMIT.sub(r"\1\n\2\n", " ".join(text.split("\n")), count=1)
        self.out.append(Block(kind, [(self._number, text)], level))


def _with_term(lines: Sequence[Line]) -> str | None:
    """A paragraph that begins with the term that it is about, in its own type: ``term: text``; else None."""
    words = [word for line in lines for word in line.words]
    count = next((at for at, word in enumerate(words) if not (word.bold or word.mono)), len(words))
    if not 0 < count < min(9, len(words)):
        return None
    term, rest = words[count - 1].text, words[count].text
    alone = count == len(lines[0].words) and lines[1].x0 > lines[0].x0 + 0.8 * lines[0].size
    starts_alone = rest[:1].isupper() and not any(word.mono for word in words[:count])
    if term[-1] in ".:,;!?-–—)" or rest[0] in ":.,;-–—(=" or not (alone or starts_alone):
        return None
    shown = "\n".join(line.text for line in lines)
    place = len(" ".join(word.text for word in words[:count]))
    return f"{shown[:place]}: {shown[place:].lstrip()}" if "\n" not in shown[:place] else None


def _joined(cell: str) -> str:
    """A cell's lines as one, words that were cut at line ends whole again."""
    words = re.sub(r"(?<=[a-z])[-\xad]\n(?=[a-z])", "", cell).replace("\xad", "")
    return " ".join(words.split())
