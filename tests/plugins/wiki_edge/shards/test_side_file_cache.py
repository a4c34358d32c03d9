"""The cache keeps no side files of shards that are gone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragstone.core.embedding import MiniLMEmbedding
from ragstone.plugins.wiki_edge import Planner, Situation
from ragstone.plugins.wiki_edge.shards.side_files import side_file_folders

from .samples import make

_SECRET = "Marguerite keeps her zither beside the samovar."


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model_cache: Path, minilm: MiniLMEmbedding) -> Path:
    """A cache of the test's own, with the encoder that was made for all of them."""
    own = tmp_path / "cache"
    own.mkdir()
    (own / "encoder").symlink_to(model_cache / "encoder")
    monkeypatch.setenv("RAGSTONE_CACHE_DIR", str(own))
    return own / "wiki_edge"


def _folders(cache: Path) -> set[str]:
    return {path.parent.name for path in cache.glob("*/made-of.json")}


def test_the_side_files_of_a_forgotten_memory_go(cache: Path, tmp_path: Path) -> None:
    make(tmp_path / "data" / "wiki", rows=60, dim=384)
    with Planner.open() as planner:
        planner.remember("The kettle is descaled on Mondays.")
        secret = planner.remember(_SECRET)
        planner._memory.store.compact()
        planner.context(Situation(goal="Where is the zither?"))
        before = _folders(cache)
        assert len(before) == 2  # of the encyclopedia and of the memories
        planner.forget(secret)
        recalls = planner.context(Situation(goal="Where is the zither?")).recalls
    assert [each.text for each in recalls] == ["The kettle is descaled on Mondays."]
    after = _folders(cache)
    assert len(after) == 2
    assert len(before & after) == 1  # the encyclopedia's, which nobody touched
    assert len(list(cache.glob("*.lock"))) == 2


def test_what_was_left_half_made_goes_after_a_day(cache: Path, tmp_path: Path) -> None:
    for name in ("making-old", "making-now"):
        side_file_folders(cache).make(name)
    (cache / "making-of-others").mkdir()
    os.utime(cache / "making-of-others", (0, 0))
    os.utime(cache / "making-old", (0, 0))
    make(tmp_path / "data" / "wiki", rows=60, dim=384)
    with Planner.open() as planner:
        planner.context(Situation(goal="What is a whisk for?"))
    assert {path.name for path in cache.glob("making-*")} == {"making-now", "making-of-others"}
