"""A disk with space for a given number of pages: every write of an ingestion meets its end once."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from multiprocessing.connection import Connection
from pathlib import Path

from llama_index.core.schema import Document

from ragstone.core import Host, StorageFull

from .actors import Actor
from .disks import Disk, small_disk
from .ingestion_kills import assert_nothing_half
from .models import CORPUS, note, notes, opened
from .run import Run
from .truth import Truth, same_answers

_PAGE = 4096
_NOTES = 12


def full_catalog(run: Run) -> None:
    """Ingestions into a catalog with space for 0, 1, 2 … more pages."""
    whole = run.folder / "whole"
    with opened(whole) as host:
        notes(host).ingest(note(number) for number in range(_NOTES))
    with small_disk(run.folder / "disk", 32) as disk, Actor(_fills, whole, disk) as actor:
        enough = actor.ask(None)
        pages = range(enough // _PAGE + 2)
        for page in pages if run.full else [0, *sorted(run.random.sample(pages, 4))]:
            result, asked = actor.ask(page * _PAGE)
            run.count(result)
            run.count("questions", asked)
            run.report(f"{page} of {len(pages)} pages left: {result}")
    if run.full:
        for result in ("full at opening", "full at a write", "enough"):
            assert run.figures.get(result), f"never {result}: {run.figures}"


def _fills(line: Connection, whole: Path, disk: Disk) -> None:
    """For each number of bytes that it hears: that many are left, and it is ingested until they are gone."""
    before = Truth.of(whole / "data", CORPUS)
    folder = disk.folder / "host"
    while True:
        left = line.recv()
        # As it was closed, without the files that looking into it has left: opening takes room too.
        shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("*-wal", "*-shm"))
        if left is None:
            line.send(_needed(folder, disk))
        else:
            line.send(_filled(folder, disk, left, before))
        shutil.rmtree(folder)


def _changes() -> list[Document]:
    """Half of the documents changed, and some more."""
    return [note(number, 1 if number < _NOTES else 0) for number in range(0, _NOTES + 4, 2)]


def _needed(folder: Path, disk: Disk) -> int:
    """How many bytes opening and the whole ingestion take."""
    free = disk.free
    with opened(folder) as host:
        notes(host).ingest(_changes())
        return free - disk.free


def _filled(folder: Path, disk: Disk, left: int, before: Truth) -> tuple[str, int]:
    stored: list[str] = []
    asked = 0
    host = None
    with disk.left(left):
        try:
            host = opened(folder)
            same_answers(notes(host), before, ["version0 line1"])
        except StorageFull as error:
            result = "full at opening"
            assert "make space and try again" in str(error)
        else:
            result, asked = _ingested(host, stored, before)
    # Space is back, and nobody does anything but go on.
    with host or opened(folder) as host:
        notes(host).ingest(_changes())
        truth = Truth.of(folder / "data", CORPUS)
        assert truth.texts == {**before.texts, **_texts(_changes())}
        assert_nothing_half(truth)
        return result, asked + same_answers(notes(host), truth, ["note2 line1", "note3 version0", "version1"])


def _ingested(host: Host, stored: list[str], before: Truth) -> tuple[str, int]:
    """The outcome, after checking that it is reported, that nothing is half stored, and that questions are answered."""
    corpus, result = notes(host), "enough"
    try:
        corpus.ingest(_changes(), on_progress=lambda now: stored.extend(filter(None, [now.doc_id])))
    except StorageFull as error:
        result = "full at a write"
        assert "no space is left on the disk (make space and try again)" in str(error)
    truth = Truth.of(host.settings.data_dir, CORPUS)
    wanted = _texts(_changes())
    assert truth.texts == {**before.texts, **{doc_id: wanted[doc_id] for doc_id in stored}}, "not what was acknowledged"
    assert_nothing_half(truth)
    return result, same_answers(corpus, truth, ["note2 line1", "note3 version0", "version1 line2"])


def _texts(documents: Iterable[Document]) -> dict[str, str]:
    return {document.doc_id: document.text for document in documents}
