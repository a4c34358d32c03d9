"""Finds the sources of one concept: searches the wikis for its name, and selects chunks of the pages found."""

from __future__ import annotations

import threading
from datetime import datetime
from functools import lru_cache
from itertools import zip_longest

from llama_index.core.schema import TextNode

from ragstone.core import SettingsError, SourceError
from ragstone.core.text import storable

from ...mediawiki.client.errors import NoWikiAllowed, WikiPageMissing
from ...mediawiki.wikis import Wikis
from ...parsers import ParsoidNodeParser
from ..records import NewChunk
from .relevance import pages_about, select, word_relevance

#: Pages whose chunks are kept while a plan's sources are gathered, 100 kB or so each.
_KEPT = 100
_LONGEST_TITLE = 300


class SourceFinder:
    """Searches the wikis of the settings. Safe to use from several threads; each page is read once for all of them."""

    def __init__(self, wikis: Wikis) -> None:
        self._wikis = wikis
        # Without what LlamaIndex adds for stored chunks, such as their neighbours' hashes.
        alone = {"include_metadata": False, "include_prev_next_rel": False}
        self._parser = ParsoidNodeParser.from_settings(wikis.options.pages).model_copy(update=alone)
        self._lock = threading.Lock()
        self._reading: dict[tuple[str, str], threading.Lock] = {}
        self._read = lru_cache(_KEPT)(self._chunks)

    def check(self) -> None:
        """Raise ``SettingsError`` if none of the wikis may be asked with these settings."""
        error: SettingsError = NoWikiAllowed(
            "no wiki is searched", where="[plugins.concept_tutor.sources]", hint="name one in wikis"
        )
        for client in self._wikis.searched:
            try:
                client.check()
            except SettingsError as own:
                error = own
            else:
                return
        raise error

    def find(self, name: str) -> tuple[list[NewChunk], str]:
        """The chunks for a concept of that name, the most relevant first, and which wikis or pages failed.

        Raises ``SourceError`` or ``SettingsError`` where nothing was found and something did not answer.
        """
        errors: list[SourceError | SettingsError] = []
        pages: list[tuple[TextNode, ...]] = []
        wiki_of: dict[str, str] = {}
        for wiki, key in self._hits(name, errors):
            try:
                with self._lock:
                    reading = self._reading.setdefault((wiki, key), threading.Lock())
                with reading:
                    pages.append(self._read(wiki, key))
            except SourceError as error:
                errors.append(error)
            else:
                wiki_of |= dict.fromkeys((node.node_id for node in pages[-1]), wiki)
        scores: dict[str, float] = {}
        chosen: list[TextNode] = []
        caps = self._wikis.options.pages
        for page in pages_about(name, pages):
            scores |= zip((node.node_id for node in page), word_relevance(name, page), strict=True)
            chosen += select([node for node in page if scores[node.node_id] > 0], scores, caps.chunks_a_page)
        chosen = select(chosen, scores, caps.chunks_a_concept)
        if not chosen and errors:
            raise errors[0]
        chosen.sort(key=lambda node: -scores[node.node_id])
        chunks = [_chunk(node, scores[node.node_id], wiki_of[node.node_id]) for node in chosen]
        failed = (f"{error.where}: {error.what}" if error.where else error.what for error in errors)
        return chunks, "; ".join(dict.fromkeys(failed))

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

    def _chunks(self, wiki: str, key: str) -> tuple[TextNode, ...]:
        """The page's chunks in order; none where it holds no text, or is gone since the search.

        Raises ``WikiError`` and ``UnreadablePage``.
        """
        try:
            page = self._wikis.client(wiki).page(key)
        except WikiPageMissing:  # the search's index is older than the wiki
            return ()
        nodes = self._parser.get_nodes_from_documents(self._wikis.documents(page))
        return tuple(node for node in nodes if isinstance(node, TextNode))


def _chunk(node: TextNode, relevance: float, source: str) -> NewChunk:
    known = node.metadata
    return NewChunk(
        source=source,
        page_title=storable(known["page_title"])[:_LONGEST_TITLE],
        page_url=str(known["url"]),
        section=storable(known["heading"]),
        revision=str(known["revision"]),
        licence=str(known["licence"]),
        retrieved=datetime.fromisoformat(str(known["retrieved_at"])),
        relevance=round(relevance, 4),
        content=storable(node.text),
        language=str(known.get("language") or ""),
        categories=tuple(map(storable, known.get("categories") or ())),
    )
