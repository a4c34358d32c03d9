"""What is to be installed, brought into a folder of ours, so that nobody changes it after it was verified."""

from __future__ import annotations

import os
import shutil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ragstone.core import BadRequest, StorageFull

from .archives import unpack
from .errors import ShardError
from .files import inside, open_regular
from .manifest import NAME, Manifest

if TYPE_CHECKING:
    from .archives import Limits
    from .manifest import ShardEntry

_BLOCK = 2**20


def gather(source: Path, folder: Path, limits: Limits) -> Path:
    """Unpack the archive, or copy what the folder's manifest names, into ``folder``; where the manifest is then.

    Raises ``BadRequest`` when there is no such source, ``ShardError`` when it is refused, ``StorageFull``, ``OSError``.
    """
    if source.is_dir():
        _copy(source, folder, limits)
        return folder / NAME
    if not source.exists():
        raise BadRequest("there is no such archive or folder", where=str(source))
    unpack(source, folder, limits)
    found = [folder / NAME] if (folder / NAME).is_file() else sorted(folder.glob(f"*/{NAME}"))
    if len(found) != 1:
        what = f"holds no {NAME} at its top" if not found else f"holds {len(found)} manifests"
        raise ShardError(what, file=source, hint="an archive has manifest.json at its top, or one folder that has it")
    return found[0]


def named_files(entry: ShardEntry) -> dict[str, str]:
    """Every file of the entry: its name in ``files`` → its path relative to the manifest's folder."""
    beside = PurePosixPath(entry.embedding_file).parent
    own = {entry.embedding_name: entry.embedding_file, entry.metadata_name: entry.metadata_file}
    names = [*(entry.files or {}), *(entry.side_files or {}).values()]
    return {**{name: str(beside / name) for name in names}, **own}


def _copy(source: Path, folder: Path, limits: Limits) -> None:
    manifest = Manifest.read(source / NAME)
    for entry in manifest.shards:
        entry.place(source)
    names = sorted({name for entry in manifest.shards for name in named_files(entry).values()})
    if len(names) > limits.members:
        raise ShardError(f"names more than {limits.members:,} files", file=source / NAME)
    paths = {name: inside(source, name) for name in names}
    size = sum(path.stat().st_size for path in paths.values() if path.is_file())
    if size > limits.bytes:
        raise ShardError(f"has more than {limits.bytes / 1e6:,.0f} MB", file=source)
    free = shutil.disk_usage(folder).free
    if size > free:
        what = f"{size / 1e6:,.0f} MB are to be copied and {free / 1e6:,.0f} MB are free"
        raise StorageFull(what, where=str(folder.parent), hint="nothing was changed; make room and install again")
    for name, path in paths.items():
        _copy_file(path, folder / name, limits.bytes)
    manifest.write(folder / NAME)


def _copy_file(path: Path, to: Path, most: int) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    with open_regular(path) as source:
        descriptor = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        with os.fdopen(descriptor, "wb") as target:
            while block := source.read(_BLOCK):
                most -= len(block)
                if most < 0:
                    raise ShardError("grows while it is copied", file=path)
                target.write(block)
