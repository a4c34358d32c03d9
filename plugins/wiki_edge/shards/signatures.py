"""The signature of a folder of shards: Ed25519 over the bytes of ``manifest.json``, in ``manifest.json.sig``.

The manifest has the checksum of every file, so the signature is over every byte. An installed shard keeps the manifest
that it came with, and its signature, beside its files.
"""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from ragstone.core import BadRequest, NotFound
from ragstone.core.runtime import write_atomically

from .errors import ShardError
from .files import open_regular
from .keys import KEY_BYTES, decoded, public_key, trusted_key
from .manifest import NAME, SIGNATURE, Manifest

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from .manifest import ShardEntry

_SIGNATURE_BYTES = 64
_LARGEST = 2**20


@dataclass(frozen=True)
class Signer:
    """The key of a signature in base64, and whether it is among the trusted ones."""

    key: str
    trusted: bool

    def __str__(self) -> str:
        return f"{self.key} ({'trusted' if self.trusted else 'not a trusted key'})"


@dataclass(frozen=True)
class Signed:
    """A signed shard; ``before`` is the revision that it had."""

    id: str
    revision: int
    before: int | None
    key: str


def content(entry: ShardEntry) -> dict[str, Any]:
    """The entry's fields, wherever its folder is; two entries with ``files`` and equal fields have equal bytes."""
    return {**entry.as_json(), "embedding_file": entry.embedding_name, "metadata_file": entry.metadata_name}


def content_digest(entry: ShardEntry, *, without: str = "") -> str:
    """A checksum of ``content``, but for one field; hexadecimal."""
    fields = {name: value for name, value in content(entry).items() if name != without}
    return sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def signer(entry: ShardEntry, root: Path, trusted_keys: Collection[str] = ()) -> Signer | None:
    """The signer of a shard of the manifest in ``root``; ``None`` without a signature.

    That of the manifest that an installed shard came with, else that of ``root``'s. Raises ``ShardError`` when the
    signature is not of this content.
    """
    folder = signed_folder(entry, root)
    if folder is None:
        return None
    manifest, key = _verified(folder)
    signed = manifest.shard(entry.id)
    if signed is None or content(signed) != content(entry):
        raise _changed(f"shard {entry.id!r}")
    wanted = {entry.embedding_name, entry.metadata_name, *(entry.side_files or {}).values()}
    if missing := sorted(wanted - set(entry.files or {})):
        raise ShardError(f"shard {entry.id!r}: the signature does not cover {missing[0]!r}: 'files' does not list it")
    return Signer(b64encode(key).decode(), key in {trusted_key(one) for one in trusted_keys})


def _verified(folder: Path) -> tuple[Manifest, bytes]:
    """The folder's manifest and the key that signed it. Raises ``ShardError``."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    stored = _read(folder)
    key = decoded(stored.get("key"), KEY_BYTES, "public key")
    value = decoded(stored.get("signature"), _SIGNATURE_BYTES, "signature")
    with open_regular(folder / NAME) as file:
        raw = file.read()
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(value, raw)
    except (InvalidSignature, ValueError) as error:
        raise _changed(NAME) from error
    return Manifest.read(folder / NAME), key


def signed_folder(entry: ShardEntry, root: Path) -> Path | None:
    """The folder with the signature of a shard of the manifest in ``root``: the shard's own, else ``root``."""
    folders = (root / PurePosixPath(entry.embedding_file).parent, root)
    return next((folder for folder in folders if (folder / SIGNATURE).is_file()), None)


def keep_signature(entry: ShardEntry, root: Path, folder: Path) -> None:
    """Put the signed manifest of the shard, if there is one, into ``folder``, beside its files."""
    source = signed_folder(entry, root)
    if source is not None and source != folder:
        for name in (NAME, SIGNATURE):
            write_atomically(folder / name, (source / name).read_bytes())


def _changed(what: str) -> ShardError:
    hint = "it was changed after it was signed: get the shards again from their publisher"
    return ShardError(f"{what}: the signature is not of this content", hint=hint)


def _read(folder: Path) -> dict[str, Any]:
    """The content of the signature's file; empty where it is damaged."""
    try:
        with open_regular(folder / SIGNATURE) as file:
            found = json.loads(file.read(_LARGEST))
    except (ShardError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def sign_folder(
    folder: Path, key: Ed25519PrivateKey, *, only: str | None = None, revision: int | None = None
) -> list[Signed]:
    """Sign the folder's manifest; checksums are filled in where there are none.

    A new shard gets revision 1, one that was changed after it was signed the next, and the others keep theirs.
    ``revision``: for all of them, or for the one with the id ``only``. Nothing is signed that ``verify`` finds faults
    in. Raises ``Refused``, ``ShardError``, ``BadRequest``, ``StorageError``.
    """
    from .releases import locked

    with locked(folder):
        return _sign_folder(folder, key, only, revision)


def _sign_folder(folder: Path, key: Ed25519PrivateKey, only: str | None, revision: int | None) -> list[Signed]:
    from .installation import Refused
    from .verification import Faults, check_files, sums_in

    path = folder / NAME
    manifest = Manifest.read(path)
    if only is not None and manifest.shard(only) is None:
        known = ", ".join(entry.id for entry in manifest.shards)
        raise NotFound(f"there is no shard {only[:80]!r}", where=str(path), hint=f"there are: {known}")
    known_revisions = _read(folder).get("shards")
    before = known_revisions if isinstance(known_revisions, dict) else {}
    signed, faults = [], Faults(folder)
    for entry in manifest.shards:
        wanted = revision if only in (None, entry.id) else None
        filled = entry if entry.files is not None else entry.changed(files=sums_in(entry.place(folder).files))
        new = filled.changed(revision=_next(filled, before.get(entry.id), wanted))
        check_files(new, path, faults)
        manifest = manifest.with_shard(new)
        if only in (None, entry.id):
            signed.append(Signed(new.id, new.revision or 1, entry.revision, public_key(key)))
    if faults.found():
        raise Refused(folder, faults.found())
    manifest.write(path)
    stored = {
        "key": public_key(key),
        "signature": b64encode(key.sign(path.read_bytes())).decode(),
        # By these the next signing finds what was changed; they are not signed.
        "shards": {entry.id: [entry.revision, content_digest(entry, without="revision")] for entry in manifest.shards},
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
