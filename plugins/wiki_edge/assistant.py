"""The assistant ``wiki_edge``: answers questions from the encyclopedia's shards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ragstone.core import Assistant, CitationFormat, Host, NotFound, Profile, QuestionFilter
from ragstone.core.answering import EmptyState, QuestionFilters

from .overview import overview, some_titles
from .prompts import ANSWER
from .settings import FILTERS, NAME, WikiEdgeSettings

if TYPE_CHECKING:
    from .search.searcher import ShardSearcher

_FIELDS = ("title", "heading", "license", "shard", "domain", "language")
_EXAMPLE_QUESTIONS = 3
_EXAMPLES = {"domain": "such as household", "language": "such as en"}


def assistant(host: Host) -> Assistant:
    """The assistant ``wiki_edge`` over the deployment's shards."""

    def searcher() -> ShardSearcher:
        from .retrievers import searcher_of  # with NumPy and the shards' formats

        return searcher_of(host)

    def empty() -> EmptyState | None:
        if any(entry.kind == "wiki" for entry in searcher().shards):
            return None
        if searcher().refused:
            return EmptyState(
                "The encyclopedia cannot be read. The person who runs this server sees why in its health."
            )
        return EmptyState(
            "No encyclopedia is installed yet. The person who runs this server puts one in place with “ragstone wiki "
            "install”; it can then be asked here at once."
        )

    def examples() -> tuple[str, ...]:
        return tuple(f"What is “{title}”?" for title in some_titles(searcher(), _EXAMPLE_QUESTIONS, {}))

    def refusal(_filters: Mapping[str, str]) -> str:
        if empty() is None:
            return "The encyclopedia that I carry does not tell."
        if searcher().refused:
            return "The encyclopedia here cannot be read: ragstone wiki verify names what is wrong with it."
        return "There is no encyclopedia here yet: ragstone wiki install puts one in place."

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
            citations=CitationFormat(
                _FIELDS, url=lambda node: str(node.metadata.get("url") or ""), parts=("heading",), licence="license"
            ),
            refusal=refusal,
            prompt=ANSWER,
            examples=examples,
            empty=empty,
            overview=lambda question, filters, _earlier: overview(searcher(), question, filters),
            filters=QuestionFilters({name: QuestionFilter(_EXAMPLES[name]) for name in FILTERS}, conditions),
            chunk=lambda chunk_id: searcher().chunk(chunk_id, kind="wiki"),
            top_k=host.hooks.options(WikiEdgeSettings).top_k,
        ),
    )
