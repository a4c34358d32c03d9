"""Batches of chunks for the encoder; they are read and parsed ahead while the encoder works."""

from __future__ import annotations

import queue
import threading
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llama_index.core.schema import Document, TextNode

from ragstone.core import RagstoneError, SourceError

from ..readers.article_reader import ArticleReader, ArticleStream, ReadRequest
from ..readers.selection import TitleFilter
from ..readers.sources import SUFFIXES, files_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from llama_index.core.node_parser import NodeParser
    from llama_index.core.readers.base import BaseReader

    from ragstone.core import Host


def find_files(source: Path, host: Host) -> tuple[list[Path], BaseReader | None]:
    """The source's files, and their reader if it is another plugin's. Raises ``NotFound`` or ``SourceError``."""
    if source.is_dir() or source.name.endswith(SUFFIXES):
        return files_of(source), None
    reader = host.hooks.readers.get(source.suffix.lower()) if source.suffix else None
    return files_of(source), None if isinstance(reader, ArticleReader) else reader


def open_stream(request: ReadRequest, reader: BaseReader | None) -> ArticleStream:
    """The documents. Raises ``BadRequest``."""
    return ArticleStream(request) if reader is None else DocumentStream(request, reader=reader)


@dataclass
class DocumentStream(ArticleStream):
    """The documents of another plugin's reader, read in this process. A document's id is its file and number."""

    reader: BaseReader = field(kw_only=True)

    def __iter__(self) -> Generator[Document, None, None]:
        """The documents. Raises ``SourceError``."""
        wanted = TitleFilter(self.request.titles, self.request.match)
        start = self.request.start or {"file": 0, "at": {"document": 0}}
        for number, path in enumerate(self.request.files):
            skipped = start["at"]["document"] if number == start["file"] else 0
            for at, document in enumerate(self._read(path) if number >= start["file"] else ()):
                if self._is_stopped:
                    return
                title = str(document.metadata.get("title") or path.stem)
                if at >= skipped and wanted(title):
                    self.place = {"file": number, "at": {"document": at}}
                    name = f"{path.name}:{at}" if at else path.name
                    metadata = {"title": title, "url": str(document.metadata.get("url") or "")}
                    licence = document.metadata.get("license") or document.metadata.get("licence")
                    metadata |= {"license": str(licence)} if licence else {}
                    yield Document(id_=name, text=document.text, metadata=metadata)
            self.done += path.stat().st_size

    def _read(self, path: Path) -> Iterator[Document]:
        try:
            try:
                documents = iter(self.reader.lazy_load_data(path))
            except NotImplementedError:
                documents = iter(self.reader.load_data(path))
            yield from documents
        except RagstoneError:
            raise
        except Exception as error:
            raise SourceError(f"its reader raised {type(error).__name__}: {error}", where=str(path)) from error


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
