"""A plugin's guard: reviews an answer's sentences after the citation check, before any of them is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from llama_index.core.schema import BaseNode

from .answer import Sentence


@dataclass(frozen=True)
class CitedWarning:
    """Words of a source, verbatim, that must be shown at the top of an answer."""

    text: str
    #: The chunk that they are taken from.
    node: BaseNode


@dataclass(frozen=True)
class Verdict:
    """A guard's decision on one sentence."""

    #: It may be shown only with these at the top of the answer.
    warnings: tuple[CitedWarning, ...] = ()
    #: Why it may not be shown at all.
    withheld: str | None = None
    #: The text of the refusal, where nothing is left of the answer.
    refusal: str | None = None


class Guard(Protocol):
    """Given in an assistant's ``Profile``. What raises here stops the answer: a guard does not fail open."""

    def review(self, sentence: Sentence, nodes: Sequence[BaseNode]) -> Verdict:
        """Whether the sentence, which names its chunks by number (from 0), may be shown, and with which warnings."""
