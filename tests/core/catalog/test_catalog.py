"""The catalog: whole documents or none, full text and vectors in the same breath."""

from __future__ import annotations

import resource
import sqlite3
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import numpy as np
import pytest
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters
from sqlalchemy import create_engine

from ragstone.core import BadRequest, StorageDenied, StorageError
from ragstone.core.catalog import Catalog, NewChunk, NewDocument
from ragstone.core.catalog.vectors import pack_sentences, unpack_sentences
from ragstone.core.retrieval.dense import ExactSearch
from ragstone.core.text import pack
from tests.support.words import by_words

DIMENSION = 4


def _document(doc_id: str, *texts: str, **metadata: object) -> NewDocument:
    chunks = []
    for number, text in enumerate(texts):
        node = TextNode(id_=f"{doc_id}-{number}", text=text)
        kept = {name: value for name, value in node.to_dict().items() if name not in {"text", "metadata", "embedding"}}
        vectors = np.eye(DIMENSION, dtype=np.float32)[[len(text) % DIMENSION, number % DIMENSION]]
        chunks.append(NewChunk(node.node_id, "Heading", text, dict(metadata), kept, vectors))
    return NewDocument(doc_id, f"hash of {texts}", "\n".join(texts), dict(metadata), chunks)


def _alter(database: str | None, folder: Path, *statements: str) -> None:
    """Change the database past the product."""
    engine = create_engine(database or f"sqlite:///{folder / 'catalog.sqlite'}")
    with engine.begin() as connection:
        if database is not None:
            connection.exec_driver_sql("SET search_path = ragstone")
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


def test_a_document_replaces_its_former_self(catalog: Catalog) -> None:
    corpus = catalog.create_corpus("c", {})
    assert catalog.documents.put(corpus.id, _document("d", "wheels turn", "arms lift")) == 1
    assert catalog.documents.put(corpus.id, _document("d", "legs walk")) == 2
    with catalog.read() as snapshot:
        assert snapshot.sizes(corpus.id) == (1, 1)
        assert by_words(snapshot, corpus.id, ["wheel"], 10) == []
        ((key, score),) = by_words(snapshot, corpus.id, ["leg"], 10)
        assert score > 0
        node = snapshot.chunks.nodes([key])[key]
        assert (node.node_id, node.text) == ("d-0", "legs walk")
        assert snapshot.changes(corpus.id, 1)[0][0][0] == "d"


def test_documents_are_found_by_the_beginning_of_their_ids(catalog: Catalog) -> None:
    corpus = catalog.create_corpus("c", {})
    for doc_id in ("a:one", "a:two", "a", "a;", "ab:one", "b:one"):
        catalog.documents.put(corpus.id, _document(doc_id, "wheels turn") if doc_id != "b:one" else _document(doc_id))
    with catalog.read() as snapshot:
        assert [one.doc_id for one in snapshot.documents(corpus.id, "a:")] == ["a:one", "a:two"]
        assert set(snapshot.document_hashes(corpus.id, "a:")) == {"a:one", "a:two"}
        assert len(snapshot.document_hashes(corpus.id)) == len(snapshot.documents(corpus.id)) == 6
        assert snapshot.chunks.has_any(corpus.id, "a:")
        assert not snapshot.chunks.has_any(corpus.id, "b:")
        assert not snapshot.chunks.has_any(corpus.id, "c:")


def test_a_removed_document_leaves_a_tombstone_and_nothing_else(catalog: Catalog) -> None:
    corpus = catalog.create_corpus("c", {})
    catalog.documents.put(corpus.id, _document("a", "wheels turn"))
    catalog.documents.put(corpus.id, _document("b", "wheels stop"))
    assert catalog.documents.remove(corpus.id, ["a", "unknown"]) == 1
    with catalog.read() as snapshot:
        assert snapshot.changes(corpus.id, 2) == ([], ["a"])
        assert [row.doc_id for row in snapshot.documents(corpus.id)] == ["b"]
        assert len(by_words(snapshot, corpus.id, ["wheel"], 10)) == 1
    catalog.documents.put(corpus.id, _document("a", "wheels again"))
    with catalog.read() as snapshot:
        assert snapshot.changes(corpus.id, 2)[1] == []


