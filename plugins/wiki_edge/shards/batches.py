"""Batches of chunks for the encoder; they are read and parsed ahead while the encoder works."""

from __future__ import annotations

import queue
import threading
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llama_index.core.schema import TextNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llama_index.core.node_parser import NodeParser
    from llama_index.core.schema import Document

    from ..readers.article_reader import ArticleStream

#: A batch is full with so many texts or characters: enough that sorting by length fills the encoder's runs, few enough
#: that a kill costs less than a minute of its work.
TEXTS_A_BATCH = 2048
_CHARACTERS_A_BATCH = 1_200_000
#: The first batch is small, each next one twice as large, so that the encoder need not wait for a whole one.
_FIRST_CHARACTERS = 80_000
_BATCHES_AHEAD = 2


@dataclass
class Batch:
    """Chunks, and where reading resumes after them."""

    nodes: list[TextNode] = field(default_factory=list)
    characters: int = 0
    #: ``file``, ``at``, ``chunks``, ``articles``; ``None`` while no article was read.
    place: dict[str, Any] | None = None
    done: int = 0
    #: Articles left out so far, by reason.
    left_out: dict[str, int] = field(default_factory=dict)
    #: Newest change of an article so far: ISO date-time and revision.
    newest: tuple[str, str | None] | None = None
    about: dict[str, Any] = field(default_factory=dict)


class Batches:
    """The chunks of a stream of documents."""

    def __init__(self, stream: ArticleStream, parser: NodeParser, last: Batch, limit: int | None = None) -> None:
        """``last``: where an earlier run ended; the stream begins with that article. ``limit``: at most so many."""
        self._stream = stream
        self._parser = parser
        self._last = last
        self._limit = limit

    def __iter__(self) -> Iterator[Batch]:
        """Batches in order, the last one perhaps empty. Raises what reading raised."""
        ready: queue.Queue[Batch | BaseException | None] = queue.Queue(_BATCHES_AHEAD)
        thread = threading.Thread(target=self._fill, args=(ready,), name="wiki-reading", daemon=True)
        thread.start()
        try:
            while (item := ready.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self._stream.stop()
            while thread.is_alive():
                with suppress(queue.Empty):
                    ready.get(timeout=0.05)

    def _fill(self, ready: queue.Queue[Batch | BaseException | None]) -> None:
        try:
            for batch in self._batches():
                ready.put(batch)
            ready.put(None)
        except BaseException as error:
            ready.put(error)

    def _batches(self) -> Iterator[Batch]:
        batch, room = self._after(self._last), _FIRST_CHARACTERS
        # The article with which reading resumes is counted again.
        resumed = self._last.place or {"chunks": 0, "articles": 1}
        skipped, articles = resumed["chunks"], resumed["articles"] - 1
        with closing(self._stream.__iter__()) as documents:
            for document in documents:
                nodes = self._nodes(document)
                articles += bool(nodes)
                for number, node in enumerate(nodes[skipped:], skipped + 1):
                    batch.nodes.append(node)
                    batch.characters += len(node.text)
                    batch.place = {**self._stream.place, "chunks": number, "articles": articles}
                    self._note(batch, document)
                    if len(batch.nodes) >= TEXTS_A_BATCH or batch.characters >= room:
                        yield batch
                        batch, room = self._after(batch), min(_CHARACTERS_A_BATCH, 2 * room)
                skipped = 0
                if articles == self._limit:
                    break
        batch.done, batch.left_out = self._stream.done, self._left_out()
        yield batch

    def _nodes(self, document: Document) -> list[TextNode]:
        nodes = self._parser.get_nodes_from_documents([document])
        return [node for node in nodes if isinstance(node, TextNode) and node.text.strip()]

    def _note(self, batch: Batch, document: Document) -> None:
        batch.done, batch.left_out, batch.about = self._stream.done, self._left_out(), self._stream.about
        changed = document.metadata.get("changed")
        if changed and (batch.newest is None or changed > batch.newest[0]):
            batch.newest = (changed, document.metadata.get("revision"))

    def _left_out(self) -> dict[str, int]:
        """By an earlier run and by this one."""
        counts = dict(self._last.left_out)
        for why, count in self._stream.left_out.items():
            counts[why] = counts.get(why, 0) + count
        return counts

    @staticmethod
    def _after(batch: Batch) -> Batch:
        return Batch(
            place=batch.place, done=batch.done, left_out=batch.left_out, newest=batch.newest, about=batch.about
        )
