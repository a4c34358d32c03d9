"""The worker process that reads pages, started as ``python -m …parsoid.worker SECONDS MEGABYTES``.

A request is a line with the language as JSON, then the page's HTML; the answer is JSON. The process can write no file,
and ends by its own limits if it is not killed: SECONDS of processor time for each page, MEGABYTES of address space.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import resource
import sys
from typing import Any

from ragstone.core.runtime import answer_requests

from .page import MAX_DEPTH, TooDeep, read_page


def main(seconds: float, megabytes: int) -> None:
    """Answer until the owner is gone or asks nothing more."""
    for what, limit in (
        (resource.RLIMIT_AS, megabytes * 1_000_000),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _limit(what, limit, limit)

    def answer(request: bytes) -> bytes:
        used = resource.getrusage(resource.RUSAGE_SELF)
        # The soft limit alone: it has to be raised for the next page.
        _limit(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime + seconds) + 1, resource.RLIM_INFINITY)
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


def _limit(what: int, soft: int, hard: int) -> None:
    known = resource.getrlimit(what)[1]
    if known != resource.RLIM_INFINITY:
        hard = known if hard == resource.RLIM_INFINITY else min(hard, known)
        soft = min(soft, hard)
    try:
        resource.setrlimit(what, (soft, hard))
    except (OSError, ValueError):  # not every system has every limit; the owner's clock holds in any case
        return


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
