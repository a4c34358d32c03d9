"""The draft of an answer: checked sentences, and the dropped ones."""

from __future__ import annotations

from dataclasses import dataclass, field

_MOST_DROPPED = 50
#: Characters of a dropped sentence that are shown.
_LONGEST_DROPPED = 300


@dataclass(frozen=True)
class Sentence:
    """A supported sentence: its text without markers, and the numbers of its chunks (from 0)."""

    text: str
    chunks: tuple[int, ...]
    #: For each of the chunks its own words that support it.
    quotes: tuple[str, ...]
    #: Whether a new paragraph begins with it.
    opens_paragraph: bool = False


@dataclass
class Draft:
    """What a synthesizer reports beside its sentences."""

    #: Sentences that were left out, each with the reason.
    dropped: list[str] = field(default_factory=list)

    def drop(self, text: str, reason: str) -> None:
        """Note a sentence, or as much of it as may be shown; of very many only the first."""
        if len(self.dropped) < _MOST_DROPPED:
            cut = f"{text[:_LONGEST_DROPPED]}…" if len(text) > _LONGEST_DROPPED else text
            self.dropped.append(f"{cut} ({reason})")
