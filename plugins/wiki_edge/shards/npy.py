"""The header of a ``.npy`` file, read by numpy and then held to what arrays of shards are.

numpy alone accepts what would be searched wrongly: another type, Fortran order (rows scrambled), bytes after the end.
The format: numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from tokenize import TokenError
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from .errors import ShardError
from .files import open_regular

if TYPE_CHECKING:
    from pathlib import Path

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


def read_header(path: Path, *, dtype: str = "<f4", ndim: int = 2) -> NpyHeader:
    """The header of the file, which must hold exactly one C-ordered array of that type and number of axes.

    Raises ``ShardError`` with the file and the reason.
    """
    with open_regular(path) as file:
        return header_of(file, str(path), dtype=dtype, ndim=ndim)


def header_of(file: BinaryIO, where: str, *, dtype: str = "<f4", ndim: int = 2) -> NpyHeader:
    """As ``read_header``, of a file that is open, at its beginning."""
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
