"""Describes the machine that the figures were measured on."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

_REPOSITORY = Path(__file__).parents[1]
_LIBRARIES = (
    "ragstone",
    "onnxruntime",
    "tokenizers",
    "numpy",
    "SQLAlchemy",
    "llama-index-core",
    "llama-index-embeddings-huggingface",
    "llama-index-vector-stores-chroma",
    "chromadb",
    "sentence-transformers",
    "transformers",
    "torch",
)


def describe() -> dict[str, Any]:
    """Processor, memory, system, Python and libraries; and how busy the machine is with other things."""
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "ram_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in _LIBRARIES},
        "commit": commit(),
        "load": load(),
    }


def load() -> list[float]:
    """Processes that wanted to run, over the last 1, 5 and 15 minutes."""
    return [round(part, 2) for part in os.getloadavg()]


def memory_mb(kind: str) -> float:
    """Megabytes of this process by their name in ``/proc/self/status``: ``VmRSS``, its peak ``VmHWM``, ``RssAnon``."""
    with Path("/proc/self/status").open() as lines:
        return next(round(int(line.split()[1]) / 1000, 1) for line in lines if line.startswith(kind))


def commit() -> str:
    """The short commit, ``dirty`` when files differ from it, ``unknown`` outside a repository."""
    changed = _git("status", "--porcelain")
    if changed is None:
        return "unknown"
    return "dirty" if changed else _git("rev-parse", "--short", "HEAD") or "unknown"


def _git(*arguments: str) -> str | None:
    # Without its locks: the bench must not get into the way of whoever commits meanwhile.
    command = ["git", "--no-optional-locks", "-C", str(_REPOSITORY), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() in {"model name", "Model"}:
            return value.strip()
    return platform.processor() or platform.machine()


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
