"""What a child does that reads one page: HTML from standard input, one line of JSON to standard output.

``main`` runs in a fork of a process that has only imported this. It can write no file, and dies of its own limits if
nobody kills it.
"""

from __future__ import annotations

import dataclasses
import json
import math
import resource
import sys
from typing import Any

import lxml.etree  # noqa: F401 - so that it is there before the fork, and is not loaded for each page

from .page import MAX_DEPTH, TooDeep, read_page


def main(seconds: str, megabytes: str, language: str) -> None:
    """Read standard input, answer on standard output."""
    memory = int(megabytes) * 1_000_000
    for what, limit in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, math.ceil(float(seconds)) + 1),
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
