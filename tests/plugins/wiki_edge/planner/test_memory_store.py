"""The robot's own memory: what was acknowledged stays, in its place, whoever dies whenever."""

from __future__ import annotations

import base64
import json
import multiprocessing
import os
import random
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ragstone.core import NotFound, StorageBusy
from ragstone.core.runtime import file_lock
from ragstone.plugins.wiki_edge import Manifest, ShardError, verify_shards
from ragstone.plugins.wiki_edge.planner.memory_store import MemoryStore

DIM = 16
ENCODER = ("words", "words/16")


def vector(name: str) -> npt.NDArray[np.float32]:
    """A unit vector that is the same for the same name."""
    made = np.random.default_rng(list(name.encode())).standard_normal(DIM)
    return (made / np.linalg.norm(made)).astype(np.float32)


def row(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "title": "", "url": "", "text": f"Memory {name}.", "license": "private", **more}


def store(root: Path, **more: Any) -> MemoryStore:
    return MemoryStore(root, **{"encoder": ENCODER, **more})


def held(root: Path) -> list[str]:
    """The ids of what counts, each checked against its vector."""
    found = list(store(root).rows())
    for each, made in found:
        assert np.allclose(made, vector(each["id"]), atol=1e-6), f"{each['id']} stands beside another's vector"
    return [each["id"] for each, _ in found]


def test_a_writer_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragstone.plugins.wiki_edge.planner.journal._LOCK_SECONDS", 0.05)
    with file_lock(tmp_path / "episodic.lock", "held by this test"), pytest.raises(StorageBusy, match="writes here"):
        store(tmp_path).append(row("a"), vector("a"))


def test_what_is_remembered_is_there_at_once_and_for_another_process(tmp_path: Path) -> None:
    memory = store(tmp_path)
    memory.append(row("a", place="kitchen"), vector("a"))
    assert held(tmp_path) == ["a"]
    found = store(tmp_path).recent()
    assert found.rows[0]["place"] == "kitchen"
    assert found.nearest(vector("a"), 3)[0][0] == pytest.approx(1.0)
    memory.append(row("b"), vector("b"))
    assert [hit["id"] for _, hit in memory.recent().nearest(vector("b"), 1)] == ["b"]


def test_it_becomes_a_shard_that_verifies(tmp_path: Path) -> None:
    memory = store(tmp_path, compact_after=4)
    for number in range(10):
        memory.append(row(f"m{number}"), vector(f"m{number}"))
    entry = Manifest.read(tmp_path / "manifest.json").shard("episodic")
    assert entry is not None
    assert (entry.kind, entry.size, entry.dim, entry.revision) == ("episodic", 8, DIM, 2)
    assert verify_shards(tmp_path) == []
    assert [each["id"] for each in memory.recent().rows] == ["m8", "m9"]
    assert held(tmp_path) == [f"m{number}" for number in range(10)]
    assert memory.compact()
    assert not memory.compact()
    assert held(tmp_path) == [f"m{number}" for number in range(10)]
    assert verify_shards(tmp_path) == []


def test_other_shards_of_the_folder_stay(tmp_path: Path) -> None:
    store(tmp_path, shard="older").append(row("x"), vector("x"))
    store(tmp_path, shard="older").compact()
    memory = store(tmp_path)
    memory.append(row("a"), vector("a"))
    memory.compact()
    assert {each.id for each in Manifest.read(tmp_path / "manifest.json").shards} == {"older", "episodic"}
    assert verify_shards(tmp_path) == []


@pytest.mark.parametrize("compacted", [False, True])
def test_what_is_forgotten_is_gone_from_every_file(tmp_path: Path, compacted: bool) -> None:
    memory = store(tmp_path)
    for name in ("a", "secret", "c"):
        memory.append(row(name, text=f"The word is {name}."), vector(name))
    if compacted:
        memory.compact()
        memory.append(row("d"), vector("d"))
    memory.forget("secret")
    assert held(tmp_path) == (["a", "c", "d"] if compacted else ["a", "c"])
    assert verify_shards(tmp_path) == []
    for file in [each for each in tmp_path.rglob("*") if each.is_file()]:
        assert b"The word is secret" not in file.read_bytes(), file
    with pytest.raises(NotFound):
        memory.forget("secret")


