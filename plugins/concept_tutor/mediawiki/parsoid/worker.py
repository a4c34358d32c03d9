"""The worker process that reads pages, started as ``python -m …parsoid.worker SECONDS MEGABYTES``.

A request is a line with the language as JSON, then the page's HTML; the answer is JSON. The process can write no file,
and ends by its own limits if it is not killed: SECONDS of processor time for each page, MEGABYTES of address space.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import Any

from ragstone.core.parsoid import read_page
from ragstone.core.runtime import answer_json, limit_process


def main(seconds: float, megabytes: int) -> None:
    """Answer until the owner is gone or asks nothing more."""

    def read(request: bytes) -> dict[str, Any]:
        limit_process(megabytes * 1_000_000, seconds)
        language, _, raw = request.partition(b"\n")
        return dataclasses.asdict(read_page(raw, json.loads(language)))

    answer_json(read)


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
