"""The guide for authors, followed from its first block to its last in a fresh folder, as it stands."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragstone.core.embedding import MiniLMEmbedding
from tests.plugins.test_guide import TUTORIAL
from tests.support.environments import built, need_an_index, offline
from tests.support.guides import blocks, follow, matches

_SECONDS = 1100


@pytest.mark.slow
@pytest.mark.timeout(_SECONDS + 100)
def test_the_guide_can_be_followed(tmp_path: Path, model_cache: Path, minilm: MiniLMEmbedding) -> None:
    need_an_index(tmp_path / "downloads")
    folder = tmp_path / "author"
    folder.mkdir()
    homes = {"RAGSTONE_CACHE_DIR": str(model_cache), "XDG_DATA_HOME": str(tmp_path / "home")}
    environment = offline({**os.environ, **homes}, built(tmp_path / "wheels"))
    del environment["RAGSTONE_DATA_DIR"]  # the guide's settings say where
    steps = [block for block in blocks(TUTORIAL) if block.can_be_followed]
    heard = follow(steps, folder, environment, _SECONDS)
    assert heard
    wrong = [each for each in heard if not matches(each.expected, each.output)]
    assert not wrong, "\n".join(f"line {each.line}: $ {each.command}\n{each.output}" for each in wrong)