def test_the_last_one_can_be_forgotten(tmp_path: Path) -> None:
    memory = store(tmp_path)
    memory.append(row("a"), vector("a"))
    memory.forget("a")
    assert held(tmp_path) == []
    memory.append(row("b"), vector("b"))
    assert held(tmp_path) == ["b"]


@pytest.mark.parametrize(
    ("bad", "wrong"),
    [
        ({"id": ""}, vector("a")),
        ({"text": 5}, vector("a")),
        ({"domain": 5}, vector("a")),
        ({"text": "x" * 2**20}, vector("a")),
        ({}, vector("a") * 2),
        ({}, vector("a") * np.float32("nan")),
        ({}, np.zeros(DIM, np.float32)),
        ({}, np.stack([vector("a")])),
    ],
)
def test_what_no_shard_takes_is_not_written(tmp_path: Path, bad: dict[str, Any], wrong: Any) -> None:
    with pytest.raises(ShardError):
        store(tmp_path).append({**row("a"), **bad}, wrong)
    assert held(tmp_path) == []


def test_another_encoder_is_refused_by_name(tmp_path: Path) -> None:
    memory = store(tmp_path)
    memory.append(row("a"), vector("a"))
    with pytest.raises(ShardError, match="another encoder"):
        memory.append(row("b"), np.eye(8, dtype=np.float32)[0])
    memory.compact()
    with pytest.raises(ShardError, match="was made by words/16, not by other/16"):
        store(tmp_path, encoder=("other", "other/16")).append(row("b"), vector("b"))
    assert held(tmp_path) == ["a"]


# Deaths


@pytest.mark.parametrize("cut", [1, 9, 40, 200])
def test_a_torn_end_is_cut_and_the_next_one_stands(tmp_path: Path, cut: int) -> None:
    memory = store(tmp_path)
    memory.append(row("a"), vector("a"))
    journal = tmp_path / "episodic.journal"
    whole = journal.read_bytes()
    memory.append(row("b"), vector("b"))
    torn = journal.read_bytes()[: len(whole) + cut]
    journal.write_bytes(torn)
    assert held(tmp_path) == ["a"]
    store(tmp_path).append(row("c"), vector("c"))
    assert held(tmp_path) == ["a", "c"]


def test_a_damaged_record_costs_itself_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    memory = store(tmp_path)
    for name in "abc":
        memory.append(row(name), vector(name))
    journal = tmp_path / "episodic.journal"
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2][:60] + bytes([lines[2][60] ^ 1]) + lines[2][61:]
    journal.write_bytes(b"".join(lines))
    assert held(tmp_path) == ["a", "c"]
    assert "damaged record" in caplog.text


@pytest.mark.slow
def test_killed_at_any_moment_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    forgotten: set[str] = set()
    chance = random.Random(7)
    for life in range(12):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            memory = store(tmp_path, compact_after=5)
            number = 0
            while True:
                name = f"{life}-{number}"
                os.write(writer, f"try {name}\n".encode())
                memory.append(row(name), vector(name))
                os.write(writer, f"did {name}\n".encode())
                if number % 7 == 6:
                    os.write(writer, f"drop {name}\n".encode())
                    memory.forget(name)
                    os.write(writer, f"gone {name}\n".encode())
                number += 1
        os.close(writer)
        with os.fdopen(reader) as output:
            lines = [output.readline() for _ in range(chance.randrange(2, 60))]
            time.sleep(chance.random() * 0.02)  # and somewhere within what it does next
            os.kill(child, 9)
            os.waitpid(child, 0)
            lines += output.read().splitlines()
        result = [line.split() for line in lines if len(line.split()) == 2]
        tried = {name for word, name in result if word == "try"}
        dropping = {name for word, name in result if word == "drop"}
        gone = {name for word, name in result if word == "gone"}
        acknowledged += [name for word, name in result if word == "did"]
        forgotten |= gone
        found = held(tmp_path)
        assert len(found) == len(set(found))
        assert not set(found) & gone
        open_ends = tried - set(acknowledged) | (dropping - gone)
        assert set(acknowledged) - forgotten - open_ends <= set(found) <= set(acknowledged) | open_ends
        # What was open is decided now, one way or the other, and stays so.
        acknowledged = found
        assert verify_shards(tmp_path) == [] or not (tmp_path / "manifest.json").exists()
    assert len(acknowledged) > 20


