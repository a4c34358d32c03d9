"""The subprocess that parses a source: started, listened to, and ended."""

from __future__ import annotations

import json
import logging
import os
import selectors
import subprocess
import tempfile
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Self

from ragstone.core.runtime import run_in_subprocess

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

_log = logging.getLogger(__name__)
#: Seconds between two checks whether to stop.
_POLL = 0.25
_READ = 1 << 20


class ReaderProcess:
    """``worker`` in a subprocess. A context manager: the process does not outlive it."""

    def __init__(self, request: dict[str, Any], silence: float, stop: threading.Event) -> None:
        """``silence``: seconds without a message after which it hangs. ``stop``: ends ``messages``."""
        self._silence = silence
        self._stop = stop
        self._held = ExitStack()
        self._errors = self._held.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - closed with the process
        self._is_late = False
        started = run_in_subprocess(
            "ragstone.plugins.wiki_edge.readers.worker",
            stdin=subprocess.PIPE,
            stderr=self._errors,
            environment={
                "PATH": os.environ.get("PATH", ""),
                "TMPDIR": os.environ.get("TMPDIR", tempfile.gettempdir()),
            },
        )
        self._process = self._held.enter_context(started)
        assert self._process.stdin is not None  # noqa: S101
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(request).encode())
            self._process.stdin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._held.close()

    def messages(self) -> Iterator[dict[str, Any]]:
        """Its messages, until it ends, hangs, or is to stop."""
        assert self._process.stdout is not None  # noqa: S101
        pipe, parts, quiet = self._process.stdout.fileno(), [b""], 0.0
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while not self._stop.is_set():
                if not selector.select(_POLL):
                    quiet += _POLL
                    if quiet >= self._silence:
                        self._is_late = True
                        return
                    continue
                quiet = 0.0
                part = os.read(pipe, _READ)
                if not part:
                    return
                if b"\n" in part:  # an article of megabytes comes in many parts
                    first, *whole, rest = part.split(b"\n")
                    whole.insert(0, b"".join([*parts, first]))
                    parts = [rest]
                    yield from map(json.loads, whole)
                else:
                    parts.append(part)

    def end(self) -> str:
        """Why there are no more messages."""
        if self._is_late:
            return f"it was silent for {self._silence:.0f} s"
        code = self._process.wait(10)
        self._errors.seek(0)
        log = self._errors.read().decode("utf-8", "replace").strip()
        _log.info("the reading process ended with %s: %s", code, log)
        return f"its process ended with {code}: {log.rpartition(chr(10))[2][-300:]}" if log else f"with {code}"
