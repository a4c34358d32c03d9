"""Runs the followers of all corpora in one thread of one process."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from ..errors import RagstoneError, StorageDenied
from ..health import Check
from .chroma import chroma_is_installed
from .follower import Follower, Stopped
from .index_state import index_folders

if TYPE_CHECKING:
    from ..catalog import Catalog, VectorFilling
    from ..corpus import Corpus
    from ..ingestion.pipeline import IngestProgress
    from ..settings import IndexSettings

    VectorStoreOf = Callable[[Corpus], BasePydanticVectorStore | None]

_log = logging.getLogger(__name__)

#: Seconds between checks of the catalog. Meanwhile exact search serves another process's changes.
_INTERVAL = 1.0
#: Seconds without a change after which an HNSW index is built in the catalog: inserting into one takes longer.
_SETTLED_SECONDS = 30.0
#: Maximum seconds between retries.
_MAX_PAUSE = 60.0
#: Seconds that ``stop`` waits for the current request or document: with the five seconds for answers in flight, a
#: process ends within ten.
_STOP_SECONDS = 4.0


def catalog_index_check(catalog: Catalog) -> Check:
    """Whether questions are answered from the index of each corpus in the catalog's own database."""
    filling = catalog.vector_filling
    assert filling is not None  # noqa: S101 - the caller knows that the deployment wants one
    with catalog.read() as snapshot:
        names = {row.id: row.name for row in snapshot.corpora() if row.state == "active"}
    states = {name: filling.state(corpus_id) for corpus_id, name in names.items()}
    detail = "; ".join(f"{name}: {state}" for name, state in states.items())
    mend = None if all(state.is_complete for state in states.values()) else "ragstone corpus index, or ragstone serve"
    return Check("vector index", True, f"pgvector in the catalog{f'; {detail}' if detail else ''}", mend=mend)


