"""Reads untrusted files in worker processes, which are killed when one takes too much time or memory."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from ragstone.core import MissingExtra, SourceError
from ragstone.core.runtime import Unanswered, Workers, open_regular

from .refusal import Reason
from .text import Text
from .worker import MAX_BYTES, seconds_for

_REASONS: tuple[Reason, ...] = get_args(Reason)
_TEXT = TypeAdapter(Text)
EXTRA = "formats"
#: The packages that reading a suffix needs, where it is not lxml alone.
_PACKAGES = {".docx": ("lxml", "mammoth"), ".rst": ("lxml", "docutils")}
#: Megabytes of address space.
_MEGABYTES = 1500
_HINTS: dict[Reason, str] = {
    "encrypted": "a copy without protection can be read",
    "broken": "open it in a reader or a browser, and save it anew",
    "too_large": "split it into smaller files",
    "timeout": "split it into smaller files",
    "empty": "look at it in a reader; of pictures of pages make a PDF, and a text layer by OCR",
    "crashed": "its reader broke down",
}


class UnreadableFile(SourceError):
    """A file that gives no text. ``reason`` is one word: encrypted, broken, too_large, empty, timeout, crashed."""

    def __init__(self, reason: Reason, path: Path, detail: str) -> None:
        self.reason: Reason = reason
        super().__init__(f"{reason}: it {detail}", where=str(path), hint=_HINTS[reason])

    def to_problem(self) -> dict[str, Any]:
        """The problem details, with ``reason`` for programs."""
        return {**super().to_problem(), "reason": self.reason}


class FormatWorkers:
    """The worker processes, one for each thread that reads at the same time; they end with ``close``."""

    def __init__(self) -> None:
        self._workers = Workers(f"{__package__}.worker", str(_MEGABYTES))

    def read(self, path: Path) -> Text:
        """The text of a file by its suffix. Never hangs, whatever the file holds.

        Raises ``UnreadableFile``, and ``SourceError`` when it is gone or the extra is not installed.
        """
        suffix = path.suffix.lower()
        packages = tuple(name for name in _PACKAGES.get(suffix, ("lxml",)) if find_spec(name) is None)
        if packages:
            missing = MissingExtra(EXTRA, packages)
            raise SourceError(
                f"a file {suffix} {missing.what}: {missing.install}", where=str(path), hint=missing.install
            )
        with open_regular(path, MAX_BYTES) as file:
            size = file.seek(0, 2)
        request = json.dumps({"path": str(path.absolute()), "suffix": suffix}).encode()
        try:
            return _TEXT.validate_python(self._workers.ask_json(request, seconds_for(size)))
        except Unanswered as error:
            reason: Reason = next((each for each in _REASONS if each == error.reason), "crashed")
            raise UnreadableFile(reason, path, error.detail) from error
        except ValidationError as error:
            raise UnreadableFile("crashed", path, "gave no valid answer") from error

    def close(self) -> None:
        """End the idle workers; what is being read is read to its end."""
        self._workers.close()
