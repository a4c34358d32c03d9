"""The folders of installed shards: ``ID/RELEASE``, at most two of each id, and nothing half done.

An installation notes what it is about to touch: after a crash the next one removes what no manifest
names. Nothing is ever removed that an installation did not make.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from ragstone.core import StorageDenied
from ragstone.core.runtime import OwnedFolders, file_lock, storage_errors, sync_folder, write_atomically

from .errors import ShardError
from .files import TEMPORARY, inside, real
from .manifest import NAME, Manifest, ShardEntry

LOCK = f"{TEMPORARY}lock"
_TOUCHED = f"{TEMPORARY}touched.json"
#: Files that are written under the lock only.
_HALF_WRITTEN = (f"{TEMPORARY}{NAME}-", f"{TEMPORARY}{_TOUCHED}-")
#: Our own key in an installed manifest, which other readers ignore.
_OWN = "ragstone"
_RELEASE = re.compile(r"r\d{1,16}-[0-9a-f]{16}(-\d{1,6})?")
_STAGING = re.compile(re.escape(TEMPORARY) + "[0-9a-f]{16}")
_LONGEST_NAME = 255


@contextmanager
def locked(
    root: Path, *, seconds: float = 0, hint: str = "the shards that were installed before are as they were"
) -> Iterator[None]:
    """Make the folder where it is missing, and lock it. Raises ``StorageBusy`` after so many seconds.

    Raises ``StorageError`` with the hint in place of ``OSError``. The lock ends with its process.
    """
    busy = "another process installs or signs shards here"
    with storage_errors(root, what="could not be changed", hint=hint):
        root.mkdir(parents=True, exist_ok=True)
        with file_lock(root / LOCK, busy, hint="wait until it has ended", seconds=seconds):
            yield


def installed(root: Path) -> Manifest | None:
    """The manifest that serves; ``None`` where nothing was installed yet. Raises ``ShardError``."""
    return Manifest.read(root / NAME) if os.path.lexists(root / NAME) else None


def has_releases(root: Path) -> bool:
    """Whether releases of shards are in the folder, which a manifest must name."""
    return any(_RELEASE.fullmatch(path.name) for path in root.glob("*/*"))


def folder_for(root: Path, entry: ShardEntry, digest: str) -> str:
    """The name of a new release's folder, relative to ``root``. Raises ``ShardError``."""
    shard = quote(entry.id, safe=" ")
    shard = f"%2E{shard[1:]}" if shard.startswith(".") else shard
    if shard == NAME or len(shard) > _LONGEST_NAME:
        raise ShardError(f"the id {entry.id[:80]!r} cannot be the name of a folder")
    release = f"{shard}/r{entry.revision or 0}-{digest[:16]}"
    number, name = 1, release
    while os.path.lexists(root / name):
        number += 1
        name = f"{release}-{number}"
    inside(root, name)
    return name


def release_of(entry: ShardEntry) -> str | None:
    """The folder of an entry that was installed by us; ``None`` for one that was put there by hand."""
    folder = PurePosixPath(entry.embedding_file).parent
    return str(folder) if len(folder.parts) == 2 and _RELEASE.fullmatch(folder.name) else None


def previous(manifest: Manifest | None) -> dict[str, str]:
    """The release before the newest, by shard."""
    own = (manifest.model_extra or {}).get(_OWN) if manifest else None
    found = own.get("previous") if isinstance(own, dict) else None
    return {k: v for k, v in found.items() if isinstance(v, str)} if isinstance(found, dict) else {}


def with_previous(manifest: Manifest, releases: dict[str, str]) -> Manifest:
    """A copy of the manifest that names the releases before the newest."""
    return Manifest.of({**manifest.as_json(), _OWN: {"previous": releases}})


def staging_folders(root: Path) -> OwnedFolders:
    """The folders in which an installation lays out what it will move into place."""
    return OwnedFolders(real(root), "installation", r"from|\d+")


def touching(root: Path, releases: Iterable[str]) -> None:
    """Write down which folders are about to be made or removed."""
    write_atomically(root / _TOUCHED, json.dumps(sorted(releases)).encode())


def clear(root: Path, manifest: Manifest | None) -> None:
    """Remove what installations left: folders that no manifest names, and everything unpacked or half written."""
    named = {*previous(manifest).values(), *(release_of(entry) for entry in (manifest.shards if manifest else ()))}
    for release in _touched(root):
        if release not in named:
            shutil.rmtree(root / release, ignore_errors=True)  # made by us: no folder was there when it was noted
            with suppress(OSError):  # another release is in it
                (root / release).parent.rmdir()
    staged = staging_folders(root)
    for path in root.glob(f"{TEMPORARY}*"):
        if _STAGING.fullmatch(path.name):
            with suppress(OSError, StorageDenied):
                staged.make(path.name)  # marks it where a kill left it empty; raises for what others keep there
                staged.remove(path.name)
        elif path.is_file() and path.name.startswith(_HALF_WRITTEN):  # others may be writing other files at this moment
            path.unlink(missing_ok=True)
    (root / _TOUCHED).unlink(missing_ok=True)


def sync_tree(folder: Path) -> None:
    """Make every file and name in the folder survive a loss of power."""
    for parent, _, files in os.walk(folder):
        for name in files:
            descriptor = os.open(Path(parent, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        sync_folder(Path(parent))


def _touched(root: Path) -> list[str]:
    try:
        found = json.loads((root / _TOUCHED).read_bytes())
    except (FileNotFoundError, ValueError):
        return []
    releases = []
    for name in found if isinstance(found, list) else []:
        with suppress(ShardError):
            if isinstance(name, str) and _RELEASE.fullmatch(PurePosixPath(name).name) and inside(root, name):
                releases.append(name)
    return releases
