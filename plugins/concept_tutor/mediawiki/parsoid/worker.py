"""The worker process that reads pages, started as ``python -m …parsoid.worker SECONDS MEGABYTES``.

A request is a line with the language as JSON, then the page's HTML; the answer is JSON. The process can write no file,
and ends by its own limits if it is not killed: SECONDS of processor time for each page, MEGABYTES of address space.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from typing import Any

from ragstone.core.runtime import answer_requests, limit_process

from .page import MAX_DEPTH, TooDeep, read_page


def main(seconds: float, megabytes: int) -> None:
    """Answer until the owner is gone or asks nothing more."""

    def answer(request: bytes) -> bytes:
        limit_process(megabytes * 1_000_000, seconds)
        return json.dumps(_read(request), ensure_ascii=True).encode()

    try:
        answer_requests(answer)
    except MemoryError:
        os.abort()  # as libraries do that get no memory: the next page needs a new worker


def _read(request: bytes) -> dict[str, Any]:
    language, _, raw = request.partition(b"\n")
    try:
        page = read_page(raw, json.loads(language))
        return {"status": "ok", "page": dataclasses.asdict(page)}
    except TooDeep:
        return {"status": "too_deep", "detail": f"has elements nested deeper than {MAX_DEPTH}"}
    except MemoryError:
        raise
    except Exception as error:
        return {"status": "broken", "detail": f"{type(error).__name__}: {error}"[:300]}


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
