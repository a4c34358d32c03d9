"""Finds the sources of one concept: searches the wikis for its name, and selects chunks of the pages found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import TYPE_CHECKING

from ragstone.core import SettingsError, SourceError

from ..records import NewChunk
from .page_chunks import PageChunks
from .relevance import memoized, pages_about, word_relevance
from .selection import select_for_concept

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.schema import TextNode

    from ...mediawiki.wikis import Wikis
    from .selection import Scorer

_LONGEST_TITLE = 300


@dataclass(frozen=True)
class FoundSources:
    """The passages of a concept, the most relevant first; ``reason``: which wikis or pages failed."""

    chunks: tuple[NewChunk, ...]
    reason: str = ""


class SourceFinder:
    """Searches the wikis of the settings. Safe to use from several threads."""

    def __init__(self, wikis: Wikis) -> None:
        self._wikis = wikis
        self._page_chunks = PageChunks(wikis)

    def check(self) -> None:
        """Raise ``SettingsError`` if none of the wikis may be asked with these settings."""
        for client in (clients := self._wikis.searched):
            try:
                client.check()
            except SettingsError:
                if client is clients[-1]:
                    raise
            else:
                return
        if not clients:
            raise SettingsError(
                "no wiki is searched", where="[plugins.concept_tutor.sources]", hint="name one in wikis"
            )

    def find(self, name: str) -> FoundSources:
        """Sources for a concept of that name.

        Raises ``SourceError`` or ``SettingsError`` where nothing was found and something did not answer.
        """
        errors: list[SourceError | SettingsError] = []
        score = memoized(word_relevance)
        pages: list[tuple[TextNode, ...]] = []
        for wiki, key in self._hits(name, errors):
            try:
                pages.append(self._page_chunks.chunks(wiki, key))
            except SourceError as error:
                errors.append(error)
        relevant = [_relevant(name, page, score) for page in pages_about(name, pages)]
        caps = self._wikis.options.pages
        chosen = select_for_concept(relevant, name, score, a_page=caps.chunks_a_page, a_concept=caps.chunks_a_concept)
        if not chosen and errors:
            raise errors[0]
        scored = sorted(zip(score(name, chosen), chosen, strict=True), key=lambda one: -one[0])
        wiki_of = {site.url: wiki for wiki, site in self._wikis.options.wikis.sites.items()}
        chunks = tuple(_chunk(node, score, _source(node, wiki_of)) for score, node in scored)
        return FoundSources(chunks, "; ".join(dict.fromkeys(_short(error) for error in errors)))

    def _hits(self, name: str, errors: list[SourceError | SettingsError]) -> list[tuple[str, str]]:
        """The wikis' names and the pages' keys."""
        options = self._wikis.options.sources
        found: list[list[tuple[str, str]]] = []
        for client in self._wikis.searched:
            try:
                found.append([(client.name, key) for key in client.search(name, options.hits_a_wiki)])
            except (SourceError, SettingsError) as error:
                errors.append(error)
        mixed = [hit for row in zip_longest(*found) for hit in row if hit is not None]
        return mixed[: options.pages_a_concept]


def _relevant(name: str, nodes: Sequence[TextNode], score: Scorer) -> tuple[TextNode, ...]:
    return tuple(node for node, relevance in zip(nodes, score(name, nodes), strict=True) if relevance > 0)


def _chunk(node: TextNode, relevance: float, source: str) -> NewChunk:
    known = node.metadata
    return NewChunk(
        source=source,
        page_title=_plain(known["page_title"])[:_LONGEST_TITLE],
        page_url=str(known["url"]),
        section=_plain(known["heading"]),
        revision=str(known["revision"]),
        licence=str(known["licence"]),
        retrieved=datetime.fromisoformat(str(known["retrieved_at"])),
        relevance=round(relevance, 4),
        content=_plain(node.text),
        language=str(known.get("language") or ""),
        categories=tuple(map(_plain, known.get("categories") or ())),
    )


def _plain(words: object) -> str:
    """Without NUL, which no database stores."""
    return str(words).replace("\0", "")


def _source(node: TextNode, wiki_of: dict[str, str]) -> str:
    url = str(node.metadata["url"])
    return next((wiki for base, wiki in wiki_of.items() if url.startswith(f"{base}/")), "")


def _short(error: SourceError | SettingsError) -> str:
    return f"{error.where}: {error.what}" if error.where else error.what
