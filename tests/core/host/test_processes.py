"""Several processes on one data folder, and what is left of it when one of them is killed."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import Document

from ragstone.core import Corpus, Host
from ragstone.core.catalog import CorpusRow
from ragstone.core.ingestion import IngestReport, OnProgress
from ragstone.core.ingestion import rebuild as rebuilding
from ragstone.core.testing import open_host
from ragstone.core.vector_index import followers
from ragstone.plugins.book_chat import Shelf
from tests.support.needs import needed
from tests.support.patience import until, until_followed
from tests.support.third_party_fakes import RAGSTONE, add_book, environment, fast_models, run, write_pages
from tests.support.words import by_words

pytestmark = pytest.mark.slow

QUESTION = "What is a caster wheel?"
ANSWER = "A caster is a wheel that swivels about a vertical axis."
SMALLER = {"RAGSTONE_PLUGINS__BOOK_CHAT__CHUNK_TOKENS": "60", "RAGSTONE_PLUGINS__BOOK_CHAT__MIN_CHUNK_TOKENS": "20"}
CHROMA: dict[str, Any] = {"index": {"store": "chroma"}}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The plugin of fast models, for processes."""
    return fast_models(tmp_path / "site")


def long_book(folder: Path, chapters: int = 60, parts: int = 8) -> Path:
    """A book of many files, each of some chunks."""
    part = "\n## Part {0}-{1}\n\nTyre number{0}x{1} grips the floor. " + "It is black and round. " * 12 + "\n"
    return write_pages(
        folder,
        {
            f"{number:03}.md": f"# Chapter {number}\n\n" + "".join(part.format(number, each) for each in range(parts))
            for number in range(chapters)
        },
    )


def answer(host: Host, question: str = QUESTION) -> str:
    return host.assistant("book_chat").ask(question).text


def index_detail(host: Host) -> str:
    return next(check.detail for check in host.checks() if check.name == "vector index")


def contents(host: Host) -> dict[str, int]:
    """Document → how many chunks of it can be found by their words and have vectors."""
    corpus = Shelf(host).corpus
    found: dict[str, int] = {}
    with host.catalog.read() as snapshot:
        row = corpus.contents.row(snapshot)
        indexed = {
            key for key, _score in by_words(snapshot, row.id, ["tyre", "black", "round", "caster", "gripper"], 100_000)
        }
        for document in snapshot.documents(row.id):
            held = snapshot.vectors.of_document(document.key, host.hooks.encoder.dimension)
            assert (held.windows >= 1).all()
            assert {int(key) for key in held.chunk_keys} <= indexed
            found[document.doc_id] = len(held.chunk_keys)
    return found


