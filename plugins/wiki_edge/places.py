"""Where a deployment's shards lie, and whom it trusts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragstone.core import SettingsError

from .settings import WikiEdgeSettings

if TYPE_CHECKING:
    from pathlib import Path

    from ragstone.core import Host


@dataclass(frozen=True)
class Places:
    """The folders that hold ``manifest.json``; they need not be there yet."""

    wiki: Path
    episodic: Path


@dataclass(frozen=True)
class Trust:
    """Base64 of the public keys that are trusted, and whether no other shard is taken."""

    keys: tuple[str, ...]
    is_required: bool


def places(host: Host) -> Places:
    """The deployment's folders of shards."""
    options, data = host.options(WikiEdgeSettings), host.settings.data_dir
    return Places(
        (options.wiki or data / "wiki").expanduser().absolute(),
        (options.episodic or data / "episodic").expanduser().absolute(),
    )


def trust(host: Host, more: tuple[str, ...] = ()) -> Trust:
    """Whom the deployment trusts, and ``more`` keys. Raises ``SettingsError``, ``BadRequest`` for what is no key."""
    from .shards.signing import trusted_key

    options = host.options(WikiEdgeSettings)
    keys = (*options.trusted_keys, *more)
    for key in keys:
        trusted_key(key)
    if options.require_signature and not keys:
        raise SettingsError(
            "require_signature is set, but nobody is trusted",
            where="[plugins.wiki_edge]",
            hint='trusted_keys = ["…"]; ragstone wiki keygen prints the line for a new key',
        )
    return Trust(keys, options.require_signature)
