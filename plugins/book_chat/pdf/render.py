"""The subprocess that draws one page: ``python -m ….book_chat.pdf.render PAGE SECONDS MEGABYTES [grey]``.

It reads the PDF from standard input and the words to mark from the environment, and writes the page as PNG. Like the
reader it gets no other file, can write none, and sets limits of time and memory for itself.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ragstone.core.runtime import limit_process

from .limits import memory_for

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .model import Word

    Pixels = npt.NDArray[np.uint8]

#: Name of the variable that has the words to mark: JSON with the chunk and the quote.
MARKS = "RAGSTONE_PDF_MARKS"
#: Pixels of the picture at most, and of a point at most.
_WIDTH, _HEIGHT, _SCALE = 1240, 1754, 2.0
#: The same for OCR: 300 dots an inch, and pixels of the longer side.
_OCR_SCALE, _OCR_SIDE = 300 / 72, 5_000
#: Words that are compared; no chunk and no page that a person reads has more.
_MOST_WORDS = 4_000
#: Words of OCR that are handed over: a variable may have 128 kB.
_MOST_RECOGNISED = 1_000
#: Words in a row that must be the same, and words between two such runs that are marked with them.
_RUN, _GAP = 3, 3
_CHUNK, _QUOTE = (255, 246, 214), (255, 216, 107)


def main(number: int, seconds: float, megabytes: int, grey: bool = False) -> None:
    """Draw page ``number`` (from 1), ``grey`` as PGM for OCR. Ends with an error where it cannot."""
    limit_process(memory_for(1, megabytes), seconds)
    import numpy as np
    import pypdfium2
    from PIL import Image

    from .glyphs import read_page
    from .model import Word

    marks = json.loads(os.environ.get(MARKS, "{}"))
    document = pypdfium2.PdfDocument(os.fdopen(0, "rb", closefd=False))
    page = document[number - 1]
    wide, high = page.get_size()
    if grey:
        scale = min(_OCR_SCALE, _OCR_SIDE / max(wide, high, 1))
        drawn = page.render(scale=scale, grayscale=True, may_draw_forms=False).to_pil()
        # The comment has the pixels of a point.
        header = f"P5\n# scale {scale!r}\n{drawn.width} {drawn.height}\n255\n"
        sys.stdout.buffer.write(header.encode() + drawn.tobytes())
        return
    scale = min(_SCALE, _WIDTH / max(wide, 1), _HEIGHT / max(high, 1))
    drawn = page.render(scale=scale, rev_byteorder=True, may_draw_forms=False)
    pixels = np.ascontiguousarray(drawn.to_numpy()[:, :, :3])
    recognised = [
        Word(text, x0, top, x1, bottom, size=0.0, mono=False, bold=False)
        for text, x0, top, x1, bottom in marks.get("words", ())
    ]
    words = (recognised or read_page(document.raw, number, "").words)[:_MOST_WORDS]
    for text, colour in ((marks.get("passage"), _CHUNK), (marks.get("quote"), _QUOTE)):
        for box in _boxes(words, str(text or "")):
            _mark(pixels, [edge * scale for edge in box], colour)
    Image.fromarray(pixels).save(sys.stdout.buffer, "PNG")


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
    import numpy as np

    high, wide = pixels.shape[:2]
    x0, y0, x1, y1 = (round(min(max(edge, 0), most)) for edge, most in zip(box, (wide, high, wide, high), strict=True))
    place = pixels[y0:y1, x0:x1]
    place[:] = np.minimum(place, np.array(colour, dtype=np.uint8))


def environment(chunk: str, quote: str, recognised: Sequence[Word] = ()) -> dict[str, Any]:
    """Return what names the words to mark. It is no argument: those are seen by every user of the machine.

    ``recognised``: the words of a page without text, as OCR has found them.
    """
    named: dict[str, Any] = {"passage": chunk[:20_000], "quote": quote[:2_000]}
    words = [
        (word.text[:60], *(round(edge, 1) for edge in (word.x0, word.top, word.x1, word.bottom)))
        for word in recognised[:_MOST_RECOGNISED]
    ]
    return {MARKS: json.dumps({**named, "words": words} if words else named, ensure_ascii=False)}


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] == ["grey"])
