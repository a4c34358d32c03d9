"""Corpora move between SQLite and PostgreSQL, whole and without being embedded again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import Document
from sqlalchemy import MetaData, select

from ragstone.core import BadRequest, Host, NotFound, StorageError
from ragstone.core.catalog import Catalog, check_copy, copy_corpus
from ragstone.core.catalog.schema import chunk, document
from ragstone.core.testing import SmallCorpus, fill_small_corpus, open_host
from tests.support.postgresql import Server
from tests.support.third_party_fakes import Here, write_pages

_NAME = "small_corpus"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Host]:
    """A host with a filled corpus in SQLite."""
    with open_host(tmp_path / "here", plugins={"small": SmallCorpus()}) as host:
        corpus = fill_small_corpus(host)
        corpus.remove(["lidar"])
        corpus.ingest([Document(id_="arms", text="An arm bears a gripper. " * 40, metadata={"title": "Ärme"})])
        yield host


def _rows(catalog: Catalog) -> list[dict[str, Any]]:
    """Everything that is stored of the corpus but its keys."""
    left_out = {"id", "corpus_id", "document_id"}
    with catalog.read() as snapshot, catalog.tables("probe", MetaData()).read() as connection:
        row = snapshot.corpus(_NAME)
        assert row is not None
        found: list[dict[str, Any]] = [{"corpus": [row.fingerprint, row.seq, row.calibration]}]
        for table, order in ((document, document.c.doc_id), (chunk, chunk.c.chunk_id)):
            rows = connection.execute(select(table).where(table.c.corpus_id == row.id).order_by(order)).mappings()
            found += [{key: value for key, value in each.items() if key not in left_out} for each in rows]
    return found


def _copy(source: Catalog, target: Catalog) -> int:
    return copy_corpus(source, target, _NAME, None, lambda: None).resumed


def test_there_and_back_everything_is_as_it_was(here: Host, url: str, tmp_path: Path) -> None:
    there, back = Catalog(url, tmp_path), Catalog(f"sqlite:///{tmp_path}/back.sqlite", tmp_path)
    done = copy_corpus(here.catalog, there, _NAME, None, lambda: None)
    assert (done.documents, done.resumed) == (6, 0)
    assert done.chunks == here.find_corpus(_NAME).info().chunks
    assert _rows(there) == _rows(here.catalog)
    copy_corpus(there, back, _NAME, here.hooks.encoder.dimension, lambda: None)
    assert _rows(back) == _rows(here.catalog)
    there.close()
    back.close()
    question = "What does a parallel gripper close?"
    before = here.assistant(_NAME).ask(question).to_dict()
    with open_host(tmp_path / "new", plugins={"small": SmallCorpus()}, database=url) as host:
        after = host.assistant(_NAME).ask(question).to_dict()
        assert host.find_corpus(_NAME).info().stale is None
        assert host.find_corpus(_NAME).contents.check_chunks().damaged == []
    assert [before.pop("timings_ms"), after.pop("timings_ms")]
    assert after == before


def test_an_interrupted_copy_goes_on_and_is_no_corpus_before(here: Host, url: str, tmp_path: Path) -> None:
    there = Catalog(url, tmp_path)
    left = 3

    def interrupt() -> None:
        nonlocal left
        left -= 1
        if not left:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_corpus(here.catalog, there, _NAME, None, interrupt)
    with there.read() as snapshot:
        assert snapshot.corpus(_NAME) is None
    corpus = here.find_corpus(_NAME)
    corpus.ingest([Document(id_="casters", text="A caster has a fork and a wheel.", metadata={"title": "Casters"})])
    corpus.remove(["tyres"])
    assert _copy(here.catalog, there) in {1, 2, 3}
    assert _rows(there) == _rows(here.catalog)
    there.close()


def test_what_changes_meanwhile_is_copied_too(here: Host, url: str, tmp_path: Path) -> None:
    there = Catalog(url, tmp_path)
    corpus, changes = here.find_corpus(_NAME), iter([True])

    def change() -> None:
        if next(changes, False):
            corpus.ingest([Document(id_="new", text="A new text on brakes.", metadata={"title": "New"})])
            corpus.remove(["brakes"])

    copy_corpus(here.catalog, there, _NAME, None, change)
    assert _rows(there) == _rows(here.catalog)
    there.close()


def test_the_rest_of_another_corpus_is_not_gone_on_with(here: Host, url: str, tmp_path: Path) -> None:
    there = Catalog(url, tmp_path)
    other = there.create_corpus(_NAME, {"encoder": "another"}, state="copying")
    _copy(here.catalog, there)
    assert _rows(there) == _rows(here.catalog)
    with there.read() as snapshot:
        row = snapshot.corpus(_NAME)
        assert row is not None
        assert row.id != other.id
    there.close()


def test_nothing_is_overwritten(here: Host, url: str, tmp_path: Path) -> None:
    there = Catalog(url, tmp_path)
    assert check_copy(here.catalog, there, ()) == {_NAME: 6}
    with pytest.raises(NotFound, match="no corpus 'other'"):
        check_copy(here.catalog, there, ("other",))
    with pytest.raises(BadRequest, match="the catalog itself"):
        check_copy(here.catalog, here.catalog, ())
    there.create_corpus(_NAME, {})
    with pytest.raises(BadRequest, match="nothing is overwritten"):
        check_copy(here.catalog, there, ())
    with pytest.raises(BadRequest, match="nothing is overwritten"):
        _copy(here.catalog, there)
    with there.read() as snapshot:
        row = snapshot.corpus(_NAME)
        assert row is not None
        assert row.fingerprint == {}
    there.close()


def test_a_damaged_chunk_is_named_and_not_copied(here: Host, url: str, tmp_path: Path) -> None:
    there = Catalog(url, tmp_path)
    with here.catalog.tables("probe", MetaData()).write() as connection:
        connection.exec_driver_sql("UPDATE chunk SET text = 'Another text' WHERE text LIKE 'A caster%'")
    with pytest.raises(StorageError, match="of 'casters' is damaged"):
        _copy(here.catalog, there)
    with there.read() as snapshot:
        assert snapshot.corpus(_NAME) is None
    there.close()


def test_the_command(postgresql: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fast_here: Here) -> None:
    book = write_pages(tmp_path / "wheels", {"one.md": "# Casters\n\nA caster is a wheel that swivels.\n"})
    fast_here("book", "add", str(book))
    with postgresql.emptied() as name:
        url = postgresql.url(name)
        done = json.loads(fast_here("corpus", "copy", "books", "--to", url, "--json").out)
        assert done["corpora"] == [{"name": "books", "documents": 1, "chunks": 1, "resumed": 0}]
        again = fast_here("corpus", "copy", "--to", url)
        assert again.code == 2
        assert "has books already, and nothing is overwritten" in again.err
        monkeypatch.setenv("RAGSTONE_DATABASE", url)
        assert "A caster is a wheel" in fast_here("ask", "book_chat", "What is a caster?").out
        back = fast_here("corpus", "copy", "--to", f"sqlite:///{tmp_path}/back.sqlite")
        assert (back.code, back.err) == (0, "")
        assert "To use the copy: set database in ragstone.toml to the URL that --to had." in back.out
        assert "cannot be kept in mysql" in fast_here("corpus", "copy", "--to", "mysql://x/y").err