def test_processes_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")

    def work(mine: int) -> None:
        memory = store(tmp_path, compact_after=9)
        for number in range(15):
            memory.append(row(f"{mine}-{number}"), vector(f"{mine}-{number}"))
            if number == 7:
                memory.forget(f"{mine}-{number}")

    workers = [context.Process(target=work, args=(mine,)) for mine in range(4)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        found = [each["id"] for each in store(tmp_path).recent().rows]
        assert len(found) == len(set(found))
        time.sleep(0.01)
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    assert sorted(held(tmp_path)) == sorted(f"{m}-{n}" for m in range(4) for n in range(15) if n != 7)
    assert verify_shards(tmp_path) == []


def test_a_foreign_release_in_its_place_loses_no_new_memory(tmp_path: Path) -> None:
    from ragstone.plugins.wiki_edge import install_shards

    theirs = store(tmp_path / "theirs")
    theirs.append(row("t"), vector("t"))
    for _ in range(3):  # a higher revision
        theirs.append(row(f"t{_}"), vector(f"t{_}"))
        theirs.compact()
    mine = store(tmp_path / "mine")
    mine.append(row("a"), vector("a"))
    install_shards(tmp_path / "theirs", tmp_path / "mine")
    mine.append(row("b"), vector("b"))
    assert {"b"} <= set(held(tmp_path / "mine"))


def _older_line(record: dict[str, Any]) -> bytes:
    """A line of a journal whose records were numbered."""
    text = json.dumps(record, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


@pytest.mark.parametrize("released", [False, True])
def test_a_journal_with_numbers_is_taken_over(tmp_path: Path, released: bool) -> None:
    """``released``: killed after the shard had the records, before the journal began anew."""
    if released:
        memory = store(tmp_path)
        for name in "ac":
            memory.append(row(name), vector(name))
        memory.compact()
        manifest = json.loads((tmp_path / "manifest.json").read_bytes())
        manifest["shards"][0]["journal"] = 4
        (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    packed = {name: base64.b64encode(vector(name).tobytes()).decode() for name in "abc"}
    records = [
        {"seq": n, "op": "remember", "row": row(name), "vector": packed[name]} for n, name in enumerate("abc", 1)
    ]
    lines: list[dict[str, Any]] = [{"from": 0}, *records, {"seq": 4, "op": "forget", "id": "b"}]
    (tmp_path / "episodic.journal").write_bytes(b"".join(map(_older_line, lines)))
    assert held(tmp_path) == ["a", "c"]
    store(tmp_path).append(row("d"), vector("d"))
    assert held(tmp_path) == ["a", "c", "d"]
    assert store(tmp_path).compact()
    assert held(tmp_path) == ["a", "c", "d"]
    assert verify_shards(tmp_path) == []
    assert b"Memory b" not in b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())


def test_an_older_version_finds_the_numbers_that_it_reads(tmp_path: Path) -> None:
    for name in "ab":
        store(tmp_path).append(row(name), vector(name))
    lines = [json.loads(line[9:]) for line in (tmp_path / "episodic.journal").read_bytes().splitlines()]
    assert 0 < lines[0]["from"] < lines[1]["seq"] < lines[2]["seq"]


def test_a_forgotten_memory_goes_with_the_next_compaction_if_the_folder_was_busy(tmp_path: Path) -> None:

    memory = store(tmp_path)
    for name in "ab":
        memory.append(row(name), vector(name))
    memory.compact()
    with file_lock(tmp_path / ".ragstone-lock", ""):
        memory.forget("b")
    assert held(tmp_path) == ["a"]
    memory.append(row("c"), vector("c"))
    assert memory.compact()
    for file in [each for each in tmp_path.rglob("*") if each.is_file()]:
        assert b"Memory b" not in file.read_bytes(), file
