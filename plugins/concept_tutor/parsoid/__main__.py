"""The child that reads one page: ``python -m ragstone.plugins.concept_tutor.parsoid SECONDS MEGABYTES LANGUAGE``.

It reads HTML from standard input and writes one line of JSON. It can write no file, and dies of its own limits if
nobody kills it.
"""

from __future__ import annotations

import dataclasses
import json
import math
import resource
import sys
from typing import Any


def main(seconds: float, megabytes: int, language: str) -> None:
    """Read standard input, answer on standard output."""
    memory = megabytes * 1_000_000
    for what, limit in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, math.ceil(seconds) + 1),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _set(what, limit)
    try:
        answer = _read(language)
    except MemoryError:
        answer = {"status": "too_large", "detail": ""}
    except Exception as error:
        answer = {"status": "broken", "detail": f"{type(error).__name__}: {error}"[:300]}
    sys.stdout.write(json.dumps(answer, ensure_ascii=True) + "\n")
    sys.stdout.flush()


def _read(language: str) -> dict[str, Any]:
    from .page import MAX_DEPTH, TooDeep, read_page

    try:
        page = read_page(sys.stdin.buffer.read(), language)
    except TooDeep:
        return {"status": "too_deep", "detail": f"has elements nested deeper than {MAX_DEPTH}"}
    return {"status": "ok", "page": dataclasses.asdict(page)}


def _set(what: int, limit: int) -> None:
    known = resource.getrlimit(what)[1]
    if known != resource.RLIM_INFINITY:
        limit = min(limit, known)
    try:
        resource.setrlimit(what, (limit, limit))
    except (OSError, ValueError):  # not every system has every limit; the parent's clock holds in any case
        return


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
