"""Who answers for a shard: Ed25519 over its manifest entry, which holds the checksum of every file.

Signed is the entry as canonical JSON (sorted keys, no spaces, UTF-8), without its signature, and with the paths of
embeddings and metadata reduced to their file names: so the copy that is installed in another folder keeps its
signature.
"""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from ragstone.core import BadRequest
from ragstone.core.runtime import sync_folder

from .errors import ShardError
from .files import open_regular
from .strict_json import canonical

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from .manifest import ShardEntry

_KEY_BYTES, _SIGNATURE_BYTES = 32, 64
_LARGEST_KEY = 16_384
_OTHERS = 0o077


@dataclass(frozen=True)
class Signer:
    """Whose signature a shard bears: base64 of the public key, and whether it is among the trusted ones."""

    key: str
    trusted: bool

    def __str__(self) -> str:
        return f"{self.key} ({'trusted' if self.trusted else 'not a trusted key'})"


def signed_content(entry: ShardEntry) -> bytes:
    """The bytes that a signature is over."""
    content = {**entry.as_json(), "embedding_file": entry.embedding_name, "metadata_file": entry.metadata_name}
    content.pop("signature", None)
    return canonical(content)


def content_digest(entry: ShardEntry) -> str:
    """Two entries with ``files`` are of the same shard, byte for byte, when these are the same; hexadecimal."""
    return sha256(signed_content(entry)).hexdigest()


def sign(entry: ShardEntry, key: Ed25519PrivateKey) -> ShardEntry:
    """The entry with the key's signature. Raises ``ShardError`` when it does not list its files."""
    bare = entry.changed(signature=None)
    _covers_everything(bare)
    value = key.sign(signed_content(bare))
    return bare.changed(signature={"key": public_key(key), "value": b64encode(value).decode()})


def signer(entry: ShardEntry, trusted_keys: Collection[str] = ()) -> Signer | None:
    """Who signed the entry; ``None`` when nobody did. Raises ``ShardError`` when the signature does not hold."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if entry.signature is None:
        return None
    key = _decoded(entry.signature.key, _KEY_BYTES, "public key")
    value = _decoded(entry.signature.value, _SIGNATURE_BYTES, "signature")
    _covers_everything(entry)
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(value, signed_content(entry))
    except (InvalidSignature, ValueError) as error:
        raise ShardError(
            f"shard {entry.id!r}: the signature is not of this content",
            hint="the entry was changed after it was signed: get the shard again from whoever signed it",
        ) from error
    return Signer(b64encode(key).decode(), key in {trusted_key(one) for one in trusted_keys})


def trusted_key(text: str) -> bytes:
    """The public key as bytes. Raises ``BadRequest``: it is a setting."""
    try:
        return _decoded(text, _KEY_BYTES, "public key")
    except ShardError as error:
        raise BadRequest(f"{text[:80]!r}: {error.what}", where="trusted_keys") from error


def public_key(key: Ed25519PrivateKey) -> str:
    """Base64 of the key's public half."""
    return b64encode(key.public_key().public_bytes_raw()).decode()


def keygen(path: Path, passphrase: str | None = None) -> str:
    """Make a key, write its private half to a new file that its owner alone may read, and return the public half.

    The file is PKCS#8 in PEM, encrypted where there is a passphrase. Raises ``BadRequest`` when the file exists or
    cannot be written.
    """
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    encryption = (
        serialization.BestAvailableEncryption(passphrase.encode()) if passphrase else serialization.NoEncryption()
    )
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        sync_folder(path.parent)
    except FileExistsError as error:
        raise BadRequest(
            "exists already; a key is never overwritten", where=str(path), hint="name a new file"
        ) from error
    except OSError as error:
        raise BadRequest(f"cannot be written: {error.strerror}", where=str(path)) from error
    return public_key(key)


def read_key(path: Path, passphrase: str | None = None) -> Ed25519PrivateKey:
    """The private key in that file. Raises ``BadRequest``, and ``Locked`` when it needs a passphrase."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        with open_regular(path) as file:
            mode = os.fstat(file.fileno()).st_mode
            pem = file.read(_LARGEST_KEY)
    except ShardError as error:
        raise BadRequest(f"the key {error.what}", where=error.where) from error
    if mode & _OTHERS:
        raise BadRequest("others may read this private key", where=str(path), hint=f"chmod 600 {path}")
    try:
        key = load_pem_private_key(pem, passphrase.encode() if passphrase else None)
    except TypeError as error:  # it is encrypted and there is no passphrase, or the other way round
        if passphrase:
            return read_key(path)
        raise Locked("the key is locked with a passphrase", where=str(path)) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        if b"PRIVATE KEY" in pem:
            raise BadRequest("cannot be read, or not with this passphrase", where=str(path)) from error
        hint = "ragstone wiki keygen makes one"
        raise BadRequest("is not a private key in PEM", where=str(path), hint=hint) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise BadRequest(
            "is a key of another kind than Ed25519", where=str(path), hint="ragstone wiki keygen makes one"
        )
    return key


class Locked(BadRequest):
    """A private key needs its passphrase."""

    title = "The key is locked"


def _covers_everything(entry: ShardEntry) -> None:
    """A signature is over the checksums in the entry: a file that is not listed would not be covered by it."""
    wanted = {entry.embedding_name, entry.metadata_name, *(entry.side_files or {}).values()}
    missing = sorted(wanted - set(entry.files or {}))
    if missing:
        raise ShardError(f"shard {entry.id!r}: a signature would not cover {missing[0]!r}: 'files' does not list it")


def _decoded(text: str, size: int, what: str) -> bytes:
    try:
        found = b64decode(text, validate=True)
    except (NotBase64, ValueError) as error:
        raise ShardError(f"the {what} is not base64") from error
    if len(found) != size:
        raise ShardError(f"the {what} has {len(found)} bytes, not {size}")
    return found
