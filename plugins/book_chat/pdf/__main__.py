"""The subprocess that reads one PDF: ``python -m ragstone.plugins.book_chat.pdf SECONDS MEGABYTES [WORDS] < book.pdf``.

WORDS is a file of JSON with what OCR has found on pages without text. It writes the number of pages, if the file can be
opened, and as JSON the text or the reason why there is none, on a line each. It gets no other file, can write none, and
sets limits of time and memory for itself.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from ragstone.core.runtime import limit_process

from .limits import MAX_PAGES, memory_for, seconds_for

_STATUSES = {2: "broken", 3: "broken", 4: "encrypted", 5: "encrypted"}  # FPDF_GetLastError


def main(seconds: float, megabytes: int, recognised: str | None = None) -> None:
    """Read standard input, write to standard output."""
    words = json.loads(Path(recognised).read_bytes()) if recognised else {}
    # Four times as much remains the hard limit until the number of pages is known.
    limit_process(memory_for(1, megabytes), seconds, most_memory=memory_for(10**9, megabytes))
    try:
        answer = _read(seconds, megabytes, words)
    except MemoryError:
        answer = {"status": "too_large", "detail": ""}
    except Exception as error:
        answer = {"status": "broken", "detail": f"{type(error).__name__}: {error}"[:300]}
    _send(answer)


def _read(seconds: float, megabytes: int, words: dict[str, Any]) -> dict[str, Any]:
    import pypdfium2

    from .book import read_book

    try:
        # The parent leaves the file open as standard input: it reads the very file that it hashed.
        document = pypdfium2.PdfDocument(os.fdopen(0, "rb", closefd=False))
    except pypdfium2.PdfiumError as error:
        code = getattr(error, "err_code", None)
        return {"status": _STATUSES.get(code or 3, "broken"), "detail": str(error)[:300]}
    pages = len(document)
    if pages > MAX_PAGES:
        return {"status": "too_large", "detail": f"claims {pages:,} pages, more than {MAX_PAGES:,}"}
    limit_process(memory_for(pages, megabytes), seconds_for(pages, seconds))
    _send(pages)
    return read_book(document, words)


def _send(answer: object) -> None:
    sys.stdout.write(json.dumps(answer, ensure_ascii=True) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:4])
