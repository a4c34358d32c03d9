"""The wikis of the settings, their pages as documents, and the threads that ask them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import wait
from typing import TypeVar
from urllib.parse import unquote

from llama_index.core.schema import Document

from ragstone.core import BadRequest, Host
from ragstone.core.parsoid import Page
from ragstone.core.runtime import in_background

from ..settings import ConceptTutorSettings
from .client.client import WikiClient
from .client.request_slots import RequestSlots
from .client.responses import WikiPage
from .parsoid.documents import document_of
from .parsoid.pool import PageWorkers

SCHEME = "mediawiki:"
Item = TypeVar("Item")


class Wikis:
    """The clients of a host's wikis, which share its request slots: ``host.once(Wikis)``. Thread-safe."""

    def __init__(self, host: Host) -> None:
        self.options = host.hooks.options(ConceptTutorSettings)
        folder = host.settings.cache_dir / "concept_tutor"
        wikis, slots = self.options.wikis, RequestSlots(shared=host.catalog.shared)
        self._clients = {name: WikiClient(name, wikis, folder, slots=slots) for name in wikis.sites}
        self._workers = PageWorkers(self.options.pages)

    def close(self) -> None:
        """End the idle workers."""
        self._workers.close()

    @property
    def searched(self) -> tuple[WikiClient, ...]:
        """Those in which sources are looked for, in order."""
        return tuple(self._clients[name] for name in self.options.sources.wikis or self.options.wikis.sites)

    def client(self, name: str) -> WikiClient:
        """The client of one wiki. Raises ``BadRequest``."""
        if name not in self._clients:
            raise BadRequest(f"no wiki is named {name[:80]!r}", hint=f"there are {', '.join(self._clients) or 'none'}")
        return self._clients[name]

    def locate(self, address: str) -> tuple[WikiClient, str]:
        """The wiki and the page's key of ``WIKI/PAGE``, of the same behind ``mediawiki:``, or of a page's address.

        Raises ``BadRequest``.
        """
        address = address.strip()
        for name, site in self.options.wikis.sites.items():
            if address.startswith(site.page_base):
                return self._clients[name], unquote(address[len(site.page_base) :].partition("#")[0].partition("?")[0])
        name, slash, key = address.removeprefix(SCHEME).partition("/")
        if "://" in address or not slash or not key.strip():
            raise BadRequest(
                f"{address[:200]!r} is no page of the wikis in the settings",
                hint=f"write WIKI/PAGE or the page's address; the wikis are {', '.join(self._clients) or 'none'}",
            )
        return self.client(name), key

    def read(self, page: WikiPage) -> Page:
        """The page's sections and links. Raises ``UnreadablePage``."""
        return self._workers.read(page.html, page.url, page.language)

    def documents(self, page: WikiPage) -> list[Document]:
        """The page as one document for the node parser ``mediawiki``; none where nothing in it is text."""
        read = self.read(page)
        return [document_of(read, page)] if read.sections else []


def run_in_threads(
    items: Iterable[Item], work: Callable[[Item], None], count: int, is_stopped: Callable[[], bool] = lambda: False
) -> None:
    """Call ``work`` with each item, in ``count`` threads; returns when all are done, or ``is_stopped()``.

    Raises an error of ``work``, after the other threads have finished their items.
    """
    left, failed = iter([*items]), threading.Event()  # of a list: several threads may take from it

    def run() -> None:
        for item in left:
            if failed.is_set() or is_stopped():
                return
            try:
                work(item)
            except BaseException:
                failed.set()
                raise

    # Daemons, and not an executor's: the end of the program does not wait for a wiki.
    threads = [in_background(run, f"ragstone-sources-{number}") for number in range(count)]
    wait(threads)
    for thread in threads:
        thread.result()
