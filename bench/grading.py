"""Errors of the tutor's grading: ``python -m bench.grading [FILE …] [--show] [--without-encoder] [--fit WEIGHTS]``.

FILE has a JSON object a line, an answer with the grade that a teacher gives it: ``form`` (``blank`` or ``open``),
``question``, ``key``, ``span`` (the source's sentence), ``answer``, ``grade`` (``right``, ``partly`` or ``wrong``), and
optionally ``kind``, by which the wrong answers are counted. Without a file it grades ``learner_answers.jsonl``: a
question a line, whose span is a place in the data sets of ``RAGSTONE_DATA`` and whose key is a place in the span. The
spans are divided by their hashes into ``tune``, which may be read and fitted, and ``check``, which may not. What was
``added`` after the grading had been read belongs to ``tune``, or to ``later``: half of what was written last, of which
only the counts were looked at.

Prints the confusion table, and with ``--show`` the answers of ``tune`` or the files that got another grade. ``--fit``
writes the weights that fit the answers of ``tune`` or the files for ``learning/grading/likeness.py``, and prints for
several thresholds which share of each grade is above, by weights that were fitted without an answer's span.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
import zlib
from collections import Counter
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from ragstone.core import Encoder
from ragstone.core.embedding import MiniLMEmbedding
from ragstone.plugins.concept_tutor.learning.grading.comparison import compare
from ragstone.plugins.concept_tutor.learning.grading.free import (
    disorder,
    grade_free,
    is_other,
    objection,
    other_number,
)
from ragstone.plugins.concept_tutor.learning.grading.likeness import likeness
from ragstone.plugins.concept_tutor.learning.grading.short import grade_short
from ragstone.plugins.concept_tutor.learning.records import Finding, Question, Support

#: Parts of the spans of which each is graded by weights that were fitted on the others; see ``_solve``.
_FOLDS, _RIDGE, _STEPS = 10, 4.0, 30
#: What an answer of each grade counts in the fit: a wrong one that is called right does most harm.
_COUNTS = {"right": 1.0, "partly": 0.7, "wrong": 3.0}
_GRADES = ("right", "partly", "wrong")
_ANSWERS = Path(__file__).with_name("learner_answers.jsonl")
_DATA = Path(os.environ.get("RAGSTONE_DATA") or Path(__file__).parents[2] / "shared" / "data")


def learner_answers(data: Path = _DATA) -> dict[str, list[dict[str, str]]]:
    """The rows of each half. Raises ``ValueError`` for a place that has another text than it had."""
    halves: dict[str, list[dict[str, str]]] = {"tune": [], "check": [], "later": []}
    texts = dict[str, dict[str, str]]()
    for item in map(json.loads, _ANSWERS.read_text("utf-8").splitlines()):
        if item["file"] not in texts:
            texts[item["file"]] = _texts(data / item["file"])
        span = texts[item["file"]][item.get("id", "")][item["start"] : item["end"]]
        if hashlib.sha256(span.encode()).hexdigest() != item["sha256"]:
            raise ValueError(f"{item['file']} has another text at {item['start']} than was answered")
        start, end = item["key"]
        row = {"form": item["form"], "question": item["question"], "key": span[start:end], "span": span}
        by_hash = "check" if int(item["sha256"], 16) >> 248 & 1 else "tune"
        half = {True: "tune", "later": "later"}[item["added"]] if "added" in item else by_hash
        halves[half] += [
            {**row, "grade": grade, "kind": kind, "answer": answer} for grade, kind, answer in item["answers"]
        ]
    return halves


def _texts(file: Path) -> dict[str, str]:
    """The file's texts by their ids; a page of Markdown is one text."""
    if file.suffix == ".md":
        return {"": file.read_text("utf-8")}
    rows = map(json.loads, file.read_text("utf-8").splitlines())
    return {
        row.get("_id") or row.get("tag") or row["id"]: row["passages"][0]["text"]
        if "passages" in row
        else row.get("text") or row.get("summary", "")
        for row in rows
    }


def graded(rows: list[dict[str, str]], encoder: Encoder | None) -> list[Finding]:
    """The finding on each of the answers."""
    return [
        grade_short(_question(row), row["answer"])
        if row["form"] == "blank"
        else grade_free(_question(row), row["answer"], encoder)
        for row in rows
    ]


