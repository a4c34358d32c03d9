from __future__ import annotations

import numpy as np
import pytest

from ragstone.plugins.concept_tutor import Concept
from ragstone.plugins.concept_tutor.plans.concept_names import NEAR, concepts_meant, concepts_named


def concepts(*names: str) -> list[Concept]:
    return [Concept("plan", f"c{number}", name, "", number) for number, name in enumerate(names)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is gradient descent?", ["Gradient descent"]),
        ("Gradients and gradient descent: how do they differ?", ["Gradient descent", "Gradient"]),
        ("How does an MDP work?", ["Markov decision process (MDP)"]),
        ("Is a Markov decision process a chain?", ["Markov decision process (MDP)"]),
        ("Who was Markov?", []),
        ("descent of a gradient", ["Gradient"]),
        ("", []),
    ],
)
def test_concepts_are_found_by_their_names(question: str, expected: list[str]) -> None:
    known = concepts("Gradient", "Gradient descent", "Markov decision process (MDP)", "(…)", "Loss function")
    assert [each.name for each in concepts_named(question, known)] == expected


def test_concepts_are_found_by_what_they_mean() -> None:
    near = NEAR + 0.05
    rows = np.array([[near, 0.0], [0.1, 1.0], [near + 0.1, 0.0]], dtype=np.float32)
    found = concepts_meant(np.array([1.0, 0.0], dtype=np.float32), rows, concepts("A", "B", "C"))
    assert [each.name for each in found] == ["C", "A"]
    assert concepts_meant(np.zeros(2, np.float32), np.zeros((0, 2), np.float32), []) == []
