"""Records the planner's steps as episodes. An error there never costs an answer: it goes to the log."""

from __future__ import annotations

import json
import logging
import threading
from typing import TYPE_CHECKING, Any

from ragstone.core import StorageError
from ragstone.core.text import Redactor

from .episode_check import repair_episodes
from .episodes import Episode

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ..settings import EpisodesSettings
    from .drafts import ToolCall
    from .situation import Passage, PlannerContext

_log = logging.getLogger(__name__)


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
                    retrievals=[self._retrieval(each) for each in context.passages],
                    tool_calls=[_tool_call(call) for call in calls],
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

    def _retrieval(self, passage: Passage) -> dict[str, Any]:
        """The specification's ``{score, metadata}`` with further keys."""
        metadata = {name: getattr(passage, name) for name in ("id", "title", "url", "license")}
        if self._settings.passages:
            metadata["text"] = passage.text
        return {
            "score": round(passage.score, 6),
            "metadata": metadata,
            "cosine": None if passage.cosine is None else round(passage.cosine, 6),
            "kind": passage.kind,
            "shard": passage.shard,
            "flags": list(passage.flags),
        }


def _observation(context: PlannerContext) -> str:
    """The planner's context without the passages, which are in the retrievals."""
    names = ("detections", "pose", "goal", "context", "safety", "notes")
    return json.dumps({name: getattr(context, name) for name in names}, ensure_ascii=False)


def _tool_call(call: ToolCall) -> dict[str, Any]:
    return {
        "tool": call.tool,
        "name": call.name,
        "args_json": json.dumps(dict(call.arguments), ensure_ascii=False),
        "result_json": json.dumps(dict(call.result), ensure_ascii=False),
        "ok": call.ok,
        "cost_micro_cents": call.cost,
        "estimate_micro_cents": call.estimate,
    }
