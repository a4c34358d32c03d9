"""What only a database server does: it goes away, refuses, makes wait, and has a password."""

from __future__ import annotations

import json
import logging
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import Document

from ragstone.core import (
    Host,
    MissingExtra,
    Settings,
    SettingsError,
    StorageAway,
    StorageBusy,
    StorageDenied,
    StorageError,
)
from ragstone.core.catalog import Catalog, NewDocument, postgresql
from ragstone.core.testing import open_host
from tests.support.needs import needed
from tests.support.postgresql import Server, server
from tests.support.third_party_fakes import Here

SECRET = "s3cret-w0rd"


@pytest.fixture(scope="module")
def own() -> Iterator[Server]:
    """A server that the tests may stop."""
    with server() as running:
        yield running


@pytest.fixture
def url(postgresql: Server) -> Iterator[str]:
    with postgresql.database() as name:
        yield postgresql.url(name)


def _document(number: int) -> NewDocument:
    return NewDocument(f"d{number}", "h", "text")


def test_a_server_that_was_restarted_is_used_again(own: Server, tmp_path: Path) -> None:
    with own.database() as name:
        catalog = Catalog(own.url(name), tmp_path)
        corpus = catalog.create_corpus("c", {})
        assert catalog.documents.put(corpus.id, _document(1)) == 1
        own.stop()
        own.start()
        assert catalog.documents.put(corpus.id, _document(2)) == 2
        with catalog.read() as snapshot:
            assert snapshot.sizes(corpus.id) == (2, 0)
        catalog.close()


def test_while_the_server_is_away_everything_says_so_and_then_goes_on(own: Server, tmp_path: Path) -> None:
    with own.database() as name, open_host(tmp_path, database=own.url(name)) as host:
        corpus = host.corpus("books", kind="book")
        about = {"book": "b", "book_title": "B", "edition": "First Edition", "path": "b.md", "title": "B"}
        corpus.ingest([Document(id_="b", text="# B\n\nA caster is a wheel that swivels.", metadata=about)])
        assert "swivels" in host.assistant("book_chat").ask("What is a caster?").text
        own.stop()
        try:
            with pytest.raises(StorageAway, match=r"does not answer.*see that it runs"):
                corpus.remove(["b"])
            with pytest.raises(StorageAway, match=str(own.folder)) as away:
                host.assistant("book_chat").ask("What is a caster?")
            assert str(own.folder) not in str(away.value.to_problem())
            with pytest.raises(StorageAway):
                Catalog(own.url(name), tmp_path)
            (check,) = [check for check in host.checks() if check.name == "catalog"]
            assert (check.ok, check.fatal) == (False, True)
        finally:
            own.start()
        assert "swivels" in host.assistant("book_chat").ask("What is a caster?").text
        assert all(check.ok for check in host.checks() if check.name == "catalog")


def test_a_connection_that_is_cut_off_in_the_middle(postgresql: Server, url: str, tmp_path: Path) -> None:
    catalog = Catalog(url, tmp_path)
    with (
        pytest.raises(StorageAway),
        catalog.read() as snapshot,
        postgresql.connect("postgres") as admin,
    ):
        assert snapshot.corpora() == []
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ragstone'")
        snapshot.corpora()
    with catalog.read() as snapshot:
        assert snapshot.corpora() == []
    catalog.close()