class IndexFollowers:
    """The background thread of the vector indexes; the host starts and stops it."""

    def __init__(self, catalog: Catalog, folder: Path, settings: IndexSettings, vector_store: VectorStoreOf) -> None:
        """``folder``: of all indexes. ``vector_store``: returns a plugin's store for a corpus, or ``None``."""
        self._catalog = catalog
        self._settings = settings
        self._vector_store = vector_store
        self._folder = folder
        self._lock = FileLock(self._folder / "lock", timeout=0)
        self._corpora: list[Corpus] = []
        #: Other folders beside the indexes that were reported.
        self._ignored: set[Path] = set()
        #: By corpus id: its change number, and since when.
        self._unchanged: dict[int, tuple[int, float]] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ragstone-index", daemon=True)
        self.detail = "starting"
        #: Message of the error that prevents its work.
        self._blocked_by: str | None = None

    def add(self, corpus: Corpus) -> None:
        self._corpora.append(corpus)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End after the current request; after ``_STOP_SECONDS`` the thread is abandoned.

        No data is lost: the catalog has all of it, and an index that was not closed is rebuilt at the next start.
        """
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_STOP_SECONDS)
        if self._thread.is_alive():
            _log.warning("the vector index was still at work after %.0f s; the next start goes on", _STOP_SECONDS)

    def checks(self) -> list[Check]:
        """Checks of the indexes. None of them prevents answers: exact search replaces an index."""
        if self._catalog.vector_filling is not None and self._blocked_by is None:
            return [catalog_index_check(self._catalog)]
        found = [Check("vector index", self._blocked_by is None, self._blocked_by or self.detail)]
        found += [
            Check(f"vector index of {corpus.name}", False, corpus.search_cache.follower.failure)
            for corpus in self._corpora
            if corpus.search_cache.follower is not None and corpus.search_cache.follower.failure
        ]
        return found

    def _run(self) -> None:
        held = False
        pause = _INTERVAL
        try:
            while not self._stop.is_set():
                try:
                    held = held or self._acquire_lock()
                    if held:
                        self._step()
                    self._blocked_by, pause = None, _INTERVAL
                except Stopped:
                    break
                except Exception as error:
                    self._report(error)
                    pause = min(2 * pause, _MAX_PAUSE)
                self._stop.wait(pause)
        finally:
            for corpus in self._corpora:
                follower, corpus.search_cache.follower = corpus.search_cache.follower, None
                if follower is not None:
                    follower.close()
            if held:
                self._lock.release()

    def _report(self, error: Exception) -> None:
        """Log each error once. The thread goes on: a full disk gets space again, a lock is released."""
        what = error.what if isinstance(error, RagstoneError) else f"{type(error).__name__}: {error}"
        blocked_by = f"waits ({what}); exact search answers"
        if blocked_by != self._blocked_by:
            bug = None if isinstance(error, RagstoneError | OSError) else error
            _log.warning("the vector index %s", blocked_by, exc_info=bug)
        self._blocked_by = blocked_by

    def _acquire_lock(self) -> bool:
        """Acquire the lock of the process that may open the stores; returns success."""
        if self._folder.is_symlink():
            raise StorageDenied(f"{self._folder} is a link, which is not followed")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
        except Timeout:
            self.detail = "another process has it; exact search answers here"
            return False
        except OSError as error:
            self.detail = f"its folder cannot be used ({error.strerror}); exact search answers"
            return False
        return True

    def _step(self) -> None:
        failed: Exception | None = None
        for corpus in list(self._corpora):
            try:
                self._update(corpus)
            except Stopped:
                raise
            except Exception as error:  # continue with the other corpora
                failed = error
        if failed is not None:
            raise failed
        self._remove_orphans()

    def _update(self, corpus: Corpus) -> None:
        if self._stop.is_set() or not corpus.contents.exists:
            return
        why = corpus.info().stale
        if why is not None:
            _log.warning("the corpus %s was %s; it is rebuilt beside the old one", corpus.name, why)
            corpus.rebuild(on_progress=self._raise_if_stopped)
        if corpus.search_cache.follower is None and not self._attach(corpus):
            return
        if corpus.search_cache.follower is not None and corpus.search_cache.follower.catch_up():
            _log.info("the vector index of %s is at change %s", corpus.name, corpus.search_cache.follower.current)

    def _raise_if_stopped(self, progress: IngestProgress | int) -> None:  # noqa: ARG002
        if self._stop.is_set():
            raise Stopped

    def _attach(self, corpus: Corpus) -> bool:
        if self._catalog.vector_filling is not None:
            self._keep_in_catalog(corpus, self._catalog.vector_filling)
            return False
        plugin_store, settings = self._vector_store(corpus), self._settings
        if plugin_store is None and (settings.store == "none" or not chroma_is_installed()):
            self.detail = "none; exact search answers"
            return False
        if plugin_store is None and settings.store == "auto" and corpus.info().chunks < settings.from_chunks:
            self.detail = f"none below {settings.from_chunks:,} passages; exact search is quicker"
            return False
        corpus.search_cache.follower = Follower(corpus, self._folder / corpus.name, plugin_store, self._stop)
        self.detail = f"{type(plugin_store).__name__ if plugin_store is not None else 'Chroma'} follows the catalog"
        return True

    def _keep_in_catalog(self, corpus: Corpus, filling: VectorFilling) -> None:
        """Fill the catalog's own index, which no thread has to follow; HNSW is built when nothing is being stored."""
        with self._catalog.read() as snapshot:
            row = corpus.contents.row(snapshot)
        filling.fill(row.id, corpus.encoder.dimension, self._raise_if_stopped)
        seq, since = self._unchanged.get(row.id, (-1, 0.0))
        if seq != row.seq:
            self._unchanged[row.id] = (row.seq, time.monotonic())
        elif time.monotonic() - since > _SETTLED_SECONDS:
            filling.build(row.id)

    def _remove_orphans(self) -> None:
        """Remove the index folders of removed corpora, and report other folders."""
        folders = index_folders(self._folder)
        with self._catalog.read() as snapshot:
            known = {row.name for row in snapshot.corpora()}
        for entry in sorted(self._folder.iterdir()):
            if entry.name in known:
                continue
            if folders.owns(entry.name):
                _log.warning("the vector index %s is removed: its corpus is gone", entry)
                folders.remove(entry.name)
            elif entry.is_dir() and entry not in self._ignored:
                self._ignored.add(entry)
                _log.warning("%s is not an index of Ragstone and stays", entry)
