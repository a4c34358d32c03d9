"""Of several versions of a note, the newest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore

from ragstone.core import hookimpl
from ragstone.core.testing import open_host
from ragstone.plugins.iris_memory import query_memory
from tests.plugins.iris_memory.stored_files import File, store

WORDS = [f"word{number}" for number in range(60)]
TEXT = " ".join(WORDS)
#: Three words of sixty were changed, one after the other: nine of 58 runs are others.
EDITED = " ".join("other" if number in {10, 30, 50} else word for number, word in enumerate(WORDS))
LONGER = f"{TEXT} and {' '.join(f'more{number}' for number in range(60))}"


def found(folder: Path, *files: File, older: bool = False, **options: float) -> list[str]:
    with open_host(folder, options={"iris_memory": options}) as host:
        store(host, *files)
        return [chunk.path for chunk in query_memory(TEXT, min_relevance=-1, older=older, host=host)]


@pytest.mark.parametrize("newer", [TEXT, EDITED, LONGER], ids=["the same", "edited", "longer"])
def test_the_newer_note_takes_the_place_of_the_older(newer: str, tmp_path: Path) -> None:
    files = File("old.md", TEXT, days=20), File("new.md", newer, days=1)
    assert found(tmp_path, *files) == ["new.md"]
    assert sorted(found(tmp_path, *files, older=True)) == ["new.md", "old.md"]


def test_one_that_says_more_stays_though_it_is_older(tmp_path: Path) -> None:
    assert sorted(found(tmp_path, File("old.md", LONGER, days=20), File("new.md", TEXT))) == ["new.md", "old.md"]


def test_of_three_versions_the_newest_is_left(tmp_path: Path) -> None:
    versions = File("b.md", EDITED, days=20), File("c.md", TEXT, days=30), File("a.md", LONGER, days=1)
    assert found(tmp_path, *versions) == ["a.md"]


class NoSecrets(BaseNodePostprocessor):
    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: Any = None) -> list[NodeWithScore]:
        return [node for node in nodes if node.node.metadata["path"] != "secret.md"]


class Discreet:
    @hookimpl
    def ragstone_postprocessors(self) -> list[BaseNodePostprocessor]:
        return [NoSecrets()]


def test_what_another_plugin_takes_away_stays_away(tmp_path: Path) -> None:
    with open_host(tmp_path, plugins={"discreet": Discreet()}) as host:
        store(host, File("secret.md", LONGER), File("known.md", "Something else is known of word1 and word2."))
        for older in (False, True):
            given = query_memory(TEXT, min_relevance=-1, older=older, host=host)
            assert [chunk.path for chunk in given] == ["known.md"]


def test_copies_of_one_age_are_one(tmp_path: Path) -> None:
    assert len(found(tmp_path, File("a.md", TEXT), File("b.md", TEXT))) == 1


@pytest.mark.parametrize("doc_type", ["log", "email", "prompt", "procedure", "exploration", "state"])
def test_notes_alone_grow_out_of_date_like_that(doc_type: str, tmp_path: Path) -> None:
    assert len(found(tmp_path, File("a", TEXT, doc_type, days=9), File("b", TEXT, doc_type))) == 2


def test_a_deployment_may_want_them_all(tmp_path: Path) -> None:
    assert len(found(tmp_path, File("a.md", TEXT, days=9), File("b.md", TEXT), same_share=1.5)) == 2
