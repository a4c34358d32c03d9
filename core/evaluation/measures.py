"""How good retrieval, refusal and extractive answers are on a set of questions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..answering.extractive import choose
from ..retrieval.evidence_gate import weigh_evidence
from ..retrieval.search import HybridRetriever

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..corpus import Corpus
    from ..retrieval.search import ScoredRetriever
    from .corpora import QuestionSet

    OnQuestion = Callable[[], None]

#: Share of the fusion that meaning has, by the name of the side.
SIDES = {"dense": 1.0, "lexical": 0.0, "hybrid": None}
#: Passages that are looked at for each question.
DEPTH = 100
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class RefusalQuality:
    """How well the gate parts questions that the corpus can answer from those that it cannot."""

    #: Probability that an answerable question scores above an unanswerable one.
    auroc: float
    #: Share of unanswerable questions let through when 5 % (2 %) of the answerable ones are refused.
    leak_at_5: float
    leak_at_2: float
    threshold: float
    false_refusals: float
    leak: float

    def to_dict(self) -> dict[str, float]:
        """As ``ragstone eval refusal --json`` prints it."""
        return {
            "AUROC": round(self.auroc, 4),
            "leak@5%": round(self.leak_at_5, 4),
            "leak@2%": round(self.leak_at_2, 4),
            "threshold": self.threshold,
            "false_refusals": round(self.false_refusals, 4),
            "leak": round(self.leak, 4),
        }


@dataclass(frozen=True)
class AnswerQuality:
    """In what share of the questions the gold answer stands where."""

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
    """The corpus's dense, lexical and hybrid side."""
    return {side: HybridRetriever(corpus, top_k=DEPTH, dense_weight=weight) for side, weight in SIDES.items()}


def retrieval(
    retrievers: Mapping[str, ScoredRetriever], questions: QuestionSet, on_question: OnQuestion
) -> dict[str, dict[str, float]]:
    """nDCG@10, R@1, R@5, R@10 and MRR@10 of each retriever, and the latency of the last one.

    What is judged is a passage's document, by the best of its passages. ``ir_measures`` (Apache-2.0, over pytrec_eval)
    computes them: the same numbers as everybody's.
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
            offered = retriever.search(text)
            latencies.append(offered.encode_ms + offered.retrieve_ms)
            documents = dict.fromkeys(node.node.ref_doc_id or node.node.node_id for node in offered.nodes)
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
    """``questions`` can be answered from the corpus, ``negatives`` cannot."""
    retriever = HybridRetriever(corpus, top_k=top_k)

    def scores(texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
        found = []
        for text in texts:
            found.append(weigh_evidence(retriever.search(text)).score)
            on_question()
        return np.array(found)

    inside, outside = scores(questions), scores(negatives)
    with corpus.catalog.read() as snapshot:
        threshold = corpus.threshold_of(corpus.row(snapshot))
    above = (inside[:, None] > outside[None, :]).mean() + 0.5 * (inside[:, None] == outside[None, :]).mean()
    return RefusalQuality(
        auroc=float(above),
        leak_at_5=float((outside >= np.quantile(inside, 0.05)).mean()),
        leak_at_2=float((outside >= np.quantile(inside, 0.02)).mean()),
        threshold=threshold,
        false_refusals=float((inside < threshold).mean()),
        leak=float((outside >= threshold).mean()),
    )


def answers(
    corpus: Corpus, texts: Mapping[str, str], gold: Mapping[str, Sequence[str]], top_k: int, on_question: OnQuestion
) -> AnswerQuality:
    """Whether a gold answer stands, letter for letter but for case and space, in the extractive answers."""
    retriever = HybridRetriever(corpus, top_k=top_k)
    held = []
    for question, text in texts.items():
        quotes = [_plain(quote.text) for quote in choose(retriever.search(text), corpus.encoder)]
        wanted = [_plain(answer) for answer in gold[question]]
        held.append([any(answer in " ".join(quotes[:count]) for answer in wanted) for count in (1, 2, len(quotes))])
        on_question()
    first, first_two, whole = np.mean(held, axis=0)
    return AnswerQuality(float(first), float(first_two), float(whole))


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()
