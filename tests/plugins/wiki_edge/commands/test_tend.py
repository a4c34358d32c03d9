"""``ragstone wiki tend``: what would be waited for is done, and what is not well is told."""

from __future__ import annotations

import json
from pathlib import Path

from ragstone.core import Host
from ragstone.plugins.wiki_edge import Planner, Situation
from tests.plugins.wiki_edge.shards.samples import METADATA, make
from tests.support.third_party_fakes import Here


def _tended(here: Here) -> tuple[int, dict[str, tuple[bool, str]]]:
    done = here("wiki", "tend", "--json")
    return done.code, {each["name"]: (each["ok"], each["detail"]) for each in json.loads(done.out)}


def test_without_shards_there_is_little_to_do(here: Here) -> None:
    code, found = _tended(here)
    assert code == 0
    assert found["shards"] == (True, "none is installed: ragstone wiki install")
    assert found["memory"] == (True, "nothing is remembered yet")
    assert "all-MiniLM-L6-v2" in found["encoder"][1]


def test_new_memories_become_part_of_their_shard(here: Here, tmp_path: Path) -> None:
    with Planner.open() as planner:
        planner.remember("The blue mug stands on the upper shelf.")
    assert _tended(here)[1]["memory"] == (True, "1 new, now part of the shard")
    assert _tended(here)[1]["memory"] == (True, "nothing new")
    with Planner.open() as planner:
        (recall,) = planner.context(Situation(goal="Where is the blue mug?")).recalls
    assert recall.text == "The blue mug stands on the upper shelf."


def test_the_threshold_is_found_out_once(here: Here, tmp_path: Path) -> None:
    shards = make(tmp_path / "data" / "wiki", rows=60, dim=384)
    code, found = _tended(here)
    assert (code, found["shards"][0]) == (0, True), found
    with Host.open() as host:
        kept = list((host.settings.cache_dir / "wiki_edge").glob("calibration-*.json"))
    newest = max(kept, key=lambda path: path.stat().st_mtime_ns)
    assert f"{json.loads(newest.read_bytes())['threshold']:g}" == found["threshold"][1]
    assert shards.is_dir()


def test_a_shard_that_cannot_be_searched_is_reported(here: Here, tmp_path: Path) -> None:
    shards = make(tmp_path / "data" / "wiki", rows=60, dim=384)
    (shards / METADATA).unlink()
    code, found = _tended(here)
    assert code == 1
    ok, detail = found["shards"]
    assert not ok
    assert "metadata.jsonl" in detail
    shown = here("wiki", "tend")
    assert shown.code == 1
    assert "not well" in shown.out
