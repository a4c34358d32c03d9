"""The robot's memory: texts are embedded and stored, and recalled by meaning."""

from __future__ import annotations

import json
import secrets
import time
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ragstone.core import BadRequest, Host, TooLarge
from ragstone.core.answering import check_type

from ..settings import PlannerSettings
from .memory_store import MemoryStore
from .situation import Chunk, Library, chunks_of

#: Characters of one memory.
_LONGEST = 20_000
_RESERVED = frozenset({"id", "text", "remembered"})
_TEXTS = ("title", "url", "license", "domain", "heading")


class Memory:
    """The memories of a deployment's robot."""

    def __init__(self, host: Host, root: Path, settings: PlannerSettings) -> None:
        self._host = host
        self._root = root
        self._settings = settings

    @cached_property
    def store(self) -> MemoryStore:
        """The store, made with the encoder when it is first needed. Raises ``EncoderError``."""
        encoder = self._host.hooks.encoder
        return MemoryStore(
            self._root,
            shard=self._settings.episodic_id,
            encoder=(encoder.model.model_name, encoder.family),
            compact_after=self._settings.compact_after,
        )

    def remember(self, text: str, metadata: dict[str, Any]) -> str:
        """Add a memory; its id. Raises ``BadRequest``, ``TooLarge``, ``ShardError``, ``StorageError``."""
        _check(text, metadata)
        now = time.time()
        identity = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(now))}-{secrets.token_hex(6)}"
        row = {
            "id": identity,
            "title": "",
            "url": "",
            "text": text,
            "license": "private",
            **metadata,
            "remembered": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now)),
        }
        encoder = self._host.hooks.encoder
        # One by one: 17 windows take 11 MB instead of 49, and about the same time.
        windows = np.concatenate([encoder.embed_texts([window]) for window in encoder.windows("", text)])
        mean = windows.mean(axis=0)
        norm = float(np.linalg.norm(mean))
        # One row a memory: the mean of its windows, or the first one where they cancel each other out.
        return self.store.append(row, mean / norm if norm > 1e-3 else windows[0])

    def recalls(self, goal: str, library: Library, k: int) -> list[Chunk]:
        """The ``k`` most similar memories of the shards and the journal. Raises ``RagstoneError``."""
        if k == 0:
            return []
        recent = self.store.recent()  # before the shards: what is compacted meanwhile is found twice, not missed
        rows = []
        if recent.rows:
            nearest = recent.nearest(self._host.hooks.encoder.embed_query(goal), k)
            rows = [{"score": cosine, "metadata": row, "shard": self._settings.episodic_id} for cosine, row in nearest]
        known = {row["id"] for row in recent.rows} | recent.forgotten
        hits = library.search(goal, k=k + len(recent.forgotten), kind="episodic")
        found = chunks_of(rows, "episodic")
        found += [each for each in chunks_of(hits, "episodic") if each.id not in known]
        found.sort(key=lambda each: -each.similarity)
        return found[:k]


def _check(text: str, metadata: dict[str, Any]) -> None:
    check_type(text, "text", str, "a string")
    if not text.strip() or "\x00" in text:
        raise BadRequest("the memory is empty or holds a NUL character")
    if len(text) > _LONGEST:
        raise TooLarge(f"the memory has {len(text):,} characters; {_LONGEST:,} are allowed")
    taken = sorted(_RESERVED & metadata.keys())
    if taken:
        raise BadRequest(f"{taken[0]!r} is given by the memory itself")
    for name in _TEXTS:
        if not isinstance(metadata.get(name, ""), str):
            raise BadRequest(f"{name} must be a string")
    try:
        json.dumps(metadata, allow_nan=False, ensure_ascii=False).encode()
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise BadRequest(f"the memory cannot be written as JSON: {error}") from error
