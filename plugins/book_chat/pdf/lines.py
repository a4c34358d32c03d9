"""Words as lines, in whatever order the file draws them, and lines of a listing as program text."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import median

from .model import Line, Word

_STRIP = 6.0


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
