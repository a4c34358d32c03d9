"""Why each option of an answered question is right or wrong: what the plan's sources say of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .reading.labels import series_in
from .reading.sentences import sentences_of, stands_alone
from .records import QuestionSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..plans.records import SourceChunk
    from .reading.sentences import Sentence
    from .records import Question

_LONGEST = 45


@dataclass(frozen=True)
class OptionNote:
    """``quote`` is a sentence of a source, and ``source`` its number; both are missing where no source names it."""

    option: str
    is_right: bool
    quote: str = ""
    source: int | None = None


def option_notes(
    question: Question, chunks: Mapping[str, Sequence[SourceChunk]]
) -> tuple[tuple[OptionNote, ...], tuple[QuestionSource, ...]]:
    """A note for each option in their order, and all sources that they name, the question's own first.

    ``chunks``: the plan's passages by concept.
    """
    sources = list(question.sources)
    unique = {one.chunk_id: one for each in chunks.values() for one in each}
    own = {one.chunk_id for one in chunks.get(question.concept, ())}
    asked = unique.get(question.support.chunk_id)
    labelled = {} if asked is None else {each.label: each.sentence for run in series_in(asked) for each in run}
    notes = []
    for option in question.options:
        if option == question.key:
            notes.append(OptionNote(option, True, question.support.text, question.source.index))
            continue
        found = labelled.get(option) or _best(option, question, unique.values(), own)
        notes.append(
            OptionNote(option, False) if found is None
            else OptionNote(option, False, " ".join(found.text.split()), _number(found.chunk, sources))
        )  # fmt: skip
    return tuple(notes), tuple(sources)


def _best(option: str, question: Question, chunks: Iterable[SourceChunk], own: set[str]) -> Sentence | None:
    """The sentence that says most plainly what the option is."""
    words = r"\s+".join(map(re.escape, option.split()))
    named = re.compile(rf"(?<!\w){words}(?:e?s)?(?!\w)", re.IGNORECASE)
    verb = r"(?:\s\([^()]*\))?,?\s(?:is|are|was|were|means|refers)\b"
    opens = re.compile(rf"(?:(?:An?|The)\s)?{words}{verb}", re.IGNORECASE)
    best, highest = None, 0.0
    for chunk in chunks:
        if not named.search(chunk.content):
            continue
        for sentence in sentences_of(chunk):
            if sentence.text == question.support.text or not named.search(sentence.text):
                continue
            if (length := len(sentence.text.split())) > _LONGEST:
                continue
            score = 4.0 * bool(opens.match(sentence.text)) + stands_alone(sentence) + 0.5 * (chunk.chunk_id in own)
            score += 1 - length / (2 * _LONGEST)
            if score > highest:
                best, highest = sentence, score
    return best


def _number(chunk: SourceChunk, sources: list[QuestionSource]) -> int:
    """The number of the passage among the sources, to which it is added if it is new."""
    for one in sources:
        if one.chunk_id == chunk.chunk_id:
            return one.index
    number = max((one.index for one in sources), default=0) + 1
    sources.append(QuestionSource.of(chunk, number))
    return number
