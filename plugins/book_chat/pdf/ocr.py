"""Pages without a text layer, read by tesseract in a process of their own, and kept for the next time."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import IO

from pydantic import TypeAdapter, ValidationError

from ragstone.core.runtime import Unanswered, write_atomically

from .model import Word
from .process import PdfProcess

_log = logging.getLogger(__name__)
_WORDS: TypeAdapter[dict[int, list[Word]]] = TypeAdapter(dict[int, list[Word]])
#: Seconds and megabytes of one page.
_SECONDS, _MEGABYTES = 120.0, 1500
#: Type sizes that are taken for the usual one, as parts of it.
_ALIKE = (0.7, 1.3)
#: Pages between two writes of what is known.
_WRITTEN_EVERY = 5


class Ocr:
    """Reads pages by OCR, and keeps what was read in ``folder``, by the SHA-256 of the PDF."""

    def __init__(self, languages: Sequence[str], folder: Path) -> None:
        self._languages = "+".join(languages)
        self._folder = folder
        #: The path of tesseract; None where it is not installed.
        self.program = shutil.which("tesseract")

    def words(self, path: Path, file: IO[bytes], sha256: str, pages: Sequence[int]) -> dict[int, list[Word]]:
        """The words of these pages (from 1) of the open PDF at ``path``; none of a page that cannot be read.

        An interrupted run goes on.
        """
        known = self.known(sha256)
        missing = [page for page in pages if page not in known]
        for number, page in enumerate(missing, 1):
            _log.info("reading page %d by OCR, %d of %d", page, number, len(missing))
            try:
                with PdfProcess(path, file, seconds=_SECONDS, megabytes=_MEGABYTES) as process:
                    known[page] = process.recognise(page, str(self.program), self._languages)
            except Unanswered as error:
                _log.warning("page %d cannot be read by OCR: it %s", page, error.detail)
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

    def _place(self, sha256: str) -> Path:
        return self._folder / f"{sha256}.{self._languages.replace('+', '-')}.json"

    def _write(self, sha256: str, known: dict[int, list[Word]]) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        content = {page: [asdict(word) for word in words] for page, words in known.items()}
        write_atomically(self._place(sha256), json.dumps(content).encode(), mode=0o600)


def _of_one_size(pages: dict[int, list[Word]]) -> dict[int, list[Word]]:
    """The words, those of about the usual size in just that: the height of a line depends on its letters."""
    sizes = [word.size for words in pages.values() for word in words]
    usual = median(sizes) if sizes else 0.0
    for words in pages.values():
        for word in words:
            if _ALIKE[0] * usual <= word.size <= _ALIKE[1] * usual:
                word.size = usual
    return pages
