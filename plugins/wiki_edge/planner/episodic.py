"""The robot's own memory: an episodic shard in the specification's format, and beside it a journal of what is new.

A memory is one checksummed line of the journal, text and vector together, on the disk before ``append`` returns. Now
and then the journal's rows become part of the shard: a whole new release is written, verified and switched to by the
same installation that serves shards from elsewhere, and its entry says up to which number the journal is in it. A
death at any point leaves the old release with the whole journal, or the new one with a journal of which it knows how
much it holds: nothing is lost, nothing counts twice, and no row moves against its line.
"""

from __future__ import annotations

import base64
import json
import logging
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ragstone.core import NotFound, StorageBusy, StorageDenied, StorageError
from ragstone.core.runtime import OwnedFolders

from ..shards.errors import ShardError
from ..shards.files import real
from ..shards.manifest import NAME, Manifest, ShardEntry
from ..shards.metadata import LONGEST_LINE, read_line
from ..shards.npy import read_header
from ..shards.verification import sums_of
from .journal import Journal, explained

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]

_log = logging.getLogger(__name__)

#: Key of our own in the shard's entry: the number of the last record that the release holds.
_APPLIED = "journal"
_TRIES = 20


@dataclass(frozen=True)
class Recent:
    """What the journal has that the shard has not: rows, and the ids that no longer count."""

    rows: tuple[Mapping[str, Any], ...]
    #: float32 [rows, dim], unit rows.
    vectors: Vector
    forgotten: frozenset[str]

    def nearest(self, vector: Vector, k: int) -> list[tuple[float, Mapping[str, Any]]]:
        """The rows nearest to a unit vector with their cosines, exactly."""
        if not self.rows or self.vectors.shape[1] != vector.shape[0]:
            return []
        cosines = self.vectors @ vector
        order = np.argsort(-cosines, kind="stable")[:k]
        return [(float(cosines[index]), self.rows[index]) for index in order]


