"""Series of labelled paragraphs or items, as textbooks have them: "Supervisory control: A person decides …"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragstone.core.text import sentence_spans

from .definitions import is_subject
from .sentences import Sentence, is_whole
from .spelling import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...plans.records import SourceChunk

_LINE = re.compile(r"\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?(?P<label>[A-Z][^:.!?;|`()]{2,58}): (?P<text>[A-Z].*)")
_FENCE = re.compile(r"\s*(?:```|~~~)")
#: Labels of a text's parts, and not of what it is about.
_PARTS = word_set(
    """
    note notes tip hint warning caution important example examples step phase input output answer solution question
    task goal goals objective result results summary figure table source see pros cons advantage advantages disadvantage
    disadvantages benefit benefits challenge challenges problem limitation limitations definition purpose description
    overview conclusion exercise activity instructions reason context usage use option case week day chapter section
    unit lesson part key introduction fundamentals foundations foundation basics concepts practices practice
    implementation considerations
    """
)
#: "In this model, humans …", "This theory suggests …": of the label, whose word would give it away.
_BACK = re.compile(r"(?:In this (?P<within>\w+), |This (?P<this>\w+) )")
_PERSONAL = re.compile(r"\b(?:[Ww]e|us|[Oo]ur|[Yy]ou|[Yy]our|I)\b")
_FEWEST, _FEWEST_WORDS, _MOST_WORDS = 4, 6, 36


@dataclass(frozen=True)
class Labelled:
    """A label with the first sentence of what it stands for; ``sentence`` is both, as they stand in the chunk."""

    label: str
    #: Without words that only point back to the label.
    description: str
    sentence: Sentence
    #: The labels of the whole series.
    series: tuple[str, ...]


def series_in(chunk: SourceChunk) -> Iterator[list[Labelled]]:
    """Of each series of at least four labels what a sentence describes, in its order."""
    for run in _runs(chunk.content):
        labels = tuple(dict.fromkeys(label for label, _, _ in run))
        if len(labels) < _FEWEST or len(labels) != len(run):
            continue
        found = []
        for label, start, at in run:
            end = chunk.content.find("\n", at)
            spans = sentence_spans(chunk.content, at, len(chunk.content) if end < 0 else end)
            if (first := next(iter(spans), None)) is None:
                continue
            described = chunk.content[first[0] : first[1]]
            is_said = is_whole(described) and not _PERSONAL.search(described)
            if is_said and _FEWEST_WORDS <= len(described.split()) <= _MOST_WORDS:
                sentence = Sentence(chunk, start, first[1], chunk.content[start : first[1]])
                found.append(Labelled(label, _forwards(described, label), sentence, labels))
        yield found


def _runs(text: str) -> Iterator[list[tuple[str, int, int]]]:
    """Labelled lines that follow one another: each label, its place, and the place of what it stands for."""
    run: list[tuple[str, int, int]] = []
    at, in_code = 0, False
    for line in text.splitlines(keepends=True):
        begin, at = at, at + len(line)
        in_code ^= _FENCE.match(line) is not None
        match = None if in_code else _LINE.match(line)
        if match and _is_label(match["label"]):
            run.append((match["label"], begin + match.start("label"), begin + match.start("text")))
        elif line.strip():
            yield run
            run = []
    yield run


def _is_label(label: str) -> bool:
    return is_subject(label, None) and not set(re.findall(r"[a-z]+", label.casefold())) & _PARTS


def _forwards(described: str, label: str) -> str:
    back = _BACK.match(described)
    if back is None or (back["within"] or back["this"]) not in label.casefold().split():
        return described
    rest = described[back.end() :]
    return f"{rest[0].upper()}{rest[1:]}" if back["within"] else f"It {rest}"