def is_sound(tmp_path: Path, database: str | None = None) -> bool:
    if database is not None:
        return True  # what a server's files are like is the server's own affair
    connection = sqlite3.connect(tmp_path / "data" / "catalog.sqlite")
    try:
        return bool(connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok")
    finally:
        connection.close()


@contextmanager
def child(code: str, *arguments: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A Python process that runs the code; killed when the test is done with it."""
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=environment(None, **variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


# Two processes at work


@pytest.mark.parametrize("follows", [False, True], ids=["plain", "follows with chroma"])
def test_what_another_process_has_just_written_is_seen_at_once(
    follows: bool, site: Path, tmp_path: Path, small_book: Path, database: str | None
) -> None:
    if follows:
        needed("chromadb")
    eyes = write_pages(tmp_path / "eyes", {"01.md": "# Eyes\n\nA stereo camera sees depth by parallax.\n"})
    with open_host(tmp_path, database=database, **CHROMA) as host:
        add_book(host, small_book)
        if follows:
            host.serve()
            until_followed(Shelf(host).corpus)
        assert "parallax" not in answer(host, "How does a stereo camera see depth?")

        assert run("book", "add", str(eyes), "--title", "Robot eyes", site=site).code == 0
        assert answer(host, "How does a stereo camera see depth?") == "A stereo camera sees depth by parallax. [1]"

        write_pages(eyes, {"01.md": "# Eyes\n\nA stereo camera sees depth by comparing two pictures.\n"})
        assert run("book", "add", str(eyes), "--title", "Robot eyes", site=site).code == 0
        assert "two pictures" in answer(host, "How does a stereo camera see depth?")
        assert "parallax" not in answer(host, "How does a stereo camera see depth?")

        assert run("book", "remove", "robot-eyes", "-y", site=site).code == 0
        assert host.assistant("book_chat").ask("How does a stereo camera see depth?").refused
        assert answer(host).startswith(ANSWER)
        if follows:
            until_followed(Shelf(host).corpus)
            assert answer(host).startswith(ANSWER)


def test_it_answers_while_another_process_ingests(
    site: Path, tmp_path: Path, small_book: Path, database: str | None
) -> None:
    book = long_book(tmp_path / "long")
    with open_host(tmp_path, database=database) as host:
        add_book(host, small_book)
        command = [str(RAGSTONE), "book", "add", str(book), "--title", "Tyres"]
        with subprocess.Popen(command, env=environment(site), stdout=subprocess.DEVNULL) as process:
            sizes = []
            while process.poll() is None:
                assert answer(host).startswith(ANSWER)
                sizes.append(len(Shelf(host).corpus.contents.documents()))
        assert process.returncode == 0
        assert sizes == sorted(sizes)
        assert len(Shelf(host).corpus.contents.documents()) == 62


def test_two_processes_put_different_books_on_the_shelf_at_once(
    site: Path, tmp_path: Path, database: str | None
) -> None:
    books = [long_book(tmp_path / name, chapters=12) for name in ("one", "two")]
    processes = [
        subprocess.Popen([str(RAGSTONE), "book", "add", str(book), "--title", book.name], env=environment(site))
        for book in books
    ]
    assert [process.wait(60) for process in processes] == [0, 0]
    with open_host(tmp_path, database=database) as host:
        assert [(book.slug, book.files) for book in Shelf(host).counted()] == [("one", 12), ("two", 12)]
        assert len(contents(host)) == 24
    assert is_sound(tmp_path, database)


# One process has Chroma

_SECOND = """
import json, sys, time
from pathlib import Path
from ragstone.core.testing import open_host

def detail(host):
    return next(check.detail for check in host.checks() if check.name == "vector index")

with open_host(Path(sys.argv[1]), index={"store": "chroma"}) as host:
    host.serve()
    while detail(host) == "starting":
        time.sleep(0.02)
    time.sleep(1.2)  # one more look at the lock
    answer = host.assistant("book_chat").ask("What is a caster wheel?").text
    print(json.dumps([detail(host), "chromadb" in sys.modules, answer]), flush=True)
    sys.stdin.readline()
    while "another process" in detail(host):
        time.sleep(0.02)
    print(json.dumps([detail(host), host.assistant("book_chat").ask("What is a caster wheel?").text]), flush=True)
"""


def test_the_second_process_never_opens_chroma_until_the_first_is_gone(tmp_path: Path, small_book: Path) -> None:
    needed("chromadb")
    with open_host(tmp_path, **CHROMA) as host:
        add_book(host, small_book)
        host.serve()
        until_followed(Shelf(host).corpus)
        assert index_detail(host) == "Chroma follows the catalog"
        with child(_SECOND, str(tmp_path)) as second:
            detail, opened, answered = json.loads(line_of(second))
            assert detail == "another process has it; exact search answers here"
            assert opened is False
            assert answered.startswith(ANSWER)

            host.close()
            assert second.stdin is not None
            second.stdin.write("\n")
            second.stdin.flush()
            detail, answered = json.loads(line_of(second))
            assert detail == "Chroma follows the catalog"
            assert answered.startswith(ANSWER)


_FOLLOWING = """
import sys, time
from pathlib import Path
from ragstone.core.testing import open_host

with open_host(Path(sys.argv[1]), index={"store": "chroma"}) as host:
    host.serve()
    corpus = host.find_corpus("books")
    while corpus.search_cache.follower is None or corpus.search_cache.follower.current is None:
        time.sleep(0.02)
    print("follows", flush=True)
    time.sleep(60)
"""


def test_a_host_that_was_killed_while_following_comes_up_and_makes_the_index_anew(
    tmp_path: Path, small_book: Path, caplog: pytest.LogCaptureFixture
) -> None:
    needed("chromadb")
    with open_host(tmp_path) as host:
        add_book(host, small_book)
    with child(_FOLLOWING, str(tmp_path)) as first:
        assert line_of(first) == "follows"
        first.kill()
        first.wait()
    with open_host(tmp_path, **CHROMA) as host:
        host.serve()
        assert answer(host).startswith(ANSWER)  # exact search, while the index is made
        until_followed(Shelf(host).corpus)
        assert "the process that had it open did not close it" in caplog.text
        assert answer(host).startswith(ANSWER)
        assert not [check for check in host.checks() if "index" in check.name and not check.ok]
    caplog.clear()
    with open_host(tmp_path, **CHROMA) as host:  # closed in order, it is taken up as it is
        host.serve()
        until_followed(Shelf(host).corpus)
        assert (
            f"the vector index of {Shelf(host).corpus.name} is rebuilt" not in caplog.text
        )  # of the samples it may be


# Killed

_INGESTING = """
import os
import sys
from pathlib import Path
from ragstone.core.testing import open_host
from ragstone.core.vector_index import followers
from ragstone.plugins.book_chat import Shelf

def report(now):
    if now.doc_id:
        print(now.doc_id, flush=True)

with open_host(Path(sys.argv[1]), database=os.environ.get("RAGSTONE_DATABASE")) as host:
    shelf = Shelf(host)
    print("ready", flush=True)
    shelf.add(shelf.plan(Path(sys.argv[2])), title="Tyres", on_progress=report)
print("done", flush=True)
"""


def test_killed_while_ingesting_what_was_reported_is_there_and_nothing_is_half(
    tmp_path: Path, small_book: Path, database: str | None
) -> None:
    book = long_book(tmp_path / "long", chapters=150)
    with open_host(tmp_path, database=database) as host:
        add_book(host, book, "Tyres")
        whole = contents(host)
        Shelf(host).remove("tyres")
        add_book(host, small_book)
        parts = contents(host)
        assert len(whole) == 150
        assert len(parts) == 2

    moments = random.Random(7)
    for _ in range(3):
        with child(_INGESTING, str(tmp_path), str(book)) as process:
            assert line_of(process) == "ready"
            reported = [line_of(process) for _ in range(moments.randrange(1, 50))]
            time.sleep(moments.random() / 20)
            process.kill()
            assert process.stdout is not None
            *rest, _last = process.stdout.read().split("\n")
            assert "done" not in rest
            reported += [each for each in rest if each in whole]  # the last may be cut off
        with open_host(tmp_path, database=database) as host:
            there = contents(host)
            assert {doc_id: there[doc_id] for doc_id in parts} == parts
            assert set(reported) <= there.keys()
            assert {doc_id: whole[doc_id] for doc_id in there.keys() - parts.keys()}.items() <= there.items()
            assert answer(host).startswith(ANSWER)
        assert is_sound(tmp_path, database)

    with open_host(tmp_path, database=database) as host:
        shelf = Shelf(host)
        before = contents(host).keys() - parts.keys()
        report = shelf.add(shelf.plan(book), title="Tyres")
        assert {f"tyres:{name}" for name in report.unchanged} == before
        assert contents(host) == whole | parts
        assert "Tyre number7x3 grips the floor" in answer(host, "What grips the floor, tyre number7x3?")


# Rebuilding


def test_a_rebuild_in_another_process_takes_the_olds_place_while_the_old_one_answers(
    site: Path, tmp_path: Path, small_book: Path, database: str | None
) -> None:
    book = long_book(tmp_path / "long", chapters=40)
    with open_host(tmp_path, database=database) as host:
        add_book(host, small_book)
        add_book(host, book, "Tyres")
        before = contents(host)
        with subprocess.Popen(
            [str(RAGSTONE), "corpus", "rebuild", "books"],
            env=environment(site, **SMALLER),
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            asked = 0
            was_building = False
            while process.poll() is None:
                assert answer(host).startswith(ANSWER)
                was_building = was_building or Shelf(host).corpus.info().building
                asked += 1
            assert process.stdout is not None
            assert process.stdout.read().startswith("books is rebuilt: 42 documents, ")
        assert process.returncode == 0
        assert was_building
        assert asked > 1
        after = contents(host)
        assert after.keys() == before.keys()
        assert sum(after.values()) > sum(before.values())
        assert answer(host).startswith(ANSWER)
        with host.catalog.read() as snapshot:
            assert [row.state for row in snapshot.corpora()] == ["active"]


_REBUILDING = """
import sys
from pathlib import Path
from ragstone.core.testing import open_host

def report(now):
    if now.doc_id:
        print(now.doc_id, flush=True)

with open_host(Path(sys.argv[1]), options={"book_chat": {"chunk_tokens": 60, "min_chunk_tokens": 20}}) as host:
    print("ready", flush=True)
    host.find_corpus("books").rebuild(on_progress=report)
"""


def test_a_rebuild_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    book = long_book(tmp_path / "long", chapters=60)
    with open_host(tmp_path) as host:
        add_book(host, book, "Tyres")
        before = contents(host)
    with child(_REBUILDING, str(tmp_path)) as process:
        assert line_of(process) == "ready"
        for _ in range(12):
            line_of(process)
        process.kill()
        process.wait()
    with open_host(tmp_path) as host:
        assert contents(host) == before  # the old one is untouched
        assert host.corpora()[0].building
    options = {"book_chat": {"chunk_tokens": 60, "min_chunk_tokens": 20}}
    with open_host(tmp_path, options=options) as host:
        report = host.find_corpus("books").rebuild()
        assert len(report.unchanged) >= 12
        assert len(report.unchanged) + len(report.added) == 60
        (info,) = host.corpora()
        assert (info.stale, info.building, info.documents) == (None, False, 60)


def test_a_long_lived_host_with_other_settings_rebuilds_swaps_and_answers_meanwhile(
    tmp_path: Path, small_book: Path
) -> None:
    needed("chromadb")
    with open_host(tmp_path, **CHROMA) as host:
        add_book(host, small_book)
        add_book(host, long_book(tmp_path / "long", chapters=40), "Tyres")
        host.serve()
        until_followed(Shelf(host).corpus)
    options = {"book_chat": {"chunk_tokens": 60, "min_chunk_tokens": 20}}
    with open_host(tmp_path, options=options, **CHROMA) as host:
        assert host.corpora()[0].stale is not None
        host.serve()

        def is_rebuilt() -> bool:
            assert answer(host).startswith(ANSWER)
            return host.corpora()[0].stale is None

        until(is_rebuilt)
        until_followed(Shelf(host).corpus)
        assert answer(host).startswith(ANSWER)
        assert index_detail(host) == "Chroma follows the catalog"


def test_a_rebuild_within_a_following_host_is_followed(tmp_path: Path, small_book: Path) -> None:
    needed("chromadb")
    with open_host(tmp_path, **CHROMA) as host:
        add_book(host, small_book)
        host.serve()
        until_followed(Shelf(host).corpus)
        Shelf(host).corpus.rebuild()
        until_followed(Shelf(host).corpus)
        assert not [check for check in host.checks() if "index" in check.name and not check.ok]


def test_a_host_that_closes_while_it_rebuilds_does_not_wait_for_the_end_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A slow machine may need more than the usual seconds for one part of a document.
    monkeypatch.setattr(followers, "_STOP_SECONDS", 120)
    with open_host(tmp_path) as host:
        add_book(host, long_book(tmp_path / "long"), "Tyres")
    # No sample plan: its chunks would be embedded while the host starts to serve, and wait as the book's do.
    options = {"book_chat": {"chunk_tokens": 60, "min_chunk_tokens": 20}, "concept_tutor": {"sample": False}}
    begun, closing = threading.Event(), threading.Event()
    with open_host(tmp_path, options=options) as host:
        encoder = Shelf(host).corpus.encoder
        embed = encoder.embed_chunks

        def slowly(chunks: Sequence[tuple[str, str]]) -> Any:
            begun.set()
            assert closing.wait(60)
            return embed(chunks)

        encoder.embed_chunks = slowly  # type: ignore[method-assign]
        host.serve()
        assert begun.wait(60)
        closer = threading.Thread(target=host.close)
        closer.start()
        following = host._followers
        assert following is not None
        until(following._stop.is_set)
        closing.set()
        closer.join(180)
        assert not closer.is_alive()
    with open_host(tmp_path, options=options) as host, host.catalog.read() as snapshot:
        building = snapshot.corpus("books", state="building")
        assert building is not None
        assert 0 < snapshot.sizes(building.id)[0] < 60  # what is made stays, and the next host goes on with it


def test_two_rebuilds_at_once_lose_nothing(
    tmp_path: Path, small_book: Path, monkeypatch: pytest.MonkeyPatch, database: str | None
) -> None:
    """A server that rebuilds by itself, and somebody who types ``ragstone corpus rebuild`` meanwhile."""
    with open_host(tmp_path, database=database) as host:
        add_book(host, small_book)
    options = {"book_chat": {"chunk_tokens": 60, "min_chunk_tokens": 20}}
    with (
        open_host(tmp_path, database=database, options=options) as first,
        open_host(tmp_path, database=database, options=options) as second,
    ):
        one, other = Shelf(first).corpus, Shelf(second).corpus
        bring = rebuilding.bring_up_to_date
        overtaken = threading.Event()

        def slowly(
            corpus: Corpus, building: CorpusRow, on_progress: OnProgress | None
        ) -> tuple[IngestReport, CorpusRow]:
            done = bring(corpus, building, on_progress)
            if corpus is one and not overtaken.is_set():
                overtaken.set()
                other.rebuild()
            return done

        monkeypatch.setattr(rebuilding, "bring_up_to_date", slowly)
        one.rebuild()
        assert overtaken.is_set()
        assert answer(second).startswith(ANSWER)
        assert answer(first).startswith(ANSWER)
        with first.catalog.read() as snapshot:
            (row,) = snapshot.corpora()
            assert snapshot.sizes(row.id)[0] == 2


def test_what_is_added_while_a_rebuild_is_under_way_is_brought_over(
    tmp_path: Path, small_book: Path, monkeypatch: pytest.MonkeyPatch, database: str | None
) -> None:
    with open_host(tmp_path, database=database) as host:
        add_book(host, small_book)
    options = {"book_chat": {"chunk_tokens": 60, "min_chunk_tokens": 20}}
    with (
        open_host(tmp_path, database=database) as writer,
        open_host(tmp_path, database=database, options=options) as rebuilder,
    ):
        bring = rebuilding.bring_up_to_date
        rounds: list[CorpusRow] = []

        def meanwhile(
            corpus: Corpus, building: CorpusRow, on_progress: OnProgress | None
        ) -> tuple[IngestReport, CorpusRow]:
            done = bring(corpus, building, on_progress)
            rounds.append(done[1])
            if len(rounds) == 1:
                Shelf(writer).corpus.ingest([eyes])
                Shelf(writer).corpus.remove(["robot-parts:02-arms.md"])
            return done

        metadata = {"book": "eyes", "book_title": "Eyes", "edition": "First Edition", "path": "a.md", "position": 0}
        eyes = Document(
            id_="eyes:a.md",
            text="# Eyes\n\nA stereo camera sees depth by parallax.\n",
            metadata={**metadata, "title": "Eyes", "chapter": None, "within": []},
        )
        monkeypatch.setattr(rebuilding, "bring_up_to_date", meanwhile)
        Shelf(rebuilder).corpus.rebuild()
        assert len(rounds) == 2
        names = {document.doc_id for document in Shelf(rebuilder).corpus.contents.documents()}
        assert names == {"eyes:a.md", "robot-parts:01-wheels.md"}
        assert "parallax" in answer(writer, "How does a stereo camera see depth?")
