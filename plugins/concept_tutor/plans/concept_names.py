"""Which concepts of a plan a question is about: by their names, else by embeddings of the names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ragstone.core import Host
from ragstone.core.text import stems

from .records import Concept

#: Cosine of question and name from which they are taken to be about the same. Of 120 questions on other matters 2.5 %
#: come so near to one of Metacademy's 392 names; of 339 first sentences of its texts on a concept, without the words of
#: its name, a fifth have the right name among the nearest three and so near. The evidence gate decides in the end.
NEAR = 0.35
#: Concepts that a question is taken to be about at most.
MOST = 3
#: Plans whose names' vectors are kept.
_KEPT = 32
_ASIDE = re.compile(r"\(([^()]*)\)")


def concepts_named(question: str, concepts: Sequence[Concept]) -> list[Concept]:
    """The concepts whose names occur in the question, the longest names first.

    A name within another that is also there ("gradient" in "gradient descent") is not meant by itself. What a name has
    in parentheses is another name of it: "Markov decision process (MDP)".
    """
    asked = f" {' '.join(stems(question))} "
    found: list[tuple[str, Concept]] = []
    for concept in concepts:
        there = [name for name in _names(concept.name) if f" {name} " in asked]
        if there:
            found.append((max(there, key=len), concept))
    found.sort(key=lambda each: -len(each[0]))
    kept: list[tuple[str, Concept]] = []
    for name, concept in found:
        rest = asked
        for longer, _ in kept:
            if longer != name:
                rest = rest.replace(f" {longer} ", "  ")
        if f" {name} " in rest:
            kept.append((name, concept))
    return [concept for _, concept in kept[:MOST]]


def _names(name: str) -> Iterator[str]:
    for words in (_ASIDE.sub(" ", name), *_ASIDE.findall(name)):
        if name_stems := " ".join(stems(words)):
            yield name_stems


class ConceptNames:
    """The embeddings of concepts' names, kept for a while. One for each host."""

    def __init__(self, host: Host) -> None:
        def embed(names: tuple[str, ...]) -> npt.NDArray[np.float32]:
            return np.asarray(host.hooks.encoder.embed_texts(list(names)), dtype=np.float32)

        self._embed = lru_cache(_KEPT)(embed)

    def meant(self, question: npt.NDArray[np.float32], concepts: Sequence[Concept]) -> list[Concept]:
        """The concepts whose names mean something near the question, a vector of unit length; the nearest first."""
        if not concepts:
            return []
        cosines = self._embed(tuple(concept.name for concept in concepts)) @ question
        nearest = np.argsort(-cosines, kind="stable")[:MOST]
        return [concepts[at] for at in nearest.tolist() if cosines[at] >= NEAR]
