"""Every expected failure, in one tree::

    RagstoneError
    ├── BadRequest            400  the caller's input: empty, too long, of the wrong type
    │   ├── TooLarge          413  more than a limit allows
    │   └── NotFound          404  no such assistant, book, corpus, chunk
    ├── SettingsError         500  ragstone.toml or the environment
    ├── PluginError           500  a plugin broke a rule of its interface
    │   └── MissingExtra      500  a plugin's optional packages are not installed
    ├── SourceError           422  a source cannot be read
    ├── EncoderError          503  no embedding model, or a wrong one
    ├── LLMError              502  the language model did not answer, or not in time
    │   └── LLMBusy           503  too many requests wait for the language model
    └── StorageError          500  the data folder or the database
        ├── StorageFull       507  no space left
        ├── StorageDenied     503  no permission
        ├── StorageLost       503  the catalog has disappeared
        ├── StorageAway       503  the database server does not answer
        └── StorageBusy       503  another process has locked it

An error has what happened, where, and a hint as attributes: the command line (one line), the web (problem+json) and the
log each render them their own way. Any other exception is a bug and keeps its traceback, but for an ``OSError`` about
a path or a full disk, which the command line shows as a ``StorageError``.
"""

from __future__ import annotations

import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar


def failures() -> tuple[type[BaseException], ...]:
    """For ``except failures()``: the errors of a plugin's code that are its failures, as ``sys.exit`` is and Ctrl+C is
    not.

    Ctrl+C reaches the main thread only: in another thread, ``KeyboardInterrupt`` was raised by the code itself.
    """
    if threading.current_thread() is threading.main_thread():
        return Exception, SystemExit
    return tuple(kind for kind in BaseException.__subclasses__() if kind is not GeneratorExit)


def is_failure(error: BaseException) -> bool:
    """Whether the error is one of ``failures``."""
    return isinstance(error, failures())


class RagstoneError(Exception):
    """The root: ``what`` happened, ``where`` (a path, a key, a name), and what to do (``hint``)."""

    #: HTTP status of the response.
    status: ClassVar[int] = 500
    #: Short name of the error class.
    title: ClassVar[str] = "Something went wrong"
    #: The command line's exit code.
    exit_code: ClassVar[int] = 1

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.what}{advice}"

    def to_reader(self) -> str:
        """The error for a reader of a page: without a hint that names commands, settings or short names."""
        signs = ("ragstone ", "RAGSTONE_", "[", "toml", "_", "known:", "there are:")
        names = self.hint and any(sign in self.hint for sign in signs)
        words = f"{self.what}: {self.hint}" if self.hint and not names else self.what
        return f"{words[:1].upper()}{words[1:].rstrip('.')}."

    def to_problem(self) -> dict[str, Any]:
        """The error as RFC 9457 problem details, without ``where``, which may be a path of the server."""
        detail = f"{self.what} ({self.hint})" if self.hint else self.what
        return {"type": "about:blank", "title": self.title, "status": self.status, "detail": detail}


class BadRequest(RagstoneError):
    """The caller's input cannot be used."""

    status = 400
    title = "The request cannot be used"
    exit_code = 2


class TooLarge(BadRequest):
    """The caller's input exceeds a limit."""

    status = 413
    title = "The request is too large"


class NotFound(BadRequest):
    """No such assistant, book, corpus or chunk."""

    status = 404
    title = "There is no such thing here"


class SettingsError(RagstoneError):
    """A settings file or an environment variable is wrong."""

    title = "The settings are wrong"
    exit_code = 2


class PluginError(RagstoneError):
    """A plugin failed or broke a rule; it is disabled, and the others continue."""

    title = "A plugin failed"


class MissingExtra(PluginError):
    """A plugin's optional packages are not installed."""

    title = "An extra is not installed"

    def __init__(self, extra: str, missing: tuple[str, ...], *, distribution: str = "ragstone") -> None:
        self.extra = extra
        self.missing = missing
        self.install = f"pip install '{distribution}[{extra}]'"
        super().__init__(f"needs {', '.join(missing)}", hint=self.install)


def require_extra(extra: str, *modules: str, distribution: str = "ragstone") -> None:
    """For the top of a plugin: raise ``MissingExtra`` unless the modules are installed. Imports none of them."""
    missing = tuple(module for module in modules if not _is_installed(module))
    if missing:
        raise MissingExtra(extra, missing, distribution=distribution)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of its parent package
        return False


class SourceError(RagstoneError):
    """A source cannot be read."""

    status = 422
    title = "The source cannot be read"


class EncoderError(RagstoneError):
    """There is no sentence encoder, or its files are wrong."""

    status = 503
    title = "The encoder is not ready"


class LLMError(RagstoneError):
    """The language model did not answer, or not in time."""

    status = 502
    title = "The language model did not answer"


class LLMBusy(LLMError):
    """Too many requests wait for the language model."""

    status = 503
    title = "The language model is busy"


class StorageError(RagstoneError):
    """The data folder or the database failed."""

    title = "The storage failed"


class StorageFull(StorageError):
    """No space is left; earlier data is unchanged."""

    status = 507
    title = "No space is left"


class StorageDenied(StorageError):
    """The data folder or the database may not be written or read."""

    status = 503
    title = "The storage may not be used"


class StorageLost(StorageError):
    """The catalog that a marker file records is missing, empty or another one; no new one is created in its place."""

    status = 503
    title = "The catalog is gone"

    @classmethod
    def of(cls, where: str, marker: Path, what: str) -> StorageLost:
        """``marker``: the file that records the catalog's id."""
        return cls(
            f"the catalog {what}",
            where=where,
            hint=f"restore it from a backup; to go on without what it held, remove {marker} and start again",
        )


class StorageAway(StorageError):
    """The database server does not answer; the next request connects again."""

    status = 503
    title = "The storage cannot be reached"


class StorageBusy(StorageError):
    """Another process holds a lock that is needed."""

    status = 503
    title = "The storage is in use"
