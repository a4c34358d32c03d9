"""Vectors in the catalog's PostgreSQL: what a question finds there, how a corpus gets them, and who refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from llama_index.core.schema import Document, TextNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from ragstone.core import Host, SettingsError, StorageDenied, StorageError, read_settings
from ragstone.core.catalog import Catalog, NewChunk, NewDocument, vector_filling, vector_table
from ragstone.core.retrieval.search_cache import RevisionSearch, SearchCache
from ragstone.core.testing import open_host
from ragstone.core.vector_index.followers import catalog_index_check
from tests.support.patience import until
from tests.support.postgresql import Server
from tests.support.third_party_fakes import Here

_DIMENSION = 8
_BOOKS = 7
#: The only books are those of a test.
NO_SAMPLE = {"book_chat": {"sample": False}}


def _unit(seed: int, count: int = 1) -> npt.NDArray[np.float32]:
    rows = np.random.default_rng(seed).standard_normal((count, _DIMENSION)).astype(np.float32)
    unit: npt.NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def _document(number: int, chunks: int = 40, version: int = 0) -> NewDocument:
    """Every third chunk has two windows."""
    made = []
    for index in range(chunks):
        node = TextNode(id_=f"{number}-{index}", text=f"text {version}")
        kept = {name: value for name, value in node.to_dict().items() if name not in {"text", "metadata", "embedding"}}
        vectors = _unit(1000 * number + index + 100_000 * version, 1 + (index % 3 == 0))
        metadata = {"book": f"b{index % _BOOKS}"}
        made.append(NewChunk(node.node_id, "", node.text, metadata, kept, vectors))
    return NewDocument(f"d{number}", f"h{version}", "text", {}, made)


@pytest.fixture
def url(pgvector: Server) -> Iterator[str]:
    with pgvector.database() as name:
        yield pgvector.url(name)


@pytest.fixture
def catalog(url: str, tmp_path: Path) -> Iterator[Catalog]:
    catalog = Catalog(url, tmp_path, pgvector=True)
    yield catalog
    catalog.close()


def _filters(*books: str) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key="book", value=list(books), operator=FilterOperator.IN)])


def _same_as_exact(catalog: Catalog, filters: MetadataFilters | None = None, limit: int = 20) -> int:
    """Compare a few questions with a search in memory; returns the chunks that one of them found."""
    for seed in range(5):
        (question,) = _unit(seed + 77)
        with catalog.read() as snapshot:
            row = snapshot.corpus("c")
            assert row is not None
            cache = SearchCache(lambda: _DIMENSION)
            search = RevisionSearch(cache, snapshot, row, filters)
            found = search.nearest(question, limit)
            assert "exact" not in cache.__dict__ or cache.exact._loaded is None, "it was searched in memory"
            loaded = cache.exact.load(snapshot, row)
            wanted = cache.exact.search(loaded, question, limit, search._rows(loaded))
        # Halves: two chunks whose cosines differ by less than their rounding may change places.
        assert [cosine for _, cosine in found] == pytest.approx([cosine for _, cosine in wanted], abs=1e-3)
        known = dict(cache.exact.search(loaded, question, 1000))
        assert [known[key] for key, _ in found] == pytest.approx([cosine for _, cosine in wanted], abs=1e-3)
        assert len({key for key, _ in found}) == len(found)
        with catalog.read() as snapshot:
            cosines = RevisionSearch(SearchCache(lambda: _DIMENSION), snapshot, row).cosines(question, [*dict(found)])
            assert cosines == pytest.approx(dict(found))
    return len(found)


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """HNSW where a test's few rows would be scanned."""
    monkeypatch.setattr(vector_filling, "HNSW_FROM", 100)
    monkeypatch.setattr(vector_filling, "_BATCH", 100)
    monkeypatch.setattr(vector_table, "_FEW", 50)


def test_what_is_found_is_what_exact_search_finds(catalog: Catalog, small_limits: None) -> None:
    corpus = catalog.create_corpus("c", {})
    for number in range(10):
        catalog.documents.put(corpus.id, _document(number))
    catalog.documents.put(corpus.id, _document(3, 20, version=1))
    assert catalog.documents.remove(corpus.id, ["d5"]) == 1
    filling = catalog.vector_filling
    assert filling is not None
    for has_hnsw in (False, True):
        assert filling.state(corpus.id).has_hnsw is has_hnsw
        assert _same_as_exact(catalog) == 20
        for filters in (_filters("b1"), _filters("b1", "b2", "b3")):  # 48 chunks pass the first
            assert _same_as_exact(catalog, filters) == 20
        assert _same_as_exact(catalog, _filters("b1"), limit=100) == len(
            [1 for number in range(9) for index in range(20 if number == 3 else 40) if index % _BOOKS == 1]
        )
        assert _same_as_exact(catalog, _filters("b1", "b2", "b3"), limit=400) > 100, "fewer than asked for: all of them"
        assert _same_as_exact(catalog, _filters("none")) == 0
        assert filling.build(corpus.id) is not has_hnsw


