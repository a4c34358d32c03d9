"""Arrays on disk, read piece by piece, and the memory budget for those that are held.

A file that shrinks while it is read is an error, not a signal. A file's header is read by numpy and then held to what
arrays of shards are: numpy alone accepts what would be searched wrongly, another type, Fortran order (rows scrambled),
bytes after the end. The format: numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

import math
import os
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from .errors import ShardError
from .files import open_regular

#: What numpy raises for a header that is none.
_FAULTS = (ValueError, TypeError, SyntaxError, TokenError, MemoryError, RecursionError)


class FileArray:
    """A ``.npy`` file whose rows are read when they are asked for. Safe to use from several threads.

    Reads go past the process to the system's page cache: what another file pushes out of it is read again from disk.
    Mapping the file would do the same, but its pages count as the process's memory, and a file that is truncated under
    a map ends the process. The file stays readable after it was replaced or removed.
    """

    def __init__(self, path: Path, *, dtype: str, ndim: int) -> None:
        """Raises ``ShardError`` unless the file holds exactly one such array."""
        self.path = path
        self.dtype = np.dtype(dtype)
        with open_regular(path) as file:
            self.shape = _shape(file, path, dtype, ndim)
            self._offset, size = file.tell(), os.fstat(file.fileno()).st_size
            self._file = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._file)
        self._row_bytes = math.prod(self.shape[1:]) * self.dtype.itemsize
        if size != (expected := self._offset + self.nbytes):
            what = "is truncated" if size < expected else "has trailing bytes"
            raise ShardError(f"{what}: it has {size:,} bytes, and the shape {self.shape} makes {expected:,}", file=path)

    def __len__(self) -> int:
        return self.shape[0]

    def expect(self, shape: tuple[int, ...]) -> None:
        """Raise ``ShardError`` unless the array has this shape."""
        if self.shape != shape:
            raise ShardError(
                f"has the shape {self.shape}, not {shape}", file=self.path, hint="remove it: it is made again"
            )

    @property
    def nbytes(self) -> int:
        """Bytes of the whole array."""
        return self._row_bytes * len(self)

    def header(self) -> bytes:
        """The bytes before the first row. Raises ``ShardError``."""
        raw = bytearray(self._offset)
        self._fill(memoryview(raw), 0)
        return bytes(raw)

    def read(self, start: int = 0, stop: int | None = None) -> npt.NDArray[Any]:
        """Rows ``start`` to ``stop``. Raises ``ShardError``."""
        stop = len(self) if stop is None else stop
        if not 0 <= start <= stop <= len(self):
            raise ShardError(f"rows {start} to {stop} were asked for and there are {len(self)}", file=self.path)
        into = np.empty((stop - start, *self.shape[1:]), self.dtype)
        if into.nbytes:
            self._fill(_bytes_of(into), self._offset + start * self._row_bytes)
        return into

    def read_within(self, row: int, start: int, stop: int) -> npt.NDArray[Any]:
        """``array[row, :, start:stop]`` of one with three axes. Raises ``ShardError``."""
        _, count, length = self.shape
        into = np.empty((count, stop - start), self.dtype)
        for line in range(count):
            place = (row * count + line) * length + start
            self._fill(_bytes_of(into[line]), self._offset + place * self.dtype.itemsize)
        return into

    def gather(self, rows: Sequence[int] | npt.NDArray[Any]) -> npt.NDArray[Any]:
        """These rows, in this order, read in the order in which they lie on the disk. Raises ``ShardError``."""
        wanted = np.asarray(rows, np.int64)
        into = np.empty((len(wanted), *self.shape[1:]), self.dtype)
        if not into.nbytes:
            return into
        if wanted.min() < 0 or wanted.max() >= len(self):
            raise ShardError(f"row {int(wanted.max())} was asked for and there are {len(self)}", file=self.path)
        view, size = _bytes_of(into), self._row_bytes
        order = np.argsort(wanted)
        places = (self._offset + wanted[order] * size).tolist()
        for at, place in zip((order * size).tolist(), places, strict=True):
            self._fill(view[at : at + size], place)
        return into

    def _fill(self, view: memoryview, place: int) -> None:
        done = 0
        while done < len(view):
            try:
                got = os.preadv(self._file, [view[done : done + 2**30]], place + done)
            except OSError as error:
                raise ShardError(f"cannot be read: {error.strerror}", file=self.path) from error
            if not got:
                raise ShardError("was truncated while it was in use", file=self.path, hint="install the shard again")
            done += got


def _shape(file: BinaryIO, path: Path, dtype: str, ndim: int) -> tuple[int, ...]:
    """The shape in the header of a file at its start, of a C-ordered array of that type and that many axes."""
    try:
        version = np.lib.format.read_magic(file)
        # Version 3 differs from 2 in the encoding of field names, which these arrays do not have.
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, is_fortran, found = read(file)
    except _FAULTS as error:
        raise ShardError(f"is no .npy file: {str(error)[:200]}", file=path) from error
    except OSError as error:
        raise ShardError(f"cannot be read: {error.strerror}", file=path) from error
    if found.str != dtype:
        raise ShardError(f"holds {found}, not {np.dtype(dtype)}", file=path)
    if is_fortran:
        raise ShardError("is in Fortran order (columns first), not in C order", file=path)
    if len(shape) != ndim or not all(type(axis) is int and 0 <= axis < 2**48 for axis in shape):
        raise ShardError(f"has the shape {str(shape)[:80]}, not one of {ndim} axes", file=path)
    return shape


def _bytes_of(array: npt.NDArray[Any]) -> memoryview:
    flat: Any = array.reshape(-1).view(np.uint8)
    return memoryview(flat)


class FileLines:
    """Lines of a text file by number. Safe to use from several threads."""

    def __init__(self, path: Path, offsets: FileArray) -> None:
        """``offsets``: where each line begins, and the file's end. Raises ``ShardError`` unless they fit the file."""
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            self._file = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._file)
        self.path = path
        self._offsets = offsets
        last = int(offsets.read(len(offsets) - 1)[0]) if len(offsets) else -1
        if last != size:
            raise ShardError(
                f"has {size:,} bytes, and its offsets are of one with {last:,}",
                file=path,
                hint="put the whole shard in its place; of one that was changed on purpose, remove the side files",
            )

    def line(self, number: int) -> bytes:
        """The line, from 0, without its end. Raises ``ShardError``."""
        start, stop = (int(place) for place in self._offsets.read(number, number + 2))
        if not 0 <= start <= stop:
            raise ShardError("its offsets are out of order", file=self.path, line=number + 1)
        found = os.pread(self._file, stop - start, start)
        if len(found) < stop - start:
            raise ShardError("was truncated while it was in use", file=self.path, line=number + 1)
        return found.rstrip(b"\r\n")


