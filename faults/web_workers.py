"""Two web workers and an ingestion at once, on PostgreSQL and a Chroma server: no wrong answer, no lost document.

Each version of a book is put on the shelf by a process of its own, while readers ask both workers.
"""

from __future__ import annotations

import itertools
import json
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable

import httpx

from tests.support.composed import WITH_CHROMA
from tests.support.patience import HANG, until
from tests.support.services import Stack, stacked

from .run import Run
from .valves import READINGS, Readers, facts, write_book

_ADDING = ("book", "add", "/books/valves", "--title", "Valves", "--json")


def first_version(stack: Stack, valves: int) -> str:
    """Put the first version on the shelf and make a key for the readers, which is returned."""
    write_book(stack.folder / "books/valves", 1, valves)
    stack.here(*_ADDING)
    return str(json.loads(stack.here("key", "add", "readers", "--json"))["key"])


def ingest(
    stack: Stack, readers: Readers, version: int, valves: int, meanwhile: Callable[[subprocess.Popen[str]], None]
) -> None:
    """Put a version on the shelf in a process of its own, and again if that is killed by ``meanwhile``."""
    write_book(stack.folder / "books/valves", version, valves)
    readers.begin(version)
    with stack.begin("ragstone", *_ADDING) as adding:
        meanwhile(adding)
        _out, output = adding.communicate(timeout=HANG)
    if adding.returncode == -signal.SIGKILL:
        done = stack.run("ragstone", *_ADDING)
        assert done.returncode == 0, done.stderr
    else:
        assert adding.returncode == 0, output
    readers.done(version)


def everything_is_there(stack: Stack, readers: Readers, version: int, valves: int) -> None:
    """All workers give the same right answer to every question, and database and index hold every document."""
    wanted = facts(version, valves)
    until_the_index_follows(stack)
    for name in wanted:
        answers = [readers.ask(worker, name) for worker in stack.workers]
        assert None not in answers, readers.wrong
        for answer in answers:
            assert answer is not None
            assert (name, str(wanted[name])) in READINGS.findall(answer["answer"])
            answer.pop("timings_ms")
        assert all(answer == answers[0] for answer in answers), f"the workers do not say the same of {name}"
    with stack.database.connect("ragstone") as past:
        rows = past.execute(
            "SELECT d.text, count(c.id), bool_and(length(c.vectors) > 0) FROM ragstone.document d "
            "JOIN ragstone.corpus k ON k.id = d.corpus_id AND k.name = 'books' AND k.state = 'active' "
            "LEFT JOIN ragstone.chunk c ON c.document_id = d.id GROUP BY d.id"
        ).fetchall()
    assert all(chunks and vectors for _text, chunks, vectors in rows), "a document is half there"
    result = Counter((valve, int(bar)) for text, *_ in rows for valve, bar in READINGS.findall(str(text)))
    assert result == Counter(wanted.items())
    wanted_chunks = sum(int(str(chunks)) for _text, chunks, _vectors in rows)
    assert (_in_chroma(stack) if stack.has_chroma else _in_pgvector(stack)) == wanted_chunks


def until_the_index_follows(stack: Stack) -> None:
    """Wait until the Chroma server is at the corpus's last change, or pgvector's table is complete."""
    if not stack.has_chroma:
        until(lambda: _in_pgvector(stack) is not None, "a complete table of vectors")
        return
    state = stack.data / "index/books/state.json"

    def follows() -> bool:
        with stack.database.connect("ragstone") as past:
            row = past.execute(
                "SELECT id, seq FROM ragstone.corpus WHERE name = 'books' AND state = 'active'"
            ).fetchone()
        try:
            output = json.loads(state.read_text("utf-8"))
        except FileNotFoundError:
            return False
        return row == (output["corpus_id"], output["applied"]) and not output["clean"]

    until(follows, "the index at the corpus's last change")


def _in_pgvector(stack: Stack) -> int | None:
    """Chunks in the corpus's complete table of vectors; ``None`` while there is none."""
    with stack.database.connect("ragstone") as past:
        corpus = "SELECT id FROM ragstone.corpus WHERE name = 'books' AND state = 'active'"
        row = past.execute(corpus.encode()).fetchone()
        assert row is not None
        table = f"ragstone.pgvector_{row[0]}"
        if past.execute("SELECT to_regclass(%s)", (table,)).fetchone() == (None,):
            return None
        joined = f"FROM {table} v LEFT JOIN ragstone.chunk c ON c.id = v.chunk_id"
        found = past.execute(f"SELECT count(DISTINCT v.chunk_id), count(*) - count(c.id) {joined}".encode()).fetchone()
    assert found is not None
    assert found[1] == 0, "vectors of chunks that are gone"
    return int(str(found[0]))


def _in_chroma(stack: Stack) -> int:
    """Vectors of the deployment's collection, counted past the product."""
    own = (stack.data / "index/deployment").read_text("ascii").strip()
    where = (
        f"http://127.0.0.1:{stack.ports['chroma']}/api/v2/tenants/default_tenant/databases/default_database/collections"
    )
    found = httpx.get(f"{where}/ragstone-{own}-books", timeout=HANG).raise_for_status().json()
    return int(httpx.get(f"{where}/{found['id']}/count", timeout=HANG).raise_for_status().json())


def working_together(run: Run) -> None:
    """Version after version while readers ask, and each time something is killed."""
    valves, versions = 24, run.times(2, 15)
    cache = run.folder / "cache"
    cache.mkdir()
    with stacked(run.folder / "machine", cache, variables=WITH_CHROMA) as stack:
        key = first_version(stack, valves)
        stack.start()
        readers = Readers({worker: stack.address(worker) for worker in stack.workers}, key, valves, run.random)
        faults = _faults(stack)
        for version, (what, fault) in zip(range(2, versions + 1), itertools.cycle(faults.items())):
            run.report(f"version {version} of {versions}: {what}")

            def meanwhile(adding: subprocess.Popen[str], fault: Callable[..., None] = fault) -> None:
                time.sleep(run.random.uniform(1, 5))  # somewhere between its start and its end
                fault(adding)

            threads = readers.asking()
            readers.expect_faults(True)
            ingest(stack, readers, version, valves, meanwhile)
            readers.stop(threads)
            readers.expect_faults(False)
            everything_is_there(stack, readers, version, valves)
            assert not readers.wrong, "\n".join(readers.wrong[:10])
            run.count(what)
        run.figures.update(readers.counted)


def _faults(stack: Stack) -> dict[str, Callable[[subprocess.Popen[str]], None]]:
    def killed(name: str) -> Callable[[subprocess.Popen[str]], None]:
        def kill(_adding: subprocess.Popen[str]) -> None:
            stack.processes[name].stop(signal.SIGKILL)
            stack.processes[name].start()

        return kill

    def chroma_forgets(_adding: subprocess.Popen[str]) -> None:
        stack.processes["chroma"].stop(signal.SIGKILL)
        shutil.rmtree(stack.folder / "var/lib/chroma")
        stack.processes["chroma"].start()

    def crash(_adding: subprocess.Popen[str]) -> None:
        _adding.kill()  # an ingestion without its database ends with an error, as it should
        stack.database.stop(signal.SIGQUIT)
        stack.database.start()

    return {
        "nothing": lambda _adding: None,
        "a worker killed": killed("web-1"),
        "the other worker killed": killed("web-2"),
        "Chroma killed": killed("chroma"),
        "the ingestion killed": lambda adding: adding.kill(),
        "Chroma lost everything": chroma_forgets,
        "PostgreSQL crashed": crash,
    }
