"""The test kit as fixtures. Only pytest imports this, for a ``conftest.py`` with ``pytest_plugins``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..corpus import Corpus
from ..embedding import Encoder
from ..host.host import Host
from .hosts import SmallCorpus, fill_small_corpus, open_host
from .models import ScriptedLLM, WordEmbedding


@pytest.fixture
def host_plugins() -> dict[str, object]:
    """Plugins by name that ``host`` has besides the installed ones: for a test to override."""
    return {}


@pytest.fixture
def host_settings() -> dict[str, Any]:
    """Further arguments of ``open_host`` for ``host``: for a test to override."""
    return {}


@pytest.fixture
def host(tmp_path: Path, host_plugins: dict[str, object], host_settings: dict[str, Any]) -> Iterator[Host]:
    """An open host in a folder of its own, with fast models and without a language model."""
    plugins = {"small_corpus": SmallCorpus(), **host_plugins}
    with open_host(tmp_path / "ragstone", plugins=plugins, **host_settings) as opened:
        yield opened


@pytest.fixture
def scripted_llm() -> ScriptedLLM:
    """A language model with scripted answers, set with ``enqueue``."""
    return ScriptedLLM()


@pytest.fixture
def host_with_llm(
    tmp_path: Path, scripted_llm: ScriptedLLM, host_plugins: dict[str, object], host_settings: dict[str, Any]
) -> Iterator[Host]:
    """As ``host``, with ``scripted_llm`` as its language model."""
    plugins = {"small_corpus": SmallCorpus(), **host_plugins}
    with open_host(tmp_path / "ragstone-with-llm", llm=scripted_llm, plugins=plugins, **host_settings) as opened:
        yield opened


@pytest.fixture
def small_corpus(host: Host) -> Corpus:
    """The corpus of ``host`` with six short documents; its assistant is ``host.assistant("small_corpus")``."""
    return fill_small_corpus(host)


@pytest.fixture
def word_encoder() -> Encoder:
    """An encoder without a model file: texts are similar when they share words."""
    return Encoder(WordEmbedding())
