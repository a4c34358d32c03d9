"""The worker process that reads files, started as ``python -m ….html.worker MEGABYTES``.

A request is JSON: the file's ``path`` and its ``suffix``. The answer is JSON too: the text, or the reason why there is
none. The process can write no file, and ends by its own limits if it is not killed.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from ragstone.core import SourceError
from ragstone.core.runtime import Unanswered, answer_json, limit_process, open_regular

#: Of each suffix, the module and the function that read it.
READERS = {
    ".epub": "epub:read_epub",
    ".html": "text:read_html",
    ".htm": "text:read_html",
    ".xhtml": "text:read_html",
    ".docx": "docx:read_docx",
    ".rst": "rst:read_rst",
}
#: Bytes of a file; a book with many pictures has some hundred million.
MAX_BYTES = 400_000_000
_SECONDS, _BYTES_A_SECOND = 60.0, 1_000_000


def seconds_for(size: int) -> float:
    """Seconds that a file of ``size`` bytes may take."""
    return _SECONDS + size / _BYTES_A_SECOND


def main(megabytes: int) -> None:
    """Answer until the owner is gone or asks nothing more."""

    def read(request: bytes) -> dict[str, Any]:
        asked = json.loads(request)
        try:
            with open_regular(Path(asked["path"]), MAX_BYTES) as file:
                limit_process(megabytes * 1_000_000, seconds_for(os.fstat(file.fileno()).st_size))
                module, _, name = READERS[asked["suffix"]].partition(":")
                return dataclasses.asdict(getattr(import_module(f".{module}", __package__), name)(file))
        except SourceError as error:
            raise Unanswered("broken", error.what) from error

    answer_json(read)


if __name__ == "__main__":
    main(int(sys.argv[1]))
