"""Health: small checks that the host and its plugins contribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import EncoderError, StorageError

if TYPE_CHECKING:
    from .host import Host


@dataclass(frozen=True)
class Check:
    """One thing that was looked at, and how it is."""

    name: str
    ok: bool
    detail: str
    #: Whether nothing can be answered while this is not well.
    fatal: bool = False


def check_encoder(host: Host) -> Check:
    """Whether questions can be embedded."""
    try:
        return Check("encoder", True, host.encoder.fingerprint)
    except EncoderError as error:
        return Check("encoder", False, error.what.splitlines()[0], fatal=True)


def check_catalog(host: Host) -> Check:
    """Whether the catalog can be read."""
    try:
        with host.catalog.read() as snapshot:
            return Check("catalog", True, f"{len(snapshot.corpora())} corpora")
    except StorageError as error:
        return Check("catalog", False, error.what, fatal=True)
