"""Measures of retrieval, refusal and extractive answers on a set of questions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..answering.extractive import choose
from ..retrieval.calibration import threshold_of
from ..retrieval.evidence_gate import judge, weigh_evidence
from ..retrieval.search import HybridRetriever

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..corpus import Corpus
    from ..retrieval.evidence_gate import Verdict
    from ..retrieval.search import ScoredRetriever
    from .corpora import QuestionSet

    OnQuestion = Callable[[], None]

#: Weight of the dense scores in the fusion, by the retriever's name.
SIDES = {"dense": 1.0, "lexical": 0.0, "hybrid": None}
#: Passages that are retrieved for each question.
DEPTH = 100
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class RefusalQuality:
    """How well the evidence gate separates answerable from unanswerable questions."""

    #: Probability that an answerable question scores above an unanswerable one.
    auroc: float
    #: Share of unanswerable questions that pass when 5 % (2 %) of the answerable ones are refused.
    leak_at_5: float
    leak_at_2: float
    threshold: float
    false_refusals: float
    leak: float
    #: Share of the answerable questions to which something only comes closest, and of the unanswerable ones that get a
    #: plain answer.
    closest: float
    plain_answers: float

    def to_dict(self) -> dict[str, float]:
        """As ``ragstone eval refusal --json`` prints it."""
        return {
            "AUROC": round(self.auroc, 4),
            "leak@5%": round(self.leak_at_5, 4),
            "leak@2%": round(self.leak_at_2, 4),
            "threshold": self.threshold,
            "false_refusals": round(self.false_refusals, 4),
            "leak": round(self.leak, 4),
            "closest": round(self.closest, 4),
            "plain_answers": round(self.plain_answers, 4),
        }


@dataclass(frozen=True)
class AnswerQuality:
    """Shares of questions with the gold answer in the first sentence, the first two, and the whole answer."""

    first: float
    first_two: float
    whole: float

    def to_dict(self) -> dict[str, float]:
        """As ``ragstone eval answers --json`` prints it."""
        return {
            "first_sentence": round(self.first, 4),
            "first_two": round(self.first_two, 4),
            "whole": round(self.whole, 4),
        }


def sides(corpus: Corpus) -> dict[str, ScoredRetriever]:
    """The corpus's dense, lexical and hybrid retriever by name."""
    return {side: HybridRetriever(corpus, top_k=DEPTH, dense_weight=weight) for side, weight in SIDES.items()}


def retrieval(
    retrievers: Mapping[str, ScoredRetriever], questions: QuestionSet, on_question: OnQuestion
) -> dict[str, dict[str, float]]:
    """nDCG@10, R@1, R@5, R@10 and MRR@10 of each retriever, and the latency of the last one.

    Documents are judged, each ranked by its best passage. ``ir_measures`` (Apache-2.0, over pytrec_eval) computes the
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
            latencies.append(result.encode_ms + result.retrieve_ms)
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
) -> RefusalQuality:
    """Measure the evidence gate: ``questions`` can be answered from the corpus, ``negatives`` cannot."""
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
    return RefusalQuality(
        auroc=float(above),
        leak_at_5=float((outside >= np.quantile(inside, 0.05)).mean()),
        leak_at_2=float((outside >= np.quantile(inside, 0.02)).mean()),
        threshold=threshold,
        false_refusals=float((inside < threshold).mean()),
        leak=float((outside >= threshold).mean()),
        closest=judged_inside.count("closest") / len(judged_inside),
        plain_answers=judged_outside.count("answered") / len(judged_outside),
    )


def answers(
    corpus: Corpus, texts: Mapping[str, str], gold: Mapping[str, Sequence[str]], top_k: int, on_question: OnQuestion
) -> AnswerQuality:
    """Measure extractive answers: whether they contain a gold answer, without regard to case and white space."""
    retriever = HybridRetriever(corpus, top_k=top_k)
    hits = []
    for question, text in texts.items():
        quotes = [_normalize(quote.text) for quote in choose(retriever.search(text))]
        wanted = [_normalize(answer) for answer in gold[question]]
        hits.append([any(answer in " ".join(quotes[:count]) for answer in wanted) for count in (1, 2, len(quotes))])
        on_question()
    first, first_two, whole = np.mean(hits, axis=0)
    return AnswerQuality(float(first), float(first_two), float(whole))


def _normalize(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()
