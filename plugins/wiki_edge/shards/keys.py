"""Ed25519 keys: made, read from files, and written in base64."""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.core import BadRequest

from .errors import ShardError
from .files import open_regular

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_BYTES = 32
_LARGEST_KEY = 16_384
_OTHERS = 0o077
_HINT = "ragstone wiki keygen makes one"


class Locked(BadRequest):
    """A private key needs its passphrase."""

    title = "The key is locked"


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
        with path.open("xb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(pem)
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
        raise BadRequest("is not a private key in PEM", where=str(path), hint=_HINT) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise BadRequest("is a key of another kind than Ed25519", where=str(path), hint=_HINT)
    return key


def public_key(key: Ed25519PrivateKey) -> str:
    """Base64 of the key's public half."""
    return b64encode(key.public_key().public_bytes_raw()).decode()


def trusted_key(text: str) -> bytes:
    """The public key as bytes. Raises ``BadRequest``: it is a setting."""
    try:
        return decoded(text, KEY_BYTES, "public key")
    except ShardError as error:
        raise BadRequest(f"{text[:80]!r}: {error.what}", where="trusted_keys") from error


def decoded(text: object, size: int, what: str) -> bytes:
    """The bytes of a base64 text. Raises ``ShardError`` unless there are ``size`` of them."""
    try:
        found = b64decode(text if isinstance(text, str) else "?", validate=True)
    except (NotBase64, ValueError) as error:
        raise ShardError(f"the {what} is not base64") from error
    if len(found) != size:
        raise ShardError(f"the {what} has {len(found)} bytes, not {size}")
    return found
