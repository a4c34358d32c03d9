"""LlamaIndex's reader of MediaWiki dumps, ZIM files and tables of articles: an article is a document."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from ragstone.core import BadRequest, MissingExtra, NotFound, RagstoneError, SourceError, TooLarge

from .process import ReaderProcess
from .worker import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

_log = logging.getLogger(__name__)

#: Seconds that the process may be silent. A page of two megabytes takes one or two.
SILENCE = 120.0
#: Pages in a row on which the process may die.
_MOST_FAILURES = 5
_ERRORS: dict[str, type[RagstoneError]] = {
    kind.__name__: kind for kind in (BadRequest, NotFound, SourceError, TooLarge, RagstoneError)
}


@dataclass(frozen=True)
class ReadRequest:
    """What is to be read."""

    files: tuple[Path, ...]
    #: Only articles with the titles in this file, and in whose title the pattern is found.
    titles: Path | None = None
    match: str | None = None
    #: Before titles in addresses, in place of the source's own.
    prefix: str = ""
    #: A folder for scratch files that a later run goes on with.
    work: Path | None = None
    #: Begins again with the article at this place, which an earlier stream gave.
    start: Mapping[str, Any] | None = None


@dataclass
class ArticleStream:
    """The articles as documents, parsed in a subprocess; to be iterated once, in bounded memory.

    A page on which the process hangs or dies is left out.
    """

    request: ReadRequest
    #: Ends it from another thread.
    stop: threading.Event = field(default_factory=threading.Event)
    #: The source's own metadata, once reading has begun.
    about: dict[str, Any] = field(default_factory=dict)
    #: Articles left out so far, by reason.
    left_out: Counter[str] = field(default_factory=Counter)
    #: Where the current document is.
    place: dict[str, Any] = field(default_factory=dict)
    #: Bytes of the source that were read up to it.
    done: int = 0

    def __iter__(self) -> Generator[Document, None, None]:
        """The documents. Raises ``RagstoneError``."""
        start, skips_first, failures = self.request.start, False, 0
        while True:
            broken, title = None, None
            with ReaderProcess(self._message(start, skips_first), SILENCE, self.stop) as process:
                for message in process.messages():
                    event = message["event"]
                    self.done = max(self.done, message.get("done", 0))
                    if event == "article":
                        broken, title = message["place"], message["title"]
                        continue
                    if event in {"document", "left_out"}:
                        broken, failures = None, 0
                    if event == "document":
                        self.place = message["place"]
                        yield _document(message, self.about)
                    elif event == "left_out":
                        self.left_out[message["why"]] += 1
                    elif event == "about":
                        self.about = self.about or {k: v for k, v in message.items() if k != "event"}
                    elif event == "failed":
                        raise _error(message)
                    elif event == "end":
                        return
                if self.stop.is_set():
                    return
                reason = process.end()
            failures += 1
            if broken is None or failures > _MOST_FAILURES:
                after = f" after the article {title!r}" if title is not None else ""
                raise SourceError(f"reading ended{after}: {reason}", where=str(self.request.files[0]))
            _log.warning("left out %r: %s", title, reason)
            self.left_out[UNREADABLE] += 1
            start, skips_first = broken, True

    def _message(self, start: Mapping[str, Any] | None, skips_first: bool) -> dict[str, Any]:
        request = self.request
        return {
            "files": [str(path.absolute()) for path in request.files],
            "work": None if request.work is None else str(request.work.absolute()),
            "prefix": request.prefix,
            "titles": None if request.titles is None else str(request.titles.absolute()),
            "match": request.match,
            "start": None if start is None else {"file": start["file"], "at": start["at"]},
            "skip_first": skips_first,
        }


class ArticleReader(BaseReader):
    """Reads a file by its first bytes: a dump, a ZIM file, parquet or JSON lines of wikimedia/wikipedia or BEIR."""

    def lazy_load_data(
        self, file: Path | str, extra_info: Mapping[str, Any] | None = None, *, url_prefix: str = ""
    ) -> Iterator[Document]:
        """A document for each article, one at a time. Raises ``SourceError``, ``MissingExtra``.

        Metadata: ``title``, ``url``, ``license``, ``language``, ``revision``, ``changed`` as far as the source has
        them, and ``sections`` for the node parser.
        """
        path = Path(file)
        if not path.is_file():
            raise SourceError("there is no such file" if not path.exists() else "is not a file", where=str(path))
        for document in ArticleStream(ReadRequest((path,), prefix=url_prefix)):
            document.metadata |= extra_info or {}
            yield document


def _document(message: Mapping[str, Any], about: Mapping[str, Any]) -> Document:
    known = {name: message[name] for name in ("title", "url", "revision", "changed")}
    known |= {name: about.get(name) for name in ("license", "language")}
    metadata = {name: value for name, value in known.items() if value}
    sections = {"sections": message["sections"]} if message["sections"] else {}
    return Document(id_=message["id"], text=message["text"], metadata={**metadata, **sections})


def _error(message: Mapping[str, Any]) -> RagstoneError:
    if message["kind"] == "MissingExtra":
        return MissingExtra(message["extra"], tuple(message["missing"]))
    kind = _ERRORS.get(message["kind"], SourceError)
    return kind(message["what"], where=message["where"], hint=message["hint"])
