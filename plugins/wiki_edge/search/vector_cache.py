"""Vectors that were made when they were asked for: a file in the cache with room for every row, most of it empty."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..shards.side_files import side_file_folders, stamp

Vector = npt.NDArray[np.float32]

_RECORD, _NAME = "made-of.json", "vectors.npy"
_HEADER = 128
#: How far a vector's length may be from 1; a row that was never written, or half, is none.
_TOLERANCE = 1e-3


class VectorCache:
    """Safe to use from several threads and processes: two that make the same vector write the same bytes."""

    def __init__(self, cache: Path, lines: Path, shape: tuple[int, int]) -> None:
        """``lines``: the file that the rows are of. ``shape``: rows and dimension."""
        self._cache = cache
        self._lines = lines
        self._shape = shape

    def of(self, fingerprint: str, rows: Sequence[int]) -> dict[int, Vector]:
        """The vectors that are known, of the encoder with that fingerprint."""
        found: dict[int, Vector] = {}
        size = 4 * self._shape[1]
        with suppress(OSError), (self._folder(fingerprint) / _NAME).open("rb", buffering=0) as file:
            for row in rows:
                raw = os.pread(file.fileno(), size, _HEADER + row * size)
                vector = np.frombuffer(raw, "<f4") if len(raw) == size else np.zeros(1, np.float32)
                with np.errstate(all="ignore"):
                    if abs(float(vector @ vector) - 1) <= _TOLERANCE:
                        found[row] = vector
        return found

    def keep(self, fingerprint: str, vectors: Mapping[int, Vector]) -> None:
        """Keep these; on a full disk nothing."""
        size = 4 * self._shape[1]
        with suppress(OSError):
            folder = side_file_folders(self._cache).make(self._folder(fingerprint).name)
            if not (folder / _RECORD).exists():
                (folder / _RECORD).write_text(json.dumps([stamp(self._lines), fingerprint]), "utf-8")
            with os.fdopen(os.open(folder / _NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644), "r+b") as file:
                for row, vector in vectors.items():
                    os.pwrite(file.fileno(), np.ascontiguousarray(vector, "<f4").tobytes(), _HEADER + row * size)

    def _folder(self, fingerprint: str) -> Path:
        made_of = [str(self._lines), stamp(self._lines), fingerprint, self._shape]
        return self._cache / sha256(json.dumps(made_of).encode()).hexdigest()[:24]
