"""A folder of shards signed, shard by shard, each with a revision that only rises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragstone.core import BadRequest, NotFound

from .errors import ShardError
from .installation import Refused
from .manifest import NAME, Manifest
from .releases import locked
from .signatures import public_key, sign, signer
from .verification import Faults, sums_of, verify_shard

if TYPE_CHECKING:
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from .manifest import ShardEntry


@dataclass(frozen=True)
class Signed:
    """A shard that bears the signature now; ``before`` is the revision that it had."""

    id: str
    revision: int
    before: int | None
    key: str


def sign_folder(
    folder: Path, key: Ed25519PrivateKey, *, only: str | None = None, revision: int | None = None
) -> list[Signed]:
    """Sign the shards of the folder's manifest, or the one with the id ``only``; checksums are filled in where there
    are none.

    Without ``revision`` a new shard gets 1, one that was changed after it was signed the next, and the others keep
    theirs. Nothing is signed that ``verify`` finds fault with. Raises ``Refused``, ``ShardError``, ``BadRequest``,
    ``StorageError``.
    """
    with locked(folder):
        return _sign_folder(folder, key, only, revision)


def _sign_folder(folder: Path, key: Ed25519PrivateKey, only: str | None, revision: int | None) -> list[Signed]:
    path = folder / NAME
    manifest = Manifest.read(path)
    if only is not None and manifest.shard(only) is None:
        known = ", ".join(entry.id for entry in manifest.shards)
        raise NotFound(f"there is no shard {only[:80]!r}", where=str(path), hint=f"there are: {known}")
    told, faults = [], Faults(folder)
    for entry in manifest.shards:
        if only not in (None, entry.id):
            continue
        filled = entry if entry.files is not None else entry.changed(files=sums_of(entry.place(folder)))
        new = sign(filled.changed(revision=_next(entry, revision)), key)
        verify_shard(new, path, faults)
        manifest = manifest.with_shard(new)
        told.append(Signed(new.id, new.revision or 1, entry.revision, public_key(key)))
    if faults.found():
        raise Refused(folder, faults.found())
    manifest.write(path)
    return told


def _next(entry: ShardEntry, wanted: int | None) -> int:
    """The revision to sign the entry with. Raises ``BadRequest`` for one that does not rise."""
    try:
        signer(entry)
        was_changed = False
    except ShardError:  # it was signed, and then it was changed
        was_changed = True
    lowest = (entry.revision or 0) + 1 if was_changed else entry.revision or 1
    if wanted is not None and wanted < lowest:
        raise BadRequest(f"shard {entry.id!r}: the revision must be {lowest} or higher; it only rises")
    return wanted or lowest
