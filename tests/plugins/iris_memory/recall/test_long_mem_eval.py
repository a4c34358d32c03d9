"""The metrics of LongMemEval, as counted here and by ir-measures, and what the memory's search has by them."""

from __future__ import annotations

import math
import random
from pathlib import Path

import ir_measures
import pytest
from ir_measures import Success, nDCG

from bench.long_mem_eval import mean_scores, scores, their_scores


def test_a_question_by_hand() -> None:
    found = scores(["a", "x", "b", "y"], {"a", "b", "c"}, 3)
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert found == {"recall any@3": 1, "recall all@3": 0, "ndcg@3": pytest.approx(1.5 / ideal)}
    assert scores(["x", "b"], {"b"}, 1) == {"recall any@1": 0, "recall all@1": 0, "ndcg@1": 0}
    assert mean_scores([(["a"], {"a"}), (["a"], set())])["recall all@5"] == 1, "without evidence it is left out"


def test_ir_measures_counts_the_same() -> None:
    rng = random.Random(3)
    turns = [f"turn {number}" for number in range(40)]
    questions = [(rng.sample(turns, 20), set(rng.sample(turns, rng.randint(1, 8)))) for _ in range(50)]
    qrels = {str(n): dict.fromkeys(evidence, 1) for n, (_ranked, evidence) in enumerate(questions)}
    run = {
        str(n): {turn: -float(place) for place, turn in enumerate(ranked)} for n, (ranked, _) in enumerate(questions)
    }
    theirs = ir_measures.calc_aggregate([Success @ 5, Success @ 10, nDCG @ 5, nDCG @ 10], qrels, run)
    ours = mean_scores(questions)
    for k in (5, 10):
        assert ours[f"recall any@{k}"] == pytest.approx(theirs[Success @ k], abs=0.0005)
        assert ours[f"ndcg@{k}"] == pytest.approx(theirs[nDCG @ k], abs=0.0005)


def test_a_program_of_theirs_gets_what_is_counted_here(tmp_path: Path) -> None:
    program = tmp_path / "eval_utils.py"
    program.write_text(
        "import numpy as np\n"
        "def evaluate_retrieval(order, evidence, corpus, k):\n"
        "    assert list(np.asfarray([1])) == [1.0]\n"
        "    found = [corpus[place] in evidence for place in order[:k]]\n"
        "    assert set(evidence) <= set(corpus)\n"
        "    return float(any(found)), float(sum(found) == len(evidence)), 0.5\n"
    )
    questions = [(["x", "a"], {"a"}), (["x", "y"], {"b"}), (["z"], set[str]())]
    found = their_scores(questions, program)
    ours = mean_scores(questions)
    assert found == ours | {"ndcg@5": 0.5, "ndcg@10": 0.5}
    with pytest.raises(ValueError, match="is no Python file"):
        their_scores(questions, tmp_path / "eval_utils.txt")
