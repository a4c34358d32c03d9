"""The log of the command line, on stderr: lines for people, or JSON for programs, one object a line."""

from __future__ import annotations

import io
import json
import logging
import sys
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TextIO

from .output import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..errors import RagstoneError

_log = logging.getLogger("ragstone")

#: What every record has; the rest is its fields.
_USUAL = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"})


def log_to_stderr(*, verbose: bool) -> None:
    """A line for each warning; ``verbose``: for each piece of progress too, with its level and its logger."""
    form = "%(levelname)s %(name)s: %(message)s" if verbose else "ragstone: %(message)s"
    _use(logging.Formatter(form), sys.stderr, verbose=verbose)


def log_as_json(*, verbose: bool) -> None:
    """``{"time", "level", "logger", "message", "fields"}``, one object a line, and nothing else on stderr.

    What a command, a plugin or Python writes there past the log becomes a record of the logger ``stderr``, a line each.
    It stays so until ``stderr_as_it_was`` ends.
    """
    stream = sys.stderr
    _use(_Json(), stream, verbose=verbose)
    sys.stderr = _Lines(stream)


@contextmanager
def stderr_as_it_was() -> Iterator[None]:
    """Undo at its end what ``log_as_json`` does within."""
    before = sys.stderr
    try:
        yield
    finally:
        own, sys.stderr = sys.stderr, before
        if isinstance(own, _Lines):
            own.rest()


def is_json() -> bool:
    """Whether stderr takes JSON alone."""
    return isinstance(sys.stderr, _Lines)


def log_error(error: RagstoneError) -> None:
    """The error that ends a command, its facts as fields."""
    facts = {"error": type(error).__name__, "exit_code": error.exit_code, "where": error.where, "hint": error.hint}
    _log.error("%s", error.what, extra={name: value for name, value in facts.items() if value is not None})


def log_bug() -> None:
    """What is being handled is no expected failure: its traceback as a field."""
    _log.critical("this is a bug", exc_info=True)


def _use(form: logging.Formatter, stream: TextIO, *, verbose: bool) -> None:
    handler = logging.StreamHandler(stream)
    handler.setFormatter(form)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    _log.setLevel(logging.INFO if verbose else logging.WARNING)


class _Json(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {name: value for name, value in vars(record).items() if name not in _USUAL}
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and record.exc_info:
            fields |= {"error": type(error).__name__, "traceback": self.formatException(record.exc_info)}
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "fields": fields,
        }
        return escaped(json.dumps(told, ensure_ascii=False, default=str))


class _Lines(io.TextIOBase):
    """A stderr on which each line becomes a record."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, stream: TextIO) -> None:
        """``stream``: what it stands for."""
        self._lock = threading.RLock()
        self._begun = ""
        self._telling = False
        self._to = logging.getLogger("stderr")
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        """Raises ``TypeError`` for what is no text."""
        if not isinstance(text, str):
            raise TypeError(f"a text, not {type(text).__name__}")
        with self._lock:
            *lines, self._begun = (self._begun + text).split("\n")
            for line in lines:
                self._tell(line)
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def rest(self) -> None:
        """Tell what stands there without a line's end."""
        with self._lock:
            begun, self._begun = self._begun, ""
            self._tell(begun)

    def _tell(self, line: str) -> None:
        if line.strip() and not self._telling:  # a log that cannot be written says that here
            self._telling = True
            try:
                self._to.warning("%s", line)
            finally:
                self._telling = False
