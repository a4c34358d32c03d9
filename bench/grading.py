"""Errors of the tutor's grading: ``python -m bench.grading FILE [--show] [--without-encoder]``.

FILE has a JSON object a line, an answer with the grade that a teacher gives it: ``form`` (``blank`` or ``open``),
``question``, ``key``, ``span`` (the source's sentence), ``answer``, ``grade`` (``right``, ``partly`` or ``wrong``), and
optionally ``kind``, by which the wrong answers are counted. Prints the confusion table, and with ``--show`` the answers
that got another grade.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Literal

from ragstone.core import Encoder
from ragstone.core.embedding import MiniLMEmbedding
from ragstone.plugins.concept_tutor.learning.grading.free import FreeAnswers
from ragstone.plugins.concept_tutor.learning.grading.short import grade_short
from ragstone.plugins.concept_tutor.learning.records import Finding, Question, Support

_GRADES = ("right", "partly", "wrong")


def graded(rows: list[dict[str, str]], encoder: Encoder | None) -> list[Finding]:
    """The finding on each of the answers."""
    free = FreeAnswers(encoder)
    return [
        grade_short(_question(row), row["answer"])
        if row["form"] == "blank"
        else free.grade(_question(row), row["answer"])
        for row in rows
    ]


def _question(row: dict[str, str]) -> Question:
    support = Support("", 0, len(row["span"]), row["span"])
    form: Literal["blank", "open"] = "blank" if row["form"] == "blank" else "open"
    return Question("", "", "", form, "term", row["question"], row["key"], (), (), "", support, ())


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.grading", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--show", action="store_true", help="print the answers that got another grade")
    parser.add_argument("--without-encoder", action="store_true", help="compare words alone")
    wanted = parser.parse_args()
    rows = [json.loads(line) for line in wanted.file.read_text("utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as folder:
        model = MiniLMEmbedding.find(Path(folder, "encoder")) if not wanted.without_encoder else None
        findings = graded(rows, Encoder(model) if model is not None else None)
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
    if wanted.show:
        for row, found in zip(rows, findings, strict=True):
            if row["grade"] != found.verdict:
                print(f"\n{row['grade']} graded {found.verdict}: {found.because}\n  Q: {row['question']}")
                print(f"  key: {row['key']}\n  answer: {row['answer']}")


if __name__ == "__main__":
    main()
