"""Words of a shard: sums as they should be however they are read, and no more in memory than the budget allows."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ragstone.plugins.wiki_edge.shards import postings as module

_WORDS = [f"w{number}" for number in range(30)]
_FILES = ("terms.npy", "rows.npy", "weights.npy")


def _texts(rows: int) -> list[str]:
    """The first words stand nearly everywhere, the last in a few rows."""
    chance = random.Random(4)
    return [
        " ".join(word for number, word in enumerate(_WORDS) if chance.random() < 0.9 / (1 + number / 3)) or "none"
        for _ in range(rows)
    ]


def _write(folder: Path, texts: list[str]) -> None:
    writer = module.PostingsWriter(folder)
    for text in texts:
        writer.add("", text)
    writer.finish(*(folder / name for name in _FILES))


def _open(folder: Path, rows: int) -> module.Postings:
    terms, places, weights = (folder / name for name in _FILES)
    return module.Postings(terms, places, weights, rows)


def _expected(texts: list[str], weights: dict[str, float], only: set[int], limit: int) -> list[tuple[int, float]]:
    held = [Counter(text.split()) for text in texts]
    mean = sum(each.total() for each in held) / len(held)
    sums = []
    for row in only:
        norm = 1.2 * (0.25 + 0.75 * held[row].total() / mean)
        score = sum(weight * held[row][word] * 2.2 / (held[row][word] + norm) for word, weight in weights.items())
        if score > 0:
            sums.append((row, score))
    return sorted(sums, key=lambda each: (-each[1], each[0]))[:limit]


@pytest.mark.parametrize("rows_at_once", [64, 1000])
@pytest.mark.parametrize("piece", [7, 10_000])
def test_sums_are_the_same_however_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows_at_once: int, piece: int
) -> None:
    texts = _texts(300)
    _write(tmp_path, texts)
    # So small that a few hundred rows take several pieces, as a million do.
    monkeypatch.setattr(module, "_ROWS", rows_at_once)
    monkeypatch.setattr(module, "_PIECE", piece)
    reads = _open(tmp_path, len(texts))
    chance = random.Random(8)
    for _ in range(12):
        asked = chance.sample(_WORDS, 4)
        weights = {word: chance.uniform(0.1, 3) for word in asked} | {"nowhere": 1.0}
        found = reads.find(list(weights))
        assert {word: len(places) for word, places in found.items()} == {
            word: sum(word in text.split() for text in texts) for word in weights
        }
        some = {row for row in range(len(texts)) if chance.random() < 0.7}
        mask = np.array([row in some for row in range(len(texts))])
        for only, kept in ((set(range(len(texts))), None), (some, mask)):
            best = dict(reads.best(found, weights, 20, kept))
            # Weights are kept in 16 bits, so that rows that are as good as equal may change places.
            wanted = _expected(texts, weights, only, len(texts))
            assert list(best.values()) == pytest.approx([score for _, score in wanted[:20]], rel=2e-3)
            exact = dict(wanted)
            assert all(best[row] == pytest.approx(exact[row], rel=2e-3) for row in best)


@pytest.mark.slow
def test_a_word_that_stands_everywhere_is_never_in_memory_whole(tmp_path: Path) -> None:
    rows = 200_000
    texts = [" ".join(_WORDS[row % 7 :]) for row in range(1000)]
    _write(tmp_path, texts * (rows // len(texts)))
    reads = _open(tmp_path, rows)
    found = reads.find(_WORDS)
    weights = dict.fromkeys(found, 1.0)
    tracemalloc.start()
    try:
        best = reads.best(found, weights, 10)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [row for row, _ in best] == list(range(0, 70, 7))
    assert sum(len(places) for places in found.values()) * 6 > 32_000_000
    assert most < 3_000_000


@pytest.mark.parametrize("damaged", [0, 10**9])
def test_damaged_rows_are_passed_over(tmp_path: Path, damaged: int) -> None:
    texts = ["anvil bellows", "anvil", "anvil bellows", "bellows"]
    _write(tmp_path, texts)
    reads = _open(tmp_path, len(texts))
    places = reads.find(["anvil"])["anvil"]
    rows = np.load(tmp_path / "rows.npy", mmap_mode="r+")
    rows[places[1]] = damaged
    rows.flush()
    reads = _open(tmp_path, len(texts))
    assert reads.best(reads.find(["anvil"]), {"anvil": 1.0}, 9) == []
    assert [row for row, _ in reads.best(reads.find(["bellow"]), {"bellow": 1.0}, 9)] == [3, 0, 2]
