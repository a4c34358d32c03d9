"""kill -9 anywhere in an installation: what served serves, and the next installation clears up."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from ragstone.plugins.wiki_edge.shards.entry import NAME, Manifest
from ragstone.plugins.wiki_edge.shards.installing import install
from ragstone.plugins.wiki_edge.shards.npy import read_header
from ragstone.plugins.wiki_edge.shards.verifying import verify
from tests.faults.actors import Actor

from .making import DIM, ID, ROWS, make

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

#: What a process tells its auditors before it does it.
_STEPS = {"open", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "shutil.rmtree"}
_KILLS = 10


def _install_until(line: Connection, source: Path, root: Path, last: int) -> None:
    """Install, and die by kill -9 before the step of that number; say how many steps there were."""
    steps = 0

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal steps
        if event in _STEPS and any(str(root) in str(argument) for argument in arguments):
            steps += 1
            if steps == last:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(audit)
    install(source, root)
    line.send(steps)


def _version(root: Path) -> str:
    return Manifest.read(root / NAME).version


def _good(folder: Path, number: int) -> Path:
    make(folder, seed=number)
    manifest = Manifest.read(folder / NAME)
    manifest.model_copy(update={"version": str(number)}).write(folder / NAME)
    return folder


def _is_tidy(root: Path) -> bool:
    named = {path.name for path in root.iterdir()}
    return named == {".ragstone-lock", NAME, ID} and len(list((root / ID).iterdir())) <= 2


def test_killed_at_any_step(tmp_path: Path) -> None:
    root, source = tmp_path / "root", tmp_path / "source"
    install(_good(source, 0), root)
    with Actor(_install_until, _good(source, 1), root, 0) as actor:
        steps: int = actor.hear()
    assert steps > 20
    assert _version(root) == "1"
    # Around the switch is where it counts: the last steps are those that clear up after it.
    chosen = {*random.Random(5).sample(range(1, steps - 10), _KILLS - 4), *(steps - back for back in (1, 3, 5, 8))}
    seen = set()
    for number, last in enumerate(sorted(chosen), 1):
        before, after = str(2 * number - 1), str(2 * number)
        with Actor(_install_until, _good(source, 2 * number), root, last) as actor:
            actor.wait()
        assert _version(root) in (before, after)
        seen.add(_version(root) == after)
        assert verify(root) == []
        install(_good(source, 2 * number + 1), root)
        assert _version(root) == str(2 * number + 1)
        assert verify(root) == []
        assert _is_tidy(root), sorted(map(str, root.rglob("*")))
    assert seen == {True, False}, "no kill was before the switch, or none after it"


def _read_on(line: Connection, root: Path) -> None:
    """Read every shard through the manifest, again and again, until somebody speaks."""
    line.send("reading")
    versions: set[str] = set()
    count = 0
    while not line.poll(0):
        manifest = Manifest.read(root / NAME)
        place = manifest.shards[0].place(root)
        assert read_header(place.embeddings).shape == (ROWS, DIM)
        with place.metadata.open("rb") as file:
            assert sum(1 for _ in file) == ROWS
        versions.add(manifest.version)
        count += 1
    line.send((count, sorted(versions)))


def test_a_process_that_reads_is_never_disturbed(tmp_path: Path) -> None:
    root, source = tmp_path / "root", tmp_path / "source"
    install(_good(source, 0), root)
    with Actor(_read_on, root) as reader:
        assert reader.hear() == "reading"
        for number in range(1, 16):
            install(_good(source, number), root)
            time.sleep(0.01)
        count, versions = reader.ask("enough")
    assert count > 15
    assert len(versions) > 3


@pytest.mark.parametrize("number", range(2))
def test_two_installers_do_not_mix(tmp_path: Path, number: int) -> None:
    """Of two at once one waits for nobody and is told; what is there is whole."""
    root = tmp_path / "root"
    sources = [_good(tmp_path / f"source{one}", one) for one in (0, 1)]
    with Actor(_install_until, sources[0], root, 0) as first, Actor(_install_until, sources[1], root, 0) as second:
        ends = []
        for actor in (first, second):
            try:
                ends.append(actor.hear())
            except Exception as error:
                ends.append(type(error).__name__)
    assert any(isinstance(end, int) for end in ends)
    assert set(map(type, ends)) <= {int, str}
    assert {end for end in ends if isinstance(end, str)} <= {"StorageBusy"}
    assert verify(root) == []
