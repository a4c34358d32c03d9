"""``python -m ….readers.worker``: parses a source in a subprocess and prints its articles as JSON lines.

A subprocess, so that parsing does not hold the encoder's interpreter lock, and so that a page on which a parser hangs
or crashes costs that page only. The request (``ReadRequest``) comes on stdin as a JSON object.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from ragstone.core import MissingExtra, RagstoneError
from ragstone.core.runtime import Unanswered

from .articles import Page, Span, joined
from .selection import SeenIds, title_filter
from .sources import open_source

#: Bytes of memory that this process may allocate.
_MEMORY = 3 * 2**30
EMPTY, TWICE, UNREADABLE = "without text", "with an id that stands twice", "on which the parser failed"


class _Worker:
    def __init__(self, request: dict[str, Any], out: IO[str]) -> None:
        self._request = request
        self._out = out
        self._seen = SeenIds()
        self._wanted = title_filter(Path(request["titles"]) if request["titles"] else None, request["match"])
        self._files = [Path(name) for name in request["files"]]

    def run(self) -> None:
        for number, page in enumerate(self._pages()):
            is_new = self._seen.is_new(page.id)
            if number >= self._request["skip"]:  # those before are done, or were what the last process ended on
                self._send(event="article", title=page.title)
                self._article(page, is_new=is_new)
        self._send(event="end")

    def plan(self) -> None:
        for number, path in enumerate(self._files):
            beside = self._beside(number)
            if beside is not None:
                beside.unlink(missing_ok=True)  # of a plan that was interrupted
            source = open_source(path, prefix=self._request["prefix"], beside=beside)
            self._send(event="about", **vars(source.about()))
            for span in source.spans(self._request["span_bytes"]):
                self._send(event="span", file=number, **vars(span))
        self._send(event="end")

    def _beside(self, number: int) -> Path | None:
        """What planning may write to read the file in spans."""
        folder = self._request["beside"]
        return Path(folder) / f"source-{number}" if folder else None

    def _pages(self) -> Iterator[Page]:
        """The selected pages."""
        part = self._request["part"]
        span = Span(part["start"], part["stop"], part["line"]) if part else None
        for number, path in enumerate(self._files):
            if not part or number == part["file"]:
                source = open_source(path, prefix=self._request["prefix"], beside=self._beside(number))
                self._send(event="about", **vars(source.about()))
                for page in source.pages(span):
                    with self._time_limit():
                        is_wanted = self._wanted(page.title)
                    if is_wanted:
                        yield page

    @contextmanager
    def _time_limit(self) -> Iterator[None]:
        """End this process if the block takes too long, in whatever library it hangs."""
        signal.setitimer(signal.ITIMER_REAL, self._request["seconds"])
        yield
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _article(self, page: Page, *, is_new: bool) -> None:
        text = None
        with self._time_limit(), suppress(RecursionError, Unanswered):
            text = page.read() if is_new else None
        if text is None or not text.blocks:
            why = TWICE if not is_new else UNREADABLE if text is None else EMPTY
            self._send(event="left_out", why=why)
            return
        words, sections = joined(text.blocks)
        self._send(
            event="document",
            id=page.id,
            title=page.title,
            url=text.url or page.url,
            text=words,
            sections=sections,
            revision=text.revision or page.revision,
            changed=page.changed,
        )

    def _send(self, **message: Any) -> None:
        self._out.write(json.dumps(message, ensure_ascii=False) + "\n")
        self._out.flush()


def main() -> None:
    """Answer the request on stdin; an expected failure is the last message."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace", buffering=1 << 16)
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    os.dup2(2, 1)  # what a library prints is no message
    with suppress(BrokenPipeError):  # the reader has been closed
        try:
            request = json.load(sys.stdin)
            worker = _Worker(request, out)
            worker.plan() if request["span_bytes"] else worker.run()
        except RagstoneError as error:
            failure: dict[str, Any] = {name: getattr(error, name) for name in ("what", "where", "hint")}
            failure["kind"] = type(error).__name__
            if isinstance(error, MissingExtra):
                failure |= {"extra": error.extra, "missing": list(error.missing)}
            out.write(json.dumps({"event": "failed", **failure}) + "\n")
            out.flush()
    os._exit(0)  # whatever is still buffered goes nowhere


if __name__ == "__main__":
    main()