@pytest.mark.parametrize(
    "limits", [{"lock_timeout": "200"}, {"lock_timeout": "0", "statement_timeout": "200"}], ids=["lock", "statement"]
)
def test_nobody_waits_for_ever(
    limits: dict[str, str], postgresql: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ragstone.core.catalog import postgresql as product

    monkeypatch.setattr(product, "_SESSION", {**product._SESSION, **limits})
    with postgresql.database() as name:
        catalog = Catalog(postgresql.url(name), tmp_path)
        corpus = catalog.create_corpus("c", {})
        with postgresql.connect(name) as other, other.transaction():
            other.execute("UPDATE ragstone.corpus SET seq = seq")
            with pytest.raises(StorageBusy):
                catalog.documents.put(corpus.id, _document(1))
        assert catalog.documents.put(corpus.id, _document(1)) == 1
        catalog.close()


def test_a_server_that_takes_the_call_and_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("psycopg")
    monkeypatch.setitem(postgresql._CONNECTION, "connect_timeout", 2)  # the least that libpq takes
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql+psycopg://me:{SECRET}@127.0.0.1:{silent.getsockname()[1]}/x"
        with pytest.raises(StorageAway, match="timeout") as result:
            Catalog(url, tmp_path)
    assert SECRET not in str(result.value)


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql+psycopg://me:{SECRET}@127.0.0.1:PORT/x",
        f"postgresql://me:{SECRET}@127.0.0.1:PORT/x",
        f"postgresql+psycopg://127.0.0.1:PORT/x?user=me&password={SECRET}",
        f"postgresql+psycopg://me:{SECRET}@@@127.0.0.1:PORT/x",
        f"postgresql+psycopg://me:{SECRET}/{SECRET}@127.0.0.1:PORT/x",
        f"postgresql+psycopg://me:{SECRET}@127.0.0.1:PORT/x?nonsense={SECRET}",
        f"postgresql+asyncpg://me:{SECRET}@127.0.0.1:PORT/x",
        f"mysql://me:{SECRET}@127.0.0.1:PORT/x",
        f"nothing:{SECRET}",
    ],
)
def test_the_password_is_nowhere_to_be_read(
    address: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    needed("psycopg")
    caplog.set_level(logging.DEBUG)
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    url = address.replace("PORT", str(port))
    settings = Settings(data_dir=tmp_path, database=url)
    with pytest.raises((StorageError, SettingsError)) as result:
        Host(settings).start()
    output = [
        str(result.value),
        repr(result.value),
        json.dumps(result.value.to_problem()),
        repr(settings),
        str(settings),
    ]
    output += [repr(result.value.__dict__), caplog.text]
    monkeypatch.setenv("RAGSTONE_DATABASE", url)
    ended = Here(capsys)("book", "list")
    assert ended.line
    for words in [*output, ended.err, ended.out]:
        assert SECRET not in words


def test_who_may_not_is_reported_what_to_do(postgresql: Server, tmp_path: Path) -> None:
    with postgresql.database() as name, postgresql.connect("postgres") as admin:
        admin.execute("DROP ROLE IF EXISTS guest")
        admin.execute("CREATE ROLE guest LOGIN")
        with pytest.raises(StorageDenied, match=r"permission denied.*connect and create a schema"):
            Catalog(postgresql.url(name, user="guest"), tmp_path)
        admin.execute("DROP ROLE guest")
    with pytest.raises(StorageDenied, match='role "stranger" does not exist'):
        Catalog(postgresql.url(name, user="stranger"), tmp_path)
    with pytest.raises(StorageDenied, match='database "nowhere" does not exist'):
        Catalog(postgresql.url("nowhere"), tmp_path)


def test_a_database_of_another_encoding_is_refused(postgresql: Server, tmp_path: Path) -> None:
    with postgresql.connect("postgres") as admin:
        admin.execute("CREATE DATABASE old ENCODING 'LATIN1' TEMPLATE template0")
        try:
            with pytest.raises(StorageDenied, match=r"is in LATIN1.*ENCODING 'UTF8'"):
                Catalog(postgresql.url("old"), tmp_path)
        finally:
            admin.execute("DROP DATABASE old WITH (FORCE)")


def test_it_lives_in_a_schema_of_its_own_beside_other_tables(postgresql: Server, tmp_path: Path) -> None:
    with postgresql.database() as name, postgresql.connect(name) as other:
        other.execute("CREATE TABLE public.document (theirs text)")
        other.execute("CREATE TABLE public.about (theirs text)")
        other.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
        first = Catalog(postgresql.url(name), tmp_path)
        second = Catalog(postgresql.url(name), tmp_path, schema='ragstone "eval" x')
        corpus = first.create_corpus("c", {})
        first.documents.put(corpus.id, _document(1))
        with second.read() as snapshot:
            assert snapshot.corpora() == []
        with first._tables.write() as connection:
            assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
        found: Any = other.execute("SELECT count(*) FROM public.document").fetchone()
        assert found[0] == 0
        for each in (first, second):
            each.close()


def test_without_its_driver_the_install_line_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"needs psycopg \(pip install 'ragstone\[postgresql\]'\)"):
        Catalog("postgresql+psycopg://me@localhost/x", tmp_path)
