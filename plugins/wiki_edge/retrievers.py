"""The shards of a deployment as a LlamaIndex retriever."""

from __future__ import annotations

import json
import logging
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Unpack

from llama_index.core.callbacks import CallbackManager
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from ragstone.core import Host
from ragstone.core.answering import check_type
from ragstone.core.retrieval import (
    CALIBRATION_TOP_K,
    DEFAULT_THRESHOLD,
    MIN_CALIBRATION_CHUNKS,
    Calibration,
    Retrieval,
    ScoredRetriever,
    calibrate,
)
from ragstone.core.runtime import in_background, parse_json, write_atomically

from .search.searcher import Fusion, Only, ShardSearcher
from .settings import FILTERS, WikiEdgeSettings, places

_log = logging.getLogger(__name__)

#: Seconds that a question waits for the calibration of new shards. A plugin that makes it wait longer is disabled.
_WAITED = 3.0


def searcher_of(host: Host) -> ShardSearcher:
    """The searcher of a deployment; one, so that its memory budget counts once."""
    check_type(host, "host", Host, "an open Host")
    return host.once(_searcher)


def _searcher(host: Host) -> ShardSearcher:
    where, retrieval = places(host), host.settings.retrieval
    return ShardSearcher(
        (where.wiki, where.episodic),
        lambda: host.hooks.encoder,
        cache=host.settings.cache_dir / "wiki_edge",
        cache_mb=host.hooks.options(WikiEdgeSettings).cache_mb,
        fusion=Fusion(retrieval.dense_weight, retrieval.candidates),
    )


class ShardRetriever(ScoredRetriever):
    """Searches shards, for the host's pipeline or any other of LlamaIndex.

    ``kind``, ``domain``, ``language``: only such shards and rows. ``threshold``: evidence below which the host refuses.
    """

    def __init__(
        self, searcher: ShardSearcher, *, top_k: int = 5, threshold: float = 0.0, **only: Unpack[Only]
    ) -> None:
        super().__init__(callback_manager=CallbackManager([]))
        self._searcher = searcher
        self._top_k = top_k
        self._only = only
        self._threshold = threshold

    def search(self, question: str) -> Retrieval:
        """The chunks with their scores. Raises ``EncoderError``, ``ShardError``."""
        return self._searcher.retrieve(question, k=self._top_k, threshold=self._threshold, **self._only)


class _Thresholds:
    """The deployment's own threshold, else that of its shards: calibrated with out-of-domain questions, once for each
    set of shards, and kept in the cache."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._searcher = searcher_of(host)
        self._running: dict[Path, Future[float]] = {}

    def current(self, seconds: float | None) -> float:
        """Evidence below which a question is refused; the default one while a calibration takes longer than that."""
        own = self._host.settings.retrieval.threshold
        entries = [entry for entry in self._searcher.shards if entry.kind == "wiki"]
        rows = sum(entry.size for entry in entries)
        if own is not None or rows < MIN_CALIBRATION_CHUNKS:
            return DEFAULT_THRESHOLD if own is None else own
        name = sha256("\n".join(sorted(entry.model_dump_json() for entry in entries)).encode()).hexdigest()[:24]
        path = self._host.settings.cache_dir / "wiki_edge" / f"calibration-{name}.json"
        with suppress(OSError, ValueError):
            known = Calibration.from_dict(parse_json(path.read_text("utf-8")))
            if known.fits(rows):
                return known.threshold
        running = self._running.get(path)
        if running is None or running.done():  # and has failed, or could not be kept
            running = in_background(lambda: self._calibrated(path, rows), "wiki_edge calibration")
            self._running[path] = running
        elif seconds is not None:
            seconds = 0.0  # another question waited already
        with suppress(TimeoutError):
            return running.result(seconds)
        return DEFAULT_THRESHOLD

    def _calibrated(self, path: Path, rows: int) -> float:
        made = calibrate(ShardRetriever(self._searcher, top_k=CALIBRATION_TOP_K, kind="wiki").search, rows)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, json.dumps(asdict(made)).encode())
        except OSError as error:
            _log.warning("the threshold is found out anew each time: %s: %s", path, error)
        return made.threshold


def threshold_of(host: Host, seconds: float | None = None) -> float:
    """Evidence below which a question to the deployment's encyclopedia is refused.

    ``seconds``: what a calibration may take; it goes on in the background, and the default threshold is given.
    """
    return host.once(_Thresholds).current(seconds)


def retriever(host: Host, top_k: int, filters: MetadataFilters | None) -> ShardRetriever:
    """Searches the encyclopedia's shards with the assistant's filters."""
    asked = [part for part in filters.filters if isinstance(part, MetadataFilter)] if filters is not None else []
    chosen = {part.key: str(part.value) for part in asked if part.key in FILTERS}
    return ShardRetriever(
        searcher_of(host),
        top_k=top_k,
        kind="wiki",
        domain=chosen.get("domain"),
        language=chosen.get("language"),
        threshold=threshold_of(host, _WAITED),
    )
