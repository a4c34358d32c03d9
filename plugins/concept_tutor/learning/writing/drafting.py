"""What a writer hands over before it is proved: a question's words, its key, and where a source has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..reading.sentences import Sentence
    from ..records import Asked, Form


@dataclass(frozen=True)
class Draft:
    """A question that a sentence may bear. ``worth``: how much it is worth asking, for comparison only."""

    form: Form
    asked: Asked
    text: str
    key: str
    #: The wrong ones.
    wrong: tuple[str, ...]
    sentence: Sentence
    worth: float
    also: tuple[str, ...] = ()
