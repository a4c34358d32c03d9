"""Words as lines, in whatever order the file draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import Word


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
