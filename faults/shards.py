"""Installations of shards, killed at any step and on a full disk: the old shards serve, the next one cleans up."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ragstone.core import StorageFull
from ragstone.plugins.wiki_edge import Manifest, install_shards, verify_shards
from tests.plugins.wiki_edge.shards.samples import ID, make

from .actors import Actor
from .disks import small_disk
from .run import Run

#: What a process tells its auditors before it does it.
_STEPS = {"open", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "shutil.rmtree"}
_LAST = 10
_ROWS = 2000
_LOCK = ".ragstone-lock"
_FOLDER_ID = ".ragstone-id"


def killed_while_installing(run: Run) -> None:
    """kill -9 before steps of an installation: the shards that serve are the old ones or the new ones, whole."""
    root, source = run.folder / "root", run.folder / "source"
    install_shards(_version(source, 0), root)
    with Actor(install_until, _version(source, 1), root, 0) as actor:
        steps: int = actor.hear()
    # The switch is among the last steps.
    some = {*run.random.sample(range(1, steps - _LAST), 6), *range(steps - _LAST, steps, 3)}
    chosen = set(range(1, steps + 1)) if run.full else some
    for number, last in enumerate(sorted(chosen), 1):
        before, after = str(2 * number - 1), str(2 * number)
        with Actor(install_until, _version(source, 2 * number), root, last) as actor:
            actor.wait()
        serves = Manifest.read(root / "manifest.json").version
        assert serves in (before, after), f"{serves} serves, after a kill before step {last}"
        run.count("killed before the switch" if serves == before else "killed after the switch")
        assert verify_shards(root) == []
        install_shards(_version(source, 2 * number + 1), root)
        assert Manifest.read(root / "manifest.json").version == str(2 * number + 1)
        assert verify_shards(root) == []
        _is_tidy(root)
        run.count("kills")
        run.report(f"{number} of {len(chosen)} kills")
    assert run.figures["killed before the switch"]
    assert run.figures["killed after the switch"]


def full_shards(run: Run) -> None:
    """The disk is full to several degrees: ``StorageFull``, and the old shards serve."""
    source = run.folder / "source"
    with small_disk(run.folder / "disk", 8) as disk:
        root = disk.folder / "root"
        install_shards(_version(source, 0, rows=_ROWS), root)
        # An archive unpacks to some 700 kB; a folder is measured before it is copied.
        for number, left in enumerate([0, 0, *(run.random.randrange(2**20) for _ in range(run.times(4, 60)))], 1):
            archive = shutil.make_archive(str(run.folder / "a"), "gztar", _version(source, number, rows=_ROWS))
            before = (root / "manifest.json").read_bytes()
            with disk.left(left):
                try:
                    install_shards(run.folder / archive if number % 2 else source, root)
                except StorageFull:
                    run.count("reported as full")
                    assert (root / "manifest.json").read_bytes() == before
                else:
                    run.count("enough")
                assert verify_shards(root) == []
            install_shards(source, root)
            assert Manifest.read(root / "manifest.json").version == str(number)
            assert verify_shards(root) == []
            _is_tidy(root)
    assert run.figures["reported as full"]


def install_until(line: Connection, source: Path, root: Path, last: int) -> None:
    """Install, and die by kill -9 before the step of that number; send how many steps there were."""
    steps = 0

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal steps
        if event in _STEPS and any(str(root) in str(argument) for argument in arguments):
            steps += 1
            if steps == last:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(audit)
    install_shards(source, root)
    line.send(steps)


def _version(folder: Path, number: int, rows: int = 24) -> Path:
    """A folder of shards of that version."""
    make(folder, seed=number, rows=rows)
    manifest = Manifest.read(folder / "manifest.json")
    manifest.model_copy(update={"version": str(number)}).write(folder / "manifest.json")
    return folder


def _is_tidy(root: Path) -> None:
    found = {path.name for path in root.iterdir()}
    releases = [path.name for path in (root / ID).iterdir()]
    assert found == {_LOCK, _FOLDER_ID, "manifest.json", ID}, f"left over: {found}"
    assert len(releases) <= 2, f"left over: {releases}"
