"""What several commands say in the same words."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ..shards.errors import ShardError

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..shards.manifest import ShardEntry, ShardPlace


def signed_by(entry: ShardEntry, trusted_keys: Collection[str]) -> str:
    """Who signed the shard, in words."""
    from ..shards.signatures import signer

    try:
        by = signer(entry, trusted_keys)
    except ShardError:
        return "signature does not hold"
    return "not signed" if by is None else f"signed by {by}"


def size_on_disk(place: ShardPlace) -> int:
    """Bytes of the shard's files; those that are missing count nothing."""
    size = 0
    for path in place.files.values():
        with suppress(OSError):
            size += path.stat().st_size
    return size


def megabytes(size: int) -> str:
    """The size in the unit that suits it."""
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:,.1f} kB"
