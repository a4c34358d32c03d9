"""The header of a ``.npy`` file, read strictly.

numpy itself accepts silently what would be searched wrongly: another type, Fortran order (rows scrambled), bytes
after the end, a zip by that name. The format: numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

import ast
import math
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from .errors import ShardError
from .files import open_regular

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC = b"\x93NUMPY"
#: Bytes that give the header's length, by the format's version.
_LENGTH_BYTES = {(1, 0): 2, (2, 0): 4, (3, 0): 4}
_LONGEST_HEADER = 10_000
_KEYS = {"descr", "fortran_order", "shape"}
_DTYPE = re.compile(r"[<>|=]?[a-zA-Z][0-9]{0,4}")
_NAMES = {"f2": "float16", "f4": "float32", "f8": "float64", "i1": "int8", "u1": "uint8", "i8": "int64", "u8": "uint64"}
_ORDERS = {"<": "", "|": "", ">": ", big-endian", "=": ", in an order that depends on the machine"}


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
    def columns(self) -> int:
        """Values in a row."""
        return math.prod(self.shape[1:])

    @property
    def row_bytes(self) -> int:
        """Bytes of a row."""
        return self.columns * _itemsize(self.dtype)


def read_header(path: Path, *, dtype: str = "<f4", ndim: int = 2) -> NpyHeader:
    """The header of the file, which must hold exactly one C-ordered array of that type and number of axes.

    Raises ``ShardError`` with the file and the reason.
    """
    with open_regular(path) as file:
        return header_of(file, str(path), dtype=dtype, ndim=ndim)


def header_of(file: BinaryIO, where: str, *, dtype: str = "<f4", ndim: int = 2) -> NpyHeader:
    """As ``read_header``, of a file that is open, at its beginning."""
    try:
        return _header(file, dtype, ndim)
    except ValueError as error:
        raise ShardError(str(error), file=where) from error
    except OSError as error:
        raise ShardError(f"cannot be read: {error.strerror}", file=where) from error


def _header(file: BinaryIO, dtype: str, ndim: int) -> NpyHeader:
    size = os.fstat(file.fileno()).st_size
    start = file.read(len(_MAGIC) + 2)
    if start[:4] == b"PK\x03\x04":
        raise ValueError("is a zip archive (.npz) by the name of .npy")
    if not start:
        raise ValueError("is empty")
    if start[:6] != _MAGIC or len(start) < len(_MAGIC) + 2:
        raise ValueError(f"is not a .npy file: it begins with {start!r}")
    version = (start[6], start[7])
    if version not in _LENGTH_BYTES:
        raise ValueError(f"has version {version[0]}.{version[1]} of the .npy format; known are 1.0, 2.0, 3.0")
    width = _LENGTH_BYTES[version]
    length = int.from_bytes(file.read(width), "little")
    if length > _LONGEST_HEADER:
        raise ValueError(f"its header claims {length} bytes; at most {_LONGEST_HEADER} are read")
    raw = file.read(length)
    if len(raw) < length:
        raise ValueError(f"is truncated within its header, at {size} bytes")
    described = _parsed(raw.decode("utf-8" if version == (3, 0) else "latin-1"))
    found, shape = described["descr"], described["shape"]
    if found != dtype:
        raise ValueError(f"holds {_named(found)}, not {_named(dtype)}")
    if described["fortran_order"] is not False:
        raise ValueError("is in Fortran order (columns first), not in C order")
    if not isinstance(shape, tuple) or not all(type(axis) is int and 0 <= axis < 2**48 for axis in shape):
        raise ValueError(f"has the impossible shape {str(shape)[:80]}")
    if len(shape) != ndim:
        raise ValueError(f"has {len(shape)} axes, shape {str(shape)[:80]}, not {ndim}")
    offset = len(_MAGIC) + 2 + width + length
    expected = offset + math.prod(shape) * _itemsize(dtype)
    if size != expected:
        what = "is truncated" if size < expected else "has trailing bytes"
        raise ValueError(f"{what}: it has {size:,} bytes, and the shape {shape} makes {expected:,}")
    return NpyHeader(offset, shape, dtype)


def _parsed(text: str) -> dict[str, Any]:
    try:
        found = ast.literal_eval(text.strip(" \n"))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError("its header is not a Python dictionary of plain values") from error
    if not isinstance(found, dict) or set(found) != _KEYS:
        raise ValueError("its header does not have exactly the keys descr, fortran_order and shape")
    return found


def _itemsize(dtype: str) -> int:
    return int(dtype[2:])


def _named(dtype: object) -> str:
    if not isinstance(dtype, str):
        return f"a structured type ({str(dtype)[:60]})"
    if "O" in dtype:
        return f"Python objects ({dtype[:20]})"
    if not _DTYPE.fullmatch(dtype):
        return f"an unknown type ({dtype[:20]!r})"
    order = dtype[0] if dtype[0] in _ORDERS else "="
    return f"{_NAMES.get(dtype.lstrip('<>|='), 'another type')} ({dtype}{_ORDERS[order]})"
