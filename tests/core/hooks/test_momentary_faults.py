"""A database that is away or busy for a moment is no plugin's fault: the caller gets the error, the plugin stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore

from ragstone.core import Check, Host, StorageAway, StorageBusy, StorageError, hookimpl
from ragstone.core.testing import open_host, plugin_state
from ragstone.plugins.book_chat import Shelf


class Moody:
    """A plugin that meets a fault of the storage in one of its hooks, once or until the fault is taken away."""

    def __init__(self, hook: str, fault: Exception) -> None:
        self.hook = hook
        self.fault: Exception | None = fault
        self.closed = False

    def _meet(self, hook: str) -> None:
        if hook == self.hook and self.fault is not None:
            raise self.fault

    @hookimpl
    def ragstone_opened(self, host: Host) -> None:
        self._meet("ragstone_opened")

    @hookimpl
    def ragstone_closing(self, host: Host) -> None:
        self._meet("ragstone_closing")
        self.closed = True

    @hookimpl
    def ragstone_serving(self, host: Host) -> None:
        self._meet("ragstone_serving")

    @hookimpl
    def ragstone_readers(self, host: Host) -> dict[str, Any]:
        self._meet("ragstone_readers")
        return {}

    @hookimpl
    def ragstone_assistants(self, host: Host) -> list[Any]:
        self._meet("ragstone_assistants")
        return []

    @hookimpl
    def ragstone_retriever(self, corpus: Any, top_k: int, filters: Any) -> None:
        self._meet("ragstone_retriever")

    @hookimpl
    def ragstone_postprocessors(self, corpus: Any) -> list[BaseNodePostprocessor]:
        self._meet("ragstone_postprocessors")
        return [Reranker(meet=lambda: self._meet("a postprocessor"))]

    @hookimpl
    def ragstone_pages(self, host: Host) -> None:
        self._meet("ragstone_pages")

    @hookimpl
    def ragstone_checks(self, host: Host) -> list[Check]:
        self._meet("ragstone_checks")
        return [Check("mood", True, "well")]


class Reranker(BaseNodePostprocessor):
    meet: Any

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: Any = None) -> list[NodeWithScore]:
        self.meet()
        return nodes


def ask(host: Host) -> object:
    return host.assistant("book_chat").ask("What is a caster?")


ACTS: dict[str, Callable[[Host], object]] = {
    "ragstone_readers": lambda host: host.hooks.readers,
    "ragstone_assistants": lambda host: host.hooks.assistants,
    "ragstone_retriever": ask,
    "ragstone_postprocessors": ask,
    "a postprocessor": ask,
    "ragstone_pages": lambda host: host.hooks.pages(),
}


@pytest.mark.parametrize("fault", [StorageAway, StorageBusy])
@pytest.mark.parametrize("hook", ACTS)
def test_the_caller_gets_the_error_and_the_plugin_stays(
    tmp_path: Path, small_book: Path, hook: str, fault: type[StorageError]
) -> None:
    moody = Moody("none yet", fault("the database does not answer"))
    with open_host(tmp_path, plugins={"moody": moody}) as host:
        shelf = Shelf(host)
        if ACTS[hook] is ask:
            shelf.add(shelf.plan(small_book))
        moody.hook = hook
        with pytest.raises(fault, match="does not answer"):
            ACTS[hook](host)
        moody.fault = None
        ACTS[hook](host)
        assert plugin_state(host, "moody").state == "loaded"
        assert Check("mood", True, "well") in host.checks()


def test_a_host_does_not_open_over_it(tmp_path: Path) -> None:
    moody = Moody("ragstone_opened", StorageAway("the database does not answer"))
    with pytest.raises(StorageAway), open_host(tmp_path, plugins={"moody": moody}):
        raise AssertionError("it is not open")
    assert moody.closed


def test_a_host_closes_over_it_and_every_plugin_is_called(tmp_path: Path) -> None:
    moody = Moody("ragstone_closing", StorageBusy("somebody holds it"))
    closed = SimpleNamespace(count=0)

    class Other:
        @hookimpl
        def ragstone_closing(self, host: Host) -> None:
            closed.count += 1

    with open_host(tmp_path, plugins={"moody": moody, "other": Other()}) as host:
        catalog = host.catalog
    assert closed.count == 1
    assert catalog._database.engine.pool.checkedin() == 0  # type: ignore[attr-defined]


def test_any_other_fault_of_the_storage_is_the_plugin_s(tmp_path: Path) -> None:
    moody = Moody("ragstone_readers", StorageError("its own file is damaged"))
    with open_host(tmp_path, plugins={"moody": moody}) as host:
        assert ".md" in host.hooks.readers
        (state,) = (state for state in host.plugins if state.name == "moody")
    assert (state.state, "its own file is damaged" in (state.reason or "")) == ("failed", True)
