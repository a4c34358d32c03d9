"""Words as lines, whatever order the file draws them in, lines as columns in reading order, and listings as text."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from .model import Line, Table, Word

_STRIP = 6.0
_DEEPEST = 2
_FEWEST_LINES = 5
#: Places of a page at which a lane between its columns is looked for.
_MOST_LANES = 2_000


@dataclass(slots=True)
class Column:
    """Lines and tables of one column, top to bottom, and its edges."""

    x0: float
    x1: float
    items: list[Line | Table]


def lines_of(words: Sequence[Word]) -> list[Line]:
    """The words as lines from top to bottom; what is set high or low beside larger type is in its line."""
    bands: list[tuple[float, float, list[Word]]] = []  # top, bottom, words
    near: dict[int, list[int]] = {}  # bands by the strips of the page that they touch
    # Larger type first: it makes the bands that smaller type joins.
    for word in sorted(words, key=lambda w: (-round(w.size), w.top, w.x0)):
        word_top, word_bottom = word.top, max(word.bottom, word.top + 0.1)
        height = word_bottom - word_top
        best, most = -1, 0.3  # an exponent of an exponent reaches far out of its line
        for at in near.get(int((word_top + word_bottom) / 2 / _STRIP), ()):
            top, bottom, _ = bands[at]
            low = bottom if bottom < word_bottom else word_bottom
            high = top if top > word_top else word_top
            shared = (low - high) / min(height, bottom - top)
            if shared > most and (shared > 0.5 or word.size < 0.87 * bands[at][2][0].size):
                best, most = at, shared
        if best >= 0:
            bands[best][2].append(word)
            continue
        for strip in range(int(word_top / _STRIP) - 1, min(int(word_bottom / _STRIP) + 2, int(word_top / _STRIP) + 40)):
            near.setdefault(strip, []).append(len(bands))
        bands.append((word_top, word_bottom, [word]))
    found = [Line(sorted(band, key=lambda w: w.x0)) for _, _, band in bands]
    return sorted(found, key=lambda line: (line.bottom, line.x0))


def segments_of(words: Sequence[Word]) -> list[Line]:
    """Lines cut wherever the gap between two words is as wide as the type is large."""
    out: list[Line] = []
    for line in lines_of(words):
        run = [line.words[0]]
        for word in line.words[1:]:
            reach = max(w.x1 for w in run[-3:])
            if word.x0 - reach > max(word.size, run[-1].size):
                out.append(Line(run))
                run = []
            run.append(word)
        out.append(Line(run))
    return out


def code_text(lines: Sequence[Line]) -> str:
    """Code with its lines, indentation and blank lines, from the positions of its glyphs."""
    wide = [(w.x1 - w.x0) / len(w.text) for line in lines for w in line.words if w.mono and len(w.text) > 1]
    step = median(wide) if wide else 6.0
    step = max(step, 1.0)
    shown = [code_words(line) for line in lines]
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


def code_words(line: Line) -> list[Word]:
    """The line's words without the number that a listing prints before it."""
    first, rest = line.words[0], line.words[1:]
    if rest and first.text.isdecimal() and (not first.mono or first.size < 0.85 * rest[0].size):
        return rest
    return line.words


def columns_of(words: Sequence[Word], tables: Sequence[Table], depth: int = 0) -> list[Column]:
    """A page's lines and tables in reading order; ``depth``: how often the page was divided already."""
    pieces: list[Line | Table] = [*segments_of(words), *tables]
    if not pieces:
        return []
    gutter = _gutter(pieces) if depth < _DEEPEST else None
    if gutter is None:
        items: list[Line | Table] = [*lines_of(words), *tables]
        items.sort(key=lambda item: item.bottom if isinstance(item, Line) else item.top)
        return [Column(min(i.x0 for i in items), max(i.x1 for i in items), items)]
    out: list[Column] = []
    across = [p for p in pieces if p.x0 < gutter < p.x1]
    beside = [p for p in pieces if not p.x0 < gutter < p.x1]
    for piece in sorted(across, key=lambda p: p.top):
        middle = (piece.top + piece.bottom) / 2
        band = [p for p in beside if (p.top + p.bottom) / 2 < middle]
        beside = [p for p in beside if (p.top + p.bottom) / 2 >= middle]
        out += _side_by_side(band, gutter, depth)
        if out and out[-1].items and out[-1].items[-1] in across:
            out[-1].items.append(piece)
            out[-1].x0, out[-1].x1 = min(out[-1].x0, piece.x0), max(out[-1].x1, piece.x1)
        else:
            out.append(Column(piece.x0, piece.x1, [piece]))
    return out + _side_by_side(beside, gutter, depth)


def _side_by_side(band: Sequence[Line | Table], gutter: float, depth: int) -> list[Column]:
    out: list[Column] = []
    for side in ([p for p in band if p.x1 <= gutter], [p for p in band if p.x1 > gutter]):
        words = [w for p in side if isinstance(p, Line) for w in p.words]
        out += columns_of(words, [p for p in side if isinstance(p, Table)], depth + 1)
    return out


def _gutter(pieces: Sequence[Line | Table]) -> float | None:
    """The x of an empty lane between two columns of running text, or None."""
    left, right = min(p.x0 for p in pieces), max(p.x1 for p in pieces)
    width = right - left
    step = max(1.5, width / _MOST_LANES)  # in a damaged file a word may be anywhere
    at, found = left + 0.25 * width, list[tuple[int, float]]()
    while at < right - 0.25 * width:
        found.append((sum(1 for p in pieces if p.x0 < at < p.x1), at))
        at += step
    if not found:
        return None
    fewest = min(count for count, _ in found)
    lanes = [at for count, at in found if count == fewest]
    gutter = min(lanes, key=lambda at: abs(at - (left + right) / 2))
    run = [at for at in lanes if abs(at - gutter) < 0.2 * width]
    gutter = (min(run) + max(run)) / 2 if max(run) - min(run) <= 1.07 * step * len(run) else gutter
    sides = [[p for p in pieces if p.x1 <= gutter], [p for p in pieces if p.x0 >= gutter]]
    if fewest * 3 > len(sides[0]) + len(sides[1]):
        return None
    is_margin = _is_smaller(sides[1], sides[0]) or _is_smaller(sides[0], sides[1])
    for side, room in zip(sides, (gutter - left, right - gutter), strict=True):
        inked = sum(p.x1 - p.x0 for p in side)
        full = sum(p.x1 - p.x0 for p in side if p.x1 - p.x0 > 0.55 * room)
        # Running text fills its column; a list of page numbers or of values does not.
        if (len(side) < _FEWEST_LINES and not is_margin) or full < 0.5 * inked:
            return None
    return gutter


def _is_smaller(margin: Sequence[Line | Table], text: Sequence[Line | Table]) -> bool:
    """Whether these are notes in the margin: a few lines, all in smaller type than most of the text beside them."""
    sizes, usual = ([piece.size for piece in side if isinstance(piece, Line)] for side in (margin, text))
    return bool(sizes) and len(usual) >= _FEWEST_LINES and max(sizes) < 0.92 * median(usual)
