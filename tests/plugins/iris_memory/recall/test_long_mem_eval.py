"""The metrics of LongMemEval that ``bench.chats`` counts."""

from __future__ import annotations

import math

import pytest

from bench.chats import long_mem_eval


def test_any_of_the_evidence_all_of_it_and_their_places() -> None:
    first = ["a", "x", "b", "y"], {"a", "b", "c"}
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    found = long_mem_eval([first])
    assert (found["recall any@5"], found["recall all@5"]) == (1, 0)
    assert found["ndcg@5"] == pytest.approx(1.5 / ideal, abs=0.0005)
    late = [*"123456", "b"], {"b"}
    found = long_mem_eval([first, late])
    assert (found["recall any@5"], found["recall all@5"], found["recall all@10"]) == (0.5, 0, 0.5)
