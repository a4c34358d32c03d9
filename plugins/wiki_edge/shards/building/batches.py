"""Batches of a part's chunks for the encoder; they are read and parsed ahead while the encoder works."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import wait
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from llama_index.core.node_parser import NodeParser
from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document, TextNode

from ragstone.core import Host, RagstoneError, SourceError
from ragstone.core.runtime import in_background

from ...readers.article_reader import ArticleReader, ArticleStream
from ...readers.selection import title_filter
from ...readers.sources import SUFFIXES, files_of


def find_files(source: Path, host: Host) -> tuple[list[Path], BaseReader | None]:
    """The source's files, and their reader if it is another plugin's. Raises ``NotFound`` or ``SourceError``."""
    if source.is_dir() or source.name.endswith(SUFFIXES):
        return files_of(source), None
    reader = host.hooks.readers.get(source.suffix.lower()) if source.suffix else None
    return files_of(source), None if isinstance(reader, ArticleReader) else reader


@dataclass
class DocumentStream(ArticleStream):
    """The documents of another plugin's reader, read in this process. A document's id is its file and number."""

    reader: BaseReader = field(kw_only=True)

    def __iter__(self) -> Generator[Document, None, None]:
        """The documents. Raises ``SourceError``."""
        wanted = title_filter(self.request.titles, self.request.match)
        part = self.request.part
        assert part is not None  # noqa: S101 - it is read in parts alone
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

    def __iter__(self) -> Iterator[list[TextNode]]:
        """Batches in order, the last one perhaps empty. Raises what reading raised."""
        batches = self._batches()
        ahead = in_background(lambda: next(batches, None), "wiki-reading")
        try:
            while (batch := ahead.result()) is not None:
                ahead = in_background(lambda: next(batches, None), "wiki-reading")
                yield batch
        finally:
            self._stream.stop()
            wait([ahead])
            batches.close()

    def _batches(self) -> Generator[list[TextNode], None, None]:
        batch, characters, room = list[TextNode](), 0, _FIRST_CHARACTERS
        with closing(self._stream.__iter__()) as documents:
            for document in documents:
                parsed = self._parser.get_nodes_from_documents([document])
                nodes = [node for node in parsed if isinstance(node, TextNode) and node.text.strip()]
                if nodes:
                    self.articles.append((document.node_id, len(nodes), str(document.metadata.get("title") or "")))
                    self._note(document)
                for node in nodes:
                    batch.append(node)
                    characters += len(node.text)
                    if len(batch) >= TEXTS_A_BATCH or characters >= room:
                        yield batch
                        batch, characters, room = [], 0, min(_CHARACTERS_A_BATCH, 2 * room)
                if len(self.articles) == self._limit:
                    break
        yield batch

    def _note(self, document: Document) -> None:
        changed = document.metadata.get("changed")
        if changed and (self.newest is None or changed > self.newest[0]):
            self.newest = (changed, document.metadata.get("revision"))
