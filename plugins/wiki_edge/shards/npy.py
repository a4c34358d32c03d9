"""``.npy`` files: the header, read by numpy and then held to what arrays of shards are, and the rows of embeddings.

numpy alone accepts what would be searched wrongly: another type, Fortran order (rows scrambled), bytes after the end.
The format: numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from hashlib import sha256
from tokenize import TokenError
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from .errors import ShardError
from .files import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from .manifest import ShardEntry

#: What numpy raises for a header that is none.
_FAULTS = (ValueError, TypeError, SyntaxError, TokenError, MemoryError, RecursionError)


@dataclass(frozen=True)
class NpyHeader:
    """Where the data of a ``.npy`` file begin and what they are."""

    #: Bytes before the first row.
    offset: int
    shape: tuple[int, ...]
    #: As numpy writes it: ``<f4``.
    dtype: str

    @property
    def rows(self) -> int:
        """Length of the first axis."""
        return self.shape[0]

    @property
    def row_bytes(self) -> int:
        """Bytes of a row."""
        return math.prod(self.shape[1:]) * np.dtype(self.dtype).itemsize


def header_of(file: BinaryIO, where: str, *, dtype: str = "<f4", ndim: int = 2) -> NpyHeader:
    """The header of a file at its start, which must hold exactly one C-ordered array of that type and that many axes.

    Raises ``ShardError`` with the file and the reason.
    """
    try:
        version = np.lib.format.read_magic(file)
        # Version 3 differs from 2 in the encoding of field names, which these arrays do not have.
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, is_fortran, found = read(file)
    except _FAULTS as error:
        raise ShardError(f"is no .npy file: {str(error)[:200]}", file=where) from error
    except OSError as error:
        raise ShardError(f"cannot be read: {error.strerror}", file=where) from error
    header = NpyHeader(file.tell(), shape, dtype)
    size, reason = os.fstat(file.fileno()).st_size, None
    if found.str != dtype:
        reason = f"holds {found}, not {np.dtype(dtype)}"
    elif is_fortran:
        reason = "is in Fortran order (columns first), not in C order"
    elif len(shape) != ndim or not all(type(axis) is int and 0 <= axis < 2**48 for axis in shape):
        reason = f"has the shape {str(shape)[:80]}, not one of {ndim} axes"
    elif size != (expected := header.offset + header.rows * header.row_bytes):
        what = "is truncated" if size < expected else "has trailing bytes"
        reason = f"{what}: it has {size:,} bytes, and the shape {shape} makes {expected:,}"
    if reason:
        raise ShardError(reason, file=where)
    return header


BLOCK = 2**20
#: How far a row's length may be from 1: normalising in half precision is off by less.
TOLERANCE = 1e-3


def check_rows(path: Path, entry: ShardEntry, found: Callable[[ShardError], None]) -> str:
    """Call ``found`` for every row that is not finite or not of unit length.

    Returns the file's SHA-256. Memory does not grow with the file. Raises ``ShardError`` for a file that is so wrong
    that it is not read to its end, ``OSError``.
    """
    with open_regular(path) as file:
        header = header_of(file, str(path))
        if header.shape != (entry.size, entry.dim):
            what = f"has the shape {header.shape}, but the manifest says size {entry.size} and dim {entry.dim}"
            raise ShardError(what, file=path)
        file.seek(0)
        digest = sha256(file.read(header.offset))
        rows = max(1, BLOCK // max(1, header.row_bytes))
        buffer = bytearray(rows * header.row_bytes)
        for start in range(0, header.rows, rows):
            wanted = min(rows, header.rows - start) * header.row_bytes
            part = memoryview(buffer)[:wanted]
            if file.readinto(part) != wanted:
                raise ShardError("was cut while it was read", file=path)
            digest.update(part)
            block = np.frombuffer(part, dtype="<f4").reshape(-1, entry.dim)
            for row, reason in _faulty(block):
                found(ShardError(reason, file=path, row=start + row))
    return digest.hexdigest()


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
