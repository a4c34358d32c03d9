"""The options of ``[plugins.wiki_edge]``, and the folders and keys that they name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - pydantic reads it
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ragstone.core import SettingsError, Table

from .planner.settings import EpisodesSettings, PlannerSettings, RemoteSettings, SlmSettings

if TYPE_CHECKING:
    from ragstone.core import Host


class WikiEdgeSettings(Table):
    """Without any of them the shards lie in the data folder."""

    #: Folders of the manifests; by default ``wiki`` and ``episodic`` in the data folder.
    wiki: Path | None = None
    episodic: Path | None = None
    #: Megabytes that shards may hold in memory; the rest is read from disk.
    cache_mb: int = Field(default=64, ge=8, le=65536)
    #: Passages that an answer may draw on.
    top_k: int = Field(default=5, ge=1, le=50)
    #: Base64 of the Ed25519 public keys whose shards are trusted.
    trusted_keys: tuple[str, ...] = ()
    #: Take no shard without a trusted signature. Without trusted keys nothing can be required.
    require_signature: bool = False
    #: Files with these suffixes are read by every plugin that reads files, beside ``.zim``, ``.xml.bz2``, ``.xml.gz``.
    reader_suffixes: tuple[Annotated[str, Field(pattern=r"^\.[a-z0-9.]{1,20}$")], ...] = ()
    planner: PlannerSettings = PlannerSettings()
    slm: SlmSettings = SlmSettings()
    remote: RemoteSettings = RemoteSettings()
    episodes: EpisodesSettings = EpisodesSettings()


@dataclass(frozen=True)
class Places:
    """The folders that hold ``manifest.json``; they may not exist yet."""

    wiki: Path
    episodic: Path


@dataclass(frozen=True)
class Trust:
    """Base64 of the trusted public keys, and whether shards without a signature by one of them are refused."""

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
    """The deployment's trusted keys and ``more``. Raises ``SettingsError``, ``BadRequest`` for an invalid key."""
    from .shards.keys import trusted_key

    options = host.options(WikiEdgeSettings)
    keys = (*options.trusted_keys, *more)
    for key in keys:
        trusted_key(key)
    if options.require_signature and not keys:
        raise SettingsError(
            "require_signature is set, but no key is trusted",
            where="[plugins.wiki_edge]",
            hint='trusted_keys = ["…"]; ragstone wiki keygen prints the line for a new key',
        )
    return Trust(keys, options.require_signature)
