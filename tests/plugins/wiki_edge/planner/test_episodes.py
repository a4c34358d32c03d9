"""Episodes: N + 1 steps, the same keys on each, whole after a death, and no secrets in them."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import NotFound, SourceError
from ragstone.core.text import Redactor
from ragstone.plugins.wiki_edge import Situation
from ragstone.plugins.wiki_edge.planner import episodes
from ragstone.plugins.wiki_edge.planner.export import export_episodes
from ragstone.plugins.wiki_edge.planner.steps import read_steps
from tests.plugins.wiki_edge.planner.libraries import MOON, MUG, check_episodes, planning
from tests.support.llm_server import Server, refuse, send

KEYS = {
    "observation", "action", "reward", "discount", "is_first", "is_last", "is_terminal", "step_metadata",
}  # fmt: skip
PLAIN = Redactor(environ={})


def steps_of(root: Path) -> list[list[dict[str, Any]]]:
    return [list(read_steps(folder)) for folder in sorted(root.iterdir())]


def written(root: Path, turns: int, **more: Any) -> episodes.Episode:
    episode = episodes.Episode(root, PLAIN, **{"file_bytes": 10**6, **more})
    for turn in range(turns):
        episode.step(f"seen {turn}", f"said {turn}", retrievals=[{"score": 0.5, "metadata": {"id": f"{turn}"}}])
    return episode


def died(episode: episodes.Episode) -> None:
    """As if its process had: nobody holds it any more."""
    os.close(episode._open)
    episode._file.close()


# What the planner writes


def test_n_turns_are_n_plus_one_steps_with_the_same_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOW_REMOTE_AGENT", "1")
    monkeypatch.setenv("MAX_API_CENTS_PER_DAY", "5")
    result = {"choices": [{"message": {"content": "Yes.\nCONFIDENCE: 60"}}], "usage": {"prompt_tokens": 9}}
    with Server() as slm, Server() as remote:
        slm.acts(refuse(500))
        remote.acts(send("application/json", json.dumps(result).encode()))
        prices = {"base": remote.base, "model": "big", "input_price": 1, "output_price": 2}
        with planning(tmp_path, MUG, MOON, slm={"base": slm.base}, remote=prices) as planner:
            planner.answer(Situation(goal="How do I clean a coffee mug?", safety="Slow."))
            planner.answer(Situation(goal="Does Jupiter sing?"))
            planner.context(Situation(goal="What is the Moon?"))
            planner.end_episode(terminal=True)
            planner.answer(Situation(goal="What is the Moon?"))
    first, second = steps_of(tmp_path / "data" / "episodes")
    assert [len(first), len(second)] == [4, 2]
    for episode in (first, second):
        assert all(set(step) == KEYS for step in episode)
        assert all(set(step["step_metadata"]) == {"retrievals", "tool_calls"} for step in episode)
        assert [step["is_first"] for step in episode] == [True] + [False] * (len(episode) - 1)
        assert [step["is_last"] for step in episode] == [False] * (len(episode) - 1) + [True]
        assert episode[-1]["step_metadata"] == {"retrievals": "[]", "tool_calls": "[]"}
        assert episode[-1]["action"] == ""
    assert [first[-1]["is_terminal"], second[-1]["is_terminal"]] == [True, False]
    assert "clean a coffee mug" in first[0]["observation"]
    assert "hot water" in first[0]["action"]
    found = json.loads(first[0]["step_metadata"]["retrievals"])
    assert found[0]["metadata"]["id"] == "wiki-1"
    assert found[0]["score"] > 0
    assert "text" not in found[0]["metadata"]
    calls = json.loads(first[1]["step_metadata"]["tool_calls"])
    assert [(call["tool"], call["ok"]) for call in calls] == [("slm", False), ("remote_agent", True)]
    assert {"tool", "name", "args_json", "result_json", "ok"} <= set(calls[1])
    assert calls[1]["estimate_micro_cents"] == calls[1]["cost_micro_cents"] > 0
    assert json.loads(calls[1]["args_json"])["max_tokens"] == 512
    assert json.loads(calls[1]["result_json"])["text"].startswith("Yes.")
    assert [report.state for report in check_episodes(tmp_path / "data" / "episodes")] == ["whole", "whole"]


def test_the_texts_of_chunks_are_written_where_that_is_set(tmp_path: Path) -> None:
    with planning(tmp_path, MUG, episodes={"passages": True}) as planner:
        planner.context(Situation(goal="How do I clean a coffee mug?"))
    step = steps_of(tmp_path / "data" / "episodes")[0][0]
    assert json.loads(step["step_metadata"]["retrievals"])[0]["metadata"]["text"] == MUG["text"]


def test_nothing_is_written_where_that_is_set(tmp_path: Path) -> None:
    with planning(tmp_path, MUG, episodes={"enabled": False}) as planner:
        planner.answer(Situation(goal="How do I clean a coffee mug?"))
    assert not (tmp_path / "data" / "episodes").exists()


def test_a_disk_that_does_not_take_it_is_none_of_the_answer_s_business(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder")
    with planning(tmp_path, MUG, episodes={"folder": str(tmp_path / "file" / "below")}) as planner:
        assert planner.answer(Situation(goal="How do I clean a coffee mug?")).known
    assert "was not written down" in caplog.text


# Files


def test_files_rotate_and_read_as_one(tmp_path: Path) -> None:
    written(tmp_path, 40, file_bytes=2000).end()
    [folder] = tmp_path.iterdir()
    files = sorted(each.name for each in (folder / "steps").iterdir())
    assert files[:2] == ["000000.jsonl", "000001.jsonl"]
    assert len(files) > 3
    assert all((folder / "steps" / name).stat().st_size <= 2000 for name in files)
    assert [step["observation"] for step in read_steps(folder)][:-1] == [f"seen {turn}" for turn in range(40)]
    [report] = check_episodes(tmp_path)
    assert (report.state, report.turns) == ("whole", 40)
    metadata = json.loads((folder / "metadata.json").read_bytes())
    assert (metadata["state"], metadata["steps"], metadata["episode_id"]) == ("ended", 41, folder.name)


def test_an_open_one_is_left_alone(tmp_path: Path) -> None:
    episode = written(tmp_path, 2)
    assert [report.state for report in check_episodes(tmp_path)] == ["open"]
    assert check_episodes(tmp_path, repair=True) == []
    episode.end()
    assert [report.state for report in check_episodes(tmp_path)] == ["whole"]
    assert check_episodes(tmp_path, repair=True) == []


def test_a_killed_writer_costs_its_last_line_at_most(tmp_path: Path) -> None:
    chance = random.Random(3)
    for life in range(8):
        root = tmp_path / f"{life}"
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            episode = episodes.Episode(root, PLAIN, file_bytes=3000)
            turn = 0
            while True:
                episode.step(f"seen {turn} " + "x" * chance.randrange(400), "said")
                os.write(writer, b".")
                turn += 1
        os.close(writer)
        time.sleep(0.02 + chance.random() * 0.2)
        os.kill(child, 9)
        os.waitpid(child, 0)
        with os.fdopen(reader, "rb") as output:
            acknowledged = len(output.read())
        if not root.exists():
            continue
        assert [report.state for report in check_episodes(root)] in (["cut"], [])
        mended = check_episodes(root, repair=True)
        assert check_episodes(root, repair=True) == []
        for report in check_episodes(root):
            assert report.id in mended
            assert report.state == "whole"
            assert acknowledged <= report.turns <= acknowledged + 1
            last = list(read_steps(root / report.id))[-1]
            assert (last["is_last"], last["is_terminal"]) == (True, False)


@pytest.mark.parametrize("moment", ["write_metadata", "sync_folder"])
def test_a_writer_killed_at_its_beginning_leaves_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    child = os.fork()
    if child == 0:
        monkeypatch.setattr(episodes, moment, lambda *_: os._exit(0))
        written(tmp_path, 1)
    os.waitpid(child, 0)
    assert [report.state for report in check_episodes(tmp_path)] in ([], ["cut"])
    assert len(check_episodes(tmp_path, repair=True)) == 1
    assert [(report.state, report.turns) for report in check_episodes(tmp_path)] == [("whole", 0)]


@pytest.mark.parametrize("cut", [1, 20, 150])
def test_a_torn_line_is_taken_away_and_the_rest_stands(tmp_path: Path, cut: int) -> None:
    episode = written(tmp_path, 3)
    died(episode)
    [folder] = tmp_path.iterdir()
    file = folder / "steps" / "000000.jsonl"
    file.write_bytes(file.read_bytes()[:-cut])
    [report] = check_episodes(tmp_path)
    assert (report.state, report.faults) == ("cut", [])
    assert check_episodes(tmp_path, repair=True) == [folder.name]
    [report] = check_episodes(tmp_path)
    assert (report.state, report.turns) == ("whole", 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda step: {**step, "more": 1}, "more: Extra"),
        (lambda step: {**step, "action": 5}, "action: Input should be a valid string"),
        (lambda step: {**step, "is_first": True}, "is_first is True"),
        (lambda step: {**step, "step_metadata": {"retrievals": "[]"}}, "tool_calls: Field required"),
        (lambda step: {**step, "step_metadata": {"retrievals": [], "tool_calls": "[]"}}, "retrievals: JSON input"),
        (lambda step: {**step, "step_metadata": {"retrievals": "[5]", "tool_calls": "[]"}}, "retrievals.0: Input"),
        (
            lambda step: {**step, "step_metadata": {"retrievals": "[]", "tool_calls": '[{"tool": 1}]'}},
            "tool_calls.0.tool: Input",
        ),
        (lambda step: {**step, "is_last": True}, "follows the last"),
        (lambda step: [step], "step: Input"),
    ],
)
def test_damage_is_reported_with_file_and_line(tmp_path: Path, change: Any, message: str) -> None:
    written(tmp_path, 3).end()
    [folder] = tmp_path.iterdir()
    file = folder / "steps" / "000000.jsonl"
    lines = file.read_text("utf-8").splitlines()
    lines[1] = json.dumps(change(json.loads(lines[1])))
    file.write_text("\n".join(lines) + "\n", "utf-8")
    [report] = check_episodes(tmp_path)
    assert report.state == "damaged"
    assert any(message in fault for fault in report.faults), report.faults
    assert report.faults[0].startswith(("steps/000000.jsonl:2:", "steps/000000.jsonl:3:"))


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e400", '"\\ud800"'])
@pytest.mark.parametrize("key", ["observation", "action", "reward", "discount"])
def test_what_is_no_json_elsewhere_is_damage_and_not_exported(tmp_path: Path, key: str, value: str) -> None:
    written(tmp_path / "episodes", 3).end()
    [folder] = (tmp_path / "episodes").iterdir()
    file = folder / "steps" / "000000.jsonl"
    lines = file.read_text("utf-8").splitlines()
    lines[1] = json.dumps({**json.loads(lines[1]), key: "@"}).replace('"@"', value)
    file.write_text("\n".join(lines) + "\n", "utf-8")
    exported = export_episodes(tmp_path / "episodes", tmp_path / "out", PLAIN)
    assert (exported.episodes, exported.left_out) == (0, (f"{folder.name}: steps/000000.jsonl:2: is not JSON",))


@pytest.mark.parametrize("name", ["state", "started", "ended", "about"])
def test_half_a_character_in_the_metadata_stops_no_repair_and_no_export(tmp_path: Path, name: str) -> None:
    root = tmp_path / "episodes"
    died(written(root, 3))
    [folder] = root.iterdir()
    about = json.loads((folder / "metadata.json").read_bytes())
    (folder / "metadata.json").write_text(json.dumps({**about, name: "\ud800"}), "utf-8")
    assert check_episodes(root, repair=True) == [folder.name]
    assert export_episodes(root, tmp_path / "out", PLAIN).episodes == 1


def test_half_a_character_that_was_seen_is_exported_as_a_question_mark(tmp_path: Path) -> None:
    episode = written(tmp_path / "episodes", 1)
    episode.step("a \ud800 sign", "none")
    episode.end()
    assert export_episodes(tmp_path / "episodes", tmp_path / "out", PLAIN).episodes == 1
    assert "a ? sign" in (tmp_path / "out" / "episodes.jsonl").read_text("utf-8")


def test_a_missing_file_between_is_damage(tmp_path: Path) -> None:
    written(tmp_path, 40, file_bytes=2000).end()
    [folder] = tmp_path.iterdir()
    (folder / "steps" / "000001.jsonl").unlink()
    [report] = check_episodes(tmp_path)
    assert report.state == "damaged"


# Giving away


def test_export_writes_the_whole_ones_and_tells_of_the_others(tmp_path: Path) -> None:
    root, out = tmp_path / "episodes", tmp_path / "out"
    written(root, 3).end(terminal=True)
    written(root, 1).end()
    open_one = written(root, 2)
    found = export_episodes(root, out, Redactor(["seen"], {}))
    open_one.end()
    assert (found.episodes, found.steps, len(found.left_out)) == (2, 6, 1)
    assert "open" in found.left_out[0]
    lines = [json.loads(line) for line in (out / "episodes.jsonl").read_text("utf-8").splitlines()]
    assert sorted(len(line["steps"]) for line in lines) == [2, 4]
    assert "seen" not in (out / "episodes.jsonl").read_text("utf-8")
    assert json.loads((out / "metadata.json").read_bytes())["episodes"] == 2
    with pytest.raises(SourceError, match="not empty"):
        export_episodes(root, out, PLAIN)
    with pytest.raises(NotFound):
        export_episodes(tmp_path / "nothing", tmp_path / "other", PLAIN)


def test_an_export_that_fails_leaves_nothing(tmp_path: Path) -> None:
    class Failing(Redactor):
        def known(self, text: str) -> str:
            raise RuntimeError(text)

    root, out = tmp_path / "episodes", tmp_path / "out"
    written(root, 3).end(terminal=True)
    with pytest.raises(RuntimeError):
        export_episodes(root, out, Failing([], {}))
    assert export_episodes(root, out, PLAIN).episodes == 1  # into the same folder, which is empty


def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("ragstone")), "wiki", "episodes", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)


def test_the_commands(tmp_path: Path) -> None:
    root = tmp_path / "episodes"
    written(root, 2).end()
    left = written(root, 1)
    died(left)
    result = ran("check", "--from", str(root))
    assert result.returncode == 0, result.stderr
    assert "cut" in result.stdout
    result = ran("check", "--from", str(root), "--repair", "--json")
    assert json.loads(result.stdout)["mended"] == [left.id]
    result = ran("export", str(tmp_path / "out"), "--from", str(root))
    assert result.returncode == 0, result.stderr
    assert "2 episodes, 5 steps" in result.stdout
    (root / left.id / "steps" / "000000.jsonl").write_text("broken\n" * 2, "utf-8")
    result = ran("check", "--from", str(root))
    assert result.returncode == 1
    assert "steps/000000.jsonl:1: is not JSON" in result.stdout


def test_without_tfds_the_extra_is_named(tmp_path: Path) -> None:
    root = tmp_path / "episodes"
    written(root, 2).end()
    result = ran("export", str(tmp_path / "out"), "--from", str(root), "--form", "tfds")
    assert result.returncode == 1
    assert "pip install 'ragstone[rlds]'" in result.stderr


@pytest.mark.slow
def test_tfds_reads_back_what_was_written(tmp_path: Path) -> None:
    """``RLDS_PYTHON`` names an interpreter with the extra ``rlds``; TensorFlow has no wheel for every machine."""
    python = os.environ.get("RLDS_PYTHON", "")
    if not Path(python).is_file():
        pytest.skip("no environment with TFDS here; make .venv-rlds/ready makes one, RLDS_PYTHON names its interpreter")
    root = tmp_path / "episodes"
    written(root, 3).end(terminal=True)
    written(root, 5).end()
    result = ran("export", str(tmp_path / "out"), "--from", str(root), "--form", "tfds", "--python", python, "--json")
    assert result.returncode == 0, result.stderr
    report: Mapping[str, Any] = json.loads(result.stdout)
    assert (report["episodes"], report["steps"]) == (2, 10)
    assert (Path(report["folder"]) / "dataset_info.json").is_file()


def test_values_of_the_environment_and_names_go_wherever_they_stand(tmp_path: Path) -> None:
    environ = {"MY_API_KEY": "blue-horse-7", "DB_PASSWORD": "open sesame", "PATH": "/usr/bin", "SHORT_KEY": "abc"}
    redactor = Redactor(["Anna", "home net"], environ)
    episode = episodes.Episode(tmp_path, redactor, file_bytes=10**6)
    episode.step(
        "Anna said: blue-horse-7; ANNAbelle stays. abc",
        "open sesame, /usr/bin",
        retrievals=[{"metadata": {"id": "anna", "title": "Home Net"}}],
        tool_calls=[{"tool": "x", "name": "x", "args_json": '{"k": "blue-horse-7"}', "result_json": "", "ok": True}],
    )
    episode.end("Anna left")
    [folder] = tmp_path.iterdir()
    for file in folder.rglob("*.json*"):
        result = file.read_text("utf-8").lower()
        for word in ("blue-horse", "sesame", "anna ", '"anna"', "home net"):
            assert word not in result, (file, word)
    step = next(iter(read_steps(folder)))
    assert "ANNAbelle stays. abc" in step["observation"]
    assert "/usr/bin" in step["action"]
