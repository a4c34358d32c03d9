"""The shard writer: appends rows and their metadata to the files of a shard."""

from __future__ import annotations

import io
import json
import os
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ragstone.core import StorageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

EMBEDDINGS, METADATA = "embeddings.npy", "metadata.jsonl"
#: numpy writes the header of any number of rows into so many bytes.
HEADER = 128
RESTART = "--restart begins anew"
UNKNOWN_LICENSE = "unknown"


class ShardWriter:
    """The two files of a shard that grows; what is written beyond ``rows`` by a process that died is cut off."""

    def __init__(self, folder: Path, dimension: int, *, rows: int = 0, metadata_bytes: int = 0) -> None:
        """Open the files at that length, which they must have. Raises ``StorageError``."""
        folder.mkdir(parents=True, exist_ok=True)
        self._dimension = dimension
        self.rows, self.metadata_bytes = rows, metadata_bytes
        self._vectors = _opened_at(folder / EMBEDDINGS, HEADER + rows * dimension * 4 if rows else 0)
        self._texts = _opened_at(folder / METADATA, metadata_bytes)
        if not rows:
            self._vectors.write(b"\0" * HEADER)

    def add(self, vectors: npt.NDArray[np.float32], rows: Sequence[Mapping[str, Any]]) -> None:
        """Append rows, safely on disk when this returns."""
        lines = b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)
        self._vectors.write(np.ascontiguousarray(vectors, "<f4").tobytes())
        self._texts.write(lines)
        self._sync()
        self.rows += len(rows)
        self.metadata_bytes += len(lines)

    def finish(self) -> None:
        """Write the header, now that the number of rows is known."""
        self._vectors.seek(0)
        self._vectors.write(header(self.rows, self._dimension))
        self._sync()

    def close(self) -> None:
        """Close the files."""
        self._vectors.close()
        self._texts.close()

    def _sync(self) -> None:
        for file in (self._vectors, self._texts):
            file.flush()
            os.fsync(file.fileno())


def shard_row(fields: dict[str, Any]) -> dict[str, Any]:
    """A line of metadata: the specification's fields first and in its order, then the others; without empty ones."""
    first = {name: str(fields.get(name) or "") for name in ("id", "title", "url", "text")}
    first["license"] = fields.get("license") or UNKNOWN_LICENSE
    rest = {name: fields[name] for name in ("domain", "heading", "revision") if fields.get(name)}
    return {**first, **rest}


def header(rows: int, dimension: int) -> bytes:
    """The header of a ``.npy`` file of that shape, ``HEADER`` bytes long."""
    written = io.BytesIO()
    np.lib.format.write_array_header_1_0(written, {"descr": "<f4", "fortran_order": False, "shape": (rows, dimension)})
    plain = written.getvalue()
    if len(plain) != HEADER:  # numpy pads to a multiple of 64
        raise StorageError(f"numpy wrote a header of {len(plain)} bytes, not {HEADER}")
    return plain


def _opened_at(path: Path, size: int) -> BinaryIO:
    """The file for appending, cut to that size. Raises ``StorageError`` when it is shorter."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    file = os.fdopen(descriptor, "r+b")
    found = file.seek(0, os.SEEK_END)
    if found < size:
        file.close()
        raise StorageError(f"has {found} bytes, but {size} were written", where=str(path), hint=RESTART)
    file.truncate(size)
    file.seek(size)
    return file
