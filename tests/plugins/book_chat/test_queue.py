"""Books in PostgreSQL's queue, as a user queues them and workers read them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import BadRequest, Host, SourceError
from ragstone.core.catalog import Unfit
from ragstone.core.testing import open_host
from ragstone.plugins.book_chat import Shelf
from ragstone.web import create_app
from tests.support.commands import run
from tests.support.needs import needed
from tests.support.postgresql import Server
from tests.support.third_party_fakes import Here, write_pages

needed("procrastinate")

_BOOKS = {
    "wheels/one.md": "# Casters\n\nA caster is a wheel that swivels about a vertical axis.\n",
    "wheels/two.md": "# Tyres\n\nA tyre of rubber grips wet concrete.\n",
    "arms.md": "# Arms\n\nAn arm has seven joints.\n",
    "empty/picture.png": "x",
    "notes.zzz": "x",
    ".hidden.md": "# Hidden\n",
}
_KEY = "a-key-of-sixteen-signs"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_pages(tmp_path / "books", _BOOKS)


@pytest.fixture
def host(postgresql: Server, tmp_path: Path) -> Iterator[Host]:
    with postgresql.emptied() as name, open_host(tmp_path, database=postgresql.url(name)) as opened:
        yield opened


def _queue(host: Host, path: Path, *options: str) -> dict[str, Any]:
    done: dict[str, Any] = json.loads(run(host, "book", "add", str(path), "--queue", "--json", *options))
    return done


def _state(host: Host) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(run(host, "book", "queue", "--json"))
    return state


def _work(host: Host) -> list[str]:
    return [line.partition(":")[0] for line in run(host, "book", "work", "--until-empty").splitlines()]


def test_each_file_and_each_folder_is_a_book(host: Host, folder: Path) -> None:
    left = _queue(host, folder)["left_out"]
    assert {one["relative"] for one in left} == {"empty/", "notes.zzz"}
    assert sorted(_work(host)) == ["arms", "wheels"]
    write_pages(folder, {"book.toml": ""})
    with pytest.raises(BadRequest, match="is one book"):
        _queue(host, folder)


def test_a_folder_of_books_is_queued_read_and_asked(host: Host, folder: Path) -> None:
    added, again = _queue(host, folder), _queue(host, folder)
    assert (added["queued"], added["known"], len(added["left_out"])) == (2, 0, 2)
    assert (again["queued"], again["known"]) == (0, 2)
    assert sorted(_work(host)) == ["arms", "wheels"]
    assert _state(host)["done"] == 2
    assert {book.slug: book.files for book in Shelf(host).counted()} == {"arms": 1, "wheels": 2}
    assert "seven joints" in host.assistant("book_chat").ask("How many joints does an arm have?").text
    # again: nothing is embedded anew, and what went is removed
    (folder / "wheels/two.md").unlink()
    assert _queue(host, folder)["queued"] == 2
    _work(host)
    assert {book.slug: book.files for book in Shelf(host).counted()} == {"arms": 1, "wheels": 1}


def test_two_books_of_one_title_do_not_replace_each_other(host: Host, tmp_path: Path) -> None:
    same = {f"{name}.md": f"---\ntitle: Same\n---\n# One\n\nText {name}.\n" for name in ("one", "two")}
    _queue(host, write_pages(tmp_path / "same", same))
    assert len(_work(host)) == 1
    (failure,) = _state(host)["failures"]
    assert "same title and edition" in failure["note"]["problem"]
    assert str(tmp_path) not in failure["note"]["problem"]
    (book,) = Shelf(host).counted()
    assert book.chunks == 1


def test_a_file_may_have_a_title_and_a_folder_may_not(host: Host, folder: Path) -> None:
    assert _queue(host, folder / "arms.md", "--title", "Robot arms", "--edition", "Second")["queued"] == 1
    _work(host)
    assert [(book.title, book.edition) for book in Shelf(host).books()] == [("Robot arms", "Second")]
    with pytest.raises(BadRequest, match="no title"):
        _queue(host, folder, "--title", "All")
    with pytest.raises(SourceError, match="no reader"):
        _queue(host, folder / "notes.zzz")
    with pytest.raises(SourceError, match="holds no book"):
        _queue(host, folder / "empty")


def test_a_machine_that_does_not_see_the_books_leaves_them_to_others(host: Host, folder: Path) -> None:
    _queue(host, folder)
    folder.rename(folder.with_name("elsewhere"))
    with pytest.raises(Unfit, match="does not see"):
        _work(host)
    assert (_state(host)["waiting"], _state(host)["failed"]) == (2, 0)


def test_the_page_and_the_interface_show_how_far(host: Host, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_ADMIN_KEY", _KEY)
    (folder / "broken.md").write_bytes(b"\xff\xfe")
    client = create_app(host).test_client()
    held = {"Authorization": f"Bearer {_KEY}"}
    assert client.get("/api/books/queue", headers=held).get_json()["total"] == 0
    _queue(host, folder)
    assert client.get("/api/books/queue").status_code == 401
    assert client.get("/api/books/queue", headers=held).get_json()["waiting"] == 3
    assert "0 of 3 on the shelf · 0 being read · 3 waiting" in client.get("/book_chat/books/", headers=held).text
    assert "3 waiting" not in client.get("/book_chat/books/").text
    _work(host)
    found = client.get("/api/books/queue", headers=held).get_json()
    assert (found["done"], found["failed"], found["failures"][0]["book"]) == (2, 1, "broken.md")
    assert "is not UTF-8" in found["failures"][0]["problem"]
    assert str(folder) not in json.dumps(found)
    assert "broken.md: is not UTF-8" in client.get("/book_chat/books/", headers=held).text


def test_the_commands(
    postgresql: Server,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    fast_here: Here,
) -> None:
    refused = fast_here("book", "add", str(folder), "--queue")
    assert refused.code == 2
    assert "a queue needs the catalog in PostgreSQL" in refused.err
    with postgresql.emptied() as name:
        monkeypatch.setenv("RAGSTONE_DATABASE", postgresql.url(name))
        assert "The queue is empty" in fast_here("book", "queue").out
        (folder / "broken.md").write_bytes(b"\xff\xfe")
        assert fast_here("book", "add", str(folder), "--queue").out.splitlines()[0] == "3 books queued."
        assert fast_here("book", "work", "--until-empty").code == 0
        output = fast_here("book", "queue").out
        assert "2 of 3 books are on the shelf, 0 being read, 0 waiting, 1 failed." in output
        assert "broken.md: is not UTF-8" in output
        assert "1 book queued again." in fast_here("book", "queue", "--retry").out
        assert json.loads(fast_here("book", "queue", "--clear", "--json").out)["changed"] == 3
        assert json.loads(fast_here("book", "add", str(folder / "arms.md"), "--queue", "--json").out)["queued"] == 1
