"""Wiki edge's assistant: an encyclopedia without a network, for whoever asks it in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llama_index.core.vector_stores.types import MetadataFilter

from ragstone.core import Assistant, Check, CitationFormat, NotFound, Profile, QuestionFilter

from .prompts import ANSWER
from .search.retrievers import ShardRetriever, librarian_of, threshold_of
from .settings import WikiEdgeSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llama_index.core.schema import BaseNode
    from llama_index.core.vector_stores.types import MetadataFilters

    from ragstone.core import Host

NAME = "wiki_edge"
_FIELDS = ("title", "heading", "license", "shard", "domain", "language")
_FILTERS = {"domain": QuestionFilter("such as household"), "language": QuestionFilter("such as en")}


def assistant(host: Host) -> Assistant:
    """The assistant ``wiki_edge`` over the deployment's shards."""

    def refusal(_filters: Mapping[str, str]) -> str:
        if not any(entry.kind == "wiki" for entry in librarian_of(host).shards):
            return "There is no encyclopedia here yet: ragstone wiki install puts one in place."
        return "The encyclopedia that I carry does not tell."

    def conditions(filters: Mapping[str, str]) -> Mapping[str, str]:
        for name, value in filters.items():
            if not value.strip() or len(value) > 200:
                raise NotFound(f"there is no {name} {value[:40]!r}", hint="ragstone wiki info lists them")
        return filters

    return Assistant(
        host,
        host.corpus(NAME, kind=NAME, hint="ragstone wiki install puts a shard in place"),
        Profile(
            name=NAME,
            title="Wiki edge",
            description="An encyclopedia on this machine: every sentence with its page.",
            citations=CitationFormat(_FIELDS, url=_url, parts=("heading",), licence="license"),
            refusal=refusal,
            prompt=ANSWER,
            filters=_FILTERS,
            conditions=conditions,
            passage=lambda chunk_id: librarian_of(host).passage(chunk_id, kind="wiki"),
            top_k=host.options(WikiEdgeSettings).top_k,
        ),
    )


def retriever(host: Host, top_k: int, filters: MetadataFilters | None) -> ShardRetriever:
    """Searches the encyclopedia's shards with the assistant's filters."""
    asked = [part for part in filters.filters if isinstance(part, MetadataFilter)] if filters is not None else []
    chosen = {part.key: str(part.value) for part in asked if part.key in _FILTERS}
    return ShardRetriever(
        librarian_of(host),
        top_k=top_k,
        kind="wiki",
        domain=chosen.get("domain"),
        language=chosen.get("language"),
        threshold=threshold_of(host),
    )


def checks(host: Host) -> list[Check]:
    """Whether the shards that are installed can be searched. Without any there is nothing to be said."""
    librarian = librarian_of(host)
    shards, refused = librarian.shards, librarian.refused
    if refused:
        detail = "; ".join(f"{each.place}: {each.reason}" for each in refused)
        mend = "ragstone wiki verify names every fault; ragstone wiki install SOURCE puts a whole one in its place"
        return [Check("shards", ok=False, detail=f"refused: {detail}", mend=mend)]
    if not shards:
        return []
    rows = sum(entry.size for entry in shards)
    held = librarian.memory.taken / 1e6
    return [Check("shards", ok=True, detail=f"{len(shards)} with {rows:,} rows, {held:.0f} MB held in memory")]


def _url(node: BaseNode) -> str:
    return str(node.metadata.get("url") or "")
