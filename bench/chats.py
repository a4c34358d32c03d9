"""Chats in the memory, cut as logs and by turn: ``python -m bench.chats``. No target is asserted.

``bench/chats`` holds two chats of some weeks, written for this, with questions and the turns that answer them. How many
turns before each one are embedded with it was chosen on the exhibition's, not on the operations'.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import ir_measures
from ir_measures import R, Success, nDCG

from ragstone.core import Host, Settings
from ragstone.plugins.iris_memory import memory_of
from ragstone.plugins.iris_memory.recall.search import MemoryQuery, recall

_CHATS = Path(__file__).with_name("chats")
_CHUNKS = (1, 2, 5, 10)


def long_mem_eval(questions: Sequence[tuple[Sequence[str], set[str]]]) -> dict[str, float]:
    """LongMemEval's metrics (Wu et al., ICLR 2025, section 5.1): whether any of the evidence is among the first chunks,
    or all of it, and NDCG; of each question, what was found, best first, and the evidence."""
    judged = {str(at): dict.fromkeys(evidence, 1) for at, (_, evidence) in enumerate(questions)}
    found = {
        str(at): {text: -float(place) for place, text in enumerate(ranked)} for at, (ranked, _) in enumerate(questions)
    }
    result: dict[str, float] = {}
    for name, measure in (("recall any", Success), ("recall all", R), ("ndcg", nDCG)):
        for count in (5, 10):
            values = [each.value for each in ir_measures.iter_calc([measure @ count], judged, found)]
            result[f"{name}@{count}"] = round(fmean(value == 1 if measure is R else value for value in values), 3)
    return result


def measure(strategy: str, folder: Path) -> dict[str, Any]:
    """By chat: of so many chunks the share of questions whose turn is in them, and their words; how many questions
    get a plain answer, and how many one with the turn in it."""
    root = folder / "root"
    shutil.copytree(_CHATS, root / "chats", dirs_exist_ok=True)
    rule = {"pattern": "chats/*.txt", "type": "log", "strategy": strategy}
    options = {"iris_memory": {"root": str(root), "map": [rule], "date_weight": 0}}
    settings = Settings(data_dir=folder / strategy, cache_dir=folder / "cache", plugins=options)
    found: dict[str, Any] = {}
    with Host(settings) as host:
        host.start()
        memory_of(host).update()
        for file in sorted(_CHATS.glob("*.jsonl")):
            asked = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
            found[file.stem] = {f"{count} passages": _recalled(host, asked, count) for count in _CHUNKS}
            if strategy == "chat":  # the paper's unit is the turn; a day holds several
                found[file.stem]["LongMemEval"] = long_mem_eval([_ranked(host, each) for each in asked])
            answers = [(host.assistant("memory").ask(each["question"]), each["turns"]) for each in asked]
            plain = [(answer, turns) for answer, turns in answers if not (answer.refused or answer.closest)]
            right = sum(any(turn in answer.text for turn in turns) for answer, turns in plain)
            found[file.stem] |= {"questions": len(asked), "answered": len(plain), "with the turn": right}
    return found


def _recalled(host: Host, asked: Sequence[dict[str, Any]], count: int) -> dict[str, float]:
    memory = memory_of(host)
    queries = [MemoryQuery(each["question"], n_results=count, min_relevance=-1) for each in asked]
    texts = [[chunk.text for chunk in recall(memory, query).chunks] for query in queries]
    hits = [
        any(turn in text for text in found for turn in each["turns"]) for each, found in zip(asked, texts, strict=True)
    ]
    return {"recall": round(fmean(hits), 3), "words": round(fmean(len(" ".join(found).split()) for found in texts))}


def _ranked(host: Host, asked: dict[str, Any]) -> tuple[list[str], set[str]]:
    """The chunks that were found, each by the turn of the evidence that it holds first, and the evidence."""
    query = MemoryQuery(asked["question"], n_results=_CHUNKS[-1], min_relevance=-1)
    found = [chunk.text for chunk in recall(memory_of(host), query).chunks]
    left = list(asked["turns"])
    ranked = []
    for text in found:
        turn = next((turn for turn in left if turn in text), text)
        left = [each for each in left if each != turn]
        ranked.append(turn)
    return ranked, set(asked["turns"])


def main() -> None:
    """Measure and print JSON."""
    argparse.ArgumentParser(prog="python -m bench.chats", description=__doc__).parse_args()
    with tempfile.TemporaryDirectory(prefix="ragstone-chats-") as made:
        print(json.dumps({strategy: measure(strategy, Path(made)) for strategy in ("log", "chat")}, indent=2))


if __name__ == "__main__":
    main()
