"""The options of ``[plugins.wiki_edge]``."""

from pathlib import Path

from pydantic import Field

from ragstone.core import Table

from .planner import EpisodesSettings, PlannerSettings, RemoteSettings, SlmSettings


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
    planner: PlannerSettings = PlannerSettings()
    slm: SlmSettings = SlmSettings()
    remote: RemoteSettings = RemoteSettings()
    episodes: EpisodesSettings = EpisodesSettings()
