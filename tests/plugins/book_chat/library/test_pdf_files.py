"""The PDF beside a citation: only where it is allowed, only the file that was added."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from ragstone.core import SourceError
from ragstone.core.testing import open_host
from ragstone.plugins.book_chat import Shelf
from ragstone.plugins.book_chat.library import files, pdf_files
from tests.support.needs import needed

from .test_documents import BOOK

needed("pypdfium2")
flask = needed("flask")

ADDRESS = "/book_chat/book/robot-parts.pdf"


class Client:
    """A client that takes each answer whole, and closes it as a server does."""

    def __init__(self, app: Any) -> None:
        self._client = app.test_client()

    def get(self, address: str, **options: Any) -> Any:
        return self._client.get(address, buffered=True, **options)

    def head(self, address: str) -> Any:
        return self._client.head(address, buffered=True)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("books") / "parts.pdf"
    path.write_bytes(BOOK)
    return path


@pytest.fixture(autouse=True)
def _as_it_was(book: Path) -> Iterator[None]:
    """The file is for each test as it was when the book was added."""
    yield
    shutil.rmtree(book.parent)
    book.parent.mkdir()
    book.write_bytes(BOOK)


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory, book: Path, request: pytest.FixtureRequest
) -> Iterator[tuple[Client, Shelf]]:
    """A client of the pages, and the shelf with the book on it."""
    from ragstone.web import create_app

    options = {"serve_pdf": getattr(request, "param", ["robot-parts"]), "sample": False}
    with open_host(tmp_path_factory.mktemp("host"), options={"book_chat": options}) as host:
        shelf = Shelf(host)
        shelf.add(shelf.plan(book))
        yield Client(create_app(host)), shelf


def test_the_file_is_sent_as_it_is(site: tuple[Client, Shelf]) -> None:
    answer = site[0].get(ADDRESS)
    assert (answer.status_code, answer.data) == (200, BOOK)
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.headers["Content-Disposition"] == 'inline; filename="robot-parts.pdf"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert site[0].get(ADDRESS, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
    head = site[0].head(ADDRESS)
    assert (head.data, head.headers["Content-Length"]) == (b"", str(len(BOOK)))


@pytest.mark.parametrize(
    ("asked", "status", "sent"),
    [
        ("bytes=0-4", 206, BOOK[:5]),
        ("bytes=-6", 206, BOOK[-6:]),
        ("bytes=100-", 206, BOOK[100:]),
        (f"bytes={len(BOOK)}-", 416, None),
    ],
)
def test_ranges(site: tuple[Client, Shelf], asked: str, status: int, sent: bytes | None) -> None:
    answer = site[0].get(ADDRESS, headers={"Range": asked})
    assert answer.status_code == status
    if sent is not None:
        assert answer.data == sent
        assert answer.headers["Content-Range"].endswith(f"/{len(BOOK)}")


@pytest.mark.parametrize("site", [[], ["another-book"]], indirect=True)
def test_by_default_nothing_is_served(site: tuple[Client, Shelf]) -> None:
    client, shelf = site
    assert client.get(ADDRESS).status_code == 404
    node = shelf.corpus.contents.document_nodes("robot-parts:parts.pdf")[1]
    page = client.get(f"/book_chat/source/{node.node_id}").text
    assert "p. 7" in page and ".pdf" not in page


@pytest.mark.parametrize("site", [[]], indirect=True)
def test_a_book_cannot_publish_itself(site: tuple[Client, Shelf], book: Path) -> None:
    client, shelf = site
    (book.parent / "book.toml").write_text('[ragstone]\nserve_pdf = ["*"]\n')
    with pytest.raises(SourceError, match="serve_pdf"):
        shelf.add(shelf.plan(book))
    assert client.get(ADDRESS).status_code == 404


def test_a_file_that_is_gone_has_no_link(site: tuple[Client, Shelf], book: Path) -> None:
    client, shelf = site
    node = shelf.corpus.contents.document_nodes("robot-parts:parts.pdf")[1]
    assert ".pdf" in client.get(f"/book_chat/source/{node.node_id}").text
    book.unlink()
    assert ".pdf" not in client.get(f"/book_chat/source/{node.node_id}").text


def test_the_source_page_leads_to_the_page_of_the_pdf(site: tuple[Client, Shelf]) -> None:
    client, shelf = site
    node = shelf.corpus.contents.document_nodes("robot-parts:parts.pdf")[1]
    page = client.get(f"/book_chat/source/{node.node_id}").text
    assert f'href="{ADDRESS}#page=2"' in page
    assert "Open the book at page 7" in page


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_bytes(BOOK + b"\n"),
        lambda path: path.unlink(),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: (path.unlink(), path.symlink_to("/etc/passwd")),
    ],
    ids=["changed", "gone", "folder", "link"],
)
def test_another_file_in_its_place_is_not_sent(site: tuple[Client, Shelf], book: Path, change: Any) -> None:
    assert site[0].get(ADDRESS).status_code == 200
    change(book)
    answer = site[0].get(ADDRESS)
    assert answer.status_code == 404
    assert str(book.parent) not in answer.text


@pytest.mark.parametrize(
    "address",
    [
        "/book_chat/book/other.pdf",
        "/book_chat/book/..%2f..%2fetc%2fpasswd.pdf",
        f"{ADDRESS}?path=../books/parts.pdf",
        f"{ADDRESS}?path=/etc/passwd",
        f"{ADDRESS}?path=",
    ],
)
def test_no_address_leads_elsewhere(site: tuple[Client, Shelf], address: str) -> None:
    assert site[0].get(address).status_code == 404
    assert site[0].get(f"{ADDRESS}?path=parts.pdf").status_code == 200


def test_an_unchanged_file_is_hashed_once(tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"book_chat": {"sample": False, "serve_pdf": ["*"]}}
    hashed: list[object] = []

    def digest_of(file: IO[bytes]) -> str:
        hashed.append(file)
        return files.digest_of(file)

    with open_host(tmp_path, options=options) as host:
        shelf = Shelf(host)
        slug = shelf.add(shelf.plan(book), title="Parts").book
        monkeypatch.setattr(pdf_files, "digest_of", digest_of)
        for _ in range(3):
            shelf.pdfs.open(slug, None).file.close()
    assert len(hashed) == 1
