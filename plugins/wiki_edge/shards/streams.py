"""A source as a stream of documents: by the readers of this plugin, or by any other plugin's reader of its suffix."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llama_index.core.schema import Document

from ragstone.core import RagstoneError, SourceError

from ..readers.article_reader import ArticleReader, ArticleStream, ReadRequest
from ..readers.selection import TitleFilter
from ..readers.sources import SUFFIXES, files_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from llama_index.core.readers.base import BaseReader

    from ragstone.core import Host


@dataclass(frozen=True)
class StreamFactory:
    """The files of a source, and their reader if it is another plugin's."""

    files: list[Path]
    reader: BaseReader | None = None

    def __call__(self, **selection: Any) -> ArticleStream:
        """The documents, by the fields of ``ReadRequest``. Raises ``BadRequest``."""
        request = ReadRequest(tuple(self.files), **selection)
        return ArticleStream(request) if self.reader is None else DocumentStream(request, reader=self.reader)


def stream_of(source: Path, host: Host) -> StreamFactory:
    """The source's files with their readers. Raises ``NotFound`` or ``SourceError``."""
    if source.is_dir() or source.name.endswith(SUFFIXES):
        return StreamFactory(files_of(source))
    reader = host.hooks.readers.get(source.suffix.lower()) if source.suffix else None
    return StreamFactory(files_of(source), None if isinstance(reader, ArticleReader) else reader)


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
