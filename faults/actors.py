"""Processes that may be killed, forked from one that has the imports done, so that hundreds are cheap."""

from __future__ import annotations

import logging
import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from .run import PATIENCE_S


class Died(AssertionError):
    """An actor ended unexpectedly."""


class Actor:
    """A process that runs ``play(line, *arguments)``, ``line`` being its end of a pipe. Used with ``with``."""

    def __init__(self, play: Callable[..., None], *arguments: Any) -> None:
        self._line, others = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(target=_played, args=(play, others, *arguments))
        self.process.start()
        others.close()

    def __enter__(self) -> Actor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._line.close()

    def hear(self) -> Any:
        """Its next message. Raises ``Died`` when it has ended or hangs."""
        if not self._line.poll(PATIENCE_S):
            raise Died(f"said nothing for {PATIENCE_S:.0f} s")
        try:
            output = self._line.recv()
        except (EOFError, ConnectionResetError) as error:
            self.process.join(PATIENCE_S)
            raise Died(f"ended with {self.process.exitcode}") from error
        if isinstance(output, BaseException):
            raise output
        return output

    def ask(self, what: Any) -> Any:
        """Send it a message and return its reply."""
        self._line.send(what)
        return self.hear()

    def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        self.process.kill()  # also one that has just ended
        self.process.join(PATIENCE_S)

    def last_words(self) -> list[Any]:
        """The messages that it had sent before it was killed."""
        output = []
        try:
            while self._line.poll(0):
                output.append(self._line.recv())
        except (EOFError, OSError):
            pass  # the last of them was cut off
        return output

    def wait(self) -> int | None:
        """Its exit code, when it has ended by itself; ``None`` when it never does."""
        self.process.join(PATIENCE_S)
        return self.process.exitcode


def soon(what: Callable[[], object], why: str) -> float:
    """Wait until it comes true; how many seconds it took."""
    started = time.perf_counter()
    while not what():
        spent = time.perf_counter() - started
        assert spent < PATIENCE_S, f"{why}: not within {PATIENCE_S:.0f} s"
        time.sleep(0.02)
    return time.perf_counter() - started


def _played(play: Callable[..., None], line: Connection, *arguments: Any) -> None:
    logging.getLogger("ragstone").addHandler(logging.NullHandler())  # its warnings are what is provoked here
    try:
        play(line, *arguments)
    except BaseException as error:
        try:
            line.send(error)
        except Exception:  # an error that cannot be sent, or nobody to hear it
            line.send(RuntimeError(repr(error)))
        raise


_CONTEXT = multiprocessing.get_context("forkserver")
#: Imported once; what is not installed is left out by ``multiprocessing`` itself.
_CONTEXT.set_forkserver_preload(
    [
        "chromadb",
        "llama_index.vector_stores.chroma",
        "ragstone.core",
        "ragstone.plugins.book_chat.library.shelf",
        "ragstone.plugins.iris_memory.indexing.watcher",
        "faults.models",
    ]
)
