"""The parts of a page. Lengths are points (1/72 inch); y grows downwards from the top of the page."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Word:
    """Glyphs without a gap between them."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    #: Type size in points as printed.
    size: float
    mono: bool
    bold: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """A thin drawn line, or a thin filled rectangle, that runs along one axis."""

    x0: float
    top: float
    x1: float
    bottom: float

    @property
    def upright(self) -> bool:
        """Whether it runs from top to bottom."""
        return self.bottom - self.top > self.x1 - self.x0


@dataclass(slots=True)
class Table:
    """Rows of cells inside drawn lines."""

    x0: float
    top: float
    x1: float
    bottom: float
    rows: list[list[str]]


@dataclass(slots=True)
class Line:
    """Words beside each other, from left to right."""

    words: list[Word]
    x0: float = 0.0
    top: float = 0.0
    x1: float = 0.0
    bottom: float = 0.0
    size: float = 0.0

    def __post_init__(self) -> None:
        self.x0, self.x1 = min(w.x0 for w in self.words), max(w.x1 for w in self.words)
        widest = max(self.words, key=lambda w: (round(w.size, 1), len(w.text)))
        self.top, self.bottom, self.size = widest.top, widest.bottom, widest.size

    @property
    def text(self) -> str:
        """The words with single spaces."""
        return " ".join(word.text for word in self.words)

    def share(self, mono: bool = False) -> float:
        """Which part of its characters is monospaced, or else bold."""
        counted = sum(len(w.text) for w in self.words if (w.mono if mono else w.bold))
        return counted / max(1, sum(len(w.text) for w in self.words))


@dataclass(slots=True)
class Page:
    """One page as PDFium gives it; its lines, tables and columns are found later."""

    #: Physical page, from 1 as in ``#page=1``.
    number: int
    #: The page's own label (``iv``, ``A-3``), or "" when the file gives none.
    label: str
    width: float
    height: float
    words: list[Word]
    rules: list[Rule]
    #: Whether anything is drawn on it: a page with pictures and without text needs OCR, a blank one does not.
    drawn: bool
    #: What ``y`` of PDF space is the top of the page; None when the page is shown turned.
    origin: float | None
    #: Whether PDFium could not load it.
    broken: bool = False
    tables: list[Table] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the outline: its level from 1, its title, and where it leads (``top`` None: the page's beginning)."""

    level: int
    title: str
    page: int
    top: float | None


@dataclass(slots=True)
class Block:
    """A piece of the book: ``kind`` is heading, paragraph, item, code, table, caption, note or change.

    A note is a footnote; a change is an entry of a list of commits, its revision, date and words on a line each.
    """

    kind: str
    #: Text with the physical page that it is on; a paragraph may continue on others.
    pieces: list[tuple[int, str]]
    level: int = 0
    #: Whether it is the first, the last of its column: there a paragraph may have been cut in two.
    first: bool = False
    last: bool = False
