"""Checks a Chroma store in a subprocess, because a damaged one can kill the process that opens it.

``python -m ragstone.core.vector_index.probe STORE DIGEST SAMPLE.npz COUNT`` exits with 0 if the store's files have not
changed since it was closed, it opens, has COUNT vectors and finds each of the sample's vectors. Any other result, a
crash included, means that it must be rebuilt.
"""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .index_state import IndexState

_SECONDS = 120
#: Maximum distance of a vector to itself in float32.
_MAX_DISTANCE = 1e-3


def digest_of(store: Path) -> str:
    """SHA-256 over the names and contents of the store's files. Raises ``OSError``.

    Unlike a sample of its vectors, it detects every changed bit.
    """
    total = hashlib.sha256()
    for path in sorted(store.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            total.update(f"{path.relative_to(store)}\0{content}\n".encode())
    return total.hexdigest()


def index_damage(folder: Path) -> str | None:
    """How the index's files differ from those at its closing; ``None`` if they do not, or if it was not closed: it is
    rebuilt then when it is opened next. Raises ``OSError``."""
    state = IndexState.read(folder)
    if not state.clean or not state.digest or digest_of(folder / state.store) == state.digest:
        return None
    return "its files are not those that were closed"


def store_damage(
    store: Path, digest: str, ids: Sequence[str], vectors: npt.NDArray[np.float32], count: int
) -> str | None:
    """Why the store must be rebuilt; ``None`` if it may be opened.

    ``digest``: of its files when it was closed. ``ids`` and ``vectors``: a sample of its content.
    """
    with tempfile.TemporaryDirectory(prefix="ragstone-probe-") as scratch:
        sample = Path(scratch, "sample.npz")
        np.savez(sample, ids=np.array(ids, dtype=str), vectors=vectors)
        command = [sys.executable, "-m", __name__, str(store), digest, str(sample), str(count)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603
        except subprocess.TimeoutExpired:
            return f"it did not open within {_SECONDS} s"
    if done.returncode == 0:
        return None
    if done.returncode < 0:
        return f"opening it ended the process with signal {-done.returncode}"
    output = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return output[-1] if output else f"the probe ended with {done.returncode}"


def _main(store: str, digest: str, sample: str, count: str) -> None:
    if not Path(store).is_dir():
        sys.exit("its folder is gone")
    if digest_of(Path(store)) != digest:
        sys.exit("its files are not those that were closed")
    # Another process's lock is an error here: Chroma would wait for it for minutes.
    with closing(sqlite3.connect(Path(store, "chroma.sqlite3"), timeout=1, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("ROLLBACK")
    from .chroma import open_store

    with np.load(sample) as wanted:
        ids, vectors = list(wanted["ids"]), wanted["vectors"]
    collection = open_store(Path(store)).client
    held = collection.count()
    if held != int(count):
        sys.exit(f"it holds {held} vectors, not {count}")
    for start in range(0, len(ids), 64):
        part = vectors[start : start + 64]
        found = collection.query(query_embeddings=part, n_results=1, include=["distances"])
        if any(not row or row[0] > _MAX_DISTANCE for row in found["distances"]):
            sys.exit("it does not find its own vectors")
    known = collection.get(ids=[str(name) for name in ids], include=[])
    if len(known["ids"]) != len(ids):
        sys.exit("it does not know its own ids")


if __name__ == "__main__":
    _main(*sys.argv[1:5])
