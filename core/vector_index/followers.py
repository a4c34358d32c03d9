"""Lets the vector index of each corpus follow the catalog, in one thread of one process."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from ..errors import RagstoneError, StorageDenied
from ..health import Check
from .chroma import chroma_is_installed
from .follower import Follower, Stopped, index_folders, is_index

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from llama_index.core.vector_stores.types import BasePydanticVectorStore

    from ..catalog import Catalog
    from ..corpus import Corpus
    from ..ingestion.pipeline import IngestProgress
    from ..settings import IndexSettings

    VectorStoreOf = Callable[[Corpus], BasePydanticVectorStore | None]

_log = logging.getLogger(__name__)

#: Seconds between looks at the catalog: another process's changes are served at once by exact search meanwhile.
_INTERVAL = 1.0
#: Seconds between tries of what fails each time.
_LONGEST_PAUSE = 60.0
#: Seconds that ``stop`` waits for the request or the document at hand: with the five that answers in flight have, a
#: process ends within ten.
_LAST_SECONDS = 4.0


class IndexFollowers:
    """Started and stopped by the host."""

    def __init__(self, catalog: Catalog, folder: Path, settings: IndexSettings, vector_store: VectorStoreOf) -> None:
        """``folder``: of all indexes. ``vector_store``: gives a plugin's store for a corpus, or ``None``."""
        self._catalog = catalog
        self._settings = settings
        self._vector_store = vector_store
        self._folder = folder
        self._lock = FileLock(self._folder / "lock", timeout=0)
        self._corpora: list[Corpus] = []
        #: What lies beside the indexes and was said to be left alone.
        self._left_alone: set[Path] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ragstone-index", daemon=True)
        self.detail = "starting"
        #: What it waits for, while something keeps it from its work.
        self._waits: str | None = None

    def add(self, corpus: Corpus) -> None:
        """Let the corpus be followed too."""
        self._corpora.append(corpus)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the request at hand; one that takes longer than ``_LAST_SECONDS`` is left behind in its thread.

        Nothing is lost: the catalog has all of it, and an index that was not closed is made anew at the next start.
        """
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_LAST_SECONDS)
        if self._thread.is_alive():
            _log.warning("the vector index was still at work after %.0f s; the next start goes on", _LAST_SECONDS)

    def checks(self) -> list[Check]:
        """How the indexes are. None of this stops an answer: exact search stands in."""
        found = [Check("vector index", self._waits is None, self._waits or self.detail)]
        found += [
            Check(f"vector index of {corpus.name}", False, corpus.searching.follower.failure)
            for corpus in self._corpora
            if corpus.searching.follower is not None and corpus.searching.follower.failure
        ]
        return found

    def _run(self) -> None:
        held = False
        pause = _INTERVAL
        try:
            while not self._stop.is_set():
                try:
                    held = held or self._take()
                    if held:
                        self._step()
                    self._waits, pause = None, _INTERVAL
                except Stopped:
                    break
                except Exception as error:
                    self._note(error)
                    pause = min(2 * pause, _LONGEST_PAUSE)
                self._stop.wait(pause)
        finally:
            for corpus in self._corpora:
                follower, corpus.searching.follower = corpus.searching.follower, None
                if follower is not None:
                    follower.close()
            if held:
                self._lock.release()

    def _note(self, error: Exception) -> None:
        """Say once what it waits for. Nothing ends it: a full disk has space again, a lock is let go."""
        what = error.what if isinstance(error, RagstoneError) else f"{type(error).__name__}: {error}"
        waits = f"waits ({what}); exact search answers"
        if waits != self._waits:
            bug = None if isinstance(error, RagstoneError | OSError) else error
            _log.warning("the vector index %s", waits, exc_info=bug)
        self._waits = waits

    def _take(self) -> bool:
        """Become the one process that opens the stores."""
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
                self._keep(corpus)
            except Stopped:
                raise
            except Exception as error:  # the other corpora are followed all the same
                failed = error
        if failed is not None:
            raise failed
        self._sweep()

    def _keep(self, corpus: Corpus) -> None:
        if self._stop.is_set() or not corpus.exists:
            return
        why = corpus.info().stale
        if why is not None:
            _log.warning("the corpus %s was %s; it is rebuilt beside the old one", corpus.name, why)
            corpus.rebuild(on_progress=self._unless_stopped)
        if corpus.searching.follower is None and not self._attach(corpus):
            return
        if corpus.searching.follower is not None and corpus.searching.follower.catch_up():
            _log.info("the vector index of %s is at change %s", corpus.name, corpus.searching.follower.current)

    def _unless_stopped(self, progress: IngestProgress) -> None:  # noqa: ARG002
        if self._stop.is_set():
            raise Stopped

    def _attach(self, corpus: Corpus) -> bool:
        given, settings = self._vector_store(corpus), self._settings
        if given is None and (settings.store == "none" or not chroma_is_installed()):
            self.detail = "none; exact search answers"
            return False
        if given is None and settings.store == "auto" and corpus.info().chunks < settings.from_chunks:
            self.detail = f"none below {settings.from_chunks:,} passages; exact search is quicker"
            return False
        corpus.searching.follower = Follower(corpus, self._folder / corpus.name, given, self._stop)
        self.detail = f"{type(given).__name__ if given is not None else 'Chroma'} follows the catalog"
        return True

    def _sweep(self) -> None:
        """Remove the index folders of corpora that are gone; whatever else lies beside them is not ours."""
        folders = index_folders(self._folder)
        with self._catalog.read() as snapshot:
            known = {row.name for row in snapshot.corpora()}
        for entry in sorted(self._folder.iterdir()):
            if entry.name in known:
                folders.adopt(entry.name, is_index)
            elif folders.owns(entry.name):
                _log.warning("the vector index %s is removed: its corpus is gone", entry)
                folders.remove(entry.name)
            elif entry.is_dir() and entry not in self._left_alone:
                self._left_alone.add(entry)
                _log.warning("%s is left alone: Ragstone did not make it", entry)
