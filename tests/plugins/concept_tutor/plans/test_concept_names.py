from __future__ import annotations

import pytest

from ragstone.plugins.concept_tutor import Concept
from ragstone.plugins.concept_tutor.plans.concept_names import concepts_named


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
