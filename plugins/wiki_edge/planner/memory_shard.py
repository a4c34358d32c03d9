"""The episodic shard of a robot's memories, replaced as a whole by the installation that serves other shards too."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragstone.core import StorageBusy, StorageDenied, StorageError
from ragstone.core.runtime import OwnedFolders, storage_errors

from ..shards.errors import ShardError
from ..shards.file_arrays import FileArray
from ..shards.files import real
from ..shards.manifest import NAME, Manifest, ShardEntry
from ..shards.metadata import read_rows
from ..shards.verification import sums_in
from ..shards.writer import EMBEDDINGS, METADATA, ShardWriter

Vector = npt.NDArray[np.float32]
#: A memory and its vector.
Row = tuple[Mapping[str, Any], Vector]

_log = logging.getLogger(__name__)

OTHER_ENCODER = "remember with the encoder that made it, or begin another shard: planner.episodic_id"
_ROWS_AT_ONCE = 256
#: Fields of the release before that are not those of the next.
_OF_RELEASE = ("files", "side_files", "journal")


class MemoryShard:
    """One shard among those in a folder. Only one process at a time may replace it."""

    def __init__(self, root: Path, name: str, encoder: tuple[str, str]) -> None:
        """``encoder``: model and fingerprint."""
        self._root = root
        self._name = name
        self._model, self._fingerprint = encoder

    def rows(self) -> Iterator[Row]:
        """Its rows in order; none while there is no release. Raises ``ShardError``."""
        entry = self._entry()
        if entry is None:
            return
        place = entry.place(self._root)
        vectors, count = FileArray(place.embeddings, dtype="<f4", ndim=2), 0
        for count, row in enumerate(read_rows(place.metadata), 1):
            if count > len(vectors):
                break
            yield row, vectors.read(count - 1, count)[0]
        if count != len(vectors):
            raise ShardError(f"has other than {len(vectors)} lines", file=place.metadata)

    def check_encoder(self, dim: int) -> None:
        """Raise ``ShardError`` where another encoder made the shard."""
        entry = self._entry()
        made_by = entry.encoder.fingerprint if entry and entry.encoder else None
        is_same = not made_by or not self._fingerprint or made_by == self._fingerprint
        if entry and not (entry.dim == dim and is_same):
            known = made_by or f"an encoder of {entry.dim} dimensions"
            what = f"shard {entry.id!r} was made by {known}, not by {self._fingerprint}"
            raise ShardError(what, file=self._root, hint=OTHER_ENCODER)

    def replace(self, merge: Callable[[Iterable[Row]], Iterable[Row]], dim: int | None) -> bool:
        """Install a new release; returns whether the folder could be changed now.

        ``merge``: returns the new rows for those of the release before. ``dim``: of the new vectors, if
        there are any. Raises ``ShardError``, ``StorageError``.
        """
        from ..shards.installation import install

        folders = OwnedFolders(real(self._root), "memories", r"(embeddings|metadata|manifest)\.(npy|jsonl|json)")
        name = f"{self._name}.new"
        try:
            with storage_errors(self._root):
                staged = folders.make(name)
                folders.clear(name)  # of a process that was killed
                self._write(staged, merge, dim)
                install(staged, self._root)
        except (StorageBusy, StorageDenied) as error:
            _log.info("memories stay in their journal: %s", error)
            return False
        finally:
            with suppress(OSError):
                folders.remove(name)
        return True

    def remove_previous(self) -> None:
        """Remove the release before the newest from the disk, with the words that were forgotten since."""
        from ..shards import releases

        try:
            with releases.locked(self._root):
                manifest = releases.installed(self._root)
                before = releases.previous(manifest)
                gone = before.pop(self._name, None)
                if manifest is not None and gone is not None:
                    releases.touching(self._root, [gone])
                    manifest = releases.with_previous(manifest, before)
                    manifest.write(self._root / NAME)
                    releases.clear(self._root, manifest)
        except StorageError as error:
            _log.warning("a forgotten memory is still in the release before the newest: %s", error)

    def _entry(self) -> ShardEntry | None:
        path = self._root / NAME
        return Manifest.read(path).shard(self._name) if path.exists() else None

    def _write(self, folder: Path, merge: Callable[[Iterable[Row]], Iterable[Row]], dim: int | None) -> None:
        entry = self._entry()
        dim = entry.dim if entry else dim
        rows = iter(merge(self.rows()))
        with ShardWriter(folder, dim or 0) as writer:
            while batch := list(islice(rows, _ROWS_AT_ONCE)):
                writer.add(np.stack([vector for _, vector in batch]), [row for row, _ in batch])
        fields: dict[str, Any] = entry.as_json() if entry else {"license": "private"}
        fields = {name: value for name, value in fields.items() if name not in _OF_RELEASE} | {
            "id": self._name,
            "kind": "episodic",
            "dim": dim,
            "size": writer.rows,
            "embedding_file": EMBEDDINGS,
            "metadata_file": METADATA,
            "revision": ((entry.revision or 0) if entry else 0) + 1,
            "built": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        if self._fingerprint:
            fields["encoder"] = {"model": self._model, "fingerprint": self._fingerprint}
        made = ShardEntry.of(fields)
        made = made.changed(files=sums_in(made.place(folder).files))
        Manifest(version=time.strftime("%Y-%m-%d", time.gmtime()), shards=(made,)).write(folder / NAME)
