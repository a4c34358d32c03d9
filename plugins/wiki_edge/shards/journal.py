"""The journal of an unfinished build: a line for each finished batch, so that another process can resume it.

A line is written when its rows are safely on disk; whatever the shard's files hold beyond the last line is cut off. So
a kill at any moment costs the batch that was at work and nothing else.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from ragstone.core import RagstoneError, StorageBusy, StorageError
from ragstone.core.runtime import OwnedFolders, storage_error

from .files import real
from .writer import RESTART

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

JOURNAL, SHARD = "journal.jsonl", "shard"
AGAIN = "the same command goes on where it was"


@contextmanager
def work_folder(out: Path, shard_id: str, *, restart: bool = False) -> Iterator[Path]:
    """The locked folder of an unfinished build; removed at the end, and after an error before the first row.

    Raises ``StorageBusy``, ``StorageError`` and its kin.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        folders = work_folders(out)
        work = folders.make(f".building-{shard_id}")
        with FileLock(work / "lock", timeout=0):
            if restart:
                folders.clear(work.name, keep=("lock",))
            try:
                yield work
            except RagstoneError:
                if not Journal(work).last.get("rows"):  # nothing is lost with it
                    folders.remove(work.name)
                raise
            folders.remove(work.name)
    except Timeout as error:
        raise StorageBusy(f"the shard {shard_id!r} is being built by another process", where=str(out)) from error
    except OSError as error:
        raise storage_error(error, out, hint=AGAIN) from error


def work_folders(out: Path) -> OwnedFolders:
    """The folders of unfinished builds."""
    return OwnedFolders(real(out), "build", rf"lock|tokenizer\.json|ids\.sqlite.*|{re.escape(JOURNAL)}|{SHARD}")


class Journal:
    """The folder of an unfinished build."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / JOURNAL
        self.lines = self._read()

    def _read(self) -> list[dict[str, Any]]:
        """Its whole lines; the last may be cut off."""
        try:
            raw = self._path.read_bytes()
        except FileNotFoundError:
            return []
        found: list[dict[str, Any]] = []
        whole = raw[: raw.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                value = json.loads(line)
            except ValueError:
                value = None
            if not isinstance(value, dict):
                raise StorageError("the journal is damaged", where=f"{self._path}:{number}", hint=RESTART)
            found.append(value)
        if len(whole) < len(raw):
            os.truncate(self._path, len(whole))
        return found

    def add(self, **line: Any) -> None:
        """Add a line, safely on disk."""
        with self._path.open("ab") as file:
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.lines.append(line)

    @property
    def options(self) -> dict[str, Any] | None:
        """What the build was begun with."""
        return self.lines[0].get("options") if self.lines else None

    @property
    def last(self) -> dict[str, Any]:
        """The newest finished batch; empty when there is none."""
        return next((line for line in reversed(self.lines) if "rows" in line), {})

    @property
    def finished(self) -> dict[str, Any] | None:
        """The finished shard's entry and folder, when only the last steps are left."""
        return self.lines[-1].get("finished") if self.lines else None
