"""Fits the model that says how likely a sentence answers a question: ``python -m bench.answerability --write``.

It learns from questions of SQuAD 2.0 that people wrote with and without an answer in the same articles, from CLAP NQ's
natural ones, and from questions on other subjects. Half of the articles and of CLAP NQ are kept to check it; without
``--write`` the stored model is checked alone. Data: CC BY-SA 4.0 and Apache-2.0.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import ragstone.core.retrieval as package
from ragstone.core import Host, Settings
from ragstone.core.evaluation.corpora import open_corpus, read_question_set, read_questions_file
from ragstone.core.retrieval import HybridRetriever
from ragstone.core.retrieval.answerability import FEATURES, features_of
from ragstone.core.retrieval.sentences import sentences_of

from .quality import clapnq

_DATA = Path(__file__).parents[2] / "shared" / "data"
_MODEL = Path(package.__file__).with_name("answerability.json")
#: Share of the answerable questions that may become "comes closest".
_LOST = 0.085
_PENALTY = 1.0
#: Of SQuAD 2.0, CLAP NQ and the questions on other subjects.
_SHARES = (0.75, 0.2, 0.05)
#: Features of one question, whether it can be answered, and whether it is for fitting.
Row = tuple[tuple[float, ...], bool, bool]


def squad(host: Host, folder: Path) -> list[Row]:
    """SQuAD 2.0: questions with and without an answer; articles are split alternately."""
    questions = read_question_set(folder)
    without = [json.loads(line) for line in (folder / "unanswerable.jsonl").read_text("utf-8").splitlines()]
    asked = [(text, next(iter(questions.relevant[key])), True) for key, text in questions.texts.items()]
    asked += [(row["text"], row["passage"], False) for row in without]
    articles = sorted({chunk.rpartition("-")[0] for _, chunk, _ in asked})
    fitted = set(articles[::2])
    with open_corpus(host, folder) as corpus:
        return _rows(corpus, ((text, chunk.rpartition("-")[0] in fitted, known) for text, chunk, known in asked))


def out_of_domain(host: Host, folder: Path) -> list[Row]:
    """Questions on other subjects than the articles; every other one is for fitting."""
    asked = [(text, at % 2 == 0, False) for at, text in enumerate(read_questions_file(folder / "out_of_domain.txt"))]
    with open_corpus(host, folder) as corpus:
        return _rows(corpus, asked)


def natural_questions(host: Host, data: Path, work: Path) -> list[Row]:
    """CLAP NQ: natural questions over all of its chunks; every other question is for fitting."""
    rows, place = clapnq(data, work)
    asked = [
        (row["input"], at % 2 == 0, name == "answerable") for name, of in rows.items() for at, row in enumerate(of)
    ]
    with open_corpus(host, place) as corpus:
        return _rows(corpus, asked)


def _rows(corpus: Any, asked: Iterable[tuple[str, bool, bool]]) -> list[Row]:
    retriever = HybridRetriever(corpus, top_k=5)
    rows = []
    for text, is_fitted, answerable in asked:
        found = retriever.search(text)
        if sentences := sentences_of(found):
            rows.append((features_of(found, sentences[0]), answerable, is_fitted))
    return rows


def fit(sources: list[tuple[list[Row], float]]) -> dict[str, Any]:
    """Intercept and coefficients by Newton's method, with an L2 penalty, from the rows of each source and the source's
    share of the weight: questions that were written to mislead are many, but readers ask few of them. Both classes of
    a source have the same weight."""
    rows = [row for source, _ in sources for row in source]
    features = np.array([row[0] for row in rows])
    known = np.array([row[1] for row in rows], float)
    center, scale = features.mean(axis=0), features.std(axis=0) + 1e-9
    inputs = np.c_[np.ones(len(rows)), (features - center) / scale]
    weights = np.concatenate([_balanced(np.array([row[1] for row in source]), share) for source, share in sources])
    weights *= len(rows)
    penalty = np.diag([0.0] + [_PENALTY] * len(FEATURES))
    found = np.zeros(inputs.shape[1])
    for _ in range(30):
        chances = 1 / (1 + np.exp(-inputs @ found))
        gradient = inputs.T @ (weights * (chances - known)) + penalty @ found
        curvature = (inputs * (weights * chances * (1 - chances))[:, None]).T @ inputs + penalty
        found -= np.linalg.solve(curvature, gradient)
    coefficients = found[1:] / scale
    return {
        "intercept": round(float(found[0] - coefficients @ center), 4),
        "coefficients": {name: round(float(value), 4) for name, value in zip(FEATURES, coefficients, strict=True)},
    }


def _balanced(known: np.ndarray[Any, Any], share: float) -> np.ndarray[Any, Any]:
    """A weight for each row, all together the share."""
    classes = [kind for kind in (known, ~known) if kind.any()]
    return np.asarray(sum(share / len(classes) * kind / kind.sum() for kind in classes))


def chances(rows: list[Row], model: dict[str, Any]) -> np.ndarray[Any, Any]:
    """The likelihood of each row by a fitted model."""
    coefficients = np.array([model["coefficients"][name] for name in FEATURES])
    return np.asarray(1 / (1 + np.exp(-model["intercept"] - np.array([row[0] for row in rows]) @ coefficients)))


def report(name: str, scores: np.ndarray[Any, Any], rows: list[Row], least: float) -> None:
    """Print how well the scores tell answerable from unanswerable questions."""
    known = np.array([row[1] for row in rows])
    inside, outside = scores[known], scores[~known]
    above = (inside[:, None] > outside).mean() + 0.5 * (inside[:, None] == outside).mean()
    passed = (outside >= np.quantile(inside, _LOST)).mean()
    print(
        f"{name}: {len(inside)} answerable, {len(outside)} not; AUROC {above:.3f}; given as plain answers where "
        f"{_LOST:.1%} of the answerable are not: {passed:.3f}; at {least:.3f}: {(outside >= least).mean():.3f} of "
        f"the unanswerable, {(inside >= least).mean():.3f} of the answerable"
    )


def main() -> None:
    """Check the stored model, or fit another one and store it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=_DATA)
    parser.add_argument("--write", action="store_true", help="fit and store the model")
    chosen = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as work,
        Host(Settings(data_dir=Path(work, "data"), cache_dir=Path(work, "cache"))) as host,
    ):
        articles = squad(host, chosen.data / "wikipedia/squad2dev")
        others = out_of_domain(host, chosen.data / "wikipedia/squad2dev")
        natural = natural_questions(host, chosen.data, Path(work))
    if chosen.write:
        parts = [[row for row in rows if row[2]] for rows in (articles, natural, others)]
        model = fit(list(zip(parts, _SHARES, strict=True)))
        answerable = [row for part in parts for row in part if row[1]]
        model["least"] = round(float(np.quantile(chances(answerable, model), _LOST)), 4)
        _MODEL.write_text(json.dumps(model, indent=2) + "\n", "utf-8")
    stored = json.loads(_MODEL.read_text("utf-8"))
    for name, rows in (("SQuAD 2.0", articles), ("CLAP NQ", natural)):
        for part in (True, False):
            some = [row for row in rows if row[2] is part]
            report(
                f"{name}, {'fitted' if part else 'kept for the check'}", chances(some, stored), some, stored["least"]
            )


if __name__ == "__main__":
    main()
