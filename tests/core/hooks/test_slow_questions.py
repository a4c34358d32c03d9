"""Questions for which a plugin takes too long: they fail, and several different ones disable it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from ragstone.core import Corpus, Host, PluginError, hookimpl
from ragstone.core.testing import open_host, plugin_state
from ragstone.core.testing.hosts import SmallCorpus, fill_small_corpus
from ragstone.web import create_app

_TEXT = "A caster is a wheel that swivels about a vertical axis."
SECONDS = 1
_end = threading.Event()


def _work(question: str) -> None:
    """Takes too long for some questions."""
    if "slow" in question:
        _end.wait(60)


class _Retriever(BaseRetriever):
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        _work(query_bundle.query_str)
        return [NodeWithScore(node=TextNode(id_="mine", text=_TEXT, metadata={"title": "Mine"}), score=1.0)]


class _Postprocessor(BaseNodePostprocessor):
    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        assert query_bundle is not None
        _work(query_bundle.query_str)
        return nodes


class Retrieves:
    """A plugin with the retriever."""

    @hookimpl
    def ragstone_retriever(self) -> BaseRetriever:
        return _Retriever()


class Postprocesses:
    """A plugin with the postprocessor."""

    @hookimpl
    def ragstone_postprocessors(self, corpus: Corpus) -> list[Any]:
        return [_Postprocessor()]


@pytest.fixture(params=[Retrieves, Postprocesses])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Host]:
    """A host with one of the plugins as ``mine``."""
    _end.clear()
    plugins = {"small": SmallCorpus(), "mine": request.param()}
    with open_host(tmp_path, plugins=plugins, limits={"hook_seconds": SECONDS}) as opened:
        fill_small_corpus(opened)
        try:
            yield opened
        finally:
            _end.set()


@pytest.fixture
def ask(host: Host) -> Callable[[str], Any]:
    assistant = host.assistant("small_corpus")
    return assistant.ask


def test_one_question_does_not_disable_the_plugin_however_often_it_is_asked(
    host: Host, ask: Callable[[str], Any]
) -> None:
    for _ in range(5):
        with pytest.raises(PluginError, match="mine took too long for this question"):
            ask("What is a slow caster?")
    assert plugin_state(host, "mine").state == "loaded"
    assert "swivels" in ask("What is a caster?").text


def test_several_different_questions_in_a_row_disable_it(host: Host, ask: Callable[[str], Any]) -> None:
    for number in range(2):
        with pytest.raises(PluginError):
            ask(f"What is slow caster {number}?")
    assert ask("What is a caster?").citations  # in time: counted anew
    for number in range(2):
        with pytest.raises(PluginError):
            ask(f"What is slow caster {number}?")
    assert plugin_state(host, "mine").state == "loaded"
    ask("What is slow caster 2?")  # without the plugin
    state = plugin_state(host, "mine")
    assert state.state == "failed"
    assert f"took more than {SECONDS} s" in str(state.reason)


def test_a_plugin_that_hangs_after_it_was_quick_is_left_by_the_next_question(
    host: Host, ask: Callable[[str], Any]
) -> None:
    for _ in range(6):  # from then on it runs in the thread that asks
        ask("What is a caster?")
    first = threading.Thread(target=ask, args=["What is slow caster 0?"])
    first.start()
    first.join(3 * SECONDS)
    assert first.is_alive()
    with pytest.raises(PluginError):
        ask("What is slow caster 1?")
    assert plugin_state(host, "mine").state == "loaded"
    ask("What is slow caster 2?")
    assert plugin_state(host, "mine").state == "failed"
    _end.set()
    first.join(30)


def test_a_client_is_asked_to_come_again(host: Host) -> None:
    client = create_app(host).test_client()
    answer = client.post("/assistants/small_corpus/query", json={"question": "What is a slow caster?"})
    assert (answer.status_code, answer.headers.get("Retry-After") is not None) == (503, True)
    assert answer.get_json()["title"] == "A plugin took too long"