def test_a_failure_half_way_leaves_the_old_version(catalog: Catalog) -> None:
    corpus = catalog.create_corpus("c", {})
    catalog.documents.put(corpus.id, _document("d", "wheels turn"))
    catalog.documents.put(corpus.id, _document("other", "arms lift"))
    broken = _document("d", "legs walk")
    stolen = NewChunk("other-0", "", "stolen id", {}, {}, broken.chunks[0].vectors)
    with pytest.raises(StorageError):
        catalog.documents.put(corpus.id, NewDocument("d", "h", "t", {}, [*broken.chunks, stolen]))
    with catalog.read() as snapshot:
        assert len(by_words(snapshot, corpus.id, ["wheel"], 10)) == 1
        assert by_words(snapshot, corpus.id, ["leg"], 10) == []
        assert snapshot.corpus("c").seq == 2  # type: ignore[union-attr]


def test_a_catalog_that_is_in_order_has_no_fault(catalog: Catalog) -> None:
    corpus = catalog.create_corpus("c", {})
    catalog.documents.put(corpus.id, _document("a", "one", "two"))
    assert catalog.fault(20.0) is None


def test_a_torn_page_is_a_fault_where_there_is_time_to_look(tmp_path: Path) -> None:
    Catalog(None, tmp_path).close()
    file = tmp_path / "catalog.sqlite"
    with closing(sqlite3.connect(file)) as opened:
        (page,) = opened.execute("SELECT rootpage FROM sqlite_master WHERE name = 'chunk'").fetchone()
        (size,) = opened.execute("PRAGMA page_size").fetchone()
    torn = bytearray(file.read_bytes())
    torn[(page - 1) * size : (page - 1) * size + 64] = b"\xff" * 64
    file.write_bytes(torn)
    with closing(Catalog(None, tmp_path)) as catalog:
        assert catalog.fault(0.0) is None, "there was no time"
        assert "is damaged" in (catalog.fault(20.0) or "")


def test_a_snapshot_is_of_one_moment(catalog: Catalog) -> None:
    corpus = catalog.create_corpus("c", {})
    catalog.documents.put(corpus.id, _document("a", "wheels turn"))
    with catalog.read() as snapshot:
        assert snapshot.sizes(corpus.id) == (1, 1)
        catalog.documents.put(corpus.id, _document("b", "wheels stop"))
        assert snapshot.sizes(corpus.id) == (1, 1)
    with catalog.read() as snapshot:
        assert snapshot.sizes(corpus.id) == (2, 2)


def test_a_reader_keeps_what_is_removed_meanwhile(catalog: Catalog) -> None:
    corpus = catalog.create_corpus("c", {})
    catalog.documents.put(corpus.id, _document("a", "wheels turn"))
    with catalog.read() as snapshot:
        assert snapshot.corpus("c") is not None
        catalog.drop_corpus(corpus.id)
        ((key, _score),) = by_words(snapshot, corpus.id, ["wheel"], 10)
        assert snapshot.chunks.nodes([key])[key].text == "wheels turn"
    again = catalog.create_corpus("c", {})
    with catalog.read() as snapshot:
        assert [row.id for row in snapshot.corpora()] == [again.id]
        assert by_words(snapshot, again.id, ["wheel"], 10) == []


@pytest.mark.parametrize(
    ("operator", "value", "found"),
    [
        (FilterOperator.EQ, "x", {"a"}),
        (FilterOperator.NE, "x", {"b", "c"}),
        (FilterOperator.IN, ["x", "z"], {"a", "c"}),
        (FilterOperator.NIN, ["x", "z"], {"b"}),
    ],
)
def test_filters_by_text(catalog: Catalog, operator: FilterOperator, value: object, found: set[str]) -> None:
    corpus = catalog.create_corpus("c", {})
    for doc_id, book, year in (("a", "x", 1999), ("b", "y", 2005), ("c", "z", 2010)):
        catalog.documents.put(corpus.id, _document(doc_id, "text", book=book, year=year))

    def passing(*parts: MetadataFilter) -> set[str]:
        with catalog.read() as snapshot:
            keys = snapshot.chunks.keys(corpus.id, MetadataFilters(filters=list(parts)))
            return {node.node_id[0] for node in snapshot.chunks.nodes(keys.tolist()).values()}

    assert passing(MetadataFilter(key="book", value=value, operator=operator)) == found
    assert passing(MetadataFilter(key="year", value=2000, operator=FilterOperator.GT)) == {"b", "c"}
    assert passing(MetadataFilter(key="book", value=0, operator=FilterOperator.GT)) == set()
    assert passing(MetadataFilter(key="year", value="1999")) == {"a"}
    assert passing(MetadataFilter(key="no such key", value="x", operator=FilterOperator.NE)) == set()
    quoted = MetadataFilter(key="book", value="x' OR '1'='1")
    assert passing(quoted) == set()


