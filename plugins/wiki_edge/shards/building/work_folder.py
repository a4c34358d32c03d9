"""The folder in which a shard is made: locked, with what it is made for, removed when the shard is in its place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ragstone.core import BadRequest, RagstoneError, StorageBusy
from ragstone.core.runtime import OwnedFolders, storage_error, write_atomically

from ..files import real
from ..writer import EMBEDDINGS, HEADER

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
)


@contextmanager
def work_folder(out: Path, shard_id: str, *, restart: bool = False) -> Iterator[Path]:
    """The locked folder of an unfinished shard; removed at the end, and after an error before the first part.

    Raises ``StorageBusy``, ``StorageError`` and its kin.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        folders = work_folders(out)
        work = folders.make(f".building-{shard_id}")
        with FileLock(work / "lock", timeout=0):
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
    except Timeout as error:
        raise StorageBusy(f"the shard {shard_id!r} is being built by another process", where=str(out)) from error
    except OSError as error:
        raise storage_error(error, out, hint=AGAIN) from error


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
