"""Records the planner's steps as episodes: a folder for each, one line a step, only ever appended (see ``steps``).

A kill cuts at most the last line; the next planner ends the episode (see ``episode_check``).
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ragstone.core import StorageError
from ragstone.core.runtime import storage_errors, sync_folder
from ragstone.core.text import Redactor

from ..settings import EpisodesSettings
from .drafts import ToolCall
from .episode_check import repair_episodes
from .situation import Chunk, PlannerContext
from .steps import OPEN, STEPS, lock_file, make_step, write_metadata

_log = logging.getLogger(__name__)

#: Keys whose values are identifiers and may look like secrets.
_IDS = frozenset({"id", "shard", "kind", "sha256"})


class EpisodeRecorder:
    """Writes one episode after the other, each begun with its first step. For several threads."""

    def __init__(self, root: Path, settings: EpisodesSettings) -> None:
        self._root = root
        self._settings = settings
        self._lock = threading.Lock()
        self._episode: Episode | None = None
        self._has_repaired = False

    def step(self, context: PlannerContext, answer: str, calls: Sequence[ToolCall] = ()) -> None:
        """Write a turn. An error of the disk goes to the log."""
        if not self._settings.enabled:
            return
        with self._lock:
            try:
                self._begun().step(
                    _observation(context),
                    answer,
                    retrievals=[self._retrieval(each) for each in context.chunks],
                    tool_calls=[asdict(call) for call in calls],
                )
            except StorageError as error:
                _log.warning("a step was not written down: %s", error)

    def end(self, *, terminal: bool = False) -> None:
        """End the episode, if one was begun."""
        with self._lock:
            episode, self._episode = self._episode, None
            if episode is not None:
                try:
                    episode.end(terminal=terminal)
                except StorageError as error:
                    _log.warning("an episode was not ended: %s", error)

    def _begun(self) -> Episode:
        if not self._has_repaired:
            self._has_repaired = True
            for name in repair_episodes(self._root):
                _log.info("the episode %s was left open and is ended now", name)
        if self._episode is None:
            redactor = Redactor(self._settings.redact)
            self._episode = Episode(self._root, redactor, file_bytes=self._settings.file_mb * 2**20)
        return self._episode

    def _retrieval(self, chunk: Chunk) -> dict[str, Any]:
        """The specification's ``{score, metadata}`` with further keys."""
        metadata = {name: getattr(chunk, name) for name in ("id", "title", "url", "license")}
        if self._settings.passages:
            metadata["text"] = chunk.text
        return {
            "score": round(chunk.score, 6),
            "metadata": metadata,
            "cosine": None if chunk.cosine is None else round(chunk.cosine, 6),
            "kind": chunk.kind,
            "shard": chunk.shard,
            "flags": list(chunk.flags),
        }


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
                self._write(make_step(seen, is_first=self._steps == 0, end=terminal))
                write_metadata(self.folder, "ended", self._steps, {**self._known, "ended": _now()})
                self._file.close()
                (self.folder / OPEN).unlink(missing_ok=True)
        finally:
            os.close(self._open)

    def _write(self, step: Mapping[str, Any]) -> None:
        line = json.dumps(step, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
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


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _observation(context: PlannerContext) -> str:
    """The planner's context without the chunks, which are in the retrievals."""
    names = ("detections", "pose", "goal", "context", "safety", "notes")
    return json.dumps({name: getattr(context, name) for name in names}, ensure_ascii=False)
