"""The folder that a host remembers, and the corpus of what is remembered."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePath

from ragstone.core import Corpus, Host, SettingsError, SourceError

from ..settings import CORPUS, IrisMemorySettings
from .update_state import UpdateState


class MemoryFolder:
    """Where the files are, and where they are stored. Safe to use from several threads."""

    def __init__(self, host: Host) -> None:
        self.host = host
        #: Seconds since 1970.
        self.clock: Callable[[], float] = time.time
        self.state = UpdateState(host.settings.data_dir)

    @property
    def settings(self) -> IrisMemorySettings:
        """The deployment's options."""
        return self.host.hooks.options(IrisMemorySettings)

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
        # In int8 as much is found, and indexing and starting take half the time: see FIGURES.md.
        return self.host.corpus(CORPUS, kind=CORPUS, hint="ragstone memory update reads the files", precision="int8")

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