def test_hostile_words_are_only_words(catalog: Catalog) -> None:
    corpus = catalog.create_corpus("c", {})
    catalog.documents.put(corpus.id, _document("a", "wheels turn"))
    with catalog.read() as snapshot:
        assert by_words(snapshot, corpus.id, ['"', "NEAR", "headings:x", "*"], 10) == []


def test_exact_search_equals_brute_force_and_follows_changes(catalog: Catalog) -> None:
    random = np.random.default_rng(7)
    corpus = catalog.create_corpus("c", {})
    exact = ExactSearch(DIMENSION)

    def put(doc_id: str, chunks: int) -> None:
        rows = random.standard_normal((chunks, 3, DIMENSION)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=2, keepdims=True)
        new = [NewChunk(f"{doc_id}-{n}", "", "t", {}, {}, rows[n, : 1 + n % 3]) for n in range(chunks)]
        catalog.documents.put(corpus.id, NewDocument(doc_id, "h", "t", {}, new))

    for round_ in range(8):
        put(f"d{round_ % 5}", int(random.integers(1, 6)))
        if round_ == 5:
            catalog.documents.remove(corpus.id, ["d2"])
        question = random.standard_normal(DIMENSION).astype(np.float32)
        with catalog.read() as snapshot:
            row = snapshot.corpus("c")
            assert row is not None
            found = exact.search(exact.load(snapshot, row), question, 4)
            everything = {
                key: float((vectors @ question).max())
                for document in snapshot.documents(row.id)
                for key in snapshot.vectors.of_document(document.key, DIMENSION).chunk_keys.tolist()
                for vectors in [snapshot.vectors.of_chunks([key], DIMENSION)[key]]
            }
        expected = sorted(everything.items(), key=lambda item: (-item[1], item[0]))[:4]
        assert [key for key, _ in found] == [key for key, _ in expected]
        assert np.allclose([score for _, score in found], [score for _, score in expected])


def test_exact_search_over_many_chunks_filtered_and_not(catalog: Catalog) -> None:
    random = np.random.default_rng(7)
    corpus = catalog.create_corpus("c", {})
    sizes = random.integers(1, 4, 2000)
    rows = [random.standard_normal((size, DIMENSION)).astype(np.float32) for size in sizes]
    new = [NewChunk(str(number), "", "t", {}, {}, windows) for number, windows in enumerate(rows)]
    catalog.documents.put(corpus.id, NewDocument("d", "h", "t", {}, new))
    exact = ExactSearch(DIMENSION)
    with catalog.read() as snapshot:
        row = snapshot.corpus("c")
        assert row is not None
        keys = snapshot.vectors.of_documents([snapshot.documents(row.id)[0].key], DIMENSION).popitem()[1].chunk_keys
        for only in (None, keys[::3], keys[:2], keys[:0]):
            question = random.standard_normal(DIMENSION).astype(np.float32)
            best = {int(key): float((windows @ question).max()) for key, windows in zip(keys, rows, strict=True)}
            inside = set(keys.tolist() if only is None else only.tolist())
            expected = sorted(best.keys() & inside, key=lambda key: (-best[key], key))[:5]
            loaded = exact.load(snapshot, row)
            found = exact.search(loaded, question, 5, None if only is None else loaded.rows_of(only))
            assert [key for key, _ in found] == expected
            assert [cosine for _, cosine in found] == pytest.approx([best[key] for key in expected], abs=1e-5)


def test_loading_for_exact_search_holds_the_vectors_once(catalog: Catalog) -> None:
    corpus = catalog.create_corpus("c", {})
    windows, dimension = 20, 384
    rows = np.random.default_rng(7).standard_normal((20, windows, dimension)).astype(np.float32)
    for doc_id in map(str, range(40)):
        new = [NewChunk(f"{doc_id}-{number}", "", "t", {}, {}, vectors) for number, vectors in enumerate(rows)]
        catalog.documents.put(corpus.id, NewDocument(doc_id, "h", "t", {}, new))
    exact = ExactSearch(dimension)
    with catalog.read() as snapshot:
        row = snapshot.corpus("c")
        assert row is not None
        tracemalloc.start()
        try:
            exact.search(exact.load(snapshot, row), rows[0, 0], 4)
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert most < 1.8 * 40 * rows.nbytes


