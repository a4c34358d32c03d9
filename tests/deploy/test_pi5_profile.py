"""deploy/pi5/ragstone.toml: the specification's paths and limits, and a planner opens with it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from ragstone.core import Host, read_settings
from ragstone.plugins.wiki_edge import Planner, Situation
from tests.plugins.wiki_edge.shards.samples import make
from tests.support.installed import plugin
from tests.support.pi5 import MEMORY, PROFILE, moved

WikiEdgeSettings = plugin("wiki_edge").ragstone_settings()


@pytest.fixture(autouse=True)
def _only_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' own folders would win over the file's."""
    monkeypatch.delenv("RAGSTONE_DATA_DIR")
    monkeypatch.delenv("RAGSTONE_CACHE_DIR")


def test_its_paths_and_limits_are_the_specifications() -> None:
    raw = tomllib.loads((PROFILE / "ragstone.toml").read_text("utf-8"))
    settings = read_settings(PROFILE / "ragstone.toml")
    options = WikiEdgeSettings.model_validate(raw["plugins"]["wiki_edge"])
    assert str(options.wiki) == "/opt/continuonos/brain/memory/wiki"
    assert str(options.episodic) == "/opt/continuonos/brain/memory/episodic"
    assert options.cache_mb == 64
    assert (settings.encoder.precision, settings.encoder.threads) == ("int8", 1)
    assert (str(settings.data_dir), str(settings.cache_dir)) == ("/var/lib/ragstone", "/var/cache/ragstone")
    assert str(options.episodes.folder) == "/var/lib/ragstone/episodes"
    assert options.episodes.enabled
    assert (options.slm.base, options.remote.base) == (None, None)


def test_only_the_encyclopedia_is_on(tmp_path: Path) -> None:
    with Host.open(moved(tmp_path / "robot")) as host:
        states = {plugin.name: plugin.state for plugin in host.plugins}
        assert states.pop("wiki_edge") == "loaded"
        assert set(states.values()) == {"disabled"}, states
        assert "web" in states
        assert "book_chat" in states


def test_its_examples_are_settings(tmp_path: Path) -> None:
    """What stands behind ``#`` as an example can be used as it stands."""
    text = (PROFILE / "ragstone.toml").read_text("utf-8")
    lines = [re.sub(r'^# (?=\[plugins|\w+ = (?!\["…))', "", line) for line in text.splitlines()]
    (tmp_path / "all.toml").write_text("\n".join(lines), "utf-8")
    host = Host(read_settings(tmp_path / "all.toml"))
    options = host.hooks.options(WikiEdgeSettings)
    assert options.slm.base == "http://127.0.0.1:8080/v1"
    assert options.remote.base == "https://agent.example.org/v1"
    assert options.require_signature


def test_a_planner_opens_with_it(tmp_path: Path, model_cache: Path) -> None:
    root = tmp_path / "robot"
    config = moved(root, model_cache)
    make(root / MEMORY / "wiki", rows=60, dim=384)
    with Planner.open(config) as planner:
        planner.remember("The whisk is in the second drawer.")
        context = planner.context(Situation(goal="What is a whisk for?", safety="Hands are near."))
        answer = planner.answer(Situation(goal="What is a whisk for?"))
    assert len(context.facts) == 5
    assert context.recalls[0].text == "The whisk is in the second drawer."
    assert context.notes == ()
    assert answer.tried[-1].origin in {"rag", "remote"}
    assert [path.name for path in (root / "var/lib/ragstone/episodes").iterdir()]
    assert (root / "var/cache/ragstone/encoder").is_dir()


def test_the_readmes_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (fence,) = re.findall(r"```python\n(.*?)```", (PROFILE / "README.md").read_text("utf-8"), re.DOTALL)
    exec(compile(fence.replace("/etc/ragstone/ragstone.toml", str(moved(tmp_path / "robot"))), "README.md", "exec"), {})
    assert capsys.readouterr().out == "I do not know.\n"  # there is no encyclopedia here
