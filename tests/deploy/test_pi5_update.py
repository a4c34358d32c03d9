"""deploy/pi5/README.md: a shard is updated while a planner runs, and rolled back by the manifest that was kept."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragstone.plugins.wiki_edge import Planner, Situation, install_shards, verify_shards
from tests.plugins.wiki_edge.shards.samples import make
from tests.support.pi5 import MEMORY, moved


@pytest.fixture(autouse=True)
def _only_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGSTONE_DATA_DIR")


def test_an_update_and_the_way_back(tmp_path: Path) -> None:
    config = moved(tmp_path / "robot")
    wiki = tmp_path / "robot" / MEMORY / "wiki"
    first, second, third = (
        make(tmp_path / f"shards-{number}", rows=60, dim=384, seed=number, revision=number) for number in (1, 2, 3)
    )
    install_shards(first, wiki)
    with Planner.open(config) as planner:

        def seed() -> str:
            facts = planner.context(Situation(goal="What is a whisk for?")).facts
            return facts[0].text[-3:]

        assert seed() == "(1)"
        shutil.copy(wiki / "manifest.json", wiki / "manifest.before.json")
        install_shards(second, wiki)
        assert seed() == "(2)"
        (wiki / "manifest.before.json").rename(wiki / "manifest.json")
        assert seed() == "(1)"
        assert verify_shards(wiki) == []
        install_shards(third, wiki)
        assert seed() == "(3)"
    assert verify_shards(wiki) == []
