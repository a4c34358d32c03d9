"""Reads untrusted files in worker processes, which are killed when one takes too much time or memory."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from ragstone.core import MissingExtra, SourceError
from ragstone.core.runtime import Unanswered, Workers, open_regular

from .text import Text
from .worker import MAX_BYTES, seconds_for

if TYPE_CHECKING:
    from collections.abc import Iterable

_TEXT = TypeAdapter(Text)
EXTRA = "formats"
#: The packages that reading a suffix needs, where it is not lxml alone.
_PACKAGES = {".docx": ("lxml", "mammoth"), ".rst": ("lxml", "docutils")}
#: Megabytes of address space.
_MEGABYTES = 1500
_HINTS = {
    "encrypted": "a copy without protection can be read",
    "broken": "open it in a reader or a browser, and save it anew",
    "too_large": "split it into smaller files",
    "timeout": "split it into smaller files",
    "empty": "look at it in a reader; of pictures of pages make a PDF, and a text layer by OCR",
    "crashed": "its reader broke down",
}


class UnreadableFile(SourceError):
    """A file that gives no text. ``reason`` is one word: encrypted, broken, too_large, empty, timeout, crashed."""

    def __init__(self, reason: str, path: Path, message: str, hint: str | None = None) -> None:
        self.reason = reason
        super().__init__(f"{reason}: {message}", where=str(path), hint=hint)

    def to_problem(self) -> dict[str, Any]:
        """The problem details, with ``reason`` for programs."""
        return {**super().to_problem(), "reason": self.reason}


def require_packages(path: Path, extra: str, names: Iterable[str]) -> None:
    """Raise ``SourceError`` for a file whose reader needs packages that are not installed."""
    if missing := tuple(name for name in names if find_spec(name) is None):
        error = MissingExtra(extra, missing)
        what = f"a file {path.suffix.lower()} {error.what}: {error.install}"
        raise SourceError(what, where=str(path), hint=error.install)


class FormatWorkers:
    """The worker processes, one for each thread that reads at the same time; they end with ``close``."""

    def __init__(self) -> None:
        self._workers = Workers(f"{__package__}.worker", str(_MEGABYTES))

    def read(self, path: Path) -> Text:
        """The text of a file by its suffix. Never hangs, whatever the file holds.

        Raises ``UnreadableFile``, and ``SourceError`` when it is gone or the extra is not installed.
        """
        suffix = path.suffix.lower()
        require_packages(path, EXTRA, _PACKAGES.get(suffix, ("lxml",)))
        with open_regular(path, MAX_BYTES) as file:
            size = file.seek(0, 2)
        request = json.dumps({"path": str(path.absolute()), "suffix": suffix}).encode()
        try:
            return self._workers.ask_json(request, seconds_for(size), _TEXT)
        except Unanswered as error:
            reason = error.reason if error.reason in _HINTS else "crashed"
            raise UnreadableFile(reason, path, f"it {error.detail}", _HINTS[reason]) from error

    def close(self) -> None:
        """End the idle workers; what is being read is read to its end."""
        self._workers.close()