def test_a_catalog_with_vectors_gets_them_step_by_step_while_others_write(
    url: str, tmp_path: Path, small_limits: None
) -> None:
    before = Catalog(url, tmp_path)
    corpus = before.create_corpus("c", {})
    for number in range(10):
        before.documents.put(corpus.id, _document(number))
    before.close()
    catalog = Catalog(url, tmp_path, pgvector=True)
    filling = catalog.vector_filling
    assert filling is not None

    def interrupted(_count: int) -> None:
        raise KeyboardInterrupt

    def result() -> tuple[bool, int]:
        state = filling.state(corpus.id)
        return state.is_complete, state.filled

    assert result() == (False, 0)
    for filled in (100, 200):
        with pytest.raises(KeyboardInterrupt):
            filling.fill(corpus.id, _DIMENSION, interrupted)
        assert result() == (False, filled)
    with catalog.read() as snapshot:
        assert snapshot.vectors.nearest(corpus.id, _unit(1)[0], 3) is None, "no question reads half of it"
    # Another process, which knows nothing of it.
    other = Catalog(url, tmp_path)
    other.documents.put(corpus.id, _document(1, 20, version=1))  # it was copied already
    other.documents.put(corpus.id, _document(8, 20, version=1))  # it was not
    other.documents.put(corpus.id, _document(20))
    other.documents.remove(corpus.id, ["d2", "d9"])
    other.close()
    batches: list[int] = []
    filling.fill(corpus.id, _DIMENSION, batches.append)
    assert sum(batches) == 400 - 200 - 40 - 40  # what was left, without d8 and d9
    assert result() == (True, 320)
    assert filling.fill(corpus.id, _DIMENSION) == 0
    _same_as_exact(catalog)
    catalog.close()


def test_what_an_interrupted_building_left_is_built_anew(
    catalog: Catalog, pgvector: Server, small_limits: None
) -> None:
    corpus = catalog.create_corpus("c", {})
    for number in range(4):
        catalog.documents.put(corpus.id, _document(number))
    filling = catalog.vector_filling
    assert filling is not None
    with pgvector.connect(catalog.where.rpartition("/")[2]) as past:
        past.execute("SET search_path = ragstone")
        table = f"pgvector_{corpus.id}"
        past.execute(f"CREATE INDEX {table}_hnsw ON {table} USING hnsw (embedding public.halfvec_cosine_ops)".encode())
        past.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", (f"{table}_hnsw",))
        assert not filling.state(corpus.id).has_hnsw
        assert filling.build(corpus.id)
        assert filling.state(corpus.id).has_hnsw
        _same_as_exact(catalog)
        # Removed by hand, it is only missed.
        past.execute(f"DROP TABLE {table}".encode())
    catalog.documents.put(corpus.id, _document(9))
    with catalog.read() as snapshot:
        assert snapshot.vectors.nearest(corpus.id, _unit(1)[0], 3) is None
    catalog.vector_filling.fill(corpus.id, _DIMENSION)  # type: ignore[union-attr]
    _same_as_exact(catalog)


def test_a_table_that_goes_while_a_question_is_under_way(catalog: Catalog, pgvector: Server) -> None:
    corpus = catalog.create_corpus("c", {})
    catalog.documents.put(corpus.id, _document(1))
    with catalog.read() as snapshot:
        assert snapshot.vectors._table(corpus.id) is not None
        catalog.drop_corpus(corpus.id)
        assert snapshot.vectors.nearest(corpus.id, _unit(1)[0], 3) is None
        row = snapshot.corpus("c")
        assert row is not None
        found = RevisionSearch(SearchCache(lambda: _DIMENSION), snapshot, row).nearest(_unit(1)[0], 3)
        assert len(found) == 3, "the snapshot still has its chunks"
    with pgvector.connect(catalog.where.rpartition("/")[2]) as past:
        left = past.execute("SELECT relname FROM pg_class WHERE relname LIKE 'pgvector%'").fetchall()
    assert left == []


def test_another_dimension_is_refused_with_words(catalog: Catalog, pgvector: Server) -> None:
    corpus = catalog.create_corpus("c", {})
    catalog.documents.put(corpus.id, _document(1))
    with pgvector.connect(catalog.where.rpartition("/")[2]) as past:
        past.execute(
            f"ALTER TABLE ragstone.pgvector_{corpus.id} ALTER COLUMN embedding TYPE public.halfvec(5) "
            "USING subvector(embedding::public.vector, 1, 5)".encode()
        )
    with pytest.raises(StorageError, match=r"8 dimensions, and the column of pgvector_\d+ has 5.*corpus rebuild"):
        catalog.documents.put(corpus.id, _document(2))
    with catalog.read() as snapshot, pytest.raises(StorageError, match="8 dimensions"):
        snapshot.vectors.nearest(corpus.id, _unit(1)[0], 3)


def test_sqlite_has_no_pgvector(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"this catalog is in SQLite.*PostgreSQL URL"):
        Catalog(None, tmp_path, pgvector=True)
    settings = tmp_path / "ragstone.toml"
    settings.write_text('[index]\nstore = "pgvector"\nserver = "http://127.0.0.1:8001"\n', "utf-8")
    with pytest.raises(SettingsError, match="leave it unset"):
        read_settings(settings)


