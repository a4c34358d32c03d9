"""A catalog that is gone, emptied or another one is never taken for one that was not made yet."""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from ragstone.core import StorageError, StorageLost
from ragstone.core.catalog import Catalog
from tests.support.third_party_fakes import Here

pytestmark = pytest.mark.usefixtures("fast_site")


def _made(folder: Path, name: str = "c") -> Path:
    with closing(Catalog(None, folder)) as catalog:
        catalog.create_corpus(name, {})
    return folder / "catalog.sqlite"


def _removed(file: Path) -> None:
    file.unlink()


def _emptied(file: Path) -> None:
    file.write_bytes(b"")


def _without_tables(file: Path) -> None:
    _removed(file)
    with closing(sqlite3.connect(file)) as opened:
        opened.execute("PRAGMA journal_mode = WAL")
        opened.execute("VACUUM")


def _of_others(file: Path) -> None:
    _removed(file)
    _made(file.parent / "other").replace(file)


LOSSES = [_removed, _emptied, _without_tables, _of_others]


@pytest.mark.parametrize("lose", LOSSES)
def test_it_is_reported_and_no_other_one_is_made(tmp_path: Path, here: Here, lose: Callable[[Path], None]) -> None:
    data = tmp_path / "data"
    file = _made(data)
    lose(file)
    before = {path: path.read_bytes() for path in sorted(data.glob("catalog.sqlite*"))}
    with pytest.raises(StorageLost, match="catalog") as raised:
        Catalog(None, data)
    assert f"remove {file}.id" in str(raised.value)
    examined = here("doctor")
    assert examined.code == 2
    assert "WRONG catalog" in examined.out
    assert "restore it from a backup" in examined.out
    assert here("corpus", "list").code == 1
    if lose is not _without_tables:  # a database of some kind is opened to look at it
        assert {path: path.read_bytes() for path in before} == before
    assert file.exists() == (lose is not _removed)
    (data / "catalog.sqlite.id").unlink()  # what the message says
    with closing(Catalog(None, data)):
        pass


def test_nothing_is_stored_in_a_file_that_was_removed_or_replaced(tmp_path: Path) -> None:
    file = _made(tmp_path / "data")
    with closing(Catalog(None, tmp_path / "data")) as catalog:
        shutil.copy(file, tmp_path / "backup")
        shutil.rmtree(tmp_path / "data")
        with pytest.raises(StorageLost, match="restore it from a backup, then start again"):
            catalog.create_corpus("later", {})
        (tmp_path / "data").mkdir()
        (tmp_path / "backup").replace(file)
        with pytest.raises(StorageLost, match="start again to use that one"):
            catalog.create_corpus("later", {})


def test_a_restored_backup_and_a_removed_data_folder_are_in_order(tmp_path: Path) -> None:
    file = _made(tmp_path / "data")
    shutil.copy(file, tmp_path / "backup")
    _made(tmp_path / "data", "later")
    (tmp_path / "backup").replace(file)
    with closing(Catalog(None, tmp_path / "data")) as catalog, catalog.read() as snapshot:
        assert [row.name for row in snapshot.corpora()] == ["c"]
    shutil.copytree(tmp_path / "data", tmp_path / "moved")
    Catalog(None, tmp_path / "moved").close()
    shutil.rmtree(tmp_path / "data")
    Catalog(None, tmp_path / "data").close()


def test_a_data_folder_of_an_older_ragstone_remembers_from_now_on(tmp_path: Path) -> None:
    file = _made(tmp_path)
    (tmp_path / "catalog.sqlite.id").unlink()
    with closing(sqlite3.connect(file)) as opened:
        opened.execute("DELETE FROM about WHERE key IN ('id', 'sealed')")
        opened.execute("ALTER TABLE chunk DROP COLUMN checksum")
        opened.execute("ALTER TABLE chunk DROP COLUMN sentences")
        opened.execute("ALTER TABLE document DROP COLUMN kinds")
        opened.execute("UPDATE about SET value = '3' WHERE key = 'schema'")
        opened.commit()
    older = file.read_bytes()
    Catalog(None, tmp_path).close()
    known = (tmp_path / "catalog.sqlite.id").read_text("ascii")
    assert len(known) == 32
    file.write_bytes(older)  # its backup, made before the upgrade
    Catalog(None, tmp_path).close()
    assert (tmp_path / "catalog.sqlite.id").read_text("ascii") == known
    file.unlink()
    with pytest.raises(StorageLost):
        Catalog(None, tmp_path)


_KILLED = """
import os, signal, sys
from pathlib import Path
from ragstone.core.catalog import Catalog, creation
place = sys.argv[2]
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
if place == "before the catalog": creation.metadata.create_all = die
else: creation.write_atomically = die
Catalog(None, Path(sys.argv[1]))
"""


@pytest.mark.parametrize("place", ["before the catalog", "before the marker"])
def test_a_first_start_that_was_killed_is_done_again(tmp_path: Path, place: str) -> None:
    done = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path), place], check=False)
    assert done.returncode == -9
    assert not (tmp_path / "catalog.sqlite.id").exists()
    for _ in range(2):
        Catalog(None, tmp_path).close()
    assert (tmp_path / "catalog.sqlite.id").exists()


def test_many_that_start_at_once_make_one_catalog(database: str | None, tmp_path: Path) -> None:
    for number in range(5):
        folder = tmp_path / str(number)
        folder.mkdir()
        with ThreadPoolExecutor(6) as pool:
            for made in [pool.submit(Catalog, database, folder) for _ in range(6)]:
                made.result().close()


def test_an_emptied_server_is_no_new_one(database: str | None, tmp_path: Path) -> None:
    if database is None:
        pytest.skip("of a database server")
    Catalog(database, tmp_path).close()
    engine = create_engine(database)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA ragstone CASCADE")
    engine.dispose()
    with pytest.raises(StorageLost, match="holds nothing"):
        Catalog(database, tmp_path)
    Catalog(database, tmp_path / "of another machine").close()


def test_a_cache_may_go_at_any_time(tmp_path: Path) -> None:
    Catalog(None, tmp_path, is_cache=True).close()
    assert not (tmp_path / "catalog.sqlite.id").exists()


def test_what_was_read_from_a_damaged_schema_is_not_shown(tmp_path: Path) -> None:
    numbers = random.Random(7)
    for number in range(12):
        file = _made(tmp_path / str(number))
        raw = bytearray(file.read_bytes())
        for _ in range(80):  # in the first page, which holds the schema
            raw[numbers.randrange(110, 4096)] = numbers.randrange(256)
        file.write_bytes(raw)
        with pytest.raises(StorageError) as raised:
            Catalog(None, file.parent)
        output = raised.value.what.removeprefix("is not a readable database: ").removeprefix("the database refused: ")
        assert output in KNOWN, output


KNOWN = {
    "malformed database schema",
    "its schema is no text",
    "what it holds is no text",
    "database disk image is malformed",
}
