"""Signs a folder of shards, see ``signatures``."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.core import BadRequest
from ragstone.core.runtime import write_atomically

from .installation import Refused
from .keys import public_key
from .manifest import NAME, SIGNATURE, Manifest, ShardEntry
from .releases import locked
from .signatures import content_digest, read_signature
from .verification import Faults, check_files, sums_in

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


@dataclass(frozen=True)
class Signed:
    """A signed shard; ``before`` is the revision that it had."""

    id: str
    revision: int
    before: int | None
    key: str


def sign_folder(
    folder: Path, key: Ed25519PrivateKey, *, only: str | None = None, revision: int | None = None
) -> list[Signed]:
    """Sign the folder's manifest; checksums are filled in where there are none.

    A new shard gets revision 1, one that was changed after it was signed the next, and the others keep theirs.
    ``revision``: for all of them, or for the one with the id ``only``. Nothing is signed that ``verify`` finds faults
    in. Raises ``Refused``, ``ShardError``, ``BadRequest``, ``StorageError``.
    """
    path = folder / NAME
    with locked(folder):
        manifest = Manifest.read(path)
        chosen = {entry.id for entry in manifest.chosen([] if only is None else [only], path)}
        known_revisions = read_signature(folder).get("shards")
        before = known_revisions if isinstance(known_revisions, dict) else {}
        signed, faults = [], Faults(folder)
        for entry in manifest.shards:
            wanted = revision if entry.id in chosen else None
            filled = entry if entry.files is not None else entry.changed(files=sums_in(entry.place(folder).files))
            new = filled.changed(revision=_next(filled, before.get(entry.id), wanted))
            check_files(new, path, faults)
            manifest = manifest.with_shard(new)
            if entry.id in chosen:
                signed.append(Signed(new.id, new.revision or 1, entry.revision, public_key(key)))
        if faults.found():
            raise Refused(folder, faults.found())
        manifest.write(path)
        stored = {
            "key": public_key(key),
            "signature": b64encode(key.sign(path.read_bytes())).decode(),
            # By these the next signing finds what was changed; they are not signed.
            "shards": {
                entry.id: [entry.revision, content_digest(entry, without="revision")] for entry in manifest.shards
            },
        }
        write_atomically(folder / SIGNATURE, json.dumps(stored, indent=2).encode() + b"\n")
        return signed


def _next(entry: ShardEntry, signed: object, wanted: int | None) -> int:
    """The revision to sign the entry with. ``signed``: its revision and digest when it was signed last.

    Raises ``BadRequest`` for one that does not rise.
    """
    lowest = entry.revision or 1
    if isinstance(signed, list) and len(signed) == 2 and isinstance(signed[0], int):
        was_changed = content_digest(entry, without="revision") != signed[1]
        lowest = max(lowest, signed[0] + was_changed)
    if wanted is not None and wanted < lowest:
        raise BadRequest(f"shard {entry.id!r}: the revision must be {lowest} or higher; it only rises")
    return wanted or lowest
