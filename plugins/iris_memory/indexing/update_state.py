"""The folder ``memory`` in the data folder: the lock of updates, and what the last update found."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from ragstone.core.runtime import file_lock, storage_errors, write_atomically

from .missing import MissingReason

#: Seconds: the first update of a large memory takes minutes.
_TIMEOUT = 900.0
_HINT = "make space, or check the folder's owner and permissions"


@dataclass(frozen=True)
class LastUpdate:
    """The last update that scanned the whole root."""

    root: str
    #: Seconds since 1970.
    at: float
    seconds: float


class UpdateState:
    """What updates keep beside the catalog. The folder may be deleted at any time."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / "memory"

    @contextmanager
    def lock(self) -> Iterator[None]:
        """No other process updates meanwhile; the lock of a killed one is free. Raises ``StorageBusy``."""
        path, busy = self._folder / "update.lock", "another process updates the memory"
        with ExitStack() as held:
            with storage_errors(self._folder, what="cannot be written", hint=_HINT):
                self._folder.mkdir(parents=True, exist_ok=True)
                held.enter_context(file_lock(path, busy, hint="try again when it is done", seconds=_TIMEOUT))
            yield

    def save_last(self, update: LastUpdate) -> None:
        """Save the last whole update. Raises ``StorageError``."""
        self._write("last.json", asdict(update))

    def last(self) -> LastUpdate | None:
        """The last whole update, if one is known."""
        try:
            return LastUpdate(**json.loads((self._folder / "last.json").read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def save_missing(self, kept: Mapping[str, MissingReason]) -> None:
        """Save which missing files stay in the memory, and why. Raises ``StorageError``."""
        if self.missing() != kept:
            self._write("missing.json", kept)

    def missing(self) -> dict[str, MissingReason]:
        """The missing files that stay in the memory, as of the last update."""
        try:
            found = json.loads((self._folder / "missing.json").read_text("utf-8"))
            return {path: MissingReason(*reason) for path, reason in found.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _write(self, name: str, value: object) -> None:
        with storage_errors(self._folder, what="cannot be written", hint=_HINT):
            write_atomically(self._folder / name, json.dumps(value).encode())
