"""Questions that ask for two or three things: "What is a winch and how does it work?", "When and where …?"."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from llama_index.core.schema import NodeWithScore

from ..text.terms import sides_of
from .models import Retrieval, Timings

_ASKS = r"(?:what|when|where|why|how|who|whose|whom|which)"
#: Between two questions: "…? What …", "… and what …", "… and is it …".
_BETWEEN = re.compile(
    rf"(?:\?\s+(?:and\s+)?|,?\s+and\s+)"
    rf"(?=(?:{_ASKS}|(?:is|are|was|were|do|does|did|can|could|has|have) (?:it|they|he|she))\b)",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    rf"\W*(?:{_ASKS}|is|are|was|were|do|does|did|can|could|has|have|explain|describe|define|tell (?:me|us))\b",
    re.IGNORECASE,
)
#: What comes before "and what" in one question: "what to do when and how …", "the difference between who and what".
_OPEN = re.compile(rf"\b(?:{_ASKS}|of|on|in|to|for|about|between|by|with|than|or)$", re.IGNORECASE)
_WHAT_ABOUT = re.compile(r"\W*what(?:['’]s| is| are) .{1,80} about$", re.IGNORECASE)
#: "… the singer who is known for her voice and whose album …"
_RELATIVE = re.compile(r"(?<=\w )(?:who|which|that)\b.* and (?:who|which)", re.IGNORECASE)
#: "When and where was X born?"
_TWO_WORDS = re.compile(rf"\W*({_ASKS}) and ({_ASKS})\b(?= .)", re.IGNORECASE)
_MOST_PARTS = 3


@dataclass(frozen=True)
class RetrievalInParts(Retrieval):
    """What was found for a question that asks for several things: for each that is answered, and the others."""

    parts: tuple[Retrieval, ...] = ()
    unanswered: tuple[str, ...] = ()


def parts_of(question: str) -> tuple[str, ...]:
    """The questions that it asks one after the other, the later ones perhaps with pronouns; empty for one question."""
    if both := _TWO_WORDS.match(question):
        return tuple(f"{word}{question[both.end() :]}" for word in both.groups())
    parts = [part.strip() for part in _BETWEEN.split(question)]
    is_list = 1 < len(parts) <= _MOST_PARTS and sides_of(question) is None
    if (
        not is_list
        or not _QUESTION.match(parts[0])
        or any(_OPEN.search(part) and not _WHAT_ABOUT.match(part) for part in parts)
        or _RELATIVE.search(question)
    ):
        return ()
    return tuple(part if part.endswith("?") else f"{part}?" for part in parts)


def joined(
    question: str, found: Sequence[tuple[Retrieval, Collection[int]]], unanswered: Sequence[str], top_k: int
) -> RetrievalInParts:
    """What was found for the parts of a question as one, each with the indices of the chunks that answer it: at most
    ``top_k`` chunks, these first."""
    parts = [part for part, _ in found]
    first = [[part.nodes[at] for at in dict.fromkeys(chunks)] for part, chunks in found]
    in_turn = [node for lists in (first, [part.nodes for part in parts]) for row in zip_longest(*lists) for node in row]
    nodes: dict[str, NodeWithScore] = {}
    for each in filter(None, in_turn):
        nodes.setdefault(each.node.node_id, each)
    return RetrievalInParts(
        question=question,
        nodes=tuple(nodes.values())[:top_k],
        scores={name: each for part in reversed(parts) for name, each in part.scores.items()},
        idf={stem: weight for part in parts for stem, weight in part.idf.items()},
        vector=parts[0].vector,
        spelling=parts[0].spelling,
        threshold=parts[0].threshold,
        cut=tuple(each for part in parts for each in part.cut),
        sentence_cosines={name: each for part in reversed(parts) for name, each in part.sentence_cosines.items()},
        stored_terms={name: each for part in parts for name, each in part.stored_terms.items()},
        timings=Timings(sum(part.timings.encode for part in parts), sum(part.timings.retrieve for part in parts)),
        parts=tuple(parts),
        unanswered=tuple(unanswered),
    )
