"""kill -9 at random moments of an ingestion: what was acknowledged is there, and nothing is half there."""

from __future__ import annotations

import time
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from llama_index.core.schema import Document

from ragstone.core import Host

from .actors import Actor
from .models import CORPUS, Lines, embedded, note, notes, opened
from .run import Run
from .truth import Truth, questions_of, same_answers

_NOTES = 40
#: After so many kills another folder is begun, so that making a database is killed too.
_KILLS_A_LIFE = 8
_DONE = ("done", "")


def killed_while_ingesting(run: Run) -> None:
    """Kill, look, and let the next process go on with what is left; at the end of each life, bring it up to date."""
    kills = run.times(6, 200)
    spent = 0.5
    for number in range(kills):
        life, age = divmod(number, _KILLS_A_LIFE)
        folder = run.folder / f"life-{life}"
        before = _texts(folder)
        version = age // 2  # every other process goes on with what the one before it left undone
        with Actor(_ingest, folder, version) as actor:
            assert actor.hear() == "alive"
            started = time.perf_counter()
            output: list[tuple[str, str]] = []
            for _ in range(run.random.randrange(_NOTES) if age else 0):
                if output[-1:] != [_DONE]:
                    output.append(actor.hear())
            heard = time.perf_counter() - started
            time.sleep(run.random.random() * spent / (4 if age else 1))
            actor.kill()
            output += actor.last_words()
        if output[-1:] == [_DONE]:
            run.count("killed when done")
            spent = (3 * spent + max(heard, 0.05)) / 4
        _check(folder, version, before, output)
        run.count("kills")
        run.count("documents acknowledged", len(output))
        run.report(f"{number + 1} of {kills} kills")
        if age == _KILLS_A_LIFE - 1 or number == kills - 1:
            _finish(run, folder, version + 1)


def _wanted(version: int) -> dict[str, Document]:
    """The documents of that version: of two in a row a third differ, and every seventh is left out."""
    found = [note(number, (number + version) // 3) for number in range(_NOTES) if (number + version) % 7]
    return {document.doc_id: document for document in found}


def _bring(host: Host, version: int, line: Connection | None = None) -> None:
    """Bring the corpus to that version, and acknowledge as a command does: when the method has come back."""
    wanted, corpus = _wanted(version), notes(host)

    def acknowledge(what: str, doc_id: str) -> None:
        if line is not None and doc_id:
            line.send((what, doc_id))

    corpus.ingest(wanted.values(), on_progress=lambda now: acknowledge("stored", now.doc_id))
    for document in corpus.contents.documents():
        if document.doc_id not in wanted:
            corpus.remove([document.doc_id])
            acknowledge("removed", document.doc_id)


def _ingest(line: Connection, folder: Path, version: int) -> None:
    line.send("alive")
    host = opened(folder)
    _bring(host, version, line)
    line.send(_DONE)
    host.close()
    line.recv()  # until it is killed


def _texts(folder: Path) -> dict[str, str]:
    """What is in the catalog; nothing before there is one."""
    if not (folder / "data" / "catalog.sqlite").exists():
        return {}
    opened(folder).close()  # whatever the last process left: opening it needs no hand
    return Truth.of(folder / "data", CORPUS).texts


def _check(folder: Path, version: int, before: dict[str, str], output: list[tuple[str, str]]) -> None:
    if not (folder / "data").exists():
        assert not output
        return
    opened(folder).close()
    truth = Truth.of(folder / "data", CORPUS)
    wanted = {doc_id: document.text for doc_id, document in _wanted(version).items()}
    for what, doc_id in output:
        if what == "stored":
            assert truth.texts.get(doc_id) == wanted[doc_id], f"{doc_id} was acknowledged, and is not there"
        elif what == "removed":
            assert doc_id not in truth.texts, f"{doc_id} was acknowledged as removed, and is there"
    touched = {doc_id for _what, doc_id in output}
    for doc_id in (before.keys() | wanted.keys() | truth.texts.keys()) - touched:
        now = truth.texts.get(doc_id)
        assert now in (before.get(doc_id), wanted.get(doc_id)), f"{doc_id} is neither as it was nor as it was to be"
    assert_nothing_half(truth)


def assert_nothing_half(truth: Truth, parser: Lines | None = None, model: str = "cheap", dimension: int = 384) -> None:
    """Every document has exactly the chunks and vectors that its text gives."""
    parser = parser or Lines()
    for doc_id, text in truth.texts.items():
        chunks = truth.chunks[doc_id]
        assert [chunk.text for chunk in chunks] == parser.parts(text), f"{doc_id} has chunks of another text"
        for chunk in chunks:
            due = embedded(chunk.text, model, dimension)
            assert np.allclose(chunk.vectors, due, atol=1e-6), f"{chunk.chunk_id} has another text's vector"


def _finish(run: Run, folder: Path, version: int) -> None:
    with opened(folder) as host:
        _bring(host, version)
        truth = Truth.of(folder / "data", CORPUS)
        assert truth.texts == {doc_id: document.text for doc_id, document in _wanted(version).items()}
        assert_nothing_half(truth)
        run.count("questions", same_answers(notes(host), truth, questions_of(truth, run.random, 10)))
