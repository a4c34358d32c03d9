"""Drafts of an answer: what a language model replied or the chunks say, before the planner accepts it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from ragstone.core.answering import rank_quotes
from ragstone.core.llm import ChatReply
from ragstone.core.retrieval import Retrieval, Scores, weigh_evidence
from ragstone.core.text import question_stems, strip_hidden

from .order_flags import HARMLESS, flags
from .situation import Chunk, PlannerContext, Source

_CONFIDENCE = re.compile(r"\n?(?<![^\w\n])[^\w\n]*CONFIDENCE\W{0,5}(\d{1,3}(?:\.\d+)?)(?:\s*%)?\W*$", re.IGNORECASE)
_UNKNOWN = re.compile(r"\bI (?:DO NOT|DON[’']T) KNOW\b", re.IGNORECASE)
_CITATION = re.compile(r"\s?\[(\d{1,3})\]")
_FENCE = re.compile(r"quote-[0-9a-f]{16}", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
#: Flags of a reply that is refused: text for a planner has none of them.
_REFUSED = frozenset({"overrides", "role-marker", "tool-call", "json-action", "fence", "hidden-characters"})
#: Words of the shortest order that a reply is compared with.
_ORDER_WORDS = 4


@dataclass(frozen=True)
class ToolCall:
    """One call of a language model, as an episode records it."""

    tool: str
    name: str
    args_json: str
    result_json: str
    ok: bool
    #: What it cost, and what it could have cost at most.
    cost_micro_cents: int = 0
    estimate_micro_cents: int = 0


@dataclass(frozen=True)
class Draft:
    """A possible answer; with a ``fault`` it is none."""

    fault: str = ""
    text: str = ""
    #: 0 to 1, where it is known.
    confidence: float | None = None
    sources: tuple[Source, ...] = ()
    #: The call of a language model that it took.
    call: ToolCall | None = None


def sources_of(context: PlannerContext, quotes: Mapping[int, str]) -> tuple[Source, ...]:
    """The cited chunks. ``quotes``: their numbers, from 1, each with the words quoted from it."""
    return tuple(
        Source(n, chunk.id, chunk.kind, chunk.title, chunk.url, chunk.license, quoted)
        for n, quoted in sorted(quotes.items())
        for chunk in [context.chunks[n - 1]]
    )


def read_reply(reply: ChatReply, context: PlannerContext, default_confidence: float) -> Draft:
    """The draft that a language model's reply is.

    Its confidence is the stated one, at most the likelihood of its tokens, and at most ``default_confidence`` if it
    states none or cites no chunk.
    """
    text = strip_hidden(reply.text).strip()
    stated = _CONFIDENCE.search(text)
    text = text[: stated.start()].strip() if stated else text
    fault = _fault(text, context.chunks)
    if fault:
        return Draft(fault)
    count = len(context.chunks)
    cited = dict.fromkeys((int(n) for n in _CITATION.findall(text) if 1 <= int(n) <= count), "")
    text = _CITATION.sub(lambda marker: marker[0] if int(marker[1]) in cited else "", text).strip()
    confidence = float(stated[1]) / 100 if stated and float(stated[1]) <= 100 else default_confidence
    if count and not cited:
        confidence = min(confidence, default_confidence)
    if reply.likelihood is not None:
        confidence = min(confidence, reply.likelihood)
    return Draft("", text, confidence, sources_of(context, cited))


def _fault(text: str, chunks: Sequence[Chunk]) -> str:
    """Why the reply is no answer; empty if it is one."""
    if not text:
        return "its reply is empty"
    if _UNKNOWN.search(text):
        return "it does not know"
    if _FENCE.search(text):
        return "it repeats the marks around the quotations"
    found = [flag for flag in flags(text) if flag in _REFUSED]
    if found:
        return f"it reads like an order ({', '.join(found)})"
    words = _words(text)
    for chunk in chunks:
        if any(order in words for order in _orders(chunk)):
            return f"it repeats an order of the passage {chunk.id}"
    return ""


def _orders(chunk: Chunk) -> list[str]:
    """The words of those sentences of a chunk that read like orders."""
    if not set(chunk.flags) - HARMLESS:
        return []
    sentences = _SENTENCE_END.split(strip_hidden(chunk.text))
    orders = [_words(each) for each in sentences if set(flags(each)) - HARMLESS]
    return [each for each in orders if len(each.split()) >= _ORDER_WORDS]


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


#: Sentences of an answer, and candidates, so that enough are left when others read like orders.
_SENTENCES = 3
_CANDIDATES = 12


def quote_chunks(context: PlannerContext, idf: Mapping[str, float]) -> Draft:
    """The sentences that answer the goal best. ``idf``: the weights of its stems; 1 for a missing one.

    The confidence is half of the evidence gate's score: cosine and share of the goal's words, each 0 to 1, of the
    chunk with the greatest sum of both.
    """
    if not context.chunks:
        return Draft("; ".join(context.notes) or "nothing was found")
    retrieval = _retrieval(context, idf)
    confidence = min(max(weigh_evidence(retrieval).score / 2, 0.0), 1.0)
    # No vectors of sentences: to embed them would take a robot longer than it improves the choice.
    quotes = list(islice(rank_quotes(retrieval), _CANDIDATES))
    fit = [each for each in quotes if not set(flags(each.text)) - HARMLESS][:_SENTENCES]
    if not fit:
        return Draft("what it found reads like orders" if quotes else "no sentence answers", confidence=confidence)
    sentences = [(each.chunk + 1, " ".join(each.text.split())) for each in fit]
    text = " ".join(f"{sentence} [{n}]" for n, sentence in sentences)
    return Draft("", text, confidence, sources_of(context, dict(reversed(sentences))))


def _retrieval(context: PlannerContext, idf: Mapping[str, float]) -> Retrieval:
    from llama_index.core.schema import NodeWithScore, TextNode

    nodes = [
        TextNode(
            id_=f"{number}",
            text=chunk.text,
            metadata={"title": chunk.title, "heading": chunk.heading},
            metadata_template="{value}",
        )
        for number, chunk in enumerate(context.chunks)
    ]
    found = [*zip(nodes, context.chunks, strict=True)]
    return Retrieval(
        question=context.goal,
        nodes=tuple(NodeWithScore(node=node, score=max(chunk.score, 0.0)) for node, chunk in found),
        scores={node.node_id: Scores(chunk.cosine, 0.0, chunk.score) for node, chunk in found},
        idf={word: idf.get(word, 1.0) for word in question_stems(context.goal)},
    )