def fit(rows: list[dict[str, str]], encoder: Encoder) -> dict[str, float]:
    """Weights of a ridge logistic regression over the answers to which there is no objection; prints its thresholds."""
    asked = [row for row in rows if row["form"] == "open"]
    seen, measured = list[dict[str, str]](), list[dict[str, float]]()
    for row in asked:
        question = _question(row)
        found = compare(question, row["answer"])
        faults = objection(question, row["answer"], found), disorder(question, row["answer"], found)
        if not any((*faults, other_number(question, row["answer"]), is_other(question, found))):
            seen.append(row)
            measured.append(likeness(question, row["answer"], found, encoder).features)
    names = list(measured[0])
    facts = np.array([[1.0, *(each[name] for name in names)] for each in measured])
    right = np.array([row["grade"] == "right" for row in seen])
    counts = np.array([_COUNTS[row["grade"]] for row in seen])
    folds = np.array([zlib.crc32(row["span"].encode()) % _FOLDS for row in seen])
    chances = np.zeros(len(seen))
    for fold in range(_FOLDS):
        rest = folds != fold
        chances[~rest] = 1 / (1 + np.exp(-facts[~rest] @ _solve(facts[rest], right[rest], counts[rest])))
    totals = Counter(row["grade"] for row in asked)
    for threshold in np.arange(0.35, 0.96, 0.05):
        above = Counter(row["grade"] for row, chance in zip(seen, chances, strict=True) if chance >= threshold)
        print(f"{threshold:.2f} " + "".join(f"{grade:>8} {above[grade] / totals[grade]:.1%}" for grade in _GRADES))
    weights = _solve(facts, right, counts)
    return {"intercept": round(float(weights[0]), 3)} | {
        name: round(float(weight), 3) for name, weight in zip(names, weights[1:], strict=True)
    }


def _solve(
    facts: npt.NDArray[np.float64], right: npt.NDArray[np.bool_], counts: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Newton's method on standardized columns, the first of them constant; the weights are for the columns as given."""
    middle, spread = facts.mean(axis=0), facts.std(axis=0)
    middle[0], spread[0] = 0.0, 1.0
    spread[spread == 0] = 1.0
    scaled = (facts - middle) / spread
    ridge = np.eye(facts.shape[1]) * _RIDGE
    ridge[0, 0] = 0.0
    weights = np.zeros(facts.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (counts * (right - chance)) - ridge @ weights
        weights += np.linalg.solve(scaled.T @ (scaled * (counts * chance * (1 - chance))[:, None]) + ridge, slope)
    weights /= spread
    weights[0] -= weights @ middle
    return weights


def _question(row: dict[str, str]) -> Question:
    support = Support("", 0, len(row["span"]), row["span"])
    form: Literal["blank", "open"] = "blank" if row["form"] == "blank" else "open"
    return Question("", "", "", form, "term", row["question"], row["key"], (), (), "", support, ())


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.grading", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", type=Path, metavar="FILE", nargs="*")
    parser.add_argument("--show", action="store_true", help="print the answers that got another grade")
    parser.add_argument("--without-encoder", action="store_true", help="compare words alone")
    parser.add_argument("--fit", type=Path, metavar="WEIGHTS", help="fit the weights and write them to this file")
    wanted = parser.parse_args()
    lines = [line for file in wanted.files for line in file.read_text("utf-8").splitlines()]
    sets = {"files": [json.loads(line) for line in lines if line.strip()]} if wanted.files else learner_answers()
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as folder:
        model = MiniLMEmbedding.find(Path(folder, "encoder")) if not wanted.without_encoder else None
        encoder = Encoder(model) if model is not None else None
        if wanted.fit is not None and encoder is not None:
            weights = fit(next(iter(sets.values())), encoder)
            wanted.fit.write_text(json.dumps(weights, indent=2) + "\n", "utf-8")
            return
        for name, rows in sets.items():
            print(f"\n{name}: ", end="")
            report(rows, graded(rows, encoder), wanted.show and name in {"tune", "files"})


def report(rows: list[dict[str, str]], findings: list[Finding], show: bool) -> None:
    """Print the confusion table of one set of answers."""
    pairs: Counter[tuple[str, str]] = Counter(
        (row["grade"], found.verdict) for row, found in zip(rows, findings, strict=True)
    )
    print(f"{len(rows)} answers to {len({row['span'] for row in rows})} spans\n\nteacher   {'':6}graded")
    print(" " * 10 + "".join(f"{grade:>8}" for grade in _GRADES))
    for grade in _GRADES:
        total = max(1, sum(pairs[grade, each] for each in _GRADES))
        shares = f"   {pairs[grade, 'right'] / total:.1%} graded right"
        print(f"{grade:10}" + "".join(f"{pairs[grade, each]:8}" for each in _GRADES) + shares)
    kinds: Counter[tuple[str, str]] = Counter(
        (row.get("kind", ""), found.verdict)
        for row, found in zip(rows, findings, strict=True)
        if row["grade"] == "wrong"
    )
    print("\nwrong by  " + "".join(f"{grade:>8}" for grade in _GRADES))
    for kind in sorted({kind for kind, _verdict in kinds}):
        print(f"{kind:10}" + "".join(f"{kinds[kind, each]:8}" for each in _GRADES))
    if show:
        for row, found in zip(rows, findings, strict=True):
            if row["grade"] != found.verdict:
                print(f"\n{row['grade']} graded {found.verdict}: {found.because}\n  Q: {row['question']}")
                print(f"  key: {row['key']}\n  answer: {row['answer']}")


if __name__ == "__main__":
    main()
