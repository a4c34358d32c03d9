"""The shard writer: appends rows and their metadata to the files of a shard."""

from __future__ import annotations

import io
import json
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ragstone.core import StorageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

EMBEDDINGS, METADATA = "embeddings.npy", "metadata.jsonl"
#: Lines of chunks that have no vectors; only where there are some.
REST = "rest.jsonl"
#: numpy writes the header of any number of rows into so many bytes.
HEADER = 128
UNKNOWN_LICENSE = "unknown"


class ShardWriter:
    """The files of a new shard; whole, and safely on disk, when ``finish`` returns."""

    def __init__(self, folder: Path, dimension: int) -> None:
        """Raises ``OSError``."""
        folder.mkdir(parents=True, exist_ok=True)
        self._dimension = dimension
        self._bytes = 0
        #: Chunks without a vector so far.
        self.rest = 0
        self._rest_path = folder / REST
        with ExitStack() as files:
            self._vectors, self._texts, self._rest = (
                files.enter_context((folder / name).open("wb")) for name in (EMBEDDINGS, METADATA, REST)
            )
            self._vectors.write(b"\0" * HEADER)
            self._close = files.pop_all().close

    @property
    def rows(self) -> int:
        """Rows so far."""
        return self._bytes // max(1, 4 * self._dimension)

    def add(self, vectors: npt.NDArray[np.float32], rows: Sequence[Mapping[str, Any]]) -> None:
        """Append rows."""
        self.add_vectors(np.ascontiguousarray(vectors, "<f4").tobytes())
        self.add_lines(b"".join(line_of(row) for row in rows))

    def add_vectors(self, raw: bytes) -> None:
        """Append vectors as they lie in the file."""
        self._vectors.write(raw)
        self._bytes += len(raw)

    def add_lines(self, raw: bytes) -> None:
        """Append whole lines of metadata."""
        self._texts.write(raw)

    def add_rest(self, raw: bytes) -> None:
        """Append lines of chunks that have no vectors, to a file of their own."""
        self._rest.write(raw)
        self.rest += raw.count(b"\n")

    def finish(self) -> None:
        """Write the header, now that the number of rows is known."""
        self._vectors.seek(0)
        self._vectors.write(_header(self.rows, self._dimension))
        for file in (self._vectors, self._texts, self._rest):
            file.flush()
            os.fsync(file.fileno())
        if not self.rest:
            self._rest_path.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()


def line_of(row: Mapping[str, Any]) -> bytes:
    """The row's line of metadata."""
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


def shard_row(fields: dict[str, Any]) -> dict[str, Any]:
    """A line of metadata: the specification's fields first and in its order, then the others; without empty ones."""
    first = {name: str(fields.get(name) or "") for name in ("id", "title", "url", "text")}
    first["license"] = fields.get("license") or UNKNOWN_LICENSE
    rest = {name: fields[name] for name in ("domain", "heading", "revision") if fields.get(name)}
    return {**first, **rest}


def embedded_text(row: Mapping[str, Any]) -> str:
    """What of a row is embedded: its text under the article's title."""
    return f"{row['title']}\n{row['text']}" if row["title"] else str(row["text"])


def _header(rows: int, dimension: int) -> bytes:
    """The header of a ``.npy`` file of that shape, ``HEADER`` bytes long."""
    written = io.BytesIO()
    np.lib.format.write_array_header_1_0(written, {"descr": "<f4", "fortran_order": False, "shape": (rows, dimension)})
    plain = written.getvalue()
    if len(plain) != HEADER:  # numpy pads to a multiple of 64
        raise StorageError(f"numpy wrote a header of {len(plain)} bytes, not {HEADER}")
    return plain
