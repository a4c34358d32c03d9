"""Offline encyclopedia: shards of Wikipedia searched within a memory budget, and a robot planner's API to them."""

from typing import TYPE_CHECKING

from ragstone.core.runtime import lazy_names

if TYPE_CHECKING:
    from .parsers.article_parser import ArticleNodeParser
    from .planner.planner import Planner
    from .planner.situation import Situation
    from .readers.article_reader import ArticleReader
    from .retrievers import ShardRetriever, searcher_of
    from .shards.building.build import build_shard
    from .shards.building.export import ExportOptions, export_corpus
    from .shards.building.plan import BuildOptions
    from .shards.errors import ShardError
    from .shards.installation import install as install_shards
    from .shards.manifest import Manifest, ShardEntry
    from .shards.verification import verify as verify_shards

__all__ = [
    "ArticleNodeParser",
    "ArticleReader",
    "BuildOptions",
    "ExportOptions",
    "Manifest",
    "Planner",
    "ShardEntry",
    "ShardError",
    "ShardRetriever",
    "Situation",
    "build_shard",
    "export_corpus",
    "install_shards",
    "searcher_of",
    "verify_shards",
]

__getattr__, __dir__ = lazy_names(__name__)
