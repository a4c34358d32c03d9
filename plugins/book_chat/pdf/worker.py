"""The worker process that opens one PDF, started as ``python -m ….pdf.worker``; ``process`` asks it.

A request is JSON: the task and what it takes, the file, and the limits. The process can write no file, and ends by its
own limits if it is not killed.
"""

from __future__ import annotations

import json
import os
from base64 import b64encode
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ragstone.core import SourceError
from ragstone.core.runtime import Unanswered, answer_json, limit_process, open_regular

from .limits import MAX_BYTES, MAX_PAGES, memory_for, seconds_for

_PROTECTED = (4, 5)  # FPDF_GetLastError


def answer(request: bytes) -> Any:
    """The result of a request. Raises ``Unanswered``."""
    asked = json.loads(request)
    megabytes, pages = asked["megabytes"], asked["pages"]
    limit_process(
        memory_for(pages, megabytes),
        seconds_for(pages, asked["seconds"]),
        most_memory=memory_for(MAX_PAGES, megabytes),  # the next request may be for so many
    )
    import pypdfium2

    try:
        with open_regular(Path(asked["path"]), MAX_BYTES) as file:
            found = os.fstat(file.fileno())
            if [found.st_dev, found.st_ino] != asked["identity"]:
                raise Unanswered("broken", "was replaced while it was read")
            with closing(pypdfium2.PdfDocument(file)) as document:
                return _result(document, asked["task"], asked["more"])
    except SourceError as error:
        raise Unanswered("broken", error.what) from error
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) in _PROTECTED:
            raise Unanswered("encrypted", "opens only with a password") from error
        raise Unanswered("broken", f"is no PDF, or a damaged one: {str(error).rstrip('.')}") from error


def _result(document: Any, task: str, more: dict[str, Any]) -> Any:
    if task == "count":
        if len(document) > MAX_PAGES:
            raise Unanswered("too_large", f"claims {len(document):,} pages, more than {MAX_PAGES:,}")
        return len(document)
    if task == "read":
        from .book import read_book

        return read_book(document, **more)
    from .render import draw, draw_grey

    if task == "draw":
        return b64encode(draw(document, **more)).decode()
    from .tesseract import recognise

    picture, scale = draw_grey(document, more.pop("number"))
    return [asdict(word) for word in recognise(picture, scale, **more)]


if __name__ == "__main__":
    answer_json(answer)
