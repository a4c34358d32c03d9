"""The words of a drawn page, as tesseract reads them. Runs in the worker process only, whose limits tesseract has."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from ragstone.core.runtime import Unanswered

from .headings import is_numbered
from .model import Word

#: Below this confidence (of 100) a word of signs alone is a speck, and below the other every word is.
_SIGNS_CONFIDENCE, _LEAST_CONFIDENCE = 60.0, 20.0
_LONGEST_HEADING = 90
#: One thread: the limit is of processor time, and several pages may be read at a time.
_ENVIRONMENT = {"OMP_THREAD_LIMIT": "1", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


def recognise(picture: bytes, scale: float, *, program: str, languages: str) -> list[Word]:
    """The words of a picture, in points of ``scale`` pixels. Raises ``Unanswered``."""
    command = [program, "stdin", "stdout", "-l", languages, "--dpi", "300", "tsv"]
    done = subprocess.run(command, input=picture, capture_output=True, env=_ENVIRONMENT, check=False)  # noqa: S603
    if done.returncode:
        raise Unanswered("crashed", f"tesseract ended with {done.returncode}; has it {languages}?")
    return words_of(done.stdout.decode("utf-8", "replace"), scale)


def words_of(table: str, scale: float) -> list[Word]:
    """Tesseract's table of words as words in points, of ``scale`` pixels: those of a line stand on it, and in the type
    size of its text."""
    lines: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in _rows(table):
        lines.setdefault(tuple(row[name] for name in ("block_num", "par_num", "line_num")), []).append(row)
    paragraphs = Counter(line[:2] for line in lines)
    found: list[Word] = []
    for line, words in lines.items():
        size = _height(words)
        text = " ".join(word["text"] for word in words)
        # A scan says nothing of bold type: a numbered line by itself is taken for a heading.
        is_heading = paragraphs[line[:2]] == 1 and len(text) < _LONGEST_HEADING and is_numbered(text)
        bottom = median(word["top"] + word["height"] for word in words)
        for word in words:
            left, right = word["left"], word["left"] + word["width"]
            places = (left / scale, (bottom - size) / scale, right / scale, bottom / scale)
            # The height of a line with ascenders and descenders is about its type size.
            found.append(Word(word["text"], *places, size=round(size / scale, 1), mono=False, bold=is_heading))
    return found


def _rows(table: str) -> Iterable[dict[str, Any]]:
    names: list[str] = []
    for line in table.splitlines():
        cells = line.split("\t")
        if not names:
            names = cells
            continue
        row: dict[str, Any] = dict(zip(names, cells, strict=False))
        try:
            row |= {name: float(row[name]) for name in ("left", "top", "width", "height", "conf")}
        except (KeyError, ValueError):
            continue
        text = str(row.get("text", "")).strip()
        is_word = any(sign.isalnum() for sign in text)
        if text and row["conf"] >= (_LEAST_CONFIDENCE if is_word else _SIGNS_CONFIDENCE):
            yield row | {"text": text}


def _height(words: Sequence[dict[str, Any]]) -> float:
    """The height of a line, from its lowest to its highest word of letters."""
    tall = [word for word in words if any(sign.isalnum() for sign in word["text"])] or list(words)
    return float(max(word["height"] for word in tall))
