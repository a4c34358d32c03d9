"""Error rates of the citation check: ``python -m bench.citations [--show KIND]``.

Sentences are made by rules from real chunks (``claims``): true ones that it should let stand, false ones that it
should not. A share of true ones that it drops is a false drop, a share of false ones that it lets stand a leak. The
answers that people wrote to CLAP NQ's questions show what it does to free wording, for which it is not made.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from ragstone.core.citations import CitableChunks, find_fault, split_answer

from .chunks import Chunk, pages, paragraphs
from .claims import claims

_DATA = Path(os.environ.get("RAGSTONE_DATA") or Path(__file__).parents[2] / "shared" / "data")
_SEED = 20


def sets(data: Path = _DATA) -> dict[str, list[Chunk]]:
    """Chunks of real texts, by the name of their set."""
    return {
        "squad13": paragraphs(data / "wikipedia" / "squad13" / "corpus.jsonl"),
        "multirobot": pages(data / "books" / "multirobot" / "src"),
        "physical_ai": pages(data / "books" / "physical_ai"),
        "biology": pages(data / "books" / "biology" / "contents")[::4],
    }


def rates(chunks: list[Chunk], show: str | None = None, every: int = 1) -> dict[str, dict[str, float]]:
    """For each kind of sentence how many there were, and the share that passed."""
    counted: dict[str, list[bool]] = defaultdict(list)
    rng = random.Random(_SEED)
    for number, (kind, sentence, chunk) in enumerate(claims(chunks, rng)):
        if number % every:
            continue
        fault = find_fault(sentence, chunk.text)
        counted[kind].append(fault is None)
        if show == kind and (fault is None) != kind.startswith("true"):
            print(f"--- {fault}\n    {sentence}\n    IN: {chunk.text[:1500]}")
    return {
        kind: {"sentences": len(stood), "stood": round(sum(stood) / len(stood), 4)}
        for kind, stood in sorted(counted.items())
    }


def human(data: Path = _DATA, show: str | None = None) -> dict[str, float]:
    """The share of sentences of human answers that are supported by the chunk that they were given."""
    stood: list[bool] = []
    for line in (data / "wikipedia" / "clapnq" / "answerable.jsonl").read_text("utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        answers = [output["answer"] for output in row["output"] if output.get("answer")]
        chunks = CitableChunks(
            [_written(chunk["text"]) for chunk in row["passages"]], [p["title"] for p in row["passages"]]
        )
        for sentence in split_answer(_written(answers[0])) if answers else ():
            fault = chunks.check(sentence, tuple(range(1, len(row["passages"]) + 1))).fault
            stood.append(fault is None)
            if show == "human" and fault is not None:
                print(f"--- {fault}\n    {sentence}\n    IN: {row['passages'][0]['text'][:1500]}")
    return {"sentences": len(stood), "stood": round(sum(stood) / len(stood), 4)}


def _written(text: str) -> str:
    """Text that was cut into tokens, as people write it."""
    text = re.sub(r"``\s*|\s*''", '"', text)
    return re.sub(r"\s+([,.;:!?)%]|'s|n't)", r"\1", re.sub(r"([(])\s+", r"\1", text))


def measured(work: str, every: int = 1) -> dict[str, Any]:
    """Every set's rates, and people's answers."""
    return {**{name: rates(found, every=every) for name, found in sets().items()}, "human": human()}


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(prog="python -m bench.citations", description=__doc__)
    parser.add_argument("--show", metavar="KIND", help="print the sentences of this kind that were judged wrongly")
    parser.add_argument("--only", metavar="SET")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every Nth sentence")
    wanted = parser.parse_args()
    for name, chunks in sets().items():
        if wanted.only and wanted.only != name:
            continue
        print(f"\n{name}: {len(chunks)} passages")
        for kind, found in rates(chunks, wanted.show, wanted.every).items():
            share = 1 - found["stood"] if kind.startswith("true") else found["stood"]
            erred = "dropped" if kind.startswith("true") else "leaked "
            print(f"  {kind:36} {found['sentences']:6}  {erred} {share:7.2%}")
    if not wanted.only or wanted.only == "human":
        found = human(show=wanted.show)
        print(f"\npeople's own answers (clapnq): {found['sentences']} sentences, dropped {1 - found['stood']:.2%}")


if __name__ == "__main__":
    main()
