"""Checks the rows of an embeddings file in blocks, and hashes it on the way."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from .errors import ShardError
from .files import open_regular
from .npy import header_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from .manifest import ShardEntry

BLOCK = 2**20
#: How far a row's length may be from 1: normalising in half precision is off by less.
TOLERANCE = 1e-3


def check_rows(path: Path, entry: ShardEntry, found: Callable[[ShardError], None]) -> str | None:
    """Call ``found`` for every row that is not finite or not of unit length.

    Returns the file's SHA-256, ``None`` when it is so wrong that it was not read to its end. Memory does not grow with
    the file.
    """
    try:
        with open_regular(path) as file:
            header = header_of(file, str(path))
            if header.shape != (entry.size, entry.dim):
                expected = f"the manifest says size {entry.size} and dim {entry.dim}"
                found(ShardError(f"has the shape {header.shape}, but {expected}", file=path))
                return None
            file.seek(0)
            digest = sha256(file.read(header.offset))
            rows = max(1, BLOCK // max(1, header.row_bytes))
            buffer = bytearray(rows * header.row_bytes)
            for start in range(0, header.rows, rows):
                wanted = min(rows, header.rows - start) * header.row_bytes
                part = memoryview(buffer)[:wanted]
                if file.readinto(part) != wanted:
                    found(ShardError("was cut while it was read", file=path))
                    return None
                digest.update(part)
                block = np.frombuffer(part, dtype="<f4").reshape(-1, entry.dim)
                for row, reason in _faulty(block):
                    found(ShardError(reason, file=path, row=start + row))
            return digest.hexdigest()
    except ShardError as error:
        found(error)
    except OSError as error:
        found(ShardError(f"cannot be read: {error.strerror}", file=path))
    return None


def _faulty(block: NDArray[np.float32]) -> Iterator[tuple[int, str]]:
    """Rows of the block and what is wrong with them."""
    with np.errstate(all="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
        bad = ~(np.abs(lengths - 1) <= TOLERANCE)  # written so that NaN is bad
    for row in np.flatnonzero(bad):
        length = lengths[row]
        yield (
            int(row),
            f"has the length {length:.6g}, not 1" if np.isfinite(block[row]).all() else "holds a NaN or infinity",
        )
