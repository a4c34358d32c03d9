"""The host: one open deployment, its life cycle, its corpora and its assistants."""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakSet, WeakValueDictionary

from ..errors import NotFound, PluginError, StorageError
from ..hooks.calls import Hooks
from ..hooks.encoder import Encoders
from ..hooks.manager import Plugins
from ..hooks.results import anything
from ..runtime.forks import ForkSafeLock, lazily
from ..settings import Settings
from ..settings_file import read_settings
from .checks import HostChecks

if TYPE_CHECKING:
    from ..answering.assistant import Assistant
    from ..catalog import Catalog
    from ..corpus import Corpus, CorpusInfo
    from ..embedding.model_cache import Precision
    from ..vector_index import IndexFollowers
    from .pipeline import Pipeline

_log = logging.getLogger(__name__)

Thing = TypeVar("Thing")
#: The open hosts of this process, each from its opening to its closing.
_HOSTS: WeakValueDictionary[int, Host] = WeakValueDictionary()


class Host:
    """Opens a deployment, loads its plugins and gives them every interface. A context manager::

        with Host.open("ragstone.toml") as host:
            print(host.assistant("book_chat").ask("What is a zero moment point?").text)

    The encoder, readers and assistants are made when they are first needed. Safe to use from several threads.
    """

    def __init__(self, settings: Settings, *, plugins: dict[str, object] | None = None) -> None:
        """``plugins``: further plugins by name, beside the installed ones. Raises ``SettingsError``."""
        self.settings = settings
        #: The plugins in calling order, each with its state.
        self.plugins = Plugins(settings.plugins, settings.limits, plugins or {})
        #: What the plugins give.
        self._encoders = Encoders(self.plugins, settings)
        self.hooks = Hooks(settings, self.plugins, self._encoders, self)
        self._corpora: dict[str, Corpus] = {}
        #: The health checks.
        self.checks = HostChecks(self.hooks, lambda: self.catalog, lambda: self.pipeline)
        self._lock = ForkSafeLock()
        self._kinds: dict[str, str] = {}
        self._followers: IndexFollowers | None = None
        self._opened = False
        self._once: dict[object, object] = {}

    @classmethod
    def open(cls, config: Path | str | None = None, *, plugins: dict[str, object] | None = None) -> Host:
        """An open host; ``config`` as for ``read_settings``. Raises ``SettingsError`` or ``StorageError``."""
        host = cls(read_settings(config), plugins=plugins)
        host.start()
        return host

    def start(self) -> None:
        """Open the catalog and call the plugins' ``ragstone_opened``; once."""
        if not self._opened:
            _ = self.catalog
            self._opened = True
            _HOSTS[id(self)] = self
            try:
                list(self.plugins.call("ragstone_opened", host=self))
            except StorageError:
                self.close()
                raise

    def close(self) -> None:
        """Stop the followers, close what ``once`` made, call the plugins' ``ragstone_closing``, close the catalog.

        Does nothing in a fork.
        """
        if not self._opened or self._lock.is_fork:
            return
        self._opened = False
        _HOSTS.pop(id(self), None)
        if self._followers is not None:  # before the plugins, whose stores it fills
            self._followers.stop()
        for made in reversed(list(self._once.values())):
            try:
                getattr(made, "close", lambda: None)()
            except Exception:  # the host closes all the same
                _log.exception("something was not closed in order")
        for name in self.plugins.names:
            try:
                self.plugins.call_one(name, "ragstone_closing", host=self)
            except StorageError as error:  # the host closes all the same
                _log.warning("plugin %s was closed without its storage: %s", name, error)
        if "catalog" in self.__dict__:
            self.catalog.close()

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def serve(self) -> None:
        """Start serving: vector indexes follow the corpora, and the plugins start their background work."""
        from ..vector_index import IndexFollowers

        with self._lock:
            if self._followers is not None:
                return
            self._followers = IndexFollowers(
                self.catalog, self.settings.data_dir / "index", self.settings.index, self.hooks.vector_store
            )
            for corpus in self._corpora.values():
                self._followers.add(corpus)
            self._followers.start()
        self.checks.add("index", self._followers.checks)
        list(self.plugins.call("ragstone_serving", anything, (StorageError,), host=self))

    def assistant(self, name: str) -> Assistant:
        """The assistant of that name. Raises ``NotFound``."""
        found = self.hooks.assistants.get(name)
        if found is None:
            known = ", ".join(self.hooks.assistants) or "none; see ragstone plugins"
            raise NotFound(f"there is no assistant {name!r}", hint=f"known: {known}")
        return found

    @lazily
    def pipeline(self) -> Pipeline:
        """Retrieval and synthesis with what the plugins give."""
        from .pipeline import Pipeline

        return Pipeline(
            self.settings, self.plugins, self.hooks, catalog=lambda: self.catalog, corpora=self._corpora.values
        )

    @lazily
    def catalog(self) -> Catalog:
        """The catalog. Raises ``StorageError``."""
        from ..catalog import Catalog

        pgvector = self.settings.index.store == "pgvector"
        return Catalog(self.settings.database, self.settings.data_dir, pgvector=pgvector)

    def once(self, make: Callable[[Host], Thing]) -> Thing:
        """The result of ``make(host)``, called once in the host's life: for an object that a plugin has once.

        If it has a ``close()``, the host calls that when it closes, the latest object first.
        """
        with self._lock:
            if make not in self._once:
                self._once[make] = make(self)
            made: Thing = self._once[make]  # type: ignore[assignment]  # this very function made it
            return made

    def corpus(
        self,
        name: str,
        *,
        kind: str,
        hint: str = "add something to it first",
        precision: Precision = "fp32",
    ) -> Corpus:
        """The corpus of that name.

        ``kind``: the document type whose node parser cuts its documents. ``hint``: what to do while it is empty.
        ``precision``: of its vectors, where the settings name none.
        Raises ``PluginError`` for another kind than the one it has.
        """
        with self._lock:
            if self._kinds.setdefault(name, kind) != kind:
                raise PluginError(
                    f"the corpus {name!r} is of the kind {self._kinds[name]!r} and cannot be of {kind!r} too",
                    hint="give the corpus another name",
                )
            if name not in self._corpora:
                from ..corpus import Corpus, CorpusParts

                self._corpora[name] = Corpus(
                    name,
                    catalog=self.catalog,
                    parts=CorpusParts(
                        lambda: self._encoders.int8_encoder if precision == "int8" else self._encoders.encoder,
                        lambda: self.hooks.node_parser(kind),
                    ),
                    options=self.settings.retrieval,
                    hint=hint,
                )
                if self._followers is not None:
                    self._followers.add(self._corpora[name])
            return self._corpora[name]

    def corpora(self) -> tuple[CorpusInfo, ...]:
        """Every corpus of the deployment that holds something."""
        _ = self.hooks.assistants  # making them makes their corpora
        return tuple(corpus.info() for corpus in self._corpora.values() if corpus.contents.exists)

    def find_corpus(self, name: str) -> Corpus:
        """The corpus of that name. Raises ``NotFound``."""
        _ = self.hooks.assistants
        if name not in self._corpora:
            known = ", ".join(self._corpora) or "none"
            raise NotFound(f"there is no corpus {name!r}", hint=f"known: {known}")
        return self._corpora[name]


#: Those that ``first_host`` has opened.
_own: WeakSet[Host] = WeakSet()
#: By process, for in a fork nobody may be there to release it. Held while a host is opened.
_opening: dict[int, threading.RLock] = {}


def open_hosts(plugin: str) -> tuple[Host, ...]:
    """The open hosts whose deployment enables the plugin, the one that was opened first at the front.

    In a fork of a process with an open host, that host raises ``StorageError`` when it is used.
    """
    return tuple(
        host
        for host in list(_HOSTS.values())
        if host in _own or any(each.name == plugin and each.state != "disabled" for each in host.plugins)
    )


def first_host(plugin: str) -> Host:
    """The first of ``open_hosts``; without any, one is opened until the process ends.

    Raises ``SettingsError``, ``StorageError``.
    """
    with _opening.setdefault(os.getpid(), threading.RLock()):
        for host in open_hosts(plugin):
            return host
        host = Host.open()
        _own.add(host)
        atexit.register(host.close)
        return host
