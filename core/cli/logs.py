"""The command line's log on stderr: text, or JSON with one object a line."""

from __future__ import annotations

import io
import json
import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TextIO

from ..errors import RagstoneError
from .output import escaped, printable

_log = logging.getLogger("ragstone")

#: Attributes of every log record; a record's other attributes are its fields.
_USUAL = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"})


def log_to_stderr(*, verbose: bool) -> None:
    """Log warnings as lines of text; ``verbose``: also progress, with level and logger."""
    form = "%(levelname)s %(name)s: %(message)s" if verbose else "ragstone: %(message)s"
    _install(_TextFormatter(form), sys.stderr, verbose=verbose)


def log_as_json(*, verbose: bool) -> None:
    """Log ``{"time", "level", "logger", "message", "fields"}``, one object a line, and nothing else on stderr.

    Each other line that is written to stderr becomes a record of the logger ``stderr``, until ``restored_stderr`` ends.
    """
    stream = sys.stderr
    _install(_JsonFormatter(), stream, verbose=verbose)
    sys.stderr = _StderrLog(stream)


@contextmanager
def restored_stderr() -> Iterator[None]:
    """Undo ``log_as_json`` at the end of the context."""
    before = sys.stderr
    try:
        yield
    finally:
        replaced, sys.stderr = sys.stderr, before
        if isinstance(replaced, _StderrLog):
            replaced.log_rest()


def is_json() -> bool:
    """Whether stderr has only JSON."""
    return isinstance(sys.stderr, _StderrLog)


def log_error(error: RagstoneError) -> None:
    """Log the error that ends a command, its attributes as fields."""
    facts = {"error": type(error).__name__, "exit_code": error.exit_code, "where": error.where, "hint": error.hint}
    _log.error("%s", error.what, extra={name: value for name, value in facts.items() if value is not None})


def _install(form: logging.Formatter, stream: TextIO, *, verbose: bool) -> None:
    handler = logging.StreamHandler(stream)
    handler.setFormatter(form)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    _log.setLevel(logging.INFO if verbose else logging.WARNING)


class _TextFormatter(logging.Formatter):
    """Without control characters, and further lines indented: what a file's name holds begins no line of the log."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record)).replace("\n", "\n  ")


class _JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {name: value for name, value in vars(record).items() if name not in _USUAL}
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and record.exc_info:
            fields |= {"error": type(error).__name__, "traceback": self.formatException(record.exc_info)}
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "fields": fields,
        }
        return escaped(json.dumps(entry, ensure_ascii=False, default=str))


class _StderrLog(io.TextIOBase):
    """A replacement of stderr that logs each line."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, stream: TextIO) -> None:
        self._lock = threading.RLock()
        self._partial_line = ""
        self._is_logging = False
        self._logger = logging.getLogger("stderr")
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        """Raises ``TypeError`` for what is no text."""
        if not isinstance(text, str):
            raise TypeError(f"a text, not {type(text).__name__}")
        with self._lock:
            *lines, self._partial_line = (self._partial_line + text).split("\n")
            for line in lines:
                self._log_line(line)
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def log_rest(self) -> None:
        """Log the text after the last line break."""
        with self._lock:
            begun, self._partial_line = self._partial_line, ""
            self._log_line(begun)

    def _log_line(self, line: str) -> None:
        if line.strip() and not self._is_logging:  # logging reports its own errors on stderr
            self._is_logging = True
            try:
                self._logger.warning("%s", line)
            finally:
                self._is_logging = False
