"""Recall of the memory on 578 dated notes: ``python -m bench.recall``. No target is asserted.

``titles``: a note's title as the query, and whether the note comes first; once as the notes are, once without the line
of the title and under a name that says nothing. ``versions``: how much of a note stands in another note, and in later
versions of itself. ``dates``: whether preferring the later of two logs finds the later version, and what it costs those
who look for one that has no other. Later versions are made here, by changing words at random: that they are to be found
is our wish, so the first figure says what the preference can do, the second what it spoils.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from ragstone.core import Host, Settings
from ragstone.core.retrieval import HybridRetriever
from ragstone.plugins.iris_memory import fields, memory_of
from ragstone.plugins.iris_memory.recall.search import MemoryQuery, recall
from ragstone.plugins.iris_memory.retrievers import date_bonus
from ragstone.plugins.iris_memory.settings import IrisMemorySettings

_NOTES = Path(__file__).parents[2] / "shared" / "data" / "memory" / "notes"
_LISTED = re.compile(r"^\* \[(.*)\]\(https://[^)]*/blob/main/(.*?)\) - (\d{4}-\d\d-\d\d)$", re.MULTILINE)
_DAY = 86_400.0
_WEIGHTS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
_HALF_LIVES = (7.0, 30.0, 90.0)
#: Days over which the notes of ``dates`` are spread, in the order of their own dates.
_SPAN = 90
_CHANGED = (0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True)
class Note:
    title: str
    path: str
    text: str


def notes(limit: int | None) -> list[Note]:
    """The notes in the order of their dates; every so many-th of them where fewer are wanted."""
    listed = sorted(_LISTED.findall((_NOTES / "README.md").read_text("utf-8")), key=lambda row: row[2])
    found = [
        Note(title, path, (_NOTES / path).read_text("utf-8")) for title, path, _ in listed if (_NOTES / path).is_file()
    ]
    return found if limit is None else found[:: max(1, len(found) // limit)][:limit]


def opened(files: dict[str, tuple[str, float]], folder: Path, doc_type: str) -> AbstractContextManager[Host]:
    """A host whose memory holds the files: text and age in days by name."""
    root = folder / "root"
    now = time.time()
    for name, (text, age) in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
        os.utime(place, (now - age * _DAY,) * 2)
    rule = {"pattern": "**/*.md", "type": doc_type, "strategy": "markdown"}
    options = {"iris_memory": {"root": str(root), "map": [rule]}}
    host = Host(Settings(data_dir=folder / "data", cache_dir=folder.parent / "cache", plugins=options))
    host.start()
    memory_of(host).update()
    return host


def titles(found: Sequence[Note], folder: Path) -> dict[str, Any]:
    """Recall of the note by its title."""
    as_they_are = {note.path: (note.text, 0.0) for note in found}
    bare = {_bare_name(note): (_without_title(note.text), 0.0) for note in found}
    result: dict[str, Any] = {}
    for name, files in (("as they are", as_they_are), ("without title and name", bare)):
        place = folder / name.replace(" ", "-")
        with opened(files, place, "note") as host:
            asked = [(note.title, path) for note, path in zip(found, files, strict=True)]
            result[name] = _recalled(partial(_paths, host), asked)
    return result


def _runs(text: str) -> set[tuple[str, ...]]:
    words = text.casefold().split()
    return {tuple(words[at : at + 3]) for at in range(max(1, len(words) - 2))} if words else set()


def _repeated(older: str, newer: str) -> float:
    """The share of the older text's runs of three words that the newer one has, 0 to 1."""
    runs = _runs(older)
    return len(runs & _runs(newer)) / len(runs) if runs else 0.0


def versions(found: Sequence[Note]) -> dict[str, Any]:
    """Shares of repeated runs of words: between different notes, and in later versions."""
    rng = random.Random(7)
    words = [word for note in found for word in note.text.split()]
    others = sorted((_repeated(one.text, other.text) for one, other in itertools.permutations(found, 2)), reverse=True)
    result: dict[str, Any] = {"greatest between different notes": [round(share, 2) for share in others[:5]]}
    for rate in _CHANGED:
        shares = sorted(_repeated(note.text, changed(note.text, rate, words, rng)) for note in found)
        result[f"{rate:.0%} of the words changed"] = {
            f"at least {least}": round(sum(share >= least for share in shares) / len(shares), 3)
            for least in (0.6, 0.7, 0.8)
        }
    return result


