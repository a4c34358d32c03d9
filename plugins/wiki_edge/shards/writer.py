"""The shard writer: appends rows and their metadata to the files of a shard."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import numpy.typing as npt

from .file_arrays import GrowingArray

EMBEDDINGS, METADATA = "embeddings.npy", "metadata.jsonl"
#: Lines of chunks that have no vectors; only where there are some.
REST = "rest.jsonl"
#: numpy writes the header of any number of rows into so many bytes.
HEADER = 128
UNKNOWN_LICENSE = "unknown"


class ShardWriter:
    """Writes the files of a new shard; they are whole at the end of the block."""

    def __init__(self, folder: Path, dimension: int) -> None:
        """Raises ``OSError``."""
        folder.mkdir(parents=True, exist_ok=True)
        #: Chunks without a vector so far.
        self.rest = 0
        self._rest_path = folder / REST
        with ExitStack() as files:
            self.vectors = files.enter_context(GrowingArray(folder / EMBEDDINGS, "<f4", (dimension,)))
            self._texts, self._rest = (files.enter_context((folder / name).open("wb")) for name in (METADATA, REST))
            self._close = files.pop_all().close

    @property
    def rows(self) -> int:
        """Rows so far."""
        return len(self.vectors)

    def add(self, vectors: npt.ArrayLike, rows: Sequence[Mapping[str, Any]]) -> None:
        """Append rows."""
        self.vectors.add(vectors)
        self.add_lines(b"".join(line_of(row) for row in rows))

    def add_lines(self, raw: bytes) -> None:
        """Append whole lines of metadata."""
        self._texts.write(raw)

    def add_rest(self, raw: bytes) -> None:
        """Append lines of chunks that have no vectors, to a file of their own."""
        self._rest.write(raw)
        self.rest += raw.count(b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        if not self.rest:
            self._rest_path.unlink()


def line_of(row: object) -> bytes:
    """The row as a line of JSON."""
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
