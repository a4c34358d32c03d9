"""A plugin's say over an answer: after the citation check, before anything of it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.schema import BaseNode

    from .drafts import Sentence


@dataclass(frozen=True)
class CitedWarning:
    """Words of a source, verbatim, that must stand at the top of an answer."""

    text: str
    #: The passage that they are taken from.
    node: BaseNode


@dataclass(frozen=True)
class Reviewed:
    """What a guard makes of an answer's sentences."""

    sentences: tuple[Sentence, ...]
    warnings: tuple[CitedWarning, ...] = ()
    #: Sentences that may not be shown, each with the reason.
    withheld: tuple[tuple[str, str], ...] = ()
    #: What to say when nothing is left.
    refusal: str | None = None


class Guard(Protocol):
    """Given in an assistant's ``Profile``. Raises nothing: what raises here stops the answer."""

    def concerns(self, nodes: Sequence[BaseNode]) -> bool:
        """Whether an answer from these passages must be seen whole before its first word is shown."""

    def review(self, sentences: Sequence[Sentence], nodes: Sequence[BaseNode]) -> Reviewed:
        """What may be shown of the sentences, which name their passages by number (from 0), and under which words."""