def test_a_newer_schema_is_refused(catalog: Catalog, database: str | None, tmp_path: Path) -> None:
    _alter(database, tmp_path, "UPDATE about SET value = '99' WHERE key = 'schema'")
    with pytest.raises(StorageError, match="newer version"):
        Catalog(database, tmp_path)


def test_something_else_where_the_database_should_be(tmp_path: Path) -> None:
    (tmp_path / "catalog.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(StorageError, match="not a readable database"):
        Catalog(None, tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageDenied, match="cannot be used"):
        Catalog(None, tmp_path / "file" / "data")


def test_a_limit_of_file_sizes_is_named_and_costs_nothing_stored(tmp_path: Path) -> None:
    with closing(Catalog(None, tmp_path)) as catalog:
        corpus = catalog.create_corpus("c", {})
        catalog.documents.put(corpus.id, _document("d", "kept"))
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, before[1]))
        try:
            with pytest.raises(StorageError, match="limit of file sizes"):
                catalog.documents.put(corpus.id, _document("e", "not stored"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert catalog.fault(20.0) is None
        assert catalog.documents.put(corpus.id, _document("e", "stored")) == 2
        with catalog.read() as snapshot:
            assert snapshot.sizes(corpus.id) == (2, 2)


def test_a_rebuilt_corpus_takes_the_place_only_of_what_it_knows(catalog: Catalog) -> None:
    old = catalog.create_corpus("c", {"encoder": "a"})
    catalog.documents.put(old.id, _document("d", "wheels turn"))
    new = catalog.create_corpus("c", {"encoder": "b"}, state="building")
    catalog.documents.put(new.id, _document("d", "wheels turn"))
    assert not catalog.swap_in(new, old)  # something came in since
    with catalog.read() as snapshot:
        now = snapshot.corpus("c")
    assert now is not None
    assert catalog.swap_in(new, now)
    assert catalog.swap_in(new, now)  # another process was quicker: nothing is lost
    with catalog.read() as snapshot:
        assert [row.id for row in snapshot.corpora()] == [new.id]
        assert len(by_words(snapshot, new.id, ["wheel"], 5)) == 1
    with pytest.raises(StorageError, match="replaced or removed"):
        catalog.documents.put(old.id, _document("e", "too late"))


def test_the_switch_to_the_write_ahead_log_waits_for_who_makes_the_same_database(tmp_path: Path) -> None:
    """SQLite itself refuses the switch at once while another process writes the new database."""
    with closing(sqlite3.connect(tmp_path / "catalog.sqlite", check_same_thread=False)) as other:
        other.execute("CREATE TABLE theirs (x)")
        other.execute("BEGIN IMMEDIATE")
        other.execute("INSERT INTO theirs VALUES (1)")
        done = threading.Timer(0.3, other.commit)
        done.start()
        made = Catalog(None, tmp_path)
        done.join()
    with made.read() as snapshot:
        assert snapshot.corpora() == []
    made.close()


def test_a_catalog_of_the_first_schema_is_upgraded_in_place(
    catalog: Catalog, database: str | None, tmp_path: Path
) -> None:
    corpus = catalog.create_corpus("c", {"encoder": "a"})
    catalog.documents.put(corpus.id, _document("d", "wheels turn"))
    catalog.close()
    _alter(
        database,
        tmp_path,
        "ALTER TABLE corpus DROP COLUMN calibration",
        "ALTER TABLE chunk DROP COLUMN words",
        "ALTER TABLE chunk DROP COLUMN checksum",
        "ALTER TABLE chunk DROP COLUMN sentences",
        "ALTER TABLE document DROP COLUMN kinds",
        "DELETE FROM about WHERE key IN ('id', 'sealed')",
        "UPDATE about SET value = '1' WHERE key = 'schema'",
    )
    for unsealed in (1, 0):
        upgraded = Catalog(database, tmp_path)
        upgraded.set_calibration(corpus.id, {"threshold": 0.9})
        with upgraded.read() as snapshot:
            (row,) = snapshot.corpora()
            assert row.calibration == {"threshold": 0.9}
            assert [each.kinds for each in snapshot.documents(row.id)] == [None]
            ((key, _score),) = by_words(snapshot, row.id, ["wheel"], 10)
            # What was stored before has no packed words; they are made when they are needed.
            assert snapshot.chunks.packed_words([key]) == {key: pack("Heading", "wheels turn")}
            found = snapshot.chunks.check(row.id)
            assert (found.checked, found.unsealed, found.damaged) == (1, unsealed, [])
        assert upgraded.documents.add_checksums(row.id) == unsealed
        upgraded.close()


def test_many_threads_lose_no_change(catalog: Catalog) -> None:
    corpus = catalog.create_corpus("c", {})

    def put(number: int) -> int:
        return catalog.documents.put(corpus.id, _document(f"d{number % 7}", f"wheel number{number}"))

    with ThreadPoolExecutor(6) as threads:
        numbers = list(threads.map(put, range(42)))
    assert sorted(numbers) == list(range(1, 43))
    with catalog.read() as snapshot:
        assert snapshot.sizes(corpus.id) == (7, 7)
        last = {document.doc_id: document.seq for document in snapshot.documents(corpus.id)}
        assert last == {f"d{each}": max(numbers[each::7]) for each in range(7)}
        found = snapshot.word_scores(corpus.id, ["wheel", "unknown"])
        assert [len(found[word].keys) for word in ("wheel", "unknown")] == [7, 0]


def test_many_threads_make_the_same_new_database_and_corpus(database: str | None, tmp_path: Path) -> None:
    def make(_: int) -> int:
        made = Catalog(database, tmp_path)
        try:
            return made.create_corpus("c", {}).id
        finally:
            made.close()

    with ThreadPoolExecutor(6) as threads:
        assert len(set(threads.map(make, range(6)))) == 1


@pytest.mark.parametrize("text", ["a\x00b", "half \ud800 a character"], ids=["NUL", "surrogate"])
@pytest.mark.parametrize("where", ["text", "metadata", "id"])
def test_what_is_no_text_is_stored_or_refused_with_words(catalog: Catalog, text: str, where: str) -> None:
    corpus = catalog.create_corpus("c", {})
    catalog.documents.put(corpus.id, _document("before", "wheels turn"))
    strange = {
        "text": lambda: _document("d", text),
        "metadata": lambda: _document("d", "wheels", book=text),
        "id": lambda: _document(text, "wheels"),
    }[where]()
    with suppress(BadRequest):
        catalog.documents.put(corpus.id, strange)
    with suppress(BadRequest), catalog.read() as snapshot:
        snapshot.chunks.keys_of(corpus.id, [text])
    with catalog.read() as snapshot:
        assert "before" in [row.doc_id for row in snapshot.documents(corpus.id)]


def test_words_weigh_the_same_in_every_database(catalog: Catalog, tmp_path: Path) -> None:
    """The scores are FTS5's, to the last figure that matters, after changes as well."""
    random = Random(7)
    words = [f"word{number}" for number in range(60)]
    sqlite = Catalog(None, tmp_path / "other")
    found = []
    for each in (catalog, sqlite):
        random.seed(7)
        each.create_corpus("before", {})
        corpus = each.create_corpus("c", {})
        for number in range(60):
            texts = [" ".join(random.choices(words, k=random.randrange(0, 40))) for _ in range(3)]
            each.documents.put(corpus.id, _document(f"d{number % 45}", *texts))
        each.documents.remove(corpus.id, ["d3", "d4"])
        with each.read() as snapshot:
            every = [node.node_id for node in snapshot.chunks.nodes(range(1000)).values()]
            keys = snapshot.chunks.keys_of(corpus.id, sorted(every))
            names = {key: name for name, key in keys.items()}
            some = np.array(sorted(keys[name] for name in sorted(keys)[::3]))
            asked = [["word1"], ["head", "word2", "word3"], ["word4", "unknown", "word5", "word6"]]
            found.append(
                [
                    {names[key]: score for key, score in by_words(snapshot, corpus.id, question, 1000, only)}
                    for question in asked
                    for only in (None, some)
                ]
                + [
                    {word: len(each.keys)}
                    for word, each in snapshot.word_scores(corpus.id, ["word1", "head", "unknown"]).items()
                ]
            )
    sqlite.close()
    for here, there in zip(*found, strict=True):
        assert here == pytest.approx(there, rel=1e-5)


def test_sentences_keep_their_directions() -> None:
    vectors = np.random.default_rng(7).normal(size=(40, 384)).astype(np.float32)
    vectors[3] = 0
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    packed = pack_sentences(vectors)
    assert len(packed) == 1 + 40 * 384
    found = unpack_sentences(packed, 384)
    assert found is not None
    np.testing.assert_allclose(found @ unit.T, unit @ unit.T, atol=0.01)
    assert unpack_sentences(packed[:-1], 384) is None
    assert unpack_sentences(bytes([255]) + packed[1:], 384) is None
    empty = unpack_sentences(pack_sentences(vectors[:0]), 384)
    assert empty is not None
    assert empty.shape == (0, 384)
