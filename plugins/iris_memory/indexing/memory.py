"""The memory of a host: its root, its corpus, its updates."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from ragstone.core import BadRequest, Host, SettingsError, SourceError
from ragstone.core.answering import check_type

from ..settings import IrisMemorySettings

if TYPE_CHECKING:
    from ragstone.core import Corpus

    from .forgotten import Forgotten
    from .status import Status
    from .updater import OnProgress, Updater, UpdateReport

CORPUS = "memory"
KIND = "memory"
_EMPTY = "ragstone memory update reads the files"


class Memory:
    """Got by ``memory_of(host)``, one for each host. Safe to use from several threads."""

    def __init__(self, host: Host) -> None:
        self.host = host

    @property
    def settings(self) -> IrisMemorySettings:
        """The deployment's options."""
        return self.host.options(IrisMemorySettings)

    @property
    def root(self) -> Path:
        """The folder of the agent's files, links in its own path followed. Raises ``SettingsError``."""
        root = self.settings.root
        if root is None:
            raise SettingsError(
                "no folder to remember is set",
                where="plugins.iris_memory.root",
                hint='[plugins.iris_memory] root = "/path", or RAGSTONE_PLUGINS__IRIS_MEMORY__ROOT',
            )
        return Path(os.path.realpath(root.expanduser()))  # unlike Path.resolve it never raises

    @property
    def corpus(self) -> Corpus:
        """The corpus of all chunks. Every document is one file; its id is the path relative to the root."""
        return self.host.corpus(CORPUS, kind=KIND, hint=_EMPTY)

    def missing_root(self) -> SourceError:
        """The error to raise when the root is not there."""
        where = str(self.root)
        return SourceError("the folder to remember is not there", where=where, hint="check iris_memory's root")

    def own_folders(self) -> tuple[Path, Path]:
        """Ragstone's own folders, which are never remembered."""
        return self.host.settings.data_dir.resolve(), self.host.settings.cache_dir.resolve()

    def relative(self, path: str | PurePath) -> str | None:
        """A path, absolute or under the root, relative to the root, with ``/``; ``None`` outside it."""
        named = os.path.normpath(os.path.join(self.root, os.path.expanduser(path)))  # noqa: PTH111, PTH118
        for root in (self.root, self.settings.root):
            with suppress(ValueError):
                return PurePath(named).relative_to(Path(str(root)).expanduser().absolute()).as_posix()
        with suppress(ValueError, OSError):  # through a link that leads here
            folder = os.path.realpath(os.path.dirname(named))  # noqa: PTH120
            return PurePath(folder, PurePath(named).name).relative_to(self.root).as_posix()
        return None

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
