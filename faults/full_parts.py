"""Full disks for what is written besides the catalog: vector index, encoder's model, evaluations."""

from __future__ import annotations

import json
import shutil
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from ragstone.core import EncoderError, Host, StorageFull
from ragstone.core.embedding import MiniLMEmbedding
from ragstone.core.evaluation.corpora import open_corpus
from tests.support.needs import missing, needed

from .actors import Actor, soon
from .disks import Disk, small_disk
from .models import CORPUS, embedded, note, notes, opened
from .run import Run
from .stores import until_current
from .truth import Truth, questions_of, same_answers

_MEGABYTE = 2**20


def full_index(run: Run) -> None:
    """Chroma's disk is full to several degrees: exact search answers, and the index follows when there is space."""
    needed("chromadb")
    folder = run.folder
    with opened(folder) as host:
        notes(host).ingest(note(number) for number in range(60))
    truth = Truth.of(folder / "data", CORPUS)
    questions = questions_of(truth, run.random, 4)
    with small_disk(folder / "data" / "index", 32) as disk, Actor(_follows, folder, disk, truth, questions) as actor:
        enough = actor.hear()
        step = enough // 24
        for left in range(0, enough + step, step) if run.full else (run.random.randrange(enough),):
            result, asked = actor.ask(left)
            run.count(result)
            run.count("questions", asked)
            run.report(f"{left >> 10} of {enough >> 10} KB left: {result}")


def _follows(line: Connection, folder: Path, disk: Disk, truth: Truth, questions: list[str]) -> None:
    from ragstone.core.vector_index import follower, followers

    followers._INTERVAL = follower._FIRST_DELAY = 0.05  # the waiting is not what is tried here
    followers._MAX_PAUSE = follower._MAX_DELAY = 0.2
    free = disk.free
    with opened(folder, store="chroma") as host:
        host.serve()
        until_current(host)
        line.send(free - disk.free)
    while True:
        left = line.recv()
        for path in disk.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        with opened(folder, store="chroma") as host:
            with disk.left(left):
                host.serve()
                soon(lambda: _trouble(host) or _is_current(host), "the index neither follows nor says why")
                result = "full" if _trouble(host) else "enough"
                asked = same_answers(notes(host), truth, questions)
            until_current(host)
            asked += same_answers(notes(host), truth, questions)
            soon(lambda: not _trouble(host), "an index does not follow although there is space")
        line.send((result, asked))


def _trouble(host: Host) -> bool:
    return any(not check.ok for check in host.checks() if check.name.startswith("vector index"))


def _is_current(host: Host) -> bool:
    follower = notes(host).search_cache.follower
    return follower is not None and follower.current is not None


def full_encoder_cache(run: Run) -> None:
    """No space for the encoder's model or a part of it: it is made for this run only, and kept when there is."""
    with (
        small_disk(run.folder / "cache", 1024) as disk,  # removed files of models in use keep their space
        small_disk(run.folder / "passing", 256) as passing,
        Actor(_makes, disk, passing) as actor,
    ):
        try:
            enough, (record, tokenizer, model) = actor.hear()
        except EncoderError as error:
            missing(f"the encoder ({error.what})")
        points = [0, model // 2, model + tokenizer // 2, model + tokenizer, model + tokenizer + record + 4 * 4096]
        for left in points if run.full else []:
            run.count(actor.ask((left, None)))
            run.report(f"{left // _MEGABYTE} of {enough // _MEGABYTE} MB left in the cache")
        # No room for either: the tests' short run tries this, which needs the most of them.
        run.count(actor.ask((0, points[1])))
        assert run.figures.get("refused") == 1, run.figures


def _makes(line: Connection, disk: Disk, passing: Disk) -> None:
    tempfile.tempdir = str(passing.folder)
    free = disk.free
    first = MiniLMEmbedding.find(disk.folder / "encoder")
    vector = first.get_query_embedding("What is a caster?")
    sizes = sorted(path.stat().st_size for path in (disk.folder / "encoder").rglob("*") if path.is_file())
    line.send((free - disk.free, sizes[-3:]))
    while True:
        left, left_passing = line.recv()
        shutil.rmtree(disk.folder / "encoder")
        with disk.left(left):
            if left_passing is None:
                result = _works(disk, vector)
            else:
                with passing.left(left_passing):
                    result = _refuses(disk)
        again = MiniLMEmbedding.find(disk.folder / "encoder")
        assert again.files.model.is_relative_to(disk.folder), "it is not kept although there is room again"
        assert np.allclose(again.get_query_embedding("What is a caster?"), vector)
        assert not list((disk.folder / "encoder").rglob("tmp*")), "something was left in the cache"
        line.send(result)


def _works(disk: Disk, vector: list[float]) -> str:
    found = MiniLMEmbedding.find(disk.folder / "encoder")
    assert np.allclose(found.get_query_embedding("What is a caster?"), vector)
    if found.files.model.is_relative_to(disk.folder):
        return "kept"
    shutil.rmtree(found.files.model.parent)
    return "made in passing"


def _refuses(disk: Disk) -> str:
    try:
        MiniLMEmbedding.find(disk.folder / "encoder")
    except EncoderError as error:
        assert "make space and try again" in str(error)
        return "refused"
    raise AssertionError("a model out of nowhere")


def full_eval_cache(run: Run) -> None:
    """No space for the corpus of an evaluation or a part of it: reported, and complete when there is."""
    questions = run.folder / "set"
    questions.mkdir()
    rows = [{"_id": f"d{number}", "title": f"T{number}", "text": note(number).text} for number in range(30)]
    (questions / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    folder = run.folder / "host"
    with small_disk(folder / "cache" / "eval", 16) as disk:
        free = disk.free
        with opened(folder) as host, open_corpus(host, questions) as corpus:
            assert len(corpus.contents.documents()) == 30
        enough = free - disk.free
        for left in range(0, enough, enough // 20) if run.full else (0, enough // 2):
            for path in disk.folder.iterdir():
                shutil.rmtree(path)
            with opened(folder) as host:
                with disk.left(left):
                    run.count(_evaluates(host, questions))
                with open_corpus(host, questions) as corpus:
                    (where,) = disk.folder.iterdir()
                    truth = Truth.of(where, corpus.name)
                    assert truth.texts == {row["_id"]: row["text"] for row in rows}
                    for row in rows[::7]:
                        best = corpus.encoder.embed_query(row["text"])
                        assert truth.nearest(best)[0][0] == row["_id"]
                        assert np.allclose(best, embedded(row["text"]), atol=1e-6)
            run.report(f"{left >> 10} of {enough >> 10} KB left")


def _evaluates(host: Host, questions: Path) -> str:
    try:
        with open_corpus(host, questions):
            return "enough"
    except StorageFull as error:
        assert "make space and try again" in str(error)
        return "full"
