"""The citation check: every sentence of an answer must be borne by the passages that it cites."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .analysis import stems, words
from .sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

_MARKER = re.compile(r"\s*\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATIONS = frozenset({"no", "not", "never", "none", "cannot", "without", "neither", "nor", "nt"})
#: Share of a sentence's words that its passages must hold.
_SUPPORT = 0.6
_SENTENCE_BREAK = re.compile(r"\n{2,}")


@dataclass(frozen=True)
class CheckedSentence:
    """A sentence without its markers, the passages it cites (from 1), and why it may not stand."""

    text: str
    cited: tuple[int, ...]
    fault: str | None


def split_answer(answer: str) -> list[str]:
    """A model's answer in sentences, each with the markers that follow it."""
    found: list[str] = []
    for paragraph in _SENTENCE_BREAK.split(answer):
        for start, end in sentence_spans(paragraph):
            piece = paragraph[start:end].strip()
            if found and not _MARKER.sub("", piece).strip():
                found[-1] = f"{found[-1]} {piece}"  # markers that stand behind the full stop
                continue
            leading = _MARKER.match(piece)
            if found and leading and leading.end() < len(piece):
                found[-1] = f"{found[-1]} {leading.group(0).strip()}"
                piece = piece[leading.end() :].strip()
            found.append(piece)
    return found


def check_sentence(sentence: str, passages: Sequence[str]) -> CheckedSentence:
    """Whether the sentence is borne by the passages that it cites; markers outside their range are not counted.

    Measured, not asked of a model: most of its words, and all of its numbers and negations, must stand in them.
    """
    cited = tuple(
        dict.fromkeys(
            number
            for match in _MARKER.finditer(sentence)
            for number in (int(part) for part in match.group(1).split(","))
            if 1 <= number <= len(passages)
        )
    )
    text = _MARKER.sub("", sentence).strip()
    if not cited:
        return CheckedSentence(text, (), "cites no passage")
    return CheckedSentence(text, cited, unsupported(text, "\n".join(passages[number - 1] for number in cited)))


def unsupported(sentence: str, source: str) -> str | None:
    """Why the source does not bear the sentence; ``None`` when it does."""
    told, held = set(stems(sentence)), set(stems(source))
    missing = [number for number in _NUMBER.findall(sentence) if number not in _NUMBER.findall(source)]
    if missing:
        return f"the number {missing[0]} is not in the passage"
    if told and len(told & held) / len(told) < _SUPPORT:
        return "its words are not in the passage"
    if _NEGATIONS & set(words(sentence)) and not _NEGATIONS & set(words(source)):
        return "it denies what the passage does not deny"
    return None
