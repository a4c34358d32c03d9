"""The memory of a host: its root, its corpus, and what can be done with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core import SettingsError

from .settings import IrisMemorySettings

if TYPE_CHECKING:
    from pathlib import Path

    from ragstone.core import Corpus, Host

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
        return root.expanduser().resolve()

    @property
    def corpus(self) -> Corpus:
        """The corpus of all chunks. Every document is one file; its id is the path relative to the root."""
        return self.host.corpus(CORPUS, kind=KIND, hint=_EMPTY)


def memory_of(host: Host) -> Memory:
    """The host's memory."""
    return host.once(Memory)
