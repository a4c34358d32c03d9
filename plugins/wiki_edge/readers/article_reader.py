"""LlamaIndex's reader of MediaWiki dumps, ZIM files and tables of articles: an article is a document."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from ragstone.core import BadRequest, MissingExtra, NotFound, RagstoneError, SourceError
from ragstone.core.runtime import run_in_subprocess

from .worker import UNREADABLE

_log = logging.getLogger(__name__)

#: Seconds that a page may take. One of two megabytes takes one or two.
SILENCE = 120.0
#: Pages in a row on which the process may die.
_MOST_FAILURES = 5
_ERRORS = {kind.__name__: kind for kind in (BadRequest, NotFound)}


@dataclass(frozen=True)
class ReadRequest:
    """What is to be read."""

    files: tuple[Path, ...]
    #: Only articles with the titles in this file, and in whose title the pattern is found.
    titles: Path | None = None
    match: str | None = None
    #: Before titles in addresses, in place of the source's own.
    prefix: str = ""
    #: Only that part of one file: ``file``, ``start``, ``stop``, ``line``.
    part: Mapping[str, int] | None = None
    #: The folder with what planning wrote to read the files in parts.
    beside: Path | None = None


@dataclass
class ArticleStream:
    """The articles as documents, parsed in a subprocess; to be iterated once, in bounded memory.

    A page on which the process hangs or dies is left out.
    """

    request: ReadRequest
    #: The source's own metadata, once reading has begun.
    about: dict[str, Any] = field(default_factory=dict)
    #: Articles left out so far, by reason.
    left_out: Counter[str] = field(default_factory=Counter)
    _process: subprocess.Popen[bytes] | None = None
    _is_stopped: bool = False

    def stop(self) -> None:
        """End the iteration from another thread."""
        self._is_stopped = True
        if self._process is not None:
            self._process.kill()

    def __iter__(self) -> Generator[Document, None, None]:
        """The documents. Raises ``RagstoneError``."""
        begun = failures = 0
        while True:
            title, is_parsing = None, False
            with tempfile.TemporaryFile() as errors, _started(self.request, {"skip": begun}, errors) as process:
                self._process = process
                for message in _messages(process) if not self._is_stopped else ():
                    event = message["event"]
                    if event == "article":
                        title, is_parsing, begun = message["title"], True, begun + 1
                    elif event == "about":
                        self.about = self.about or {k: v for k, v in message.items() if k != "event"}
                    elif event == "end":
                        return
                    else:
                        is_parsing, failures = False, 0
                        if event == "left_out":
                            self.left_out[message["why"]] += 1
                        else:
                            yield _document(message, self.about)
                if self._is_stopped:
                    return
                reason = _end_of(process, errors)
            failures += 1
            if not is_parsing or failures > _MOST_FAILURES:
                after = f" after the article {title!r}" if title is not None else ""
                raise SourceError(f"reading ended{after}: {reason}", where=str(self.request.files[0]))
            _log.warning("left out %r: %s", title, reason)
            self.left_out[UNREADABLE] += 1


def spans_of(request: ReadRequest, size: int) -> Iterator[dict[str, Any]]:
    """The files cut into spans of some ``size`` bytes of text: of each file the message ``about``, and a message
    ``span`` for each (``file``, ``start``, ``stop``, ``line``).

    Raises ``RagstoneError``.
    """
    with tempfile.TemporaryFile() as errors, _started(request, {"span_bytes": size}, errors) as process:
        for message in _messages(process):
            if message["event"] == "end":
                return
            yield message
        raise SourceError(f"reading ended: {_end_of(process, errors)}", where=str(request.files[0]))


@contextmanager
def _started(request: ReadRequest, asked: Mapping[str, Any], errors: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """The process that reads, with its request."""
    environment = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    usual = {"skip": 0, "seconds": SILENCE, "span_bytes": None}
    with run_in_subprocess(
        f"{__package__}.worker", stdin=subprocess.PIPE, stderr=errors, environment=environment
    ) as process:
        with suppress(BrokenPipeError), cast("IO[bytes]", process.stdin) as stdin:
            message = asdict(request) | usual | dict(asked)
            stdin.write(json.dumps(message, default=lambda path: str(path.absolute())).encode())
        yield process


def _messages(process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    """Its whole messages. Raises the ``RagstoneError`` that it reports."""
    for line in process.stdout or ():
        if not line.endswith(b"\n"):
            return
        message = json.loads(line)
        if message["event"] == "failed":
            raise _error(message)
        yield message


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
    return _ERRORS.get(message["kind"], SourceError)(message["what"], where=message["where"], hint=message["hint"])


def _end_of(process: subprocess.Popen[bytes], errors: IO[bytes]) -> str:
    """Why there are no more messages."""
    code = process.wait(10)
    if code == -signal.SIGALRM:
        return f"it was silent for {SILENCE:.0f} s"
    errors.seek(0)
    log = errors.read().decode("utf-8", "replace").strip()
    _log.info("the reading process ended with %s: %s", code, log)
    return f"its process ended with {code}: {log.rpartition(chr(10))[2][-300:]}" if log else f"with {code}"
