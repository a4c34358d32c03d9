"""``python -m bench.vector_stores``: pgvector beside exact search, Chroma's server and LlamaIndex's PGVectorStore.

Vectors of real sentences, of which larger corpora have jittered copies, and real questions; everything is in one run.
Recall counts what exact search in float32 finds. PGVectorStore needs an environment with
llama-index-vector-stores-postgres: ``--peer PYTHON``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from ragstone.core.catalog import Catalog, NewChunk, NewDocument
from ragstone.core.retrieval.search_cache import RevisionSearch, SearchCache
from tests.support.patience import until
from tests.support.postgresql import server
from tests.support.services import free_port

from . import machine
from .children import measure, run_function
from .vector_questions import TOP_K, Ask, Vectors, asked, enlarged, loaded_into, metadata_of, positions_of, prepared

_OF_A_DOCUMENT, _BATCH = 100, 2000
_SERVER = ("listen_addresses=", "shared_buffers=1GB", "maintenance_work_mem=2GB", "max_connections=60")


def _filled(url: str, folder: Path, vectors: Vectors) -> tuple[int, float]:
    """A catalog with the chunks, without an index: its corpus's id, and seconds."""
    catalog = Catalog(url, folder)
    row = catalog.create_corpus("bench", {})
    began = time.perf_counter()
    for first in range(0, len(vectors), _OF_A_DOCUMENT):
        parts = [
            NewChunk(str(at), "", f"chunk {at}", metadata_of(at), {"id_": str(at)}, vectors[at : at + 1])
            for at in range(first, min(len(vectors), first + _OF_A_DOCUMENT))
        ]
        catalog.documents.put(row.id, NewDocument(f"d{first}", "h", "", {}, parts))
    spent = time.perf_counter() - began
    catalog.close()
    return row.id, spent


class _Searcher:
    """Asks Ragstone's own search; positions are chunk keys less the first one, because they were stored in order."""

    def __init__(self, catalog: Catalog, how: str = "") -> None:
        """``how``: ``memory`` or ``scan`` where the catalog has an HNSW index that is not to be used."""
        self._catalog = catalog
        self._how = how
        self._cache = SearchCache(lambda: 384)
        with catalog.read() as snapshot:
            row = snapshot.corpus("bench")
            assert row is not None
            self._first = snapshot.chunks.keys_of(row.id, ["0"])["0"]

    def __call__(self, question: Vectors, name: str | None, limit: int = TOP_K) -> list[int]:
        filters = None if name is None else MetadataFilters(filters=[MetadataFilter(key=name, value="0")])
        with self._catalog.read() as snapshot:
            row = snapshot.corpus("bench")
            assert row is not None
            search = RevisionSearch(self._cache, snapshot, row, filters)
            if self._how == "memory":
                loaded = self._cache.exact.load(snapshot, row)
                found = self._cache.exact.search(loaded, question, limit, search._rows(loaded))
            else:
                table = snapshot.vectors._table(row.id)
                if self._how == "scan" and table is not None:
                    snapshot.vectors._found = row.id, replace(table, has_hnsw=False)
                found = search.nearest(question, limit)
        return [key - self._first for key, _ in found]


