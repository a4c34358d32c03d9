"""The signature of a folder of shards: Ed25519 over the bytes of ``manifest.json``, in ``manifest.json.sig``.

The manifest has the checksum of every file, so the signature is over every byte. An installed shard keeps the manifest
that it came with, and its signature, beside its files.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from ragstone.core.runtime import write_atomically

from .errors import ShardError
from .files import open_regular
from .keys import KEY_BYTES, decoded, trusted_key
from .manifest import NAME, SIGNATURE, Manifest, ShardEntry

_SIGNATURE_BYTES = 64
_LARGEST = 2**20


@dataclass(frozen=True)
class Signer:
    """The key of a signature in base64, and whether it is among the trusted ones."""

    key: str
    trusted: bool

    def __str__(self) -> str:
        return f"{self.key} ({'trusted' if self.trusted else 'not a trusted key'})"


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

    stored = read_signature(folder)
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


def read_signature(folder: Path) -> dict[str, Any]:
    """The content of the signature's file; empty where it is damaged."""
    try:
        with open_regular(folder / SIGNATURE) as file:
            found = json.loads(file.read(_LARGEST))
    except (ShardError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
