"""Text is cut into units that fit, and units are packed at the cheapest cuts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.core.ingestion import Unit, cut_at, halves, pack, sentences, split
from tests.support.patience import grows_linearly

LINES = cut_at(re.compile(r"\n+"))


def parts(text: str, most: int) -> list[str]:
    return [text[start:end] for start, end, _ in split(text, (0, len(text)), (LINES, sentences, halves), len, most)]


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("A line.\nAnother.", 99, ["A line.", "Another."]),
        ("One is here. Two is there.\nThree.", 15, ["One is here.", "Two is there.", "Three."]),
        ("這是一個句子。那是另一個。", 8, ["這是一個句子。", "那是另一個。"]),
        ("word word word word", 10, ["word word", "word word"]),
        ("xxxxxxxx", 3, ["xx", "xx", "xx", "xx"]),
        (" \n ", 3, []),
    ],
)
def test_parts_fit(text: str, most: int, expected: list[str]) -> None:
    assert parts(text, most) == expected


@given(st.text("ab .\n", max_size=200), st.integers(1, 30))
def test_nothing_but_space_is_lost(text: str, most: int) -> None:
    found = parts(text, most)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(len(part) <= most for part in found)


def packed(sizes: list[int], costs: dict[int, float], most: int, best: int, tiny: int = 0) -> list[list[int]]:
    units = [Unit(at, at + 1, size, costs.get(at, 0)) for at, size in enumerate(sizes)]
    return [[unit.size for unit in chunk] for chunk in pack(units, most, lambda size: abs(size - best), tiny)]


def test_chunks_have_the_best_sizes_and_the_cheapest_cuts() -> None:
    assert packed([5] * 6, {}, 15, 10) == [[5, 5], [5, 5], [5, 5]]
    assert packed([5] * 6, dict.fromkeys((1, 2, 4, 5), 100.0), 15, 10) == [[5, 5, 5], [5, 5, 5]]
    assert packed([40, 1], {}, 10, 10) == [[40], [1]]
    assert packed([], {}, 10, 10) == []


def test_tiny_neighbours_are_one_unit() -> None:
    assert packed([1, 1, 1, 1, 9], {}, 10, 1, tiny=3) == [[3], [1], [9]]


def test_many_lines_take_time_in_proportion() -> None:
    def work(size: int) -> None:
        pack((Unit(at, at + 1, 1) for at in range(size)), 1_000, lambda size: -size, tiny=16)

    assert grows_linearly(work, 20_000)
