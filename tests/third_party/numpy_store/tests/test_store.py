"""The store by itself, and under a host."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from ragstone_numpy_store import NumpyStore

from ragstone.core.testing import VectorStoreContract, plugin_state

if TYPE_CHECKING:
    from ragstone.core import Corpus, Host

_SECONDS = 120


class TestStore(VectorStoreContract):
    @pytest.fixture
    def store(self) -> NumpyStore:
        return NumpyStore()


def test_the_plugin_is_installed_and_gives_a_store(host: Host, small_corpus: Corpus) -> None:
    assert plugin_state(host, "numpy_store").state == "loaded"
    assert isinstance(host.hooks.vector_store(small_corpus), NumpyStore)


class TestChosen:
    @pytest.fixture
    def host_settings(self) -> dict[str, object]:
        return {"options": {"numpy_store": {"corpora": ["books"]}}}

    def test_other_corpora_are_left_to_others(self, host: Host, small_corpus: Corpus) -> None:
        assert host.hooks.vector_store(small_corpus) is None


def test_it_follows_a_corpus_and_answers(host: Host, small_corpus: Corpus) -> None:
    host.serve()
    end = time.monotonic() + _SECONDS
    while not any("NumpyStore follows the catalog" in check.detail for check in host.checks()):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert "swivels" in host.assistant("small_corpus").ask("What is a caster wheel?").text