def measured(folder: Path, url: str, pid: int, vectors: Vectors, questions: Vectors) -> dict[str, Any]:
    """Exact search in memory, a scan of pgvector's column, HNSW, and Chroma's server."""
    import chromadb

    from ragstone.core.vector_index.chroma_store import ChromaStore
    from ragstone.core.vector_index.follower import batch_rows

    corpus_id, stored = _filled(url, folder, vectors)
    catalog = Catalog(url, folder, pgvector=True)
    filling = catalog.vector_filling
    assert filling is not None
    began = time.perf_counter()
    filling.fill(corpus_id, vectors.shape[1])
    filled = time.perf_counter() - began
    began = time.perf_counter()
    filling.build(corpus_id)
    built = time.perf_counter() - began
    port = free_port()
    program = Path(sys.executable).with_name("chroma")
    command = [str(program), "run", "--path", str(folder / "chroma"), "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(partial(_answers, port), "an answer of the Chroma server")
        store = ChromaStore(chromadb.HttpClient("127.0.0.1", port), "bench")
        added = loaded_into(store, vectors, batch_rows)
        stores: dict[str, Ask] = {
            "exact, in memory": _Searcher(catalog, "memory"),
            "pgvector, scanned": _Searcher(catalog, "scan"),
            "pgvector, HNSW": _Searcher(catalog),
            "Chroma's server": partial(positions_of, store),
        }
        found: dict[str, Any] = asked(stores, vectors, questions, [pid, process.pid])
        found["Chroma's server, MB"] = round(psutil.Process(process.pid).memory_full_info().uss / 1e6)
    finally:
        process.terminate()
        process.wait(60)
        catalog.close()
    seconds = {"catalog": stored, "pgvector's column": filled, "HNSW": built, "Chroma": added}
    return {**found, "load, s": {name: round(spent, 1) for name, spent in seconds.items()}}


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/api/v2/heartbeat").is_success
    except httpx.TransportError:
        return False


def llama_index(work: str, socket: str, database: str, pid: int) -> dict[str, Any]:
    """LlamaIndex's PGVectorStore with halves and HNSW; runs in the peer's environment."""
    from llama_index.vector_stores.postgres import PGVectorStore

    vectors, questions = np.load(Path(work, "vectors.npy")), np.load(Path(work, "questions.npy"))
    url = f"postgresql+{{}}://ragstone@/{database}?host={socket}"
    store = PGVectorStore.from_params(
        connection_string=url.format("psycopg2"),
        async_connection_string=url.format("asyncpg"),
        embed_dim=384,
        use_halfvec=True,
        use_jsonb=True,
        # As its documentation has them.
        hnsw_kwargs={
            "hnsw_m": 16,
            "hnsw_ef_construction": 64,
            "hnsw_ef_search": 40,
            "hnsw_dist_method": "halfvec_cosine_ops",
        },
    )
    loaded = loaded_into(store, vectors, lambda _: _BATCH)
    (found,) = asked({"store": partial(positions_of, store)}, vectors, questions, [pid]).values()
    return {"load_s": loaded, **found}


def worker(url: str, folder: str, questions: str, pgvector: bool) -> dict[str, Any]:
    """Memory of its own (USS, MB) of a process that asks, before the first question and after the last one."""
    catalog = Catalog(url, Path(folder), pgvector=pgvector)
    own = psutil.Process()
    before = own.memory_full_info().uss
    searcher = _Searcher(catalog)
    for question in np.load(questions):
        searcher(question, None, 100)
    after = own.memory_full_info().uss
    catalog.close()
    return {"before_mb": round(before / 1e6), "after_mb": round(after / 1e6)}


def memory(url: str, folder: Path, questions: Path, *, pgvector: bool) -> dict[str, Any]:
    """The same of one, two and four processes at once."""
    found = {}
    arguments = {"url": url, "folder": str(folder), "questions": str(questions), "pgvector": pgvector}
    for count in (1, 2, 4):
        with ThreadPoolExecutor(count) as pool:
            every = list(pool.map(lambda _: measure("vector_stores.worker", **arguments), range(count)))
        found[f"{count} workers"] = [f"{each['before_mb']} -> {each['after_mb']}" for each in every]
    return found


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.vector_stores", description=__doc__)
    parser.add_argument("--chunks", type=int, nargs="+", default=[20_000, 200_000])
    parser.add_argument("--peer", help="Python of an environment with llama-index-vector-stores-postgres")
    parser.add_argument("--work", type=Path, help="keep the vectors of the sentences here")
    given = parser.parse_args()
    figures: dict[str, Any] = {"machine": machine.describe()}
    with ExitStack() as closing:
        work = given.work or Path(closing.enter_context(tempfile.TemporaryDirectory()))
        work.mkdir(parents=True, exist_ok=True)
        sentences, questions = prepared(work)
        for count in given.chunks:
            figures[f"{count:,}"] = _measured(work, enlarged(sentences, count), questions, given.peer)
    print(json.dumps(figures, indent=2))


def _measured(work: Path, vectors: Vectors, questions: Vectors, peer: str | None) -> dict[str, Any]:
    with (
        server(pgvector=True, options=_SERVER) as running,
        running.database() as name,
        running.database() as other,
        tempfile.TemporaryDirectory() as made,
    ):
        assert running._process is not None
        url, folder, asks, pid = running.url(name), Path(made), work / "questions.npy", running._process.pid
        found = measured(folder, url, pid, vectors, questions)
        _report(found)
        if peer is not None:
            with running.connect(other) as admin:
                admin.execute("CREATE EXTENSION vector")
            np.save(work / "vectors.npy", vectors)
            arguments = {"work": str(work), "socket": str(running.folder), "database": other, "pid": pid}
            done = run_function("vector_stores.llama_index", python=peer, **arguments)
            found["LlamaIndex's PGVectorStore"] = done.result
            _report(found)
        found["memory, pgvector"] = memory(url, folder, asks, pgvector=True)
        with running.connect(name) as past:
            past.execute("SET search_path = ragstone")
            tables = "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relname ~ '^pgvector_[0-9]+$'"
            for table, size in past.execute(tables).fetchall():
                found["pgvector, MB on the disk"] = round(int(str(size)) / 1e6)
                past.execute(f"DROP TABLE {table}".encode())
        found["memory, exact"] = memory(url, folder, asks, pgvector=False)
        _report(found)
    return found


def _report(found: dict[str, Any]) -> None:
    print(json.dumps(found), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
