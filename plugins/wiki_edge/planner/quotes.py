"""What the passages themselves say to a goal: how much speaks for it, and their own sentences, by core's own gate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragstone.core.answering import choose_quotes
from ragstone.core.retrieval import Retrieval, Scores, weigh_evidence
from ragstone.core.text import question_stems

from .order_flags import HARMLESS, flags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .situation import Passage

_MOST = 3
#: Quotes that are looked at, so that some are left when others read like orders.
_LOOKED_AT = 12


@dataclass(frozen=True)
class Quoted:
    """Sentences of the passages, each with its passage's number, from 0; and the evidence, 0 to 1."""

    sentences: tuple[tuple[int, str], ...]
    confidence: float
    #: Sentences that would have answered but read like orders.
    withheld: int = 0


def quote(
    goal: str,
    passages: Sequence[Passage],
    *,
    idf: Mapping[str, float] | None = None,
) -> Quoted:
    """The sentences that answer best. ``idf``: how much each of its stems tells; without it
    all tell the same.

    The confidence is half of the gate's evidence: cosine and share of the goal's words, each 0 to 1, of the passage
    that has most of both.
    """
    from llama_index.core.schema import NodeWithScore, TextNode

    nodes = [
        TextNode(
            id_=f"{number}",
            text=passage.text,
            metadata={"title": passage.title, "heading": passage.heading},
            metadata_template="{value}",
        )
        for number, passage in enumerate(passages)
    ]
    words = question_stems(goal)
    retrieval = Retrieval(
        question=goal,
        nodes=tuple(
            NodeWithScore(node=node, score=max(passage.score, 0.0))
            for node, passage in zip(nodes, passages, strict=True)
        ),
        scores={
            node.node_id: Scores(passage.cosine, 0.0, passage.score)
            for node, passage in zip(nodes, passages, strict=True)
        },
        idf={word: (idf or {}).get(word, 1.0) for word in words},
    )
    found = weigh_evidence(retrieval)
    # Meaning is not asked for again: embedding sentences would cost a robot more than it brings.
    quotes = choose_quotes(retrieval, None, most=_LOOKED_AT)
    fit = [each for each in quotes if not set(flags(each.text)) - HARMLESS]
    return Quoted(
        sentences=tuple((each.passage, " ".join(each.text.split())) for each in fit[:_MOST]),
        confidence=min(max(found.score / 2, 0.0), 1.0),
        withheld=len(quotes) - len(fit),
    )
