"""What the indexing keeps beside the catalog: whose turn it is, and when the last whole look was."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from ragstone.core import StorageBusy, StorageDenied, StorageError, StorageFull
from ragstone.core.runtime import write_atomically

from .missing import Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

#: The first update of a large memory takes minutes.
_PATIENCE = 900.0
_NO_SPACE = 28


@dataclass(frozen=True)
class LastUpdate:
    """The last update that looked at everything."""

    root: str
    #: Seconds since 1970.
    at: float
    seconds: float


class Keeping:
    """The folder ``memory`` in the data folder. It may be deleted at any time."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / "memory"

    @contextmanager
    def alone(self, patience: float = _PATIENCE) -> Iterator[None]:
        """No other update runs meanwhile, in no process; a killed one does not count. Raises ``StorageBusy``."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._folder / "update.lock", thread_local=False)
            lock.acquire(timeout=patience, poll_interval=0.02)
        except Timeout as error:
            hint = "try again when it is done"
            raise StorageBusy("another process updates the memory", where=str(self._folder), hint=hint) from error
        except OSError as error:
            raise _told(error, self._folder) from error
        try:
            yield
        finally:
            lock.release()

    def note(self, root: str, at: float, seconds: float) -> None:
        """Remember that everything was looked at. Raises ``StorageError``."""
        self._write("last.json", asdict(LastUpdate(root, at, seconds)))

    def note_missing(self, kept: Mapping[str, Place]) -> None:
        """Remember which missing files stay, and why. Raises ``StorageError``."""
        if self.missing() != kept:
            self._write("missing.json", kept)

    def missing(self) -> dict[str, Place]:
        """Missing files that stay, as the last update found them."""
        try:
            found = json.loads((self._folder / "missing.json").read_text("utf-8"))
            return {path: Place(*place) for path, place in found.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def last(self) -> LastUpdate | None:
        """The last whole update, if one is known."""
        try:
            return LastUpdate(**json.loads((self._folder / "last.json").read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def _write(self, name: str, value: object) -> None:
        try:
            write_atomically(self._folder / name, json.dumps(value).encode())
        except OSError as error:
            raise _told(error, self._folder) from error


def _told(error: OSError, folder: Path) -> StorageError:
    if error.errno == _NO_SPACE:
        return StorageFull("no space is left on the disk", where=str(folder), hint="make space and try again")
    hint = "check the folder's owner and permissions, or set RAGSTONE_DATA_DIR"
    return StorageDenied(f"cannot be written: {error.strerror or error}", where=str(folder), hint=hint)