class EpisodicStore:
    """The memories in a folder. Any number of processes may use it at once."""

    def __init__(
        self, root: Path, *, shard: str = "episodic", encoder: tuple[str, str] = ("", ""), compact_after: int = 256
    ) -> None:
        """``encoder``: model and fingerprint of what makes the vectors."""
        self._root = root
        self._shard = shard
        self._model, self._fingerprint = encoder
        self._compact_after = compact_after
        self._journal = Journal(root / f"{shard}.journal")

    def append(self, row: Mapping[str, Any], vector: Vector) -> str:
        """Remember a row (``id``, ``title``, ``url``, ``text``, ``license``, more) for good; its id.

        Raises ``ShardError`` for a row that no shard takes or an encoder that is not the shard's, ``StorageError``.
        """
        told = json.dumps(dict(row), ensure_ascii=False)
        checked = read_line(told.encode())  # what cannot be read back is not written
        if len(told.encode()) >= LONGEST_LINE:
            raise ShardError(f"the memory is longer than {LONGEST_LINE >> 20} MB")
        unit = np.asarray(vector, "<f4")
        if unit.ndim != 1 or not np.isfinite(unit).all() or abs(float(np.linalg.norm(unit)) - 1) > 1e-3:
            raise ShardError("the memory's vector is none of unit length")
        with self._journal.locked():
            entry, records = self._now()
            self._check_encoder(entry, len(unit), records)
            seq = self._last(entry, records) + 1
            packed = base64.b64encode(unit.tobytes()).decode()
            self._journal.append({"seq": seq, "op": "remember", "row": checked, "vector": packed})
            if len(records) + 1 >= self._compact_after:
                self._compact()
        return str(checked["id"])

    def forget(self, memory: str) -> None:
        """Remove a memory: it counts no more when this returns, and its words are gone from the files as well.

        Raises ``NotFound``, ``StorageError``.
        """
        with self._journal.locked():
            entry, records = self._now()
            if all(row["id"] != memory for row, _ in self._live(entry, records)):
                raise NotFound(f"there is no memory {memory[:80]!r}")
            self._journal.append({"seq": self._last(entry, records) + 1, "op": "forget", "id": memory})
            self._compact(purge=True)

    def compact(self) -> bool:
        """Make the journal's rows part of the shard; whether that was done. Raises ``StorageError``, ``ShardError``."""
        with self._journal.locked():
            return self._compact()

    def recent(self) -> Recent:
        """What is not part of the shard yet. Raises ``ShardError``, ``StorageError``."""
        rows, forgotten = _fold(self._now()[1])
        vectors = np.stack([vector for _, vector in rows.values()]) if rows else np.zeros((0, 0), np.float32)
        return Recent(tuple(row for row, _ in rows.values()), vectors, frozenset(forgotten))

    def rows(self) -> list[tuple[Mapping[str, Any], Vector]]:
        """Every memory that counts, the oldest first."""
        return list(self._live(*self._now()))

    def _now(self) -> tuple[ShardEntry | None, list[dict[str, Any]]]:
        """The shard's entry and the journal's records, of one moment."""
        for _ in range(_TRIES):
            entry = self._entry()
            records = [*self._journal.records()]
            # A journal that begins behind the release that we read: it was compacted in between.
            if self._journal.base <= _applied(entry) or self._entry() == entry:
                return entry, [each for each in records if int(each["seq"]) > _applied(entry)]
            time.sleep(0.01)
        raise StorageBusy("the memory changes too fast to be read", where=str(self._root))

    def _entry(self) -> ShardEntry | None:
        path = self._root / NAME
        return Manifest.read(path).shard(self._shard) if path.exists() else None

    def _last(self, entry: ShardEntry | None, records: list[dict[str, Any]]) -> int:
        return max([_applied(entry), self._journal.base, *(int(each["seq"]) for each in records)])

    def _check_encoder(self, entry: ShardEntry | None, dim: int, records: list[dict[str, Any]]) -> None:
        hint = "remember with the encoder that made it, or begin another shard: planner.episodic_id"
        for record in records:
            if "vector" in record and len(_unpacked(record["vector"])) != dim:
                raise ShardError("its journal was written with another encoder", where=str(self._root), hint=hint)
        if entry is None:
            return
        made_by = entry.encoder.fingerprint if entry.encoder else None
        if entry.dim != dim or (made_by and self._fingerprint and made_by != self._fingerprint):
            said = f"shard {entry.id!r} was made by {made_by or f'an encoder of {entry.dim} dimensions'}"
            raise ShardError(f"{said}, not by {self._fingerprint}", where=str(self._root), hint=hint)

    def _live(
        self, entry: ShardEntry | None, records: list[dict[str, Any]]
    ) -> Iterator[tuple[Mapping[str, Any], Vector]]:
        rows, forgotten = _fold(records)
        if entry is not None:
            yield from (each for each in self._released(entry) if each[0]["id"] not in forgotten | rows.keys())
        yield from rows.values()

    def _released(self, entry: ShardEntry) -> Iterator[tuple[Mapping[str, Any], Vector]]:
        """The release's rows, each with its line. Raises ``ShardError``."""
        place = entry.place(self._root)
        header = read_header(place.embeddings)
        vectors = np.memmap(place.embeddings, "<f4", "r", header.offset, header.shape) if header.rows else None
        count = 0
        with place.metadata.open("rb") as lines:
            for count, line in enumerate(lines, 1):
                if count > header.rows or vectors is None:
                    break
                yield read_line(line, place.metadata, count), np.asarray(vectors[count - 1])
        if count != header.rows:
            raise ShardError(f"has other than {header.rows} lines", file=place.metadata)

    def _compact(self, *, purge: bool = False) -> bool:
        """A new release of everything that counts; under the lock."""
        from ..shards.installation import install

        entry, records = self._now()
        if not records:
            return False
        last = self._last(entry, records)
        folders = OwnedFolders(real(self._root), "memories", r"(embeddings|metadata|manifest)\.(npy|jsonl|json)")
        name = f"{self._shard}.new"
        try:
            staged = folders.make(name, recognise=_is_staged)
            folders.clear(name)  # of a process that died here
            self._write(staged, entry, records, last)
            install(staged, self._root)
        except (StorageBusy, StorageDenied) as error:  # the journal serves on, and the next one tries again
            _log.info("memories stay in their journal: %s", error)
            return False
        except OSError as error:
            raise explained(error, self._root) from error
        finally:
            with suppress(OSError):
                folders.remove(name)
        self._journal.begin(last)
        if purge:
            self._remove_previous()
        return True

    def _write(self, folder: Path, entry: ShardEntry | None, records: list[dict[str, Any]], last: int) -> None:
        size = sum(1 for _ in self._live(entry, records))
        dim = entry.dim if entry else next(len(_unpacked(each["vector"])) for each in records if "vector" in each)
        with (folder / "embeddings.npy").open("wb") as rows, (folder / "metadata.jsonl").open("wb") as lines:
            shape = {"descr": "<f4", "fortran_order": False, "shape": (size, dim)}
            np.lib.format.write_array_header_1_0(rows, shape)
            for row, vector in self._live(entry, records):
                rows.write(np.asarray(vector, "<f4").tobytes())
                lines.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        fields: dict[str, Any] = entry.as_json() if entry else {"license": "private"}
        for name in ("files", "side_files", "signature"):
            fields.pop(name, None)
        fields |= {
            "id": self._shard,
            "kind": "episodic",
            "dim": dim,
            "size": size,
            "embedding_file": "embeddings.npy",
            "metadata_file": "metadata.jsonl",
            "revision": ((entry.revision or 0) if entry else 0) + 1,
            "built": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            _APPLIED: last,
        }
        if self._fingerprint:
            fields["encoder"] = {"model": self._model, "fingerprint": self._fingerprint}
        made = ShardEntry.of(fields)
        made = made.changed(files=sums_of(made.place(folder)))
        Manifest(version=time.strftime("%Y-%m-%d", time.gmtime()), shards=(made,)).write(folder / NAME)

    def _remove_previous(self) -> None:
        """The release before this one holds what was to be forgotten."""
        from ..shards import releases

        try:
            with releases.locked(self._root):
                manifest = releases.installed(self._root)
                before = releases.previous(manifest)
                gone = before.pop(self._shard, None)
                if manifest is not None and gone is not None:
                    releases.touching(self._root, [gone])
                    manifest = releases.with_previous(manifest, before)
                    manifest.write(self._root / NAME)
                    releases.clear(self._root, manifest)
        except StorageError as error:
            _log.warning("a forgotten memory is still in the release before the newest: %s", error)


def _is_staged(folder: Path) -> bool:
    """Whether an older Ragstone, which wrote no marker, left the folder when it was killed."""
    return {path.name for path in folder.iterdir()} <= {"embeddings.npy", "metadata.jsonl", NAME}


def _applied(entry: ShardEntry | None) -> int:
    applied = (entry.model_extra or {}).get(_APPLIED, 0) if entry is not None else 0
    return applied if isinstance(applied, int) else 0


def _unpacked(packed: str) -> Vector:
    return np.frombuffer(base64.b64decode(packed), "<f4")


def _fold(
    records: list[dict[str, Any]],
) -> tuple[dict[str, tuple[Mapping[str, Any], Vector]], set[str]]:
    """The journal's rows that count, by id, and the ids that it forgets."""
    rows: dict[str, tuple[Mapping[str, Any], Vector]] = {}
    forgotten: set[str] = set()
    for record in records:
        if record.get("op") == "remember":
            rows[record["row"]["id"]] = (record["row"], _unpacked(record["vector"]))
        elif record.get("op") == "forget":
            rows.pop(record["id"], None)
            forgotten.add(record["id"])
    return rows, forgotten
