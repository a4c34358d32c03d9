"""The host's own health checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import EncoderError, StorageError
from ..health import Check

if TYPE_CHECKING:
    from .host import Host


def check_encoder(host: Host) -> Check:
    """Whether questions can be embedded."""
    try:
        return Check("encoder", True, host.encoder.fingerprint)
    except EncoderError as error:
        return Check.failed("encoder", error, fatal=True)


def check_catalog(host: Host) -> Check:
    """Whether the catalog can be read, past what is kept in memory of it."""
    try:
        host.catalog.probe()
        with host.catalog.read() as snapshot:
            return Check("catalog", True, f"{len(snapshot.corpora())} corpora")
    except StorageError as error:
        return Check.failed("catalog", error, fatal=True)
