"""The folder that a host remembers, the corpus of what is remembered, and what updates keep beside it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath

from ragstone.core import Corpus, Host, SettingsError, SourceError
from ragstone.core.runtime import file_lock, storage_errors, write_atomically

from ..settings import CORPUS, IrisMemorySettings
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