def dates(found: Sequence[Note], folder: Path) -> dict[str, Any]:
    """Whether the later version comes first, and whether what has none still does, by weight and half-life."""
    rng = random.Random(7)
    words = [word for note in found for word in note.text.split()]
    files: dict[str, tuple[str, float]] = {}
    with_later, alone = found[::2], found[1::2]
    ages = {note.path: _SPAN * (1 - place / len(found)) for place, note in enumerate(found)}
    for note in alone:  # hard to find, so that what is preferred can get in their way
        files[_bare_name(note)] = _without_title(note.text), ages[note.path]
    for note in with_later:
        files[note.path] = note.text, ages[note.path]
        later = rng.uniform(0, ages[note.path])
        files[f"later/{note.path}"] = changed(note.text, 0.1, words, rng), later
    result: dict[str, Any] = {}
    with opened(files, folder / "dates", "log") as host:
        search = HybridRetriever(memory_of(host).corpus, top_k=30).search
        now = time.time()
        candidates = {
            note.title: [(each.node.metadata, each.score or 0.0) for each in search(note.title).nodes] for note in found
        }
        for weight, half_life in itertools.product(_WEIGHTS, _HALF_LIVES):
            options = IrisMemorySettings(date_weight=weight, half_life_days=half_life)

            def first(title: str, options: IrisMemorySettings = options) -> list[str]:
                scored = [
                    (score + date_bonus(known, options, now), str(known[fields.PATH]))
                    for known, score in candidates[title]
                ]
                return [path for _, path in sorted(scored, key=lambda each: -each[0])]

            result[f"weight {weight}, half-life {half_life:g} days"] = {
                "later first": _recalled(first, [(note.title, f"later/{note.path}") for note in with_later])["R@1"],
                "only one first": _recalled(first, [(note.title, _bare_name(note)) for note in alone])["R@1"],
            }
    return result


def changed(text: str, rate: float, words: Sequence[str], rng: random.Random) -> str:
    """The text with so many of its words gone, replaced, or followed by another."""
    made: list[str] = []
    for line in text.split("\n"):
        kept: list[str] = []
        for word in line.split(" "):
            fate = rng.random() / rate
            if fate >= 1 / 3:
                kept.append(rng.choice(words) if fate < 2 / 3 else word)
            if 2 / 3 <= fate < 1:
                kept.append(rng.choice(words))
        made.append(" ".join(kept))
    return "\n".join(made)


def _bare_name(note: Note) -> str:
    return f"{sha256(note.path.encode()).hexdigest()[:8]}.md"


def _without_title(text: str) -> str:
    lines = text.lstrip().split("\n")
    return "\n".join(lines[1:] if lines[0].startswith("#") else lines)


def _paths(host: Host, query: str) -> list[str]:
    found = recall(memory_of(host), MemoryQuery(query))
    return [chunk.path for chunk in found.chunks]


def _recalled(ask: Callable[[str], list[str]], asked: Sequence[tuple[str, str]]) -> dict[str, float]:
    first = five = 0
    spent: list[float] = []
    for title, path in asked:
        started = time.thread_time()
        found = ask(title)
        spent.append((time.thread_time() - started) * 1000)
        first += found[:1] == [path]
        five += path in found[:5]
    spent.sort()
    return {
        "R@1": round(first / len(asked), 4),
        "R@5": round(five / len(asked), 4),
        "ms of processor, median": round(spent[len(spent) // 2], 1),
    }


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.recall", description=__doc__)
    parser.add_argument("--only", choices=("titles", "versions", "dates"))
    parser.add_argument("--limit", type=int, metavar="NOTES")
    wanted = parser.parse_args()
    found = notes(wanted.limit)
    with tempfile.TemporaryDirectory(prefix="ragstone-recalling-") as made:
        parts: dict[str, Callable[[], dict[str, Any]]] = {
            "titles": lambda: titles(found, Path(made)),
            "versions": lambda: versions(found),
            "dates": lambda: dates(found, Path(made)),
        }
        result = {name: part() for name, part in parts.items() if wanted.only in {None, name}}
    print(json.dumps({"notes": len(found), **result}, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
