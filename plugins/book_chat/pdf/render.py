"""A page as a picture: with words marked in it for a reader, or as OCR wants it. Runs in the worker process only."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from .glyphs import read_page
from .model import Word

Pixels = npt.NDArray[np.uint8]

#: Pixels of the picture at most, and of a point at most.
_WIDTH, _HEIGHT, _SCALE = 1240, 1754, 2.0
#: The same for OCR: 300 dots an inch, and pixels of the longer side.
_OCR_SCALE, _OCR_SIDE = 300 / 72, 5_000
#: Words that are compared; no chunk and no page that a person reads has more.
_MOST_WORDS = 4_000
#: Words in a row that must be the same, and words between two such runs that are marked with them.
_RUN, _GAP = 3, 3
_CHUNK, _QUOTE = (255, 246, 214), (255, 216, 107)


def draw(document: Any, number: int, passage: str, quote: str, recognised: Sequence[dict[str, Any]]) -> bytes:
    """Page ``number`` (from 1) as PNG, the words of ``passage`` and ``quote`` marked.

    ``recognised``: the words of a page without text, as OCR has found them.
    """
    page = document[number - 1]
    wide, high = page.get_size()
    scale = min(_SCALE, _WIDTH / max(wide, 1), _HEIGHT / max(high, 1))
    drawn = page.render(scale=scale, rev_byteorder=True, may_draw_forms=False)
    pixels = np.ascontiguousarray(drawn.to_numpy()[:, :, :3])
    words = [Word(**word) for word in recognised] or read_page(document.raw, number, "").words
    for text, colour in ((passage, _CHUNK), (quote, _QUOTE)):
        for box in _boxes(words[:_MOST_WORDS], text):
            _mark(pixels, [edge * scale for edge in box], colour)
    picture = io.BytesIO()
    Image.fromarray(pixels).save(picture, "PNG")
    return picture.getvalue()


def draw_grey(document: Any, number: int) -> tuple[bytes, float]:
    """Page ``number`` (from 1) as PGM in grey, and the pixels of a point, which are fewer on a large page."""
    page = document[number - 1]
    scale = min(_OCR_SCALE, _OCR_SIDE / max(*page.get_size(), 1))
    drawn = page.render(scale=scale, grayscale=True, may_draw_forms=False).to_pil()
    return f"P5\n{drawn.width} {drawn.height}\n255\n".encode() + drawn.tobytes(), scale


def marked(words: Sequence[str], text: str) -> list[int]:
    """Return which of a page's words are those of ``text``, or stand between two runs of them."""
    page = [(token, at) for at, word in enumerate(words) for token in _tokens(word)]
    wanted = _tokens(text)[:_MOST_WORDS]
    least = min(_RUN, len(wanted))
    matcher = SequenceMatcher(None, [token for token, _ in page], wanted, autojunk=False)
    runs = [run for run in matcher.get_matching_blocks() if run.size >= max(least, 1)]
    found: set[int] = set()
    for run, after in zip_longest(runs, runs[1:]):
        end = run.a + run.size
        if after is not None and after.a - end <= _GAP and after.b - (run.b + run.size) <= _GAP:
            end = after.a  # such as a word that is divided at a line's end
        found.update(page[at][1] for at in range(run.a, end))
    return sorted(found)


def _tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _boxes(words: Sequence[Word], text: str) -> list[list[float]]:
    """The marked words' places in points, those that follow each other in a line as one."""
    boxes: list[list[float]] = []
    before = -2
    for at in marked([word.text for word in words], text):
        word = words[at]
        last = boxes[-1] if boxes and at == before + 1 else None
        high = word.bottom - word.top
        if last is not None and abs(last[3] - word.bottom) < high / 2 and -high < word.x0 - last[2] < 2 * high:
            last[1:] = [min(last[1], word.top), max(last[2], word.x1), max(last[3], word.bottom)]
        else:
            boxes.append([word.x0, word.top, word.x1, word.bottom])
        before = at
    return boxes


def _mark(pixels: Pixels, box: Sequence[float], colour: tuple[int, int, int]) -> None:
    """Lay a colour over a place, as a marker pen does: what is dark stays dark."""
    high, wide = pixels.shape[:2]
    x0, y0, x1, y1 = (round(min(max(edge, 0), most)) for edge, most in zip(box, (wide, high, wide, high), strict=True))
    place = pixels[y0:y1, x0:x1]
    place[:] = np.minimum(place, np.array(colour, dtype=np.uint8))
