"""The memory of a host: its updates, its status, and what it forgets."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from ragstone.core import BadRequest, Host
from ragstone.core.answering import check_type

from .folder import MemoryFolder

if TYPE_CHECKING:
    from ragstone.core.ingestion import OnProgress

    from .forgotten import Forgotten
    from .status import Status
    from .updater import UpdateReport


class Memory(MemoryFolder):
    """Got by ``memory_of(host)``, one for each host. Safe to use from several threads."""

    def update(self, on_progress: OnProgress | None = None, *, prune: bool = False) -> UpdateReport:
        """Update the memory from its files. Raises ``SettingsError``, ``SourceError`` and ``StorageError``.

        Missing files stay where that may be a mistake: in an empty folder, or more than half of all at once. The report
        names them in ``missing``, the log too; ``prune`` removes them. What cannot be read stays in any case.
        """
        from .updater import update

        return update(self, "", on_progress, prune=prune)

    def update_in_full(self, on_progress: OnProgress | None = None, *, prune: bool = False) -> UpdateReport:
        """The same, with every file read and embedded anew, beside the present index, which answers until then."""
        from .updater import update

        existed = self.corpus.contents.exists
        report = update(self, "", on_progress, prune=prune, same=lambda _found, _stored: False)
        if existed:
            report.chunks = self.corpus.rebuild(on_progress=on_progress).chunks
        return report

    def update_file(self, path: str | PurePath, *, prune: bool = False) -> UpdateReport:
        """The same for one file, or the files of a folder, and for no other. Raises ``BadRequest`` outside the root."""
        from .updater import update

        under = self.relative(path)
        if under is None:
            raise BadRequest("lies outside the folder to remember", where=str(path), hint=f"that is {self.root}")
        return update(self, "" if under == "." else under, prune=prune)

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
