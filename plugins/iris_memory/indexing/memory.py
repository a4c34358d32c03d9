"""The memory of a host: its root, its corpus, its updates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core import BadRequest, Host
from ragstone.core.answering import check_type

from .folder import MemoryFolder

if TYPE_CHECKING:
    from pathlib import PurePath

    from .forgotten import Forgotten
    from .status import Status
    from .updater import OnProgress, Updater, UpdateReport


class Memory(MemoryFolder):
    """Got by ``memory_of(host)``, one for each host. Safe to use from several threads."""

    def update(self, on_progress: OnProgress | None = None, *, prune: bool = False) -> UpdateReport:
        """Update the memory from its files. Raises ``SettingsError``, ``SourceError`` and ``StorageError``.

        Missing files stay where that may be a mistake: in an empty folder, or more than half of all at once. The report
        names them in ``missing``, the log too; ``prune`` removes them. What cannot be read stays in any case.
        """
        return self._updater.update(on_progress=on_progress, prune=prune)

    def update_in_full(self, on_progress: OnProgress | None = None, *, prune: bool = False) -> UpdateReport:
        """The same, with every file read and embedded anew."""
        return self._updater.update_in_full(on_progress, prune=prune)

    def update_file(self, path: str | PurePath, *, prune: bool = False) -> UpdateReport:
        """The same for one file, or the files of a folder, and for no other. Raises ``BadRequest`` outside the root."""
        under = self.relative(path)
        if under is None:
            raise BadRequest("lies outside the folder to remember", where=str(path), hint=f"that is {self.root}")
        return self._updater.update("" if under == "." else under, prune=prune)

    @property
    def _updater(self) -> Updater:
        from .updater import Updater

        return Updater(self)

    def status(self) -> Status:
        """What is stored, what is left out and why, and what the next update will read."""
        from .status import status_of

        return status_of(self)

    def forget(self, target: str) -> Forgotten:
        """Forget a file, a folder's files or one chunk, until they change. Raises ``NotFound``."""
        from .forgotten import forget

        return forget(self, target)


def memory_of(host: Host) -> Memory:
    """The host's memory. Raises ``BadRequest`` for another argument."""
    check_type(host, "host", Host, "an open Host")
    return host.once(Memory)
