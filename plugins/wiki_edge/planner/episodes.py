"""Writes one episode: a folder of its own, one line a step, only ever appended (see ``steps``).

A kill cuts at most the last line; the next planner ends the episode (see ``episode_check``).
"""

from __future__ import annotations

import json
import os
import re
import secrets
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ragstone.core.runtime import storage_errors, sync_folder

from .steps import STEPS, lock_file, make_last_step, make_step, write_metadata

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from ragstone.core.text import Redactor

#: Held locked while the episode is written; removed when it has ended.
OPEN = "open"
_ID = re.compile(r"\d{8}T\d{6}\.\d{6}Z-[0-9a-f]{8}")
#: Keys whose values are identifiers and may look like secrets.
_IDS = frozenset({"id", "shard", "kind", "sha256"})


class Episode:
    """One episode that is being written. Not for several threads at once."""

    def __init__(self, root: Path, redactor: Redactor, *, file_bytes: int) -> None:
        """Begin an episode in a folder of its own. Raises ``StorageError``."""
        seconds, part = divmod(time.time_ns() // 1000, 1_000_000)
        self.id = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(seconds))}.{part:06}Z-{secrets.token_hex(4)}"
        self.folder = root / self.id
        self._redactor = redactor
        self._file_bytes = file_bytes
        self._steps = self._number = 0
        self._known = {"started": _now()}
        with storage_errors(self.folder):
            self.folder.mkdir(parents=True)
            # Locked before it has its name: otherwise another process could end the episode as abandoned.
            self._open = lock_file(self.folder / f"{OPEN}.new", os.O_CREAT)
            (self.folder / f"{OPEN}.new").rename(self.folder / OPEN)
            write_metadata(self.folder, "open", 0, self._known)
            (self.folder / STEPS).mkdir()  # from here on it is an episode
            self._file = self._next_file(0)

    def step(
        self,
        observation: str,
        action: str,
        *,
        retrievals: Sequence[Mapping[str, Any]] = (),
        tool_calls: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Write a turn: what was seen and what was answered. On the disk when it returns. Raises ``StorageError``."""
        metadata = {
            "retrievals": _json(self._redactor.within([*retrievals], ids=_IDS)),
            "tool_calls": _json(self._redactor.within([*tool_calls], ids=_IDS)),
        }
        seen, done = self._redactor.text(observation), self._redactor.text(action)
        self._write(make_step(seen, done, metadata, is_first=self._steps == 0))

    def end(self, observation: str = "", *, terminal: bool = False) -> None:
        """Write the last step and close. ``terminal``: the goal was reached or given up.

        Raises ``StorageError``.
        """
        seen = self._redactor.text(observation)
        try:
            with storage_errors(self.folder):
                self._write(make_last_step(seen, is_first=self._steps == 0, is_terminal=terminal))
                write_metadata(self.folder, "ended", self._steps, {**self._known, "ended": _now()})
                self._file.close()
                (self.folder / OPEN).unlink(missing_ok=True)
        finally:
            os.close(self._open)

    def _write(self, step: Mapping[str, Any]) -> None:
        line = json.dumps(step, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        with storage_errors(self.folder):
            if self._file.tell() and self._file.tell() + len(line) > self._file_bytes:
                self._file.close()
                self._number += 1
                self._file = self._next_file(self._number)
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
        self._steps += 1

    def _next_file(self, number: int) -> Any:
        file = (self.folder / STEPS / f"{number:06}.jsonl").open("ab")
        sync_folder(self.folder / STEPS)
        return file


def abandoned(root: Path) -> Iterator[tuple[Path, int]]:
    """Episodes whose writer died, each with the descriptor that holds its lock; to be closed by the caller."""
    for marker in sorted(root.glob(f"*/{OPEN}")):
        if not _ID.fullmatch(marker.parent.name) or any(path.is_symlink() for path in (marker, marker.parent)):
            continue  # not written by Ragstone
        with suppress(OSError):
            descriptor = lock_file(marker)
            if os.fstat(descriptor).st_nlink:
                yield marker.parent, descriptor
            else:  # its writer has just ended it
                os.close(descriptor)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
