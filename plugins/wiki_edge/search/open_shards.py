"""The open shards of some manifests, opened again when the manifests change."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from ragstone.core import Encoder, RagstoneError

from ..shards.errors import ShardError
from ..shards.file_arrays import MemoryBudget
from ..shards.manifest import NAME, Manifest, ShardEntry
from ..shards.releases import has_releases
from .shard import Shard

_log = logging.getLogger(__name__)

#: Seconds after which what was refused is tried again: a disk may have room now.
_RETRY_SECONDS = 60


@dataclass(frozen=True)
class Refused:
    """A manifest or a shard that cannot be used, and why."""

    place: str
    reason: str


@dataclass(frozen=True)
class OpenShards:
    """The shards that the manifests named at one moment."""

    shards: tuple[Shard, ...] = ()
    refused: tuple[Refused, ...] = ()
    manifests: Mapping[Path, Manifest] = field(default_factory=dict)
    stamps: tuple[object, ...] = ()
    at: float = 0.0


class ShardRegistry:
    """Opens the manifests' shards, and looks for changes at each call. Safe to use from several threads.

    A shard that was installed or replaced meanwhile is there at once. One that cannot be used is refused by name, with
    its reason in the log, and the others serve: its former self, if that is open. While a manifest itself cannot be
    read, what it named before goes on serving.
    """

    def __init__(
        self, folders: Sequence[Path], encoder: Callable[[], Encoder], *, cache: Path, memory: MemoryBudget
    ) -> None:
        self._folders = tuple(folders)
        self._encoder = encoder
        self._cache = cache
        self._memory = memory
        self._opened = OpenShards()
        self._lock = Lock()

    def current(self) -> OpenShards:
        """The shards as the manifests name them now. Raises ``EncoderError``."""
        stamps = tuple(map(_stamp, self._folders))
        opened = self._opened
        if self._is_current(opened, stamps):
            return opened
        with self._lock:
            if not self._is_current(self._opened, stamps):
                self._opened = self._open(stamps, self._opened)
            return self._opened

    @staticmethod
    def _is_current(opened: OpenShards, stamps: tuple[object, ...]) -> bool:
        return opened.stamps == stamps and not (opened.refused and time.monotonic() - opened.at > _RETRY_SECONDS)

    def _open(self, stamps: tuple[object, ...], before: OpenShards) -> OpenShards:
        refused: list[Refused] = []
        manifests: dict[Path, Manifest] = {}
        for folder, stamp in zip(self._folders, stamps, strict=True):
            try:
                if stamp is not None:
                    manifests[folder] = Manifest.read(folder / NAME)
            except ShardError as error:
                refused.append(_refusal(str(folder / NAME), error))
                if folder in before.manifests:
                    manifests[folder] = before.manifests[folder]
        encoder = self._encoder() if any(manifest.shards for manifest in manifests.values()) else None
        known = {(shard.root, shard.entry.model_dump_json()): shard for shard in before.shards}
        shards: list[Shard] = []
        for folder, entry in ((folder, entry) for folder, manifest in manifests.items() for entry in manifest.shards):
            shard = known.get((folder, entry.model_dump_json()))
            if shard is None and encoder is not None:
                try:
                    _check_encoder(entry, encoder)
                    shard = Shard(entry, folder, self._cache, self._memory, self._encoder)
                except RagstoneError as error:
                    refused.append(_refusal(entry.id, error))
                    former = (old for old in before.shards if (old.root, old.entry.id) == (folder, entry.id))
                    shard = next(former, None)
            if shard is not None:
                shards.append(shard)
        return OpenShards(tuple(shards), tuple(refused), manifests, stamps, time.monotonic())


def _check_encoder(entry: ShardEntry, encoder: Encoder) -> None:
    """Raises ``ShardError`` for a shard whose vectors mean something else than the encoder's."""
    made_by = entry.encoder.fingerprint if entry.encoder is not None else None
    hint = "build the shard anew with this encoder, or set the one that made it under [encoder]"
    if made_by is not None and made_by != encoder.family:
        raise ShardError(
            f"was made by the encoder {made_by}, and questions are embedded by {encoder.family}", hint=hint
        )
    if entry.dim != encoder.dimension:
        raise ShardError(f"has {entry.dim} dimensions, and the encoder {encoder.family} {encoder.dimension}", hint=hint)
    if made_by is None:
        _log.info("shard %s does not say which encoder made it; its dimension is right", entry.id)


def _refusal(place: str, error: RagstoneError) -> Refused:
    if error.where and error.where.startswith(place):  # and may name a line
        place = error.where
    refused = Refused(place, str(error).removeprefix(f"{place}: "))
    _log.warning("refused: %s: %s", place, refused.reason)
    return refused


def _stamp(folder: Path) -> object:
    """Changes whenever the folder's manifest does; ``None`` while nothing is installed there."""
    try:
        about = (folder / NAME).stat()
    except OSError as error:
        is_empty = isinstance(error, FileNotFoundError) and not has_releases(folder)
        return None if is_empty else error.errno
    return about.st_ino, about.st_size, about.st_mtime_ns
