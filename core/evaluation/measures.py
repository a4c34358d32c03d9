"""Measures of retrieval, refusal and extractive answers on a set of questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..answering.extractive import choose
from ..retrieval.calibration import threshold_of
from ..retrieval.evidence_gate import Verdict, judge, weigh_evidence
from ..retrieval.search import HybridRetriever, ScoredRetriever

if TYPE_CHECKING:
    from ..corpus import Corpus
    from .corpora import QuestionSet

    OnQuestion = Callable[[], None]

#: Weight of the dense scores in the fusion, by the retriever's name.
SIDES = {"dense": 1.0, "lexical": 0.0, "hybrid": None}
#: Chunks that are retrieved for each question.
DEPTH = 100
_SPACE = re.compile(r"\s+")


def sides(corpus: Corpus) -> dict[str, ScoredRetriever]:
    """The corpus's dense, lexical and hybrid retriever by name."""
    return {side: HybridRetriever(corpus, top_k=DEPTH, dense_weight=weight) for side, weight in SIDES.items()}


def retrieval(
    retrievers: Mapping[str, ScoredRetriever], questions: QuestionSet, on_question: OnQuestion
) -> dict[str, dict[str, float]]:
    """nDCG@10, R@1, R@5, R@10 and MRR@10 of each retriever, and the latency of the last one.

    Documents are judged, each ranked by its best chunk. ``ir_measures`` (Apache-2.0, over pytrec_eval) computes the
    measures.
    """
    import ir_measures
    from ir_measures import RR, R, nDCG

    measures = {"nDCG@10": nDCG @ 10, "R@1": R @ 1, "R@5": R @ 5, "R@10": R @ 10, "MRR@10": RR @ 10}
    judged = [
        ir_measures.Qrel(question, document, grade)
        for question in questions.texts
        for document, grade in questions.relevant[question].items()
    ]
    found: dict[str, dict[str, float]] = {}
    latencies: list[float] = []
    for side, retriever in retrievers.items():
        latencies = []
        run = []
        for question, text in questions.texts.items():
            result = retriever.search(text)
            latencies.append(result.timings.encode + result.timings.retrieve)
            documents = dict.fromkeys(node.node.ref_doc_id or node.node.node_id for node in result.nodes)
            run += [
                ir_measures.ScoredDoc(question, document, float(DEPTH - rank))
                for rank, document in enumerate(documents)
            ]
            on_question()
        scored = ir_measures.calc_aggregate(list(measures.values()), judged, run)
        found[side] = {name: round(float(scored[measure]), 4) for name, measure in measures.items()}
    p50, p99 = np.percentile(latencies, [50, 99])
    found["latency_ms"] = {"p50": round(float(p50), 2), "p99": round(float(p99), 2)}
    return found


def refusal(
    corpus: Corpus, questions: Sequence[str], negatives: Sequence[str], top_k: int, on_question: OnQuestion
) -> dict[str, float]:
    """How well the evidence gate separates ``questions``, which the corpus answers, from ``negatives``, by measure.

    ``AUROC``: the probability that an answerable question scores above an unanswerable one. ``leak@5%``, ``leak@2%``:
    the share of unanswerable questions that pass when so many of the answerable ones are refused. ``closest``: the
    share of answerable questions to which something only comes closest. ``plain_answers``: the share of unanswerable
    ones that get a plain answer.
    """
    retriever = HybridRetriever(corpus, top_k=top_k)

    def judged(texts: Sequence[str]) -> tuple[np.ndarray[Any, np.dtype[np.float64]], list[Verdict]]:
        scores, verdicts = [], []
        for text in texts:
            found = retriever.search(text)
            evidence = weigh_evidence(found)
            scores.append(evidence.score)
            verdicts.append(judge(evidence, found, corpus.options.least_likelihood))
            on_question()
        return np.array(scores), verdicts

    (inside, judged_inside), (outside, judged_outside) = judged(questions), judged(negatives)
    with corpus.catalog.read() as snapshot:
        threshold = threshold_of(corpus.contents.row(snapshot), corpus.options)
    above = (inside[:, None] > outside[None, :]).mean() + 0.5 * (inside[:, None] == outside[None, :]).mean()
    found = {
        "AUROC": above,
        "leak@5%": (outside >= np.quantile(inside, 0.05)).mean(),
        "leak@2%": (outside >= np.quantile(inside, 0.02)).mean(),
        "threshold": threshold,
        "false_refusals": (inside < threshold).mean(),
        "leak": (outside >= threshold).mean(),
        "closest": judged_inside.count("closest") / len(judged_inside),
        "plain_answers": judged_outside.count("answered") / len(judged_outside),
    }
    return {name: round(float(value), 4) for name, value in found.items()}


def answers(
    corpus: Corpus, texts: Mapping[str, str], gold: Mapping[str, Sequence[str]], top_k: int, on_question: OnQuestion
) -> dict[str, float]:
    """The shares of extractive answers with a gold answer in the first sentence, the first two, and the whole answer,
    without regard to case and white space."""
    retriever = HybridRetriever(corpus, top_k=top_k)
    hits = []
    for question, text in texts.items():
        quotes = [_normalize(quote.text) for quote in choose(retriever.search(text))]
        wanted = [_normalize(answer) for answer in gold[question]]
        hits.append([any(answer in " ".join(quotes[:count]) for answer in wanted) for count in (1, 2, len(quotes))])
        on_question()
    names = ("first_sentence", "first_two", "whole")
    return {name: round(float(share), 4) for name, share in zip(names, np.mean(hits, axis=0), strict=True)}


def _normalize(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()
