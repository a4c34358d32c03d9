"""``ragstone inspect``: the scores behind one answer."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from . import output
from .question_options import Asked, asks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llama_index.core.schema import NodeWithScore

    from ..answering.citation_format import CitationFormat
    from ..retrieval.evidence_gate import Verdict
    from ..retrieval.models import Retrieval
    from ..retrieval.sentence_scores import ScoredSentence

#: How many chunks ``inspect`` shows beyond those for the answer.
_CUT_SHOWN = 5
_SENTENCES_SHOWN = 8
#: Digits of a chunk's scores.
_DIGITS = {"fused": 4, "dense": 4, "lexical": 3, "linked": 4}


@asks('ragstone inspect book_chat "What is a caster?" --top-k 10')
def inspect(asked: Asked) -> None:
    """Show what is retrieved for a question, and why. It has scores and ranks, the evidence, and what was cut."""
    from ..retrieval.models import MOST_CHUNKS
    from ..retrieval.parts import RetrievalInParts

    top_k = asked.question.top_k or asked.assistant.profile.top_k
    found, decided = asked.assistant.retrieve_for(asked.question)
    wider, _ = asked.assistant.retrieve_for(replace(asked.question, top_k=min(top_k + _CUT_SHOWN, MOST_CHUNKS)))
    form = asked.assistant.profile.citations
    chunks = [_chunk(rank, node, found, form) for rank, node in enumerate(found.nodes, start=1)]
    seen = {chunk["chunk_id"] for chunk in chunks}
    cut = [(node, f"by {plugin}") for node, plugin in found.cut]
    seen.update(node.node.node_id for node, _why in cut)
    cut += [(node, f"beyond the first {top_k}") for node in wider.nodes if node.node.node_id not in seen]
    cut_chunks = [{**_chunk(None, node, wider, form), "cut": why} for node, why in cut]
    parts = found.parts if isinstance(found, RetrievalInParts) else ()
    if asked.as_json:
        question = {"question": asked.question.text, "read_as": found.question}
        shown = [{"read_as": part.question, **_decision(part, decided)} for part in parts]
        output.as_json({**question, "passages": chunks, "cut": cut_chunks, **_decision(found, decided), "parts": shown})
        return
    if found.follow_up is not None:
        click.echo(f"read as: {output.printable(found.question)}\n")
    columns = ("rank", "score", "fused", "dense", "lexical", "place", "text")
    ranked = ("fused", "dense", "lexical")

    def cells(chunk: dict[str, Any]) -> list[object]:
        return [
            f"{chunk[name]} (#{chunk[name + '_rank'] or '–'})" if name in ranked else chunk[name] for name in columns
        ]

    output.table(columns, [cells(chunk) for chunk in chunks], empty="No passage was found.")
    if cut_chunks:
        click.echo("\ncut:")
        output.table(("why", *columns[1:]), [[p["cut"], *cells(p)[1:]] for p in cut_chunks], empty="")
    for chunk in [*chunks, *cut_chunks]:
        if chunk["linked"]:
            page = chunk["place"] or chunk["chunk_id"]
            click.echo(f"\nsecond hop: the first passage names {page}, which adds {chunk['linked']} of the words")
    for part in parts or (found,):
        if parts:
            click.echo(f"\nasked for: {output.printable(part.question)}")
        _show_decision(part, decided)


def _show_decision(found: Retrieval, verdict: Verdict) -> None:
    made = _decision(found, verdict)
    gate, sentences = made["gate"], made["sentences"]
    click.echo("\nsentences:")
    of_sentences = ("score", "words", "cosine", "kind", "rank", "text", "score is the sum of")
    cells = [[*(each[name] for name in of_sentences[:-1]), _named(each["parts"])] for each in sentences]
    output.table(of_sentences, cells, empty="None can answer.")
    click.echo(
        f"\ngate: score {gate['score']} of cosine {gate['cosine']}, coverage {gate['coverage']}, "
        f"and the best sentence's cosine {gate['sentence']} and order {gate['order']}; threshold {gate['threshold']}"
    )
    click.echo(f"likelihood {gate['likelihood']}, least {gate['least_likelihood']}: {gate['verdict']}")
    if gate["missing"]:
        click.echo(f"missing: {gate['missing']}")
    if found.follow_up is not None:
        own = ", ".join(found.follow_up.own)
        click.echo(f"of its own words {own or '(none)'}: {gate['own_coverage']} covered")
    click.echo(f"words: {_named(gate['words'])}")


def _named(numbers: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {number}" for name, number in numbers.items())


def _decision(found: Retrieval, verdict: Verdict) -> dict[str, Any]:
    from ..retrieval.sentences import sentences_of

    sentences = [_sentence(each) for each in sentences_of(found)[:_SENTENCES_SHOWN]]
    return {"sentences": sentences, "gate": _gate(found, verdict)}


def _rounded(value: float | None, digits: int = 4) -> float | None:
    return None if value is None else round(value, digits)


def _sentence(sentence: ScoredSentence) -> dict[str, Any]:
    numbers = {name: _rounded(getattr(sentence, name), 3) for name in ("score", "words", "cosine")}
    parts = {name: round(part, 3) for name, part in sentence.parts.items() if part}
    place = {"kind": sentence.kind, "rank": sentence.chunk + 1, "text": sentence.text}
    return {**numbers, **place, "parts": parts}


def _gate(found: Retrieval, verdict: Verdict) -> dict[str, Any]:
    from ..retrieval.answerability import least_likelihood
    from ..retrieval.evidence_gate import weigh_evidence

    seen = weigh_evidence(found)
    return {
        **{name: value if name == "missing" else _rounded(value) for name, value in asdict(seen).items()},
        "score": round(seen.score, 4),
        "threshold": found.threshold,
        "least_likelihood": least_likelihood(),
        "verdict": verdict,
        "refused": verdict == "refused",
        "corrections": dict(found.spelling.corrections),
        "words": {word: round(weight, 3) for word, weight in found.idf.items()},
    }


def _chunk(rank: int | None, node: NodeWithScore, found: Retrieval, form: CitationFormat) -> dict[str, Any]:
    scores = found.scores.get(node.node.node_id)
    return {
        "rank": rank,
        "chunk_id": node.node.node_id,
        "score": _rounded(node.score),
        **{name: _rounded(getattr(scores, name, None), digits) for name, digits in _DIGITS.items()},
        **{name: getattr(scores, name, None) for name in ("fused_rank", "dense_rank", "lexical_rank")},
        "place": " › ".join(form.place(form.fields_of(node.node)).path),
        "text": " ".join(node.node.get_content().split())[:100],
    }
