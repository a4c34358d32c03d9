"""The last steps of a build: side files, checksums, the folder in its place, and at the very end the manifest."""

from __future__ import annotations

import hashlib
import re
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from filelock import FileLock, Timeout

from ragstone.core import StorageBusy, StorageError
from ragstone.core.runtime import OwnedFolders, sync_folder

from .files import real
from .journal import EMBEDDINGS, METADATA, SHARD
from .manifest import NAME, Manifest, ShardEntry
from .releases import LOCK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .build import Order
    from .journal import Journal

_DUMP_DATE = re.compile(r"-(20\d\d)(\d\d)(\d\d)-")
_READ = 1 << 20
#: Seconds that another build or an installation may need for its last step.
_PATIENCE = 60


class MakeSideFiles(Protocol):
    """Makes a shard's side files."""

    def __call__(self, folder: Path, entry: ShardEntry, /) -> dict[str, str]:
        """Write them into the folder; purpose → file name."""


def side_files(folder: Path, entry: ShardEntry) -> dict[str, str]:
    """Those that searching can use, where this installation can make them."""
    try:
        making = import_module("..search.side_files", __package__)
    except ModuleNotFoundError:
        return {}
    made: dict[str, str] = making.make_side_files(folder, entry)
    return made


def place(
    journal: Journal, order: Order, files: list[Path], encoder: Any, make: MakeSideFiles | None
) -> tuple[ShardEntry, Path]:
    """Put the shard in its place and into the manifest; its entry and folder. May be called again after a kill."""
    with _alone(order.out):
        if journal.finished is None:
            folder, entry = _completed(journal, order, files, encoder, make or side_files)
            journal.add(finished={"folder": folder.name, "entry": entry.as_json()})
        finished = journal.finished or {}
        folder, entry = order.out / finished["folder"], ShardEntry.of(finished["entry"])
        shard = journal.folder / SHARD
        if shard.is_dir():
            shard_folders(order.out).mark(shard, folder.name)
            shard.rename(folder)
            sync_folder(order.out)
        elif not folder.is_dir():
            raise StorageError("the finished shard is gone", where=str(folder), hint="--restart builds it again")
        manifest = _manifest(order.out)
        before = manifest.shard(entry.id)
        manifest.with_shard(entry).write(order.out / NAME)
        _remove_old(order.out, entry, before)
    return entry, folder


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Be the only one who changes the manifest. Raises ``StorageBusy``."""
    lock = FileLock(out / LOCK)
    try:
        lock.acquire(timeout=_PATIENCE)
    except Timeout as error:
        hint = "the same command does the last step when it has ended"
        raise StorageBusy("another process is changing the shards here", where=str(out), hint=hint) from error
    try:
        yield
    finally:
        lock.release()


def _completed(
    journal: Journal, order: Order, files: list[Path], encoder: Any, make: MakeSideFiles
) -> tuple[Path, ShardEntry]:
    """The entry of the shard that lies ready, with its side files made and every file summed up."""
    last, shard = journal.last, journal.folder / SHARD
    about = last.get("about", {})
    before = _manifest(order.out).shard(order.id)
    revision = (before.revision or 1) + 1 if before is not None else 1
    folder = _free(order.out, order.id if before is None else f"{order.id}@{revision}")
    fields: dict[str, Any] = {
        "id": order.id,
        "kind": order.kind,
        "dim": encoder.dimension,
        "size": last["rows"],
        "embedding_file": f"{folder.name}/{EMBEDDINGS}",
        "metadata_file": f"{folder.name}/{METADATA}",
        "license": order.license or about.get("license") or "unknown",
        "language": order.language or about.get("language"),
        "domain": order.domain,
        "revision": revision,
        "built": datetime.now(UTC).isoformat(timespec="seconds"),
        "source": _source(order, files, last),
        "encoder": {"model": encoder.model.model_name, "fingerprint": encoder.family},
    }
    entry = ShardEntry.of({name: value for name, value in fields.items() if value is not None})
    made = make(shard, entry)
    sums = {path.name: _sum(path) for path in sorted(shard.iterdir()) if path.is_file()}
    sync_folder(shard)
    return folder, entry.changed(files=sums, side_files=made or None)


def _source(order: Order, files: list[Path], last: dict[str, Any]) -> dict[str, str]:
    """What the shard was built from: a dump's date is in its name, or else that of its newest article."""
    about, newest = last.get("about", {}), last.get("newest")
    named = _DUMP_DATE.search(files[0].name)
    date = about.get("date") or ("-".join(named.groups()) if named else newest[0] if newest else None)
    found = {"name": order.source.resolve().name, "date": date}
    found["revision"] = about.get("revision") or (newest[1] if newest else None)
    if len(files) == 1:
        found["sha256"] = _sum(files[0])["sha256"]
    return {name: value for name, value in found.items() if value}


def _manifest(out: Path) -> Manifest:
    path = out / NAME
    return Manifest.read(path) if path.exists() else Manifest(version=datetime.now(UTC).date().isoformat(), shards=())


def _free(out: Path, name: str) -> Path:
    """A folder of that name, or one like it, that is not there yet."""
    candidates = (out / (name if not number else f"{name}.{number}") for number in range(1000))
    found = next((path for path in candidates if not path.exists() and not path.is_symlink()), None)
    if found is None:
        raise StorageError("too many folders of that name are in the way", where=str(out / name))
    return found


def shard_folders(out: Path) -> OwnedFolders:
    """The folders of shards that were built here."""
    return OwnedFolders(real(out), "shard", rf"{re.escape(METADATA)}|domains\.json|[a-z-]+\.npy")


def _remove_old(out: Path, entry: ShardEntry, before: ShardEntry | None) -> None:
    """Remove the shard's folders but the new one and the one before it, which may still be read."""
    named = {one.embedding_file.partition("/")[0] for one in _manifest(out).shards}
    kept = named | {one.embedding_file.partition("/")[0] for one in (entry, before) if one is not None}
    own = re.compile(re.escape(entry.id) + r"(?:@\d+)?(?:\.\d+)?")
    for path in out.iterdir():
        if path.name in kept or path.is_symlink() or not own.fullmatch(path.name):
            continue
        if (path / EMBEDDINGS).is_file():
            shard_folders(out).remove(path.name)


def _sum(path: Path) -> dict[str, Any]:
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while part := file.read(_READ):
            digest.update(part)
            size += len(part)
    return {"sha256": digest.hexdigest(), "bytes": size}
