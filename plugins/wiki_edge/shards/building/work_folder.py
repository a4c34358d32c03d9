"""The folder in which a shard is made: locked, with what it is made for, removed when the shard is in its place.

The last steps: side files, checksums, the folder in its place, and at the very end the manifest.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import Any

from ragstone.core import BadRequest, RagstoneError, StorageError
from ragstone.core.runtime import OwnedFolders, file_lock, storage_errors, sync_folder, write_atomically

from ..files import TEMPORARY, real
from ..manifest import NAME, Manifest, ShardEntry
from ..releases import locked
from ..side_files import make_side_files
from ..verification import sums_in
from ..writer import EMBEDDINGS, HEADER, METADATA

#: The shard's files, and at the very end its entry.
SHARD, FINISHED = "shard", "finished.json"
#: What the folder is for: another purpose is refused.
PURPOSE = "purpose.json"
#: The finished parts of a plan.
PARTS = "parts"
RESTART = "--restart begins anew"
AGAIN = "the same command goes on where it was"
#: What an earlier version has in its unfinished builds.
_EARLIER = "journal.jsonl"
_CONTENTS = (
    rf"lock|{SHARD}|(plan|purpose|finished|tokenizer)\.json|{_EARLIER}|ids\.sqlite.*|(titles|first)\.txt"
    rf"|source-\d+|leases|scratch|{PARTS}"
    rf"|{re.escape(TEMPORARY)}(plan|purpose|finished)\.json-[0-9a-f]{{16}}"  # half written by a process that was killed
)


#: Seconds that another build or an installation may need for its last step.
_PATIENCE = 60


@dataclass
class BuildReport:
    """The result of a build."""

    entry: ShardEntry
    folder: Path
    articles: int
    chunks: int
    resumed: int
    left_out: dict[str, int] = field(default_factory=dict)
    #: Chunks without a vector.
    rest: int = 0


@contextmanager
def work_folder(out: Path, shard_id: str, *, restart: bool = False) -> Iterator[Path]:
    """The locked folder of an unfinished shard; removed at the end, and after an error before the first part.

    Raises ``StorageBusy``, ``StorageError`` and its kin.
    """
    with storage_errors(out, hint=AGAIN):
        out.mkdir(parents=True, exist_ok=True)
        folders = work_folders(out)
        work = folders.make(f".building-{shard_id}")
        with file_lock(work / "lock", f"the shard {shard_id!r} is being built by another process"):
            if restart:
                folders.clear(work.name, keep=("lock",))
            try:
                yield work
            except RagstoneError:
                rows = any(path.stat().st_size > HEADER for path in (work / PARTS).glob(f"*/{EMBEDDINGS}"))
                if not (rows or (work / FINISHED).exists() or (work / _EARLIER).exists()):  # nothing is lost with it
                    folders.remove(work.name)
                raise
            folders.remove(work.name)


def work_folders(out: Path) -> OwnedFolders:
    """The folders of unfinished shards."""
    return OwnedFolders(real(out), "build", _CONTENTS)


def set_purpose(folder: Path, purpose: Mapping[str, Any], hint: str) -> None:
    """Note what the folder is for. Raises ``BadRequest`` where it was begun for something else, and ``OSError``."""
    if (folder / _EARLIER).exists():
        raise BadRequest("this unfinished build was begun by an earlier version", where=str(folder), hint=hint)
    path, wanted = folder / PURPOSE, json.loads(json.dumps(purpose))
    before = json.loads(path.read_bytes()) if path.exists() else None
    if before is None:
        write_atomically(path, json.dumps(wanted, ensure_ascii=False).encode())
    elif before != wanted:
        names = [name for name in wanted if before.get(name) != wanted[name]]
        raise BadRequest(
            f"this unfinished build was begun with another {', '.join(names)}", where=str(folder), hint=hint
        )


def publish(
    work: Path, out: Path, make: Callable[[], tuple[Mapping[str, Any], Mapping[str, Any]]], resumed: int = 0
) -> BuildReport:
    """Put the shard in the folder ``work`` in its place and into the manifest of ``out``; may be repeated after a kill.

    ``make``: writes the shard's files where that was not done before; returns the entry's fields but for those of
    files, revision and date, and counts that are kept with it for the report.
    """
    noted = work / FINISHED
    made = None if noted.exists() else make()
    with locked(out, seconds=_PATIENCE, hint=AGAIN):
        if made is not None:
            fields, counts = made
            folder, entry = _completed(work / SHARD, out, fields)
            line = {"folder": folder.name, "entry": entry.as_json(), **counts}
            write_atomically(noted, json.dumps(line, ensure_ascii=False).encode())
        finished = json.loads(noted.read_bytes())
        folder, entry = out / finished.pop("folder"), ShardEntry.of(finished.pop("entry"))
        shard = work / SHARD
        if shard.is_dir():
            shard_folders(out).mark(shard, folder.name)
            shard.rename(folder)
            sync_folder(out)
        elif not folder.is_dir():
            raise StorageError("the finished shard is gone", where=str(folder), hint=RESTART)
        manifest = _manifest(out)
        before = manifest.shard(entry.id)
        manifest.with_shard(entry).write(out / NAME)
        _remove_old(out, entry, before)
    return BuildReport(entry, folder, chunks=entry.size, resumed=resumed, **finished)


def _completed(shard: Path, out: Path, description: Mapping[str, Any]) -> tuple[Path, ShardEntry]:
    """The finished shard's future folder, and its entry with side files and checksums."""
    before = _manifest(out).shard(description["id"])
    revision = (before.revision or 1) + 1 if before is not None else 1
    folder = _free(out, description["id"] if before is None else f"{description['id']}@{revision}")
    fields = {
        **description,
        "embedding_file": f"{folder.name}/{EMBEDDINGS}",
        "metadata_file": f"{folder.name}/{METADATA}",
        "revision": revision,
        "built": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    entry = ShardEntry.of({name: value for name, value in fields.items() if value is not None})
    made = make_side_files(shard, entry)
    sums = sums_in({path.name: path for path in sorted(shard.iterdir()) if path.is_file()})
    sync_folder(shard)
    return folder, entry.changed(files=sums, side_files=made or None)


def _manifest(out: Path) -> Manifest:
    path = out / NAME
    return Manifest.read(path) if path.exists() else Manifest(version=datetime.now(UTC).date().isoformat(), shards=())


def _free(out: Path, name: str) -> Path:
    """A folder of that name, or one like it, that does not exist."""
    names = chain([name], (f"{name}.{number}" for number in count(1)))
    return next(out / each for each in names if not os.path.lexists(out / each))


def shard_folders(out: Path) -> OwnedFolders:
    """The folders of shards that were built here."""
    return OwnedFolders(real(out), "shard", rf"{re.escape(METADATA)}|rest\.jsonl|(rest-)?domains\.json|[a-z-]+\.npy")


def _remove_old(out: Path, entry: ShardEntry, before: ShardEntry | None) -> None:
    """Remove the shard's folders but the new one and the one before it, which may still be read."""
    serving = [*_manifest(out).shards, *([before] if before is not None else [])]
    kept = {one.embedding_file.partition("/")[0] for one in serving}
    own = re.compile(re.escape(entry.id) + r"(?:@\d+)?(?:\.\d+)?")
    for path in out.iterdir():
        if path.name in kept or path.is_symlink() or not own.fullmatch(path.name):
            continue
        if (path / EMBEDDINGS).is_file():
            shard_folders(out).remove(path.name)
