"""``python -m ….building.producing``: reads a source in a process of its own and says its chunks as JSON lines.

In a process of its own, so that parsing costs the encoder no time of the interpreter's, and so that a page on which a
parser hangs or dies costs that page and not the build. What is asked for comes on stdin, one JSON object.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ragstone.core import MissingExtra, RagstoneError

from ..parsers.chunker import Chunker
from ..parsers.token_counter import counter
from ..readers.articles import anchored
from ..readers.sources import open_source
from .selection import Choice, Seen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..readers.articles import Page

#: Articles that were passed over between two signs of life.
_SIGN_OF_LIFE = 2000
#: Seconds between two signs of life while a page is sought.
_BEAT = 1.0
#: Bytes that this process may have for itself.
_MEMORY = 3 * 2**30
EMPTY, TWICE, UNREADABLE = "without text", "with an id that stands twice", "on which the parser failed"


class _Producer:
    def __init__(self, asked: dict[str, Any], out: IO[str]) -> None:
        self._asked = asked
        self._out = out
        work = Path(asked["work"])
        self._seen = Seen(work / "ids.sqlite")
        tokenizer = Path(asked["tokenizer"]).read_text("utf-8") if asked["tokenizer"] else None
        self._chunker = Chunker(counter(tokenizer))
        self._wanted = Choice(Path(asked["titles"]) if asked["titles"] else None, asked["match"])
        self._files = [Path(name) for name in asked["files"]]
        self._articles: int = asked["articles"]
        self._before = 0  # bytes of the files before this one
        self._lock = threading.Lock()
        self._seeking = threading.Event()
        threading.Thread(target=self._live, name="wiki-alive", daemon=True).start()

    def run(self) -> None:
        """Read everything."""
        for file, page in self._pages():
            if self._asked["limit"] is not None and self._articles >= self._asked["limit"]:
                break
            self._article(file, page)
        self._say(event="end", done=self._before)

    def _pages(self) -> Iterator[tuple[int, Page]]:
        """The chosen pages from where it was left."""
        first = self._asked["start"]["file"] if self._asked["start"] else 0
        for file, path in enumerate(self._files):
            size = path.stat().st_size
            if file >= first:
                self._seeking.set()
                source = open_source(path, prefix=self._asked["prefix"], work=Path(self._asked["work"]))
                about = source.about()
                self._say(event="about", **vars(about))
                start = self._asked["start"]["at"] if self._asked["start"] and file == first else None
                passed = 0
                for page in self._sought(source.pages(start)):
                    if self._wanted(page.title):
                        yield file, page
                    elif (passed := passed + 1) % _SIGN_OF_LIFE == 0:
                        self._say(event="passed", done=self._before + page.done)
            self._before += size

    def _sought(self, pages: Iterator[Page]) -> Iterator[Page]:
        """The pages; to find the next one may take an hour where reading goes on in the middle of a dump."""
        while True:
            self._seeking.set()
            page = next(pages, None)
            self._seeking.clear()
            if page is None:
                return
            yield page

    def _live(self) -> None:
        """Give signs of life while a page is sought, and none while one is looked at."""
        while True:
            time.sleep(_BEAT)
            if self._seeking.is_set():
                with suppress(BrokenPipeError, ValueError):
                    self._say(event="alive")

    def _article(self, file: int, page: Page) -> None:
        place = {"file": file, "at": page.at}
        done = self._before + page.done
        skip, self._asked["skip"] = self._asked["skip"], 0
        if skip is None:  # the page on which the last process ended
            return
        self._say(event="article", place=place, title=page.title, done=done)
        self._chunks(page, place, done, skip)
        self._say(event="read", done=done)

    def _chunks(self, page: Page, place: dict[str, Any], done: int, skip: int) -> None:
        if not self._seen.is_new(page.id, json.dumps(place, sort_keys=True)):
            self._say(event="left", why=TWICE, title=page.title)
            return
        try:
            text = page.read()
        except RecursionError:
            self._say(event="left", why=UNREADABLE, title=page.title)
            return
        chunks = self._chunker.chunks(text.blocks)
        if not chunks:
            self._say(event="left", why=EMPTY, title=page.title)
            return
        self._articles += 1
        for number, chunk in enumerate(chunks):
            if number >= skip:
                row = {"id": f"{page.id}#{number}", "title": page.title}
                row |= {"url": anchored(text.url or page.url, chunk.anchor), "text": chunk.text}
                optional = {"heading": chunk.heading, "revision": text.revision or page.revision}
                row |= {name: value for name, value in optional.items() if value}
                at = {**place, "chunks": number + 1, "articles": self._articles}
                self._say(event="chunk", row=row, tokens=chunk.tokens, at=at, done=done, changed=page.changed)

    def _say(self, **what: Any) -> None:
        line = json.dumps(what, ensure_ascii=False) + "\n"
        with self._lock:
            self._out.write(line)
            if what["event"] != "chunk":
                self._out.flush()


def main() -> None:
    """Do what stdin asks for; an expected failure is the last thing said."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace", buffering=1 << 16)
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    os.dup2(2, 1)  # whatever a library prints is no part of what is said
    try:
        _Producer(json.load(sys.stdin), out).run()
    except RagstoneError as error:
        said: dict[str, Any] = {
            "kind": type(error).__name__,
            "what": error.what,
            "where": error.where,
            "hint": error.hint,
        }
        if isinstance(error, MissingExtra):
            said |= {"extra": error.extra, "missing": list(error.missing)}
        out.write(json.dumps({"event": "failed", **said}) + "\n")
    except BrokenPipeError:  # the build has ended
        os._exit(0)
    with suppress(BrokenPipeError):
        out.flush()
    os._exit(0)  # not waiting for the thread


if __name__ == "__main__":
    main()
