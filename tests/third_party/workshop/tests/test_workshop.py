"""The reader and the store by themselves, and under a host."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from ragstone_workshop import MemoryStore, NotebookReader

from ragstone.core import Corpus, Host, SourceError
from ragstone.core.testing import FileReaderContract, VectorStoreContract, plugin_state

_SECONDS = 120
_CELLS = [
    {"cell_type": "markdown", "source": ["# Wheels\n", "\n", "A caster swivels."]},
    {"cell_type": "code", "source": "turn(1)\n", "outputs": []},
    {"cell_type": "markdown", "source": []},
]


def notebook(folder: Path, **changed: object) -> Path:
    path = folder / "wheels.ipynb"
    path.write_text(json.dumps({"cells": _CELLS, "metadata": {}, "nbformat": 4, **changed}), "utf-8")
    return path


class TestReader(FileReaderContract):
    @pytest.fixture
    def reader(self) -> NotebookReader:
        return NotebookReader()

    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        return notebook(tmp_path)


class TestStore(VectorStoreContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()


def test_a_notebook_is_markdown(tmp_path: Path) -> None:
    (document,) = NotebookReader().load_data(notebook(tmp_path))
    assert document.text == "# Wheels\n\nA caster swivels.\n\n```\nturn(1)\n```\n"
    assert document.metadata == {"title": "wheels"}


@pytest.mark.parametrize("cells", [None, [1], [{"cell_type": "code"}], []])
def test_what_is_no_notebook_is_refused(tmp_path: Path, cells: object) -> None:
    with pytest.raises(SourceError, match=r"notebook|text"):
        NotebookReader().load_data(notebook(tmp_path, cells=cells))


def test_the_plugin_is_installed(host: Host, small_corpus: Corpus) -> None:
    assert plugin_state(host, "workshop").state == "loaded"
    assert isinstance(host.hooks.readers[".ipynb"], NotebookReader)
    assert isinstance(host.hooks.vector_store(small_corpus), MemoryStore)


class TestChosen:
    @pytest.fixture
    def host_settings(self) -> dict[str, object]:
        return {"options": {"workshop": {"corpora": ["books"]}}}

    def test_other_corpora_are_left_to_others(self, host: Host, small_corpus: Corpus) -> None:
        assert host.hooks.vector_store(small_corpus) is None


def test_it_follows_a_corpus_and_answers(host: Host, small_corpus: Corpus) -> None:
    host.serve()
    end = time.monotonic() + _SECONDS
    while not any("MemoryStore follows the catalog" in check.detail for check in host.checks()):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert "swivels" in host.assistant("small_corpus").ask("What is a caster wheel?").text
