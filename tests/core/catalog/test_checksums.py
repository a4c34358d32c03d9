"""Bits that flip in the catalog's file: the chunk is named, and none of its text is quoted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from llama_index.core.schema import TextNode
from sqlalchemy import text

from ragstone.core import RagstoneError, StorageError
from ragstone.core.catalog import Catalog, NewChunk, NewDocument, copy_corpus
from ragstone.core.testing import open_host
from ragstone.plugins.book_chat import Shelf
from tests.support.third_party_fakes import Here, add_book

pytestmark = pytest.mark.usefixtures("fast_site")


@pytest.fixture
def shelf(tmp_path: Path, small_book: Path) -> Path:
    """The data folder with a book, its catalog whole in one file."""
    with open_host(tmp_path) as host:
        add_book(host, small_book, "Parts")
    return tmp_path / "data"


def flip(file: Path, text: bytes, *, bit: int = 1, to: bytes | None = None) -> int:
    """Flip a bit in the middle of each place that holds the bytes; how many places there were."""
    raw = bytearray(file.read_bytes())
    count, at = 0, raw.find(text)
    while at >= 0:
        middle = at + len(text) // 2
        raw[middle : middle + 1] = to or bytes([raw[middle] ^ bit])
        count, at = count + 1, raw.find(text, at + len(text))
    file.write_bytes(raw)
    return count


@pytest.mark.parametrize(
    ("text", "to"),
    [
        (b"grip force of a small", None),  # a letter of the text for another
        (b"grip force of a small", b"\xff"),  # no text at all
        (b'"section": "Grippers"', b"\x02"),  # no JSON any more
    ],
)
def test_the_doctor_and_corpus_check_name_the_chunk(shelf: Path, here: Here, text: bytes, to: bytes | None) -> None:
    assert here("doctor").code == 0
    with closing(sqlite3.connect(shelf / "catalog.sqlite")) as opened:
        rows = dict(opened.execute("SELECT chunk_id, doc_id FROM chunk JOIN document ON document.id = document_id"))
        (chunk_id,) = (
            row[0] for row in opened.execute("SELECT chunk_id FROM chunk WHERE text LIKE '%grip force of a small%'")
        )
    assert flip(shelf / "catalog.sqlite", text, to=to)
    examined = here("doctor")
    assert examined.code == 1
    assert f"WRONG chunks of books: {shelf / 'catalog.sqlite'}: 1 damaged: chunk {chunk_id}" in examined.out
    assert rows[chunk_id] in examined.out
    assert "backup" in examined.out
    checked = here("corpus", "check", "books")
    assert checked.code == 1
    assert f"1 damaged: chunk {chunk_id} of document {rows[chunk_id]}" in checked.out


@pytest.mark.parametrize("to", [None, b"\xff"])
def test_no_damaged_text_is_quoted(tmp_path: Path, shelf: Path, to: bytes | None) -> None:
    assert flip(shelf / "catalog.sqlite", b"grip force of a small", to=to)
    with open_host(tmp_path) as host:
        with pytest.raises(StorageError, match="damaged") as raised:
            host.assistant("book_chat").ask("How strong is the grip force of a parallel gripper?")
        assert str(raised.value).isascii(), "what was read from the file is not shown"


@pytest.fixture
def catalog(tmp_path: Path, database: str | None) -> Catalog:
    return Catalog(database, tmp_path)


#: A column of the row, and another value for it.
OTHERS = {
    "chunk_id": "'d-1'",
    "position": "1",
    "headings": "'Headinh'",
    "text": "'wheels burn'",
    "metadata": "'{}'",
    "node": "'{}'",
    "vectors": "words",
    "words": "vectors",
}


def test_each_column_counts_and_every_database_gives_back_what_was_stored(catalog: Catalog) -> None:
    metadata = {"page": 3, "weight": 1e22, "small": -0.0, "z": [1, {"b": 0.1, "a": None}], "a": "ß"}
    node = {"id_": "d-0", "relationships": {"1": {"node_id": "d"}}}
    chunk = NewChunk("d-0", "Heading", "wheels turn", metadata, node, np.eye(4, dtype=np.float32)[:2])
    with closing(catalog):
        corpus = catalog.create_corpus("c", {})
        for column, other in OTHERS.items():
            catalog.documents.put(corpus.id, NewDocument("d", "h", "t", {}, [chunk]))
            with catalog.read() as snapshot:
                found = snapshot.chunks.check(corpus.id)
            assert (found.checked, found.unsealed, found.damaged, found.complete) == (1, 0, [], True)
            with catalog._tables.write() as connection:
                connection.exec_driver_sql(f"UPDATE chunk SET {column} = {other}")
            with catalog.read() as snapshot:
                assert [each.doc_id for each in snapshot.chunks.check(corpus.id).damaged] == ["d"], column


def test_a_checksum_that_is_gone_is_damage(catalog: Catalog) -> None:
    chunk = NewChunk("d-0", "", "wheels turn", {}, TextNode(id_="d-0").to_dict(), np.eye(4, dtype=np.float32)[:1])
    with closing(catalog):
        corpus = catalog.create_corpus("c", {})
        catalog.documents.put(corpus.id, NewDocument("d", "h", "t", {}, [chunk]))
        with catalog._tables.write() as connection:
            connection.exec_driver_sql("UPDATE chunk SET checksum = NULL")
        with catalog.read() as snapshot:
            assert len(snapshot.chunks.check(corpus.id).damaged) == 1
            assert not snapshot.chunks.check(corpus.id, 0.0).complete, "there was no time"


#: Nothing but JSON can be stored by a server.
NO_JSON = ["[" * 50_000 + "]" * 50_000, "{"]
NOT_OBJECTS = ["null", "[]", "5", '"text"', *NO_JSON]


def _is_damaged_by(catalog: Catalog, statement: str, value: str) -> bool:
    """Whether the statement stored the value; a server must refuse what is no JSON to it."""
    try:
        with catalog._tables.write() as connection:
            is_server = connection.dialect.name == "postgresql"
            connection.execute(text(statement), {"value": value})
    except RagstoneError:
        assert is_server
        assert value in NO_JSON
        return False
    return True


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (column, value)
        for column in ("metadata", "kinds")
        for value in NOT_OBJECTS
        if (column, value) != ("kinds", "null")
    ],
)
def test_a_document_whose_json_is_no_object_is_named(catalog: Catalog, column: str, value: str) -> None:
    with closing(catalog):
        corpus = catalog.create_corpus("c", {})
        for name in ("d", "e"):
            catalog.documents.put(corpus.id, NewDocument(name, "h", "t", {}))
        statement = f"UPDATE document SET {column} = :value WHERE doc_id = 'd'"
        damaged = ["document d"] if _is_damaged_by(catalog, statement, value) else []
        with catalog.read() as snapshot:
            assert list(map(str, snapshot.chunks.check(corpus.id).damaged)) == damaged
            assert [(each.doc_id, each.metadata) for each in snapshot.documents(corpus.id)] == [("d", {}), ("e", {})]
            if damaged and column == "metadata":
                with pytest.raises(StorageError, match="a row is damaged"):
                    snapshot.stored_document(corpus.id, "d", 4)


@pytest.mark.parametrize("value", NOT_OBJECTS)
@pytest.mark.parametrize("column", ["metadata", "node"])
def test_a_chunk_whose_json_is_no_object_is_a_storage_error(catalog: Catalog, column: str, value: str) -> None:
    chunk = NewChunk("d-0", "", "wheels turn", {}, TextNode(id_="d-0").to_dict(), np.eye(4, dtype=np.float32)[:1])
    with closing(catalog):
        corpus = catalog.create_corpus("c", {})
        catalog.documents.put(corpus.id, NewDocument("d", "h", "t", {}, [chunk]))
        is_damaged = _is_damaged_by(catalog, f"UPDATE chunk SET {column} = :value", value)
        with catalog.read() as snapshot:
            damaged = list(map(str, snapshot.chunks.check(corpus.id).damaged))
            keys = snapshot.chunks.keys_of(corpus.id, ["d-0"]).values()
            if is_damaged:
                assert damaged == ["chunk d-0 of document d"]
                with pytest.raises(StorageError, match="a row is damaged"):
                    snapshot.chunks.nodes(keys)
            else:
                assert damaged == []
                assert len(snapshot.chunks.nodes(keys)) == 1


@pytest.mark.parametrize("value", [*NOT_OBJECTS, "{}", '{"threshold": "high"}', '{"threshold": NaN}'])
def test_a_corpus_with_a_damaged_calibration_answers(tmp_path: Path, shelf: Path, value: str) -> None:
    with closing(sqlite3.connect(shelf / "catalog.sqlite")) as opened:
        opened.execute("UPDATE corpus SET calibration = ?", [value])
        opened.commit()
    with open_host(tmp_path) as host:
        assert host.find_corpus("books").info().calibration is None
        assert host.assistant("book_chat").ask("What is a caster?").citations


@pytest.mark.parametrize("value", NOT_OBJECTS)
def test_a_corpus_with_a_damaged_fingerprint_is_stale_and_can_be_rebuilt(
    tmp_path: Path, shelf: Path, value: str
) -> None:
    with closing(sqlite3.connect(shelf / "catalog.sqlite")) as opened:
        opened.execute("UPDATE corpus SET fingerprint = ? WHERE name = 'books'", [value])
        opened.commit()
    with open_host(tmp_path) as host:
        corpus = host.find_corpus("books")
        assert "made with encoder None" in str(corpus.info().stale)
        corpus.rebuild()
        assert corpus.info().stale is None
        assert host.assistant("book_chat").ask("What is a caster?").citations


def test_a_document_without_a_books_metadata_is_no_book(tmp_path: Path, shelf: Path) -> None:
    with closing(sqlite3.connect(shelf / "catalog.sqlite")) as opened:
        opened.execute("UPDATE document SET metadata = '{}' WHERE id = (SELECT min(id) FROM document)")
        opened.execute("UPDATE chunk SET metadata = '{}' WHERE id = (SELECT min(id) FROM chunk)")
        opened.commit()
    with open_host(tmp_path) as host:
        assert [book.title for book in Shelf(host).books()] == ["Parts"]
        assert [book.title for book in Shelf(host).counted()] == ["Parts"]


@pytest.mark.parametrize("value", ["'x'", "5", "x'00'", "x''"])
@pytest.mark.parametrize("column", ["vectors", "words", "sentences", "checksum", "text", "headings", "metadata"])
def test_a_value_of_another_type_is_damage_and_no_error_of_ours(
    tmp_path: Path, shelf: Path, column: str, value: str, small_book: Path
) -> None:
    with closing(sqlite3.connect(shelf / "catalog.sqlite")) as opened:
        opened.execute(f"UPDATE chunk SET {column} = {value} WHERE id = (SELECT min(id) FROM chunk)")
        opened.commit()
    with open_host(tmp_path) as host:
        for question in ("What is a caster?", "What is this book about?"):
            try:
                host.assistant("book_chat").ask(question)
            except StorageError as error:
                assert "damaged" in error.what
                assert error.hint
        corpus = host.find_corpus("books")
        assert len(corpus.contents.check_chunks().damaged) == 1
        Shelf(host).remove(Shelf(host).books()[0].slug)
        Shelf(host).add(Shelf(host).plan(small_book), title="Parts")
        assert corpus.contents.check_chunks().damaged == []
        assert host.assistant("book_chat").ask("What is a caster?").citations


def test_a_version_that_is_no_number_is_damage(shelf: Path, here: Here) -> None:
    with closing(sqlite3.connect(shelf / "catalog.sqlite")) as opened:
        opened.execute("UPDATE about SET value = 'x' WHERE key = 'schema'")
        opened.commit()
    asked = here("ask", "book_chat", "What is a caster?")
    assert asked.code == 1
    assert "the version 'schema' of the catalog's tables is damaged in the database (restore it" in asked.err


@pytest.mark.parametrize("factor", [1e30, -1e30, 1e-30, np.nan])
def test_vectors_of_a_damaged_length_are_no_error_of_ours(tmp_path: Path, shelf: Path, factor: float) -> None:
    with closing(sqlite3.connect(shelf / "catalog.sqlite")) as opened:
        for chunk_id, vectors in opened.execute("SELECT chunk_id, vectors FROM chunk").fetchall():
            changed = (np.frombuffer(vectors, "<f4") * np.float32(factor)).astype("<f4").tobytes()
            opened.execute("UPDATE chunk SET vectors = ? WHERE chunk_id = ?", [changed, chunk_id])
        opened.commit()
    with open_host(tmp_path) as host:
        for question in ("What is a caster?", "Who invented the gripper?", "Why is the sky blue?"):
            assert host.assistant("book_chat").ask(question).text
        assert host.find_corpus("books").contents.check_chunks().damaged


@pytest.mark.parametrize("value", ["'x'", "5", "x'00'", "'2026-13-45'"])
def test_a_corpus_of_a_damaged_age_answers_and_is_copied(tmp_path: Path, shelf: Path, value: str) -> None:
    _set(shelf, f"UPDATE corpus SET created_at = {value}")
    with open_host(tmp_path) as host:
        assert [info.name for info in host.corpora()]
        assert host.assistant("book_chat").ask("What is a caster?").citations
        copy = Catalog(None, tmp_path / "copy")
        assert copy_corpus(host.catalog, copy, "books", None, lambda: None).documents
        copy.close()


def test_a_document_with_a_damaged_change_number_is_listed_and_copied(tmp_path: Path, shelf: Path) -> None:
    _set(shelf, "UPDATE document SET seq = 'x' WHERE id = (SELECT min(id) FROM document)")
    with open_host(tmp_path) as host:
        assert [book.title for book in Shelf(host).books()] == ["Parts"]
        copy = Catalog(None, tmp_path / "copy")
        copied = copy_corpus(host.catalog, copy, "books", None, lambda: None)
        assert copied.documents == host.find_corpus("books").info().documents
        copy.close()


@pytest.mark.parametrize("value", ["'x'", "1.5", "x'00'"])
def test_a_corpus_with_a_damaged_change_number_is_reported(shelf: Path, here: Here, value: str) -> None:
    _set(shelf, f"UPDATE corpus SET seq = {value}")
    for command in (("ask", "book_chat", "What is a caster?"), ("corpus", "list"), ("book", "list")):
        shown = here(*command)
        assert shown.code == 1
        assert "the change number of a corpus is damaged (restore the database from a backup)" in shown.err


def test_a_stopped_rebuild_is_reported_as_incomplete(tmp_path: Path, shelf: Path, here: Here) -> None:
    with open_host(tmp_path) as host:
        corpus = host.find_corpus("books")
        host.catalog.create_corpus("books", corpus.fingerprint, state="building")
    shown = here("corpus", "check", "books").out
    assert "a rebuild is not complete; if none is running, go on: ragstone corpus rebuild books" in shown
    assert here("corpus", "rebuild", "books").code == 0
    assert "rebuild" not in here("corpus", "check", "books").out


def _set(shelf: Path, statement: str) -> None:
    with closing(sqlite3.connect(shelf / "catalog.sqlite")) as opened:
        opened.execute(statement)
        opened.commit()
