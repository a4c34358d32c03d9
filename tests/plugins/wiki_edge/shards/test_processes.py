"""Installations beside processes that read and others that install. Kills: ``faults/shards.py``."""

from __future__ import annotations

from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import pytest

from faults.actors import Actor
from faults.shards import install_until
from ragstone.plugins.wiki_edge import Manifest, install_shards, verify_shards

from .samples import DIM, NAME, ROWS, make


def _good(folder: Path, number: int) -> Path:
    make(folder, seed=number)
    manifest = Manifest.read(folder / NAME)
    manifest.model_copy(update={"version": str(number)}).write(folder / NAME)
    return folder


def _read_on(line: Connection, root: Path) -> None:
    """Read every shard through the manifest, again and again, until somebody speaks; say each version once.

    Who sleeps over two installations finds the release of its old manifest gone, and reads the new manifest.
    """
    line.send("reading")
    latest = 0
    while not line.poll(0):
        manifest = Manifest.read(root / NAME)
        place = manifest.shards[0].place(root)
        try:
            assert np.load(place.embeddings).shape == (ROWS, DIM)
            with place.metadata.open("rb") as file:
                assert sum(1 for _ in file) == ROWS
        except FileNotFoundError:
            assert int(Manifest.read(root / NAME).version) > int(manifest.version) + 1
            continue
        assert int(manifest.version) >= latest
        if int(manifest.version) > latest:
            latest = int(manifest.version)
            line.send(latest)
    line.send("ended")


def test_a_process_that_reads_is_never_disturbed(tmp_path: Path) -> None:
    root, source = tmp_path / "root", tmp_path / "source"
    install_shards(_good(source, 0), root)
    with Actor(_read_on, root) as reader:
        assert reader.hear() == "reading"
        for number in range(1, 16):
            install_shards(_good(source, number), root)
            if number % 3 == 0:  # three in quick succession, and all of them while it reads
                while reader.hear() != number:
                    pass
        assert reader.ask("enough") == "ended"


@pytest.mark.parametrize("number", range(2))
def test_two_installers_do_not_mix(tmp_path: Path, number: int) -> None:
    """Of two at once one waits for nobody and is told; what is there is whole."""
    root = tmp_path / "root"
    sources = [_good(tmp_path / f"source{one}", one) for one in (0, 1)]
    with Actor(install_until, sources[0], root, 0) as first, Actor(install_until, sources[1], root, 0) as second:
        ends = []
        for actor in (first, second):
            try:
                ends.append(actor.hear())
            except Exception as error:
                ends.append(type(error).__name__)
    assert any(isinstance(end, int) for end in ends)
    assert set(map(type, ends)) <= {int, str}
    assert {end for end in ends if isinstance(end, str)} <= {"StorageBusy"}
    assert verify_shards(root) == []
