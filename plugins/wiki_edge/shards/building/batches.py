"""Batches of a part's chunks for the encoder; they are read and parsed ahead while the encoder works."""

from __future__ import annotations

import queue
import threading
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from llama_index.core.schema import Document, TextNode

from ragstone.core import RagstoneError, SourceError

from ...readers.article_reader import ArticleReader, ArticleStream, ReadRequest
from ...readers.selection import TitleFilter
from ...readers.sources import SUFFIXES, files_of

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
        part = self.request.part or {"file": 0, "start": 0, "stop": 0}
        path = self.request.files[part["file"]]
        for at, document in islice(enumerate(_documents(path, self.reader)), part["start"], part["stop"]):
            if self._is_stopped:
                return
            title = str(document.metadata.get("title") or path.stem)
            if wanted(title):
                name = f"{path.name}:{at}" if at else path.name
                metadata = {"title": title, "url": str(document.metadata.get("url") or "")}
                licence = document.metadata.get("license") or document.metadata.get("licence")
                metadata |= {"license": str(licence)} if licence else {}
                yield Document(id_=name, text=document.text, metadata=metadata)


def document_spans(files: list[Path], reader: BaseReader, size: int) -> Iterator[dict[str, Any]]:
    """The documents of the files in spans of some ``size`` characters, in the messages of ``spans_of``."""
    for number, path in enumerate(files):
        start = count = waiting = 0
        for count, document in enumerate(_documents(path, reader), 1):
            waiting += len(document.text)
            if waiting >= size:
                yield {"event": "span", "file": number, "start": start, "stop": count, "line": 0}
                start, waiting = count, 0
        if count > start:
            yield {"event": "span", "file": number, "start": start, "stop": count, "line": 0}
        yield {"event": "file", "scale": path.stat().st_size / max(1, count)}


def _documents(path: Path, reader: BaseReader) -> Iterator[Document]:
    try:
        try:
            documents = iter(reader.lazy_load_data(path))
        except NotImplementedError:
            documents = iter(reader.load_data(path))
        yield from documents
    except RagstoneError:
        raise
    except Exception as error:
        raise SourceError(f"its reader raised {type(error).__name__}: {error}", where=str(path)) from error


#: A batch is full with so many texts or characters: enough for every thread, and what is held in memory.
TEXTS_A_BATCH = 2048
_CHARACTERS_A_BATCH = 1_200_000
#: The first batch is small, each next one twice as large, so that the encoder need not wait for a whole one. What is in
#: a batch depends on the part alone, for encoders whose vectors depend on what is embedded beside.
_FIRST_CHARACTERS = 80_000
_BATCHES_AHEAD = 2


@dataclass
class Batch:
    """Chunks, and how far reading had come with them."""

    nodes: list[TextNode] = field(default_factory=list)
    characters: int = 0
    #: Articles so far.
    articles: int = 0
    #: Bytes of the source so far.
    done: int = 0


class Batches:
    """The chunks of a stream of documents. What it has counted is whole after the iteration."""

    def __init__(self, stream: ArticleStream, parser: NodeParser, limit: int | None = None) -> None:
        """``limit``: at most so many articles."""
        self._stream = stream
        self._parser = parser
        self._limit = limit
        #: Each article's id, its number of chunks, and its title.
        self.articles: list[tuple[str, int, str]] = []
        #: Newest change of an article: ISO date-time and revision.
        self.newest: tuple[str, str | None] | None = None

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
        batch, room = Batch(), _FIRST_CHARACTERS
        with closing(self._stream.__iter__()) as documents:
            for document in documents:
                nodes = self._nodes(document)
                if nodes:
                    self.articles.append((document.node_id, len(nodes), str(document.metadata.get("title") or "")))
                    self._note(document)
                for node in nodes:
                    batch.nodes.append(node)
                    batch.characters += len(node.text)
                    if len(batch.nodes) >= TEXTS_A_BATCH or batch.characters >= room:
                        yield self._so_far(batch)
                        batch, room = Batch(), min(_CHARACTERS_A_BATCH, 2 * room)
                if len(self.articles) == self._limit:
                    break
        yield self._so_far(batch)

    def _so_far(self, batch: Batch) -> Batch:
        batch.articles, batch.done = len(self.articles), self._stream.done
        return batch

    def _nodes(self, document: Document) -> list[TextNode]:
        nodes = self._parser.get_nodes_from_documents([document])
        return [node for node in nodes if isinstance(node, TextNode) and node.text.strip()]

    def _note(self, document: Document) -> None:
        changed = document.metadata.get("changed")
        if changed and (self.newest is None or changed > self.newest[0]):
            self.newest = (changed, document.metadata.get("revision"))
