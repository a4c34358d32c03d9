"""Measures one question as a whole process, from the command's start to its end. Standard library only."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from typing import Any

from .children import Done, run

_ROUNDS = 7
_QUESTION = "How do doors connect to the fleet management system?"


def ragstone(work: str) -> dict[str, Any]:
    """``ragstone ask book_chat … --json``."""
    command = [str(Path(sys.executable).with_name("ragstone")), "ask", "book_chat", _QUESTION, "--json"]
    folders = {"RAGSTONE_DATA_DIR": str(Path(work, "data")), "RAGSTONE_CACHE_DIR": str(Path(work, "cache"))}
    return _rounds([run(command, cwd=Path(work), variables=folders) for _ in range(_ROUNDS + 1)])


def peer(work: str, weights: str) -> dict[str, Any]:
    """A small script that opens the stored index and retrieves."""
    command = [sys.executable, str(Path(__file__).with_name("peer_command.py"))]
    command += [str(Path(work, "peer")), weights, _QUESTION]
    return _rounds([run(command, cwd=Path(work)) for _ in range(_ROUNDS + 1)])


def _rounds(done: list[Done]) -> dict[str, Any]:
    """The first one filled the page cache and does not count."""
    seconds = [round(one.seconds, 3) for one in done[1:]]
    return {
        "median_s": statistics.median(seconds),
        "seconds": seconds,
        "peak_mb": max(one.peak_mb for one in done),
        "answer": done[-1].result,
    }
