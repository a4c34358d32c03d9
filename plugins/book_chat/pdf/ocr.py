"""Pages without a text layer, read by tesseract: drawn and recognised in subprocesses, and kept for the next time."""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile
from typing import IO, Any

from pydantic import TypeAdapter, ValidationError

from ragstone.core.runtime import Unanswered, run_in_subprocess, write_atomically

from .headings import is_numbered
from .model import Word
from .process import collect, draw_in_subprocess

_log = logging.getLogger(__name__)
_WORDS: TypeAdapter[dict[int, list[Word]]] = TypeAdapter(dict[int, list[Word]])
#: Seconds and megabytes of one page, bytes of its words.
_SECONDS, _MEGABYTES, _MOST_BYTES = 90.0, 1500, 3_000_000
#: Below this confidence (of 100) a word of signs alone is a speck, and below the other every word is.
_SIGNS_CONFIDENCE, _LEAST_CONFIDENCE = 60.0, 20.0
#: Type sizes that are taken for the usual one, as parts of it.
_ALIKE = (0.7, 1.3)
_LONGEST_HEADING = 90
#: Pages between two writes of what is known.
_WRITTEN_EVERY = 5


class Ocr:
    """Reads pages by OCR, and keeps what was read in ``folder``, by the SHA-256 of the PDF."""

    def __init__(self, languages: Sequence[str], folder: Path) -> None:
        self._languages = "+".join(languages)
        self._folder = folder
        #: The path of tesseract; None where it is not installed.
        self.program = shutil.which("tesseract")

    def words(self, file: IO[bytes], sha256: str, pages: Sequence[int]) -> dict[int, list[Word]]:
        """The words of these pages (from 1); none of a page that cannot be read. An interrupted run goes on."""
        known = self.known(sha256)
        missing = [page for page in pages if page not in known]
        for number, page in enumerate(missing, 1):
            _log.info("reading page %d by OCR, %d of %d", page, number, len(missing))
            try:
                known[page] = self._page(file, page)
            except Unanswered as error:
                _log.warning("page %d cannot be read by OCR: %s", page, error.detail or error.reason)
                known[page] = []
            if number % _WRITTEN_EVERY == 0 or number == len(missing):
                self._write(sha256, known)
        return _of_one_size({page: known[page] for page in pages})

    def known(self, sha256: str) -> dict[int, list[Word]]:
        """The words of the pages that were read before."""
        try:
            return _WORDS.validate_json(self._place(sha256).read_bytes())
        except (OSError, ValidationError):
            return {}

    def _page(self, file: IO[bytes], page: int) -> list[Word]:
        drawn = draw_in_subprocess(file, page, seconds=_SECONDS, megabytes=_MEGABYTES)
        with TemporaryFile() as picture:
            picture.write(drawn)
            picture.flush()
            os.lseek(picture.fileno(), 0, os.SEEK_SET)
            arguments = (str(self.program), self._languages, repr(_SECONDS), str(_MEGABYTES))
            with run_in_subprocess(f"{__package__}.tesseract", *arguments, stdin=picture) as process:
                found = collect(process, _SECONDS, _MOST_BYTES)
                if process.wait(_SECONDS):
                    raise Unanswered("crashed", f"tesseract ended with {process.returncode}; has it {self._languages}?")
        return words_of(found.decode("utf-8", "replace"), _scale(drawn))

    def _place(self, sha256: str) -> Path:
        return self._folder / f"{sha256}.{self._languages.replace('+', '-')}.json"

    def _write(self, sha256: str, known: dict[int, list[Word]]) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        content = {page: [asdict(word) for word in words] for page, words in known.items()}
        write_atomically(self._place(sha256), json.dumps(content).encode(), mode=0o600)


def _scale(drawn: bytes) -> float:
    """Pixels of a point, which are fewer on a large page: the picture's comment has them."""
    return float(drawn[:100].split(b"\n")[1].removeprefix(b"# scale "))


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


def _of_one_size(pages: dict[int, list[Word]]) -> dict[int, list[Word]]:
    """The words, those of about the usual size in just that: the height of a line depends on its letters."""
    sizes = [word.size for words in pages.values() for word in words]
    usual = median(sizes) if sizes else 0.0
    for words in pages.values():
        for word in words:
            if _ALIKE[0] * usual <= word.size <= _ALIKE[1] * usual:
                word.size = usual
    return pages


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
