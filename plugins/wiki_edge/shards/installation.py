"""Installs shards: verified first, then all switched to at once.

Until the new ``manifest.json`` takes the place of the old one nothing that serves has been touched. A process that has
the old files open reads on: the release before the newest stays on the disk.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Literal

from ragstone.core.answering import check_type
from ragstone.core.runtime import sync_folder

from . import releases
from .errors import ShardError
from .files import TEMPORARY
from .manifest import NAME, SIGNATURE, Manifest, ShardEntry
from .signatures import Signer, content_digest, keep_signature, signer
from .staging import Limits, stage
from .verification import Fault, Faults, check_files, sums_in, verify


@dataclass(frozen=True)
class Installed:
    """The result for one shard."""

    id: str
    what: Literal["installed", "updated", "repaired", "unchanged"]
    revision: int | None
    #: The revision that served before.
    before: int | None
    signer: Signer | None
    folder: Path


class Refused(ShardError):
    """Nothing was installed; ``faults`` are the reasons."""

    title = "The shards are refused"

    def __init__(self, source: Path, faults: list[Fault]) -> None:
        self.faults = tuple(faults)
        more = f"; and {len(faults) - 1} more" if len(faults) > 1 else ""
        hint = f"nothing was changed; {'repair' if source.is_dir() else 'get'} the shards and try again"
        super().__init__(f"{faults[0]}{more}", file=source, hint=hint)


def install(
    source: Path,
    root: Path,
    *,
    trusted_keys: Collection[str] = (),
    require_signature: bool = False,
    limits: Limits | None = None,
) -> list[Installed]:
    """Install the shards of an archive or a folder into ``root``, beside those that are there, or in their place.

    A shard is known again by its id. Refused are: anything that ``verify`` finds; a lower revision than the one that
    serves, or the same with other content; and, for a shard that was signed, one that is not signed by the same or a
    trusted key. Then everything stays as it was. Raises ``Refused``, ``ShardError``, ``BadRequest``, ``StorageError``.
    """
    check_type(source, "source", Path, "a path")
    check_type(root, "root", Path, "a path")
    if source.is_dir() and source.resolve() == root.resolve():
        raise ShardError("is the folder that is to be installed into", file=source)
    with releases.locked(root):
        now = releases.installed(root)
        releases.clear(root, now)
        staged = releases.staging_folders(root)
        staging = staged.make(f"{TEMPORARY}{token_hex(8)}")
        (staging / "from").mkdir()
        try:
            path = stage(source, staging / "from", limits or Limits())
            faults = verify(path, trusted_keys=trusted_keys, require_signature=require_signature)
            if faults:
                raise Refused(source, faults)
            incoming = Manifest.read(path)
            if not incoming.shards:
                raise ShardError("lists no shard", file=source / NAME if source.is_dir() else source)
            staged_shards = _Staged(source, path.parent, root, now or Manifest(version=incoming.version, shards=()))
            plans = [_plan(entry, staged_shards, trusted_keys) for entry in incoming.shards]
            _switch(plans, staged_shards, staging, incoming.version)
        finally:
            with suppress(OSError):
                staged.remove(staging.name)
        releases.clear(root, releases.installed(root))
    return [plan.report(root) for plan in plans]


@dataclass(frozen=True)
class _Staged:
    """Shards that came from ``source`` and are unpacked in ``folder``, to be installed into ``root``."""

    source: Path
    folder: Path
    root: Path
    #: The manifest that serves in ``root``, or an empty one.
    now: Manifest


@dataclass(frozen=True)
class _Plan:
    what: Literal["installed", "updated", "repaired", "unchanged"]
    old: ShardEntry | None
    #: As it came, with ``files``.
    came: ShardEntry
    #: As it will be in the manifest.
    new: ShardEntry
    signer: Signer | None

    def report(self, root: Path) -> Installed:
        before = self.old.revision if self.old else None
        return Installed(self.new.id, self.what, self.new.revision, before, self.signer, self.new.place(root).folder)


def _plan(came: ShardEntry, staged: _Staged, trusted_keys: Collection[str]) -> _Plan:
    """What is to be done for one shard, which is whole. Raises ``ShardError`` when it must not be installed."""
    source, root = staged.source, staged.root
    by = signer(came, staged.folder, trusted_keys)
    came = came if came.files is not None else came.changed(files=sums_in(came.place(staged.folder).files))
    digest = content_digest(came)
    old = staged.now.shard(came.id)
    is_same = False
    if old is not None:
        is_same = content_digest(old) == digest
        _check_revision(old, came, is_same=is_same, source=source)
        _check_signer(came, by, _known_signer(old, root), source)
        if is_same and _is_whole(old, root):
            return _Plan("unchanged", old, came, old, by)
    home = releases.folder_for(root, came, digest)
    paths = {"embedding_file": f"{home}/{came.embedding_name}", "metadata_file": f"{home}/{came.metadata_name}"}
    return _Plan(
        "installed" if old is None else "repaired" if is_same else "updated", old, came, came.changed(**paths), by
    )


def _check_revision(old: ShardEntry, new: ShardEntry, *, is_same: bool, source: Path) -> None:
    """Raise ``ShardError`` for a revision that must not take the place of the installed one."""
    before, after = old.revision or 0, new.revision or 0
    if after < before:
        what = f"shard {new.id!r} has revision {after or 'none'}, and {before} is installed; a revision only rises"
        raise ShardError(what, file=source)
    if after == before and after and not is_same:
        what = f"shard {new.id!r} has revision {after} as the installed one has, but other content"
        raise ShardError(what, file=source, hint="ragstone wiki sign gives changed content a new revision")


def _check_signer(new: ShardEntry, by: Signer | None, known: str | None, source: Path) -> None:
    """Raise ``ShardError`` unless the signer is trusted or, where the installed shard has one, the same."""
    if known is not None and (by is None or not (by.trusted or by.key == known)):
        now = "is not signed" if by is None else f"is signed by {by.key}"
        what = f"shard {new.id!r} {now}, but the installed one is signed by {known}"
        raise ShardError(what, file=source, hint="add the new signer's key to trusted_keys if you trust it")


def _known_signer(entry: ShardEntry, root: Path) -> str | None:
    try:
        by = signer(entry, root)
    except ShardError:  # the installed manifest was changed: a good shard repairs it
        return None
    return by.key if by else None


def _is_whole(entry: ShardEntry, root: Path) -> bool:
    faults = Faults(root)
    check_files(entry, root / NAME, faults)
    return not faults.found()


def _switch(plans: list[_Plan], staged: _Staged, staging: Path, version: str) -> None:
    """Move the new releases into place, then replace the manifest."""
    folder, root, now = staged.folder, staged.root, staged.now
    manifest, before = now.model_copy(update={"version": version}), releases.previous(now)
    moves: dict[str, Path] = {}
    touched = set(before.values())
    for number, plan in enumerate(plans):
        manifest = manifest.with_shard(plan.new)
        home = releases.release_of(plan.new)
        if plan.what == "unchanged" or home is None:
            if plan.signer is not None:
                keep_signature(plan.came, folder, plan.new.place(root).folder)
            continue
        moves[home] = _laid_out(plan.came, folder, staging / str(number))
        served = releases.release_of(plan.old) if plan.old else None
        before.pop(plan.new.id, None)
        if served is not None:
            before[plan.new.id] = served
    manifest = releases.with_previous(manifest, before)
    if not moves and manifest == now:
        return
    releases.touching(root, touched | moves.keys())
    for entry in now.shards:  # what was signed where it serves
        keep_signature(entry, root, entry.place(root).folder)
    for home, made in moves.items():
        (root / home).parent.mkdir(exist_ok=True)
        made.rename(root / home)
        sync_folder((root / home).parent)
    sync_folder(root)
    manifest.write(root / NAME)
    (root / SIGNATURE).unlink(missing_ok=True)  # it was over the manifest before


def _laid_out(entry: ShardEntry, folder: Path, made: Path) -> Path:
    """The shard's files in one folder, by their names in ``files``."""
    for name, path in entry.paths.items():
        target = made / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            (folder / path).rename(target)
        except FileNotFoundError as error:
            raise ShardError(f"shard {entry.id!r} shares {path!r} with another shard") from error
    keep_signature(entry, folder, made)
    releases.sync_tree(made)
    return made
