"""The chunks of pages, each page read once however many concepts need it at the same time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from llama_index.core.schema import TextNode

from ...mediawiki.client import WikiPageMissing
from ...parsers import ParsoidNodeParser

if TYPE_CHECKING:
    from ...mediawiki.wikis import Wikis

#: Pages whose chunks are kept while a plan's sources are gathered, 100 kB or so each.
_KEPT = 100


class PageChunks:
    """The chunks of pages. Safe to use from several threads."""

    def __init__(self, wikis: Wikis) -> None:
        self._wikis = wikis
        # Without what LlamaIndex adds for stored chunks, such as their neighbours' hashes.
        alone = {"include_metadata": False, "include_prev_next_rel": False}
        self._parser = ParsoidNodeParser.from_settings(wikis.options.pages).model_copy(update=alone)
        self._lock = threading.Lock()
        self._reading: dict[tuple[str, str], threading.Lock] = {}
        self._kept: OrderedDict[tuple[str, str], tuple[TextNode, ...]] = OrderedDict()

    def chunks(self, wiki: str, key: str) -> tuple[TextNode, ...]:
        """The page's chunks in order; none where it holds no text, or is gone since the search.

        Raises ``WikiError`` and ``UnreadablePage``.
        """
        with self._lock:
            if (wiki, key) in self._kept:
                return self._kept[wiki, key]
            reading = self._reading.setdefault((wiki, key), threading.Lock())
        with reading:
            with self._lock:
                if (wiki, key) in self._kept:
                    return self._kept[wiki, key]
            made = self._read(wiki, key)
            with self._lock:
                self._kept[wiki, key] = made
                self._reading.pop((wiki, key), None)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        return made

    def _read(self, wiki: str, key: str) -> tuple[TextNode, ...]:
        try:
            page = self._wikis.client(wiki).page(key)
        except WikiPageMissing:  # the search's index is older than the wiki
            return ()
        nodes = self._parser.get_nodes_from_documents(self._wikis.documents(page))
        return tuple(node for node in nodes if isinstance(node, TextNode))