class GrowingArray:
    """A ``.npy`` file that is written piece by piece."""

    def __init__(self, path: Path, dtype: str, row: tuple[int, ...] = ()) -> None:
        """``row``: the shape of an element. Raises ``OSError``."""
        self._dtype = np.dtype(dtype)
        self._row = row
        self._size = 0
        self._file = path.open("wb")
        self._header()

    def __len__(self) -> int:
        return self._size // max(1, self._dtype.itemsize * math.prod(self._row))

    def add(self, values: npt.ArrayLike) -> None:
        """Append the values."""
        self.add_bytes(np.asarray(values, self._dtype).tobytes())

    def add_bytes(self, raw: bytes) -> None:
        """Append values as they lie in the file."""
        self._file.write(raw)
        self._size += len(raw)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.seek(0)
        self._header()  # numpy leaves room in it for a length that grows
        self._file.close()

    def _header(self) -> None:
        described = {"descr": self._dtype.str, "fortran_order": False, "shape": (len(self), *self._row)}
        np.lib.format.write_array_header_1_0(self._file, described)


#: For the intermediate results of a search, whatever the size of the shards.
_WORKING = 6_000_000
#: Bytes of the largest block that is freed without giving it back to the system.
_REUSED = 2**22


class MemoryBudget:
    """Counts bytes in memory; what does not fit is read from disk each time. Safe to use from several threads."""

    def __init__(self, megabytes: float) -> None:
        self.limit = int(megabytes * 1e6)
        self._used = _WORKING
        self._lock = threading.Lock()
        # glibc gives larger blocks than were ever freed back at once (mallopt(3), M_MMAP_THRESHOLD). The next question
        # then got them page by page, some 400 of them, which took a third of its time. So one is freed here.
        np.empty(_REUSED, np.uint8)

    @property
    def used(self) -> int:
        """Reserved bytes, with those that a search itself needs."""
        return self._used

    def reserve(self, size: int) -> bool:
        """Reserve so many bytes; whether the budget allows them."""
        with self._lock:
            if self._used + size > self.limit:
                return False
            self._used += size
            return True

    def release(self, size: int) -> None:
        """Release reserved bytes."""
        with self._lock:
            self._used -= size
