"""The process that reads a source: started, listened to, and ended for good."""

from __future__ import annotations

import json
import logging
import os
import selectors
import subprocess
import tempfile
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from ragstone.core.runtime import run_in_subprocess

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

_log = logging.getLogger(__name__)
#: Seconds after which it is looked whether to stop.
_GLANCE = 0.25
_READ = 1 << 20


class Reading:
    """``producing`` at work. A context manager: the process does not outlive it."""

    def __init__(self, asked: dict[str, Any], silence: float, stop: threading.Event) -> None:
        """``asked``: see ``producing``. ``silence``: seconds that it may say nothing. ``stop``: listen no longer."""
        self._silence = silence
        self._stop = stop
        self._held = ExitStack()
        self._errors = self._held.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - closed with the process
        self._late = False
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "TMPDIR": os.environ.get("TMPDIR", tempfile.gettempdir()),
            "TOKENIZERS_PARALLELISM": "false",
        }
        started = run_in_subprocess(
            "ragstone.plugins.wiki_edge.shards.reader_worker",
            stdin=subprocess.PIPE,
            stderr=self._errors,
            environment=environment,
        )
        self._process = self._held.enter_context(started)
        assert self._process.stdin is not None  # noqa: S101
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(asked).encode())
            self._process.stdin.close()

    def __enter__(self) -> Reading:
        return self

    def __exit__(self, *_error: object) -> None:
        self._held.close()

    def lines(self) -> Iterator[dict[str, Any]]:
        """What it says, until it ends, is silent for too long, or is to stop."""
        assert self._process.stdout is not None  # noqa: S101
        pipe, rest, quiet = self._process.stdout.fileno(), b"", 0.0
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while not self._stop.is_set():
                if not selector.select(_GLANCE):
                    quiet += _GLANCE
                    if quiet >= self._silence:
                        self._late = True
                        return
                    continue
                quiet = 0.0
                part = os.read(pipe, _READ)
                if not part:
                    return
                *whole, rest = (rest + part).split(b"\n")
                yield from map(json.loads, whole)

    def end(self) -> str:
        """Why it said no more."""
        if self._late:
            return f"it was silent for {self._silence:.0f} s"
        code = self._process.wait(10)
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip()
        _log.info("the reading process ended with %s: %s", code, said)
        return f"its process ended with {code}: {said.rpartition(chr(10))[2][-300:]}" if said else f"with {code}"
