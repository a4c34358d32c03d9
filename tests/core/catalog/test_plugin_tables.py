"""Tables of a plugin's own: in the catalog's database, under the catalog's promises."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, func, insert, select, text, update

from ragstone.core import PluginError, StorageError
from ragstone.core.catalog import Catalog, NewDocument

notes = MetaData()
note = Table("notes_note", notes, Column("id", Integer, primary_key=True), Column("words", Text, nullable=False))


def _count(catalog: Catalog) -> int:
    with catalog.tables("notes", notes).read() as connection:
        return connection.execute(select(func.count()).select_from(note)).scalar_one()


def test_what_was_written_is_there_for_the_next_one_who_opens(
    catalog: Catalog, tmp_path: Path, database: str | None
) -> None:
    with catalog.tables("notes", notes).write() as connection:
        connection.execute(insert(note).values(words="a caster"))
    catalog.close()
    again = Catalog(database, tmp_path)
    assert _count(again) == 1
    again.close()


def test_a_failure_undoes_the_whole_of_it(catalog: Catalog) -> None:
    tables = catalog.tables("notes", notes)
    with pytest.raises(ZeroDivisionError), tables.write() as connection:
        connection.execute(insert(note).values(words="half"))
        raise ZeroDivisionError
    assert _count(catalog) == 0


def test_documents_are_read_and_removed_in_the_same_transaction(catalog: Catalog) -> None:
    corpus = catalog.create_corpus("c", {})
    for doc_id in ("a", "b"):
        catalog.documents.put(corpus.id, NewDocument(doc_id, "h", "text"))
    tables = catalog.tables("notes", notes)

    def stored(connection: Connection) -> list[str]:
        return [each.doc_id for each in tables.snapshot(connection).documents(corpus.id)]

    with pytest.raises(ZeroDivisionError), tables.write() as connection:
        assert catalog.documents.remove(corpus.id, ["a"], within=connection) == 1
        assert stored(connection) == ["b"]
        raise ZeroDivisionError
    with tables.read() as connection:
        assert stored(connection) == ["a", "b"]
        with tables.write() as other:
            other.execute(insert(note).values(words="with it"))
            catalog.documents.remove(corpus.id, ["a"], within=other)
        assert stored(connection) == ["a", "b"]
    with tables.read() as connection:
        assert stored(connection) == ["b"]
    assert _count(catalog) == 1


def test_a_wrong_statement_is_a_storage_error(catalog: Catalog) -> None:
    with pytest.raises(StorageError), catalog.tables("notes", notes).write() as connection:
        connection.execute(text("SELECT * FROM notes_nowhere"))


def test_a_reader_sees_one_moment(catalog: Catalog) -> None:
    tables = catalog.tables("notes", notes)
    with tables.read() as connection:
        before = connection.execute(select(func.count()).select_from(note)).scalar_one()
        with tables.write() as other:
            other.execute(insert(note).values(words="later"))
        assert connection.execute(select(func.count()).select_from(note)).scalar_one() == before == 0
    assert _count(catalog) == 1


def test_many_who_ask_for_the_tables_at_once_make_them_once(catalog: Catalog) -> None:
    gate = threading.Barrier(6)

    def one(number: int) -> None:
        gate.wait()
        with catalog.tables("notes", notes).write() as connection:
            connection.execute(insert(note).values(words=str(number)))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(one, range(6)))
    assert _count(catalog) == 6


def test_two_prefixes_and_the_catalog_stand_side_by_side(catalog: Catalog) -> None:
    other = MetaData()
    Table("notes_marks_mark", other, Column("id", Integer, primary_key=True))
    catalog.tables("notes", notes)
    catalog.tables("notes_marks", other)
    corpus = catalog.create_corpus("c", {})
    assert catalog.documents.put(corpus.id, NewDocument("d", "h", "text")) == 1


def _newer() -> tuple[MetaData, Table]:
    metadata = MetaData()
    table = Table(
        "notes_note",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("words", Text, nullable=False),
        Column("length", Integer),
    )
    return metadata, table


def _add_length(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE notes_note ADD COLUMN length INTEGER"))
    table = _newer()[1]
    connection.execute(update(table).values(length=func.length(table.c.words)))


def test_an_older_version_is_upgraded_once_with_what_it_holds(catalog: Catalog) -> None:
    with catalog.tables("notes", notes).write() as connection:
        connection.execute(insert(note).values(words="caster"))
    metadata, table = _newer()
    for _ in range(2):
        tables = catalog.tables("notes", metadata, version=2, upgrades={1: _add_length})
        with tables.read() as connection:
            assert [tuple(row) for row in connection.execute(select(table.c.words, table.c.length))] == [("caster", 6)]


def test_an_upgrade_that_fails_leaves_the_older_version(catalog: Catalog) -> None:
    with catalog.tables("notes", notes).write() as connection:
        connection.execute(insert(note).values(words="caster"))

    def half(connection: Connection) -> None:
        _add_length(connection)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        catalog.tables("notes", _newer()[0], version=2, upgrades={1: half})
    assert _count(catalog) == 1
    catalog.tables("notes", _newer()[0], version=2, upgrades={1: _add_length})


def test_a_newer_version_is_not_touched(catalog: Catalog) -> None:
    catalog.tables("notes", _newer()[0], version=2, upgrades={1: _add_length})
    with pytest.raises(StorageError, match=r"newer version \(tables/\w+ 2, this one knows 1\).*upgrade Ragstone"):
        catalog.tables("notes", notes)


@pytest.mark.parametrize(
    ("prefix", "name"),
    [
        ("notes", "note"),
        ("notes", "other_note"),
        ("Notes", "Notes_note"),
        ("", "_note"),
        ("chunk", "chunk_note"),
        ("corpus", "corpus_x"),
        ("posting", "posting_totals"),
        ("fulltext", "fulltext_1"),
        ("document_notes", "document_notes_note"),
        ("notes", "notes_" + "n" * 60),
    ],
)
def test_tables_that_could_be_taken_for_others_are_refused(tmp_path: Path, prefix: str, name: str) -> None:
    metadata = MetaData()
    Table(name, metadata, Column("id", Integer, primary_key=True))
    catalog = Catalog(None, tmp_path)
    with pytest.raises(PluginError):
        catalog.tables(prefix, metadata)
    catalog.close()


def test_a_version_without_a_way_to_it_is_refused(tmp_path: Path) -> None:
    catalog = Catalog(None, tmp_path)
    with pytest.raises(PluginError, match="no upgrade from version 1"):
        catalog.tables("notes", notes, version=3, upgrades={2: _add_length})
    catalog.close()


def test_a_fork_is_refused(catalog: Catalog) -> None:
    tables = catalog.tables("notes", notes)
    child = os.fork()
    if child == 0:
        try:
            with tables.read():
                os._exit(1)
        except StorageError:
            os._exit(0)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


_KILLED = """
import sys
from sqlalchemy import Column, Integer, MetaData, Table, Text, insert
from pathlib import Path
from ragstone.core.catalog import Catalog

metadata = MetaData()
note = Table("notes_note", metadata, Column("id", Integer, primary_key=True), Column("words", Text, nullable=False))
tables = Catalog(sys.argv[2] or None, Path(sys.argv[1])).tables("notes", metadata)
with tables.write() as connection:
    connection.execute(insert(note).values(words="whole"))
print("whole", flush=True)
with tables.write() as connection:
    connection.execute(insert(note).values(words="half"))
    print("half", flush=True)
    sys.stdin.read()
"""


def test_a_kill_leaves_what_was_acknowledged_and_nothing_half(tmp_path: Path, database: str | None) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(tmp_path), database or ""],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert [child.stdout.readline().strip() for _ in range(2)] == ["whole", "half"]
        child.send_signal(signal.SIGKILL)
        child.wait()
    catalog = Catalog(database, tmp_path)
    assert _count(catalog) == 1
    catalog.close()
