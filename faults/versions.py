"""A change of encoder or parser: the corpus is rebuilt beside the old one, which answers, through kills."""

from __future__ import annotations

import time
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path

from ragstone.core import Corpus
from ragstone.core.ingestion import IngestProgress

from .actors import Actor
from .ingestion_kills import assert_nothing_half
from .models import CORPUS, CheapModels, Lines, note, notes, opened
from .run import Run
from .truth import Truth, questions_of, same_answers, same_words

_NOTES = 40
#: Model, dimension, version of the parser; each differs from the one before it in something.
_VERSIONS = (("cheap", 384, 1), ("other", 384, 1), ("other", 256, 1), ("other", 256, 2), ("cheap", 384, 1))


def other_versions(run: Run) -> None:
    """Change the encoder, its dimension or the parser; kill the rebuild again and again; ask the old one meanwhile."""
    with opened(run.folder) as host:
        notes(host).ingest(note(number) for number in range(_NOTES))
    changes = list(pairwise(_VERSIONS))
    for old, new in changes * 3 if run.full else changes[:1]:
        _change(run, old, new)


def _change(run: Run, old: tuple[str, int, int], new: tuple[str, int, int]) -> None:
    before = Truth.of(run.folder / "data", CORPUS, old[1])
    questions = questions_of(before, run.random, 4)
    with opened(run.folder, _plugin(old)) as host:
        assert notes(host).info().stale is None
    with opened(run.folder, _plugin(new)) as host:
        _assert_says_so(notes(host), old, new)
    kept: dict[str, int] = {}
    for _ in range(run.times(2, 6)):
        with Actor(_rebuilds, run.folder, new) as actor:
            assert actor.hear() == "ready"
            result = [actor.hear() for _ in range(min(_NOTES, len(kept) + run.random.randrange(1, 8)))]
            time.sleep(run.random.random() / 50)
            actor.kill()
            result += actor.last_words()
        run.count("kills")
        begun = Truth.of(run.folder / "data", CORPUS, new[1], state="building")
        if not begun.keys and len({*result} - {"rebuilt"}) == _NOTES:
            break  # killed when the new one had taken the old one's place
        truth = Truth.of(run.folder / "data", CORPUS, old[1])
        assert (truth.keys, truth.texts, truth.hashes) == (before.keys, before.texts, before.hashes), (
            "the old one changed"
        )
        assert_nothing_half(truth, Lines(version=old[2]), *old[:2])
        assert set(result) <= begun.keys.keys(), "what was rebuilt is gone"
        assert kept.items() <= begun.keys.items(), "what was rebuilt is made again"
        assert_nothing_half(begun, Lines(version=new[2]), *new[:2])
        kept = begun.keys
        with opened(run.folder, _plugin(old)) as host:
            run.count("questions", same_answers(notes(host), truth, questions, model=old[0]))
        with opened(run.folder, _plugin(new)) as host:
            _assert_says_so(notes(host), old, new)
            assert notes(host).info().building
            same_words(notes(host), truth, questions)
    _rebuilt(run.folder, new)
    truth = Truth.of(run.folder / "data", CORPUS, new[1])
    assert (truth.texts, truth.hashes) == (before.texts, before.hashes)
    assert_nothing_half(truth, Lines(version=new[2]), *new[:2])
    with opened(run.folder, _plugin(new)) as host:
        info = notes(host).info()
        assert (info.stale, info.building) == (None, False)
        run.count("questions", same_answers(notes(host), truth, questions, model=new[0]))
    run.count("rebuilds")
    run.report(f"{old} to {new}")


def _plugin(version: tuple[str, int, int]) -> CheapModels:
    model, dimension, parser = version
    return CheapModels(model=model, dimension=dimension, parser=parser)


def _assert_says_so(corpus: Corpus, old: tuple[str, int, int], new: tuple[str, int, int]) -> None:
    """It names what differs, and has what it had."""
    stale = corpus.info().stale or ""
    assert ("encoder" in stale) == (old[:2] != new[:2]), stale
    assert (f"lines/{old[2]}" in stale) == (old[2] != new[2]), stale
    assert len(corpus.contents.documents()) == _NOTES


def _rebuilds(line: Connection, folder: Path, version: tuple[str, int, int]) -> None:
    def report(now: IngestProgress) -> None:
        if now.doc_id:
            line.send(now.doc_id)

    with opened(folder, _plugin(version)) as host:
        line.send("ready")
        notes(host).rebuild(on_progress=report)
    line.send("rebuilt")
    line.recv()


def _rebuilt(folder: Path, version: tuple[str, int, int]) -> None:
    with opened(folder, _plugin(version)) as host:
        notes(host).rebuild()
