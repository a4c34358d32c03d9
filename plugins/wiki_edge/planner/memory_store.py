"""The robot's memories on the disk: an episodic shard in the specification's format, and a journal of new ones.

A memory is one checksummed line of the journal, text and vector together, and on the disk before ``append`` returns.
Now and then the journal becomes part of the shard (``compact``): a whole new release is written, verified and switched
to, then the journal begins anew. Applying a journal twice changes nothing, because later records of an id replace
earlier ones. So a kill between the two steps loses nothing, and a reader that reads first the journal and then the
shard misses nothing.

This is no corpus of the catalog, because SQLite keeps the words of a removed document in its write-ahead log and its
full-text index, and because a corpus takes three times as long to store a memory.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ragstone.core import NotFound

from ..shards.errors import ShardError
from ..shards.metadata import read_line
from .journal import Journal
from .memory_shard import OTHER_ENCODER, MemoryShard, Row, Vector


@dataclass(frozen=True)
class Recent:
    """The journal's memories, and the ids that were removed from the shard."""

    rows: tuple[Mapping[str, Any], ...]
    #: float32 [rows, dim], unit rows.
    vectors: Vector
    forgotten: frozenset[str]

    def nearest(self, vector: Vector, k: int) -> list[tuple[float, Mapping[str, Any]]]:
        """The rows with the greatest cosines to a unit vector."""
        if not self.rows or self.vectors.shape[1] != vector.shape[0]:
            return []
        cosines = self.vectors @ vector
        order = np.argsort(-cosines, kind="stable")[:k]
        return [(float(cosines[index]), self.rows[index]) for index in order]


class MemoryStore:
    """The memories in a folder. Any number of processes may use it at once."""

    def __init__(
        self, root: Path, *, shard: str = "episodic", encoder: tuple[str, str] = ("", ""), compact_after: int = 256
    ) -> None:
        """``encoder``: model and fingerprint. ``compact_after``: records of the journal before ``append`` compacts."""
        self._root = root
        self._compact_after = compact_after
        self._journal = Journal(root / f"{shard}.journal")
        self._shard = MemoryShard(root, shard, encoder)

    def append(self, row: Mapping[str, Any], vector: Vector) -> str:
        """Add a memory (``id``, ``title``, ``url``, ``text``, ``license``, more), on the disk when this returns its id.

        Raises ``ShardError`` for a row that no shard takes or an encoder that is not the shard's, ``StorageError``.
        """
        text = json.dumps(dict(row), ensure_ascii=False).encode()
        checked = read_line(text)  # raises for a row that could not be read back
        unit = np.asarray(vector, "<f4")
        if unit.ndim != 1 or not np.isfinite(unit).all() or abs(float(np.linalg.norm(unit)) - 1) > 1e-3:
            raise ShardError("the memory's vector is none of unit length")
        with self._journal.locked():
            records = self._journal.records()
            if _dimension(records) not in (None, len(unit)):
                raise ShardError("its journal was written with another encoder", file=self._root, hint=OTHER_ENCODER)
            self._shard.check_encoder(len(unit))
            packed = base64.b64encode(unit.tobytes()).decode()
            self._journal.append({"op": "remember", "row": checked, "vector": packed})
            if len(records) + 1 >= self._compact_after:
                self._compact()
        return str(checked["id"])

    def forget(self, memory: str) -> None:
        """Remove a memory, and its words from the files. Raises ``NotFound``, ``StorageError``."""
        with self._journal.locked():
            if all(row["id"] != memory for row, _ in self.rows()):
                raise NotFound(f"there is no memory {memory[:80]!r}")
            self._journal.append({"op": "forget", "id": memory})
            self._compact()

    def compact(self) -> bool:
        """Make the journal part of the shard; whether that was done. Raises ``ShardError``, ``StorageError``."""
        with self._journal.locked():
            return self._compact()

    def recent(self) -> Recent:
        """The journal's memories. Read it before the shard. Raises ``StorageError``."""
        rows, forgotten = _fold(self._journal.records())
        vectors = np.stack([vector for _, vector in rows.values()]) if rows else np.zeros((0, 0), np.float32)
        return Recent(tuple(row for row, _ in rows.values()), vectors, frozenset(forgotten))

    def rows(self) -> Iterator[Row]:
        """Every memory with its vector, the oldest first. Raises ``ShardError``, ``StorageError``."""
        records = self._journal.records()  # before the shard
        return _merge(self._shard.rows(), records)

    def _compact(self) -> bool:
        """Under the lock. Where the shard cannot be replaced now, the journal stays and the next call tries again."""
        records = self._journal.records()
        if not records or not self._shard.replace(lambda rows: _merge(rows, records), _dimension(records)):
            return False
        if any(record.get("op") == "forget" for record in records):
            self._shard.remove_previous()
        self._journal.begin()
        return True


def _dimension(records: Sequence[Mapping[str, Any]]) -> int | None:
    """The length of the journal's vectors; ``None`` if it has none."""
    return next((len(_unpacked(each["vector"])) for each in records if "vector" in each), None)


def _unpacked(packed: str) -> Vector:
    return np.frombuffer(base64.b64decode(packed), "<f4")


def _merge(shard: Iterable[Row], records: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """The shard's rows and the journal's, each id once."""
    rows, forgotten = _fold(records)
    replaced = forgotten | rows.keys()
    yield from (each for each in shard if each[0]["id"] not in replaced)
    yield from rows.values()


def _fold(records: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Row], set[str]]:
    """The journal's memories by id, and the ids that it forgets."""
    rows: dict[str, Row] = {}
    forgotten: set[str] = set()
    for record in records:
        if record.get("op") == "remember":
            rows[record["row"]["id"]] = (record["row"], _unpacked(record["vector"]))
        elif record.get("op") == "forget":
            rows.pop(record["id"], None)
            forgotten.add(record["id"])
    return rows, forgotten
