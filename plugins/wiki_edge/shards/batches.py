"""Batches of chunks for the encoder, made ready by a process that reads the source while the encoder works."""

from __future__ import annotations

import logging
import queue
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragstone.core import BadRequest, MissingExtra, NotFound, RagstoneError, SourceError, TooLarge

from .reader_process import Reading
from .reader_worker import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_log = logging.getLogger(__name__)

#: A batch is full with so many texts or tokens: enough that sorting by length fills the encoder's runs, few enough
#: that a kill costs less than a minute of its work.
TEXTS_A_BATCH = 2048
TOKENS_A_BATCH = 300_000
#: The first batch is small, each next one twice as large, so that the encoder need not wait for a whole one.
_FIRST_TOKENS = 20_000
_BATCHES_AHEAD = 2
#: Seconds that reading may be silent while somebody listens. A page of two megabytes takes one or two.
SILENCE = 120.0
#: Pages in a row on which parsers may die.
_MOST_FAILURES = 5
_KINDS: dict[str, type[RagstoneError]] = {
    kind.__name__: kind for kind in (BadRequest, NotFound, SourceError, TooLarge, RagstoneError)
}


@dataclass
class Batch:
    """Rows, and where reading goes on after them."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    tokens: int = 0
    #: ``file``, ``at``, ``chunks``, ``articles``; ``None`` when no article was read yet.
    place: dict[str, Any] | None = None
    done: int = 0
    #: Articles left out so far, by reason.
    left_out: dict[str, int] = field(default_factory=dict)
    #: Newest change of an article so far: ISO date-time and revision.
    newest: tuple[str, str | None] | None = None


@dataclass
class Feeding:
    """What is asked of the reading process; see ``producing``."""

    files: list[Path]
    work: Path
    tokenizer: Path | None
    prefix: str = ""
    titles: Path | None = None
    match: str | None = None
    limit: int | None = None
    place: dict[str, Any] | None = None
    left_out: dict[str, int] = field(default_factory=dict)
    newest: tuple[str, str | None] | None = None
    silence: float = field(default_factory=lambda: SILENCE)
    #: What the source says of itself, once reading has begun.
    about: dict[str, Any] = field(default_factory=dict)
    #: Bytes of the source that have been read, for whoever shows it.
    done: int = 0
    #: Titles on which the parser hung or died.
    failed_titles: list[str] = field(default_factory=list)

    def batches(self) -> Iterator[Batch]:
        """Batches in order, the last one perhaps empty. Raises what reading raised."""
        ready: queue.Queue[Batch | BaseException | None] = queue.Queue(_BATCHES_AHEAD)
        stop = threading.Event()
        thread = threading.Thread(target=self._fill, args=(ready, stop), name="wiki-feeding", daemon=True)
        thread.start()
        try:
            while (item := ready.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            stop.set()
            while thread.is_alive():
                with suppress(queue.Empty):
                    ready.get(timeout=0.05)

    def _fill(self, ready: queue.Queue[Batch | BaseException | None], stop: threading.Event) -> None:
        try:
            for batch in self._read(stop):
                ready.put(batch)
            ready.put(None)
        except BaseException as error:
            ready.put(error)

    def _read(self, stop: threading.Event) -> Iterator[Batch]:
        """The batches of as many processes as it takes: after a page that ends one, the next begins behind it."""
        self._batch = self._fresh()
        skip: int | None = self.place["chunks"] if self.place else 0
        self._failures = 0
        while True:
            with Reading(self._asked(skip), self.silence, stop) as process:
                self._title: str | None = None
                for said in process.lines():
                    if (full := self._heard(said)) is not None:
                        yield full
                    if said["event"] == "end":
                        yield self._batch
                        return
                if stop.is_set():
                    return
                reason = process.end()
            self._failures += 1
            if self._title is None or self._broken is None or self._failures > _MOST_FAILURES:
                after = f" after the article {self._title!r}" if self._title is not None else ""
                raise SourceError(f"reading ended{after}: {reason}", where=str(self.files[0]))
            _log.warning("left out %r: %s", self._title, reason)
            self._leave_out(UNREADABLE, self._title)
            self.place = {**self._broken, "chunks": 0, "articles": self._batch_articles}
            skip = None

    def _fresh(self) -> Batch:
        self._room = _FIRST_TOKENS
        self._batch_articles = self.place["articles"] if self.place else 0
        self._broken: dict[str, Any] | None = None
        return Batch(place=self.place, left_out=dict(self.left_out), newest=self.newest)

    def _asked(self, skip: int | None) -> dict[str, Any]:
        articles = self.place["articles"] if self.place else 0
        return {
            "files": [str(path.absolute()) for path in self.files],
            "work": str(self.work.absolute()),
            "tokenizer": str(self.tokenizer.absolute()) if self.tokenizer else None,
            "prefix": self.prefix,
            "titles": str(self.titles.absolute()) if self.titles else None,
            "match": self.match,
            "limit": self.limit,
            "start": {"file": self.place["file"], "at": self.place["at"]} if self.place else None,
            "skip": skip,
            # The article with which reading goes on is counted again.
            "articles": max(0, articles - 1) if skip else articles,
        }

    def _heard(self, said: dict[str, Any]) -> Batch | None:
        """Take in what was said; a batch that is full with it."""
        event = said["event"]
        self.done = max(self.done, said.get("done", 0))
        if event == "about":
            self.about = self.about or said
        elif event == "article":
            self._title, self._broken = said["title"], said["place"]
        elif event == "read":
            self._broken, self._failures = None, 0
        elif event == "left":
            self._leave_out(said["why"], said["title"])
        elif event == "failed":
            raise _error(said)
        elif event == "chunk":
            return self._chunk(said)
        return None

    def _leave_out(self, why: str, title: str) -> None:
        self._batch.left_out[why] = self._batch.left_out.get(why, 0) + 1
        if why == UNREADABLE:
            self.failed_titles.append(title)

    def _chunk(self, said: dict[str, Any]) -> Batch | None:
        batch = self._batch
        batch.rows.append(said["row"])
        batch.tokens += said["tokens"]
        batch.place, batch.done = said["at"], said["done"]
        self._batch_articles = said["at"]["articles"]
        if said["changed"] and (batch.newest is None or said["changed"] > batch.newest[0]):
            batch.newest = (said["changed"], said["row"].get("revision"))
        if len(batch.rows) < TEXTS_A_BATCH and batch.tokens < self._room:
            return None
        self._room = min(TOKENS_A_BATCH, 2 * self._room)
        self._batch = Batch(place=batch.place, done=batch.done, left_out=dict(batch.left_out), newest=batch.newest)
        return batch


def _error(said: dict[str, Any]) -> RagstoneError:
    if said["kind"] == "MissingExtra":
        return MissingExtra(said["extra"], tuple(said["missing"]))
    return _KINDS.get(said["kind"], SourceError)(said["what"], where=said["where"], hint=said["hint"])
