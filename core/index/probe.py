"""Looks into a Chroma store from outside the host's process: a damaged one can kill whoever opens it.

``python -m ragstone.core.index.probe STORE SAMPLE.npz COUNT`` exits with 0 when the store opens, holds COUNT vectors
and finds each of the sample's vectors by itself. Whatever else happens, a crash included, means: rebuild it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

_SECONDS = 120
#: A vector's own distance to itself in float32.
_NEAR = 1e-3


def why_unsound(store: Path, ids: Sequence[str], vectors: npt.NDArray[np.float32], count: int) -> str | None:
    """Why the store must be rebuilt; ``None`` when it may be opened. ``ids`` and ``vectors`` are a sample of it."""
    with tempfile.TemporaryDirectory(prefix="ragstone-probe-") as scratch:
        sample = Path(scratch, "sample.npz")
        np.savez(sample, ids=np.array(ids, dtype=str), vectors=vectors)
        command = [sys.executable, "-m", __name__, str(store), str(sample), str(count)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603
        except subprocess.TimeoutExpired:
            return f"it did not open within {_SECONDS} s"
    if done.returncode == 0:
        return None
    if done.returncode < 0:
        return f"opening it ended the process with signal {-done.returncode}"
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return said[-1] if said else f"the probe ended with {done.returncode}"


def _main(store: str, sample: str, count: str) -> None:
    from .chroma import open_collection

    with np.load(sample) as wanted:
        ids, vectors = list(wanted["ids"]), wanted["vectors"]
    _client, collection = open_collection(Path(store))
    held = collection.count()
    if held != int(count):
        sys.exit(f"it holds {held} vectors, not {count}")
    for start in range(0, len(ids), 64):
        part = vectors[start : start + 64]
        found = collection.query(query_embeddings=part, n_results=1, include=["distances"])
        if any(not row or row[0] > _NEAR for row in found["distances"]):
            sys.exit("it does not find its own vectors")
    known = collection.get(ids=[str(name) for name in ids], include=[])
    if len(known["ids"]) != len(ids):
        sys.exit("it does not know its own ids")


if __name__ == "__main__":
    _main(*sys.argv[1:4])
