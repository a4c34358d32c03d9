"""The planner's steps, written down in the form of RLDS: one folder an episode, one line a step, only ever appended.

``ID/metadata.json`` and ``ID/steps/000000.jsonl`` and on. When a step is the last its action counts no more, so N turns
are N + 1 steps. ``step_metadata`` holds ``retrievals`` and ``tool_calls`` as JSON text on every step, since data sets
need the same keys everywhere and do not batch lists of records (RLDS: arXiv:2111.02767). A death cuts at most the
last line, and whoever comes next ends the episode for it.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ragstone.core.runtime import sync_folder, write_atomically

from .journal import explained

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from .redaction import Redactor

METADATA = "metadata.json"
STEPS = "steps"
#: Held locked while the episode is written; gone when it has ended.
OPEN = "open"
AGENT = "ragstone.wiki_edge.planner"
_VERSION = 1
_ID = re.compile(r"\d{8}T\d{6}\.\d{6}Z-[0-9a-f]{8}")
#: Keys whose values name things and may look like secrets.
_IDS = frozenset({"id", "shard", "kind", "sha256"})


class Episode:
    """One episode that is being written. Not for several threads at once."""

    def __init__(
        self, root: Path, redactor: Redactor, *, file_bytes: int, about: Mapping[str, Any] | None = None
    ) -> None:
        """Begin an episode in a folder of its own. Raises ``StorageError``."""
        seconds, part = divmod(time.time_ns() // 1000, 1_000_000)
        self.id = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(seconds))}.{part:06}Z-{secrets.token_hex(4)}"
        self.folder = root / self.id
        self._redactor = redactor
        self._file_bytes = file_bytes
        self._steps = self._number = 0
        self._about = redactor.within(dict(about or {}))
        try:
            (self.folder / STEPS).mkdir(parents=True)
            # Locked before it has its name: nobody may take it for one that was left.
            self._open = _locked(self.folder / f"{OPEN}.new", os.O_CREAT)
            (self.folder / f"{OPEN}.new").rename(self.folder / OPEN)
            self._file = self._next_file(0)
            self._started = _now()
            _tell(self.folder, self._metadata("open"))
        except OSError as error:
            raise explained(error, self.folder) from error

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
        self._write(
            made_step(
                self._redactor.text(observation), self._redactor.text(action), metadata, is_first=self._steps == 0
            )
        )

    def end(self, observation: str = "", *, terminal: bool = False) -> None:
        """Write the last step and close. ``terminal``: the goal was reached or given up; else it was only cut off."""
        last = made_step(
            self._redactor.text(observation), "", None, is_first=self._steps == 0, is_last=True, is_terminal=terminal
        )
        try:
            self._write(last)
            _tell(self.folder, self._metadata("ended"))
            self._file.close()
            (self.folder / OPEN).unlink(missing_ok=True)
        except OSError as error:
            raise explained(error, self.folder) from error
        finally:
            os.close(self._open)

    def _write(self, step: Mapping[str, Any]) -> None:
        line = json.dumps(step, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        try:
            if self._file.tell() and self._file.tell() + len(line) > self._file_bytes:
                self._file.close()
                self._number += 1
                self._file = self._next_file(self._number)
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise explained(error, self.folder) from error
        self._steps += 1

    def _next_file(self, number: int) -> Any:
        file = (self.folder / STEPS / f"{number:06}.jsonl").open("ab")
        sync_folder(self.folder / STEPS)
        return file

    def _metadata(self, state: str) -> dict[str, Any]:
        ended = _now() if state == "ended" else None
        return made_metadata(self.id, state, self._steps, self._started, ended, self._about)


def made_step(
    observation: str,
    action: str,
    metadata: Mapping[str, str] | None,
    *,
    is_first: bool,
    is_last: bool = False,
    is_terminal: bool = False,
) -> dict[str, Any]:
    """A step; every one has the same keys."""
    return {
        "observation": observation,
        "action": action,
        "reward": 0.0,
        "discount": 0.0 if is_terminal else 1.0,
        "is_first": is_first,
        "is_last": is_last,
        "is_terminal": is_terminal,
        "step_metadata": dict(metadata or {"retrievals": "[]", "tool_calls": "[]"}),
    }


def made_metadata(
    episode: str, state: str, steps: int, started: str | None, ended: str | None, about: Mapping[str, Any]
) -> dict[str, Any]:
    """What stands in ``metadata.json``. ``state``: ``open``, ``ended``, or ``cut`` where somebody else ended it."""
    return {
        "episode_id": episode,
        "agent_id": AGENT,
        "version": _VERSION,
        "state": state,
        "steps": steps,
        "started": started,
        "ended": ended,
        "about": dict(about),
    }


def left_open(root: Path) -> Iterator[tuple[Path, int]]:
    """Episodes whose writer died, each locked by the descriptor that comes with it; close it when it is mended."""
    for marker in sorted(root.glob(f"*/{OPEN}")):
        if not _ID.fullmatch(marker.parent.name) or any(path.is_symlink() for path in (marker, marker.parent)):
            continue  # what lies here besides is not ours
        with suppress(OSError):
            descriptor = _locked(marker)
            if os.fstat(descriptor).st_nlink:
                yield marker.parent, descriptor
            else:  # its writer has just ended it
                os.close(descriptor)


def tell_metadata(folder: Path, metadata: Mapping[str, Any]) -> None:
    """Write ``metadata.json``. Raises ``StorageError``."""
    try:
        _tell(folder, metadata)
    except OSError as error:
        raise explained(error, folder) from error


def _tell(folder: Path, metadata: Mapping[str, Any]) -> None:
    write_atomically(folder / METADATA, json.dumps(metadata, ensure_ascii=False, indent=1).encode("utf-8") + b"\n")


def _locked(path: Path, flags: int = 0) -> int:
    """A descriptor that holds the file's lock until it is closed, or its process ends. Raises ``OSError``."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
