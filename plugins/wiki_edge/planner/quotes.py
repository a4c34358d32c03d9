"""The passages' own sentences as a draft, chosen and weighed by core's extractive answering."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core.answering import choose_quotes
from ragstone.core.retrieval import Retrieval, Scores, weigh_evidence
from ragstone.core.text import question_stems

from .drafts import Draft, sources_of
from .order_flags import HARMLESS, flags

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .situation import PlannerContext

#: Sentences of an answer, and candidates, so that enough are left when others read like orders.
_SENTENCES = 3
_CANDIDATES = 12


def quote_passages(context: PlannerContext, idf: Mapping[str, float]) -> Draft:
    """The sentences that answer the goal best. ``idf``: the weights of its stems; 1 for a missing one.

    The confidence is half of the evidence gate's score: cosine and share of the goal's words, each 0 to 1, of the
    passage with the greatest sum of both.
    """
    if not context.passages:
        return Draft("; ".join(context.notes) or "nothing was found")
    retrieval = _retrieval(context, idf)
    confidence = min(max(weigh_evidence(retrieval).score / 2, 0.0), 1.0)
    # No vectors of sentences: to embed them would take a robot longer than it improves the choice.
    quotes = choose_quotes(retrieval, most=_CANDIDATES)
    fit = [each for each in quotes if not set(flags(each.text)) - HARMLESS][:_SENTENCES]
    if not fit:
        return Draft("what it found reads like orders" if quotes else "no sentence answers", confidence=confidence)
    sentences = [(each.passage + 1, " ".join(each.text.split())) for each in fit]
    text = " ".join(f"{sentence} [{n}]" for n, sentence in sentences)
    return Draft("", text, confidence, sources_of(context, dict(reversed(sentences))))


def _retrieval(context: PlannerContext, idf: Mapping[str, float]) -> Retrieval:
    """The passages as a retrieval's result."""
    from llama_index.core.schema import NodeWithScore, TextNode

    nodes = [
        TextNode(
            id_=f"{number}",
            text=passage.text,
            metadata={"title": passage.title, "heading": passage.heading},
            metadata_template="{value}",
        )
        for number, passage in enumerate(context.passages)
    ]
    found = [*zip(nodes, context.passages, strict=True)]
    return Retrieval(
        question=context.goal,
        nodes=tuple(NodeWithScore(node=node, score=max(passage.score, 0.0)) for node, passage in found),
        scores={node.node_id: Scores(passage.cosine, 0.0, passage.score) for node, passage in found},
        idf={word: idf.get(word, 1.0) for word in question_stems(context.goal)},
    )