def test_a_server_without_the_extension_is_refused_with_words(postgresql: Server, tmp_path: Path) -> None:
    with postgresql.database() as name, pytest.raises(StorageDenied, match=r"does not have the extension.*install pgv"):
        Catalog(postgresql.url(name), tmp_path, pgvector=True)


def test_who_may_not_create_the_extension_is_told_who_may(pgvector: Server, tmp_path: Path) -> None:
    with pgvector.database() as name:
        with pgvector.connect(name) as admin:
            admin.execute("CREATE ROLE plain LOGIN")
            admin.execute(f"GRANT CREATE ON DATABASE {name} TO plain".encode())
        with pytest.raises(StorageDenied, match="an administrator runs once in this database: CREATE EXTENSION vector"):
            Catalog(pgvector.url(name, "plain"), tmp_path, pgvector=True)
        with pgvector.connect(name) as admin:
            admin.execute("CREATE SCHEMA elsewhere")
            admin.execute("CREATE EXTENSION vector SCHEMA elsewhere")
            admin.execute("GRANT USAGE ON SCHEMA elsewhere TO plain")
        catalog = Catalog(pgvector.url(name, "plain"), tmp_path, pgvector=True)
        corpus = catalog.create_corpus("c", {})
        catalog.documents.put(corpus.id, _document(1))
        _same_as_exact(catalog)
        catalog.close()
        with pgvector.connect(name) as admin:
            admin.execute("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
        with pytest.raises(StorageDenied, match=r"pgvector 0.7.4 is too old.*ALTER EXTENSION vector UPDATE"):
            Catalog(pgvector.url(name, "plain"), tmp_path, pgvector=True)


def test_workers_that_start_at_once_all_find_the_extension(pgvector: Server, tmp_path: Path) -> None:
    with pgvector.database() as name, ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: Catalog(pgvector.url(name), tmp_path, pgvector=True), range(4)))
        for catalog in made:
            catalog.close()


def _books(host: Host, text: str) -> None:
    about = {"book": "b", "book_title": "B", "edition": "First Edition", "path": "b.md", "title": "B"}
    host.corpus("books", kind="book").ingest([Document(id_="b", text=text, metadata=about)])


def test_a_deployment_answers_from_it_and_says_so(url: str, tmp_path: Path) -> None:
    with open_host(tmp_path, database=url) as host:
        _books(host, "# B\n\nA caster is a wheel that swivels.")
    with open_host(tmp_path, database=url, index={"store": "pgvector"}, options=NO_SAMPLE) as host:
        corpus = host.corpus("books", kind="book")
        assert catalog_index_check(host.catalog).detail == (
            "pgvector in the catalog; books: 0 of 1 passages are in it, exact search in memory answers"
        )
        state = corpus.index_vectors()
        assert state is not None
        assert (state.is_complete, state.filled) == (True, 1)
        assert "swivels" in host.assistant("book_chat").ask("What is a caster?").text
        _books(host, "# B\n\nA caster is a wheel that turns about an upright axis.")
        assert "upright" in host.assistant("book_chat").ask("What is a caster?").text
        corpus.rebuild()
        assert "upright" in host.assistant("book_chat").ask("What is a caster?").text
        assert corpus.search_cache.exact._loaded is None, "the vectors are in memory"
        host.serve()
        (check,) = [check for check in host.checks() if check.name == "vector index"]
        assert check.ok
        assert check.detail.startswith("pgvector in the catalog; books: scanned, which is exact")
        assert corpus.search_cache.follower is None


def test_a_server_fills_it_in_the_background(url: str, tmp_path: Path) -> None:
    with open_host(tmp_path, database=url) as host:
        _books(host, "# B\n\nA caster is a wheel that swivels.")
    with open_host(tmp_path, database=url, index={"store": "pgvector"}, options=NO_SAMPLE) as host:
        host.corpus("books", kind="book")
        host.serve()
        until(lambda: "books: scanned" in catalog_index_check(host.catalog).detail, "a filled table")


def test_commands(
    url: str, small_book: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Here(capsys)
    monkeypatch.setenv("RAGSTONE_DATABASE", url)
    assert run("book", "add", str(small_book)).code == 0
    refused = run("corpus", "index")
    assert refused.code == 2
    assert 'set it to "pgvector"' in refused.err
    monkeypatch.setenv("RAGSTONE_INDEX__STORE", "pgvector")
    doctor = json.loads(run("doctor", "--json").out)
    (check,) = [check for check in doctor["checks"] if check["name"] == "vector index"]
    assert "passages are in it, exact search in memory answers" in check["detail"]
    assert "ragstone corpus index" in check["mend"]
    (state,) = json.loads(run("corpus", "index", "books", "--json").out)
    assert state["is_complete"]
    assert state["filled"] == state["chunks"] > 1
    assert "scanned, which is exact" in run("corpus", "index").out
    assert "40 newtons" in run("ask", "book_chat", "How large is the grip force of a parallel gripper?").out
