"""PDFs that come over HTTP, up to the answer that cites them: whole ones, damaged ones, pictures of pages."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from ragstone.core.runtime import Unanswered
from ragstone.core.testing import open_host
from ragstone.plugins.book_chat.pdf.process import PdfProcess
from ragstone.web import create_app
from ragstone.web.settings import WebSettings
from tests.plugins.book_chat.pdfs import lines, make
from tests.support.needs import missing, needed

from .conftest import running

needed("pypdfium2")

KEY = "a key of enough characters"
SCAN = "200 200 300 300 re f"
WHEELS = "A caster is a wheel that swivels about a vertical axis."


class Client:
    """Whoever has the key, at a server."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def get(self, address: str) -> httpx.Response:
        return self._http.get(address)

    def upload(self, name: str, content: bytes, **fields: str) -> dict[str, Any]:
        """The upload's job when it has come to its end."""
        sent = self._http.post("/api/books", files={"file": (name, content)}, data=fields)
        assert sent.status_code == 202, sent.text
        last: dict[str, Any] = {}
        with self._http.stream("GET", sent.headers["Location"]) as events:
            for line in events.iter_lines():
                if line.startswith("data: "):
                    last = json.loads(line.removeprefix("data: "))
        assert last["id"] == sent.json()["job"]["id"]
        assert last["file"] == name
        return last

    def ask(self, question: str) -> dict[str, Any]:
        found: dict[str, Any] = self._http.post("/query", json={"question": question}).json()
        return found

    def books(self) -> list[str]:
        return [book["slug"] for book in self._http.get("/api/books").json()["books"]]

    def remove(self, slug: str) -> None:
        assert self._http.delete(f"/api/books/{slug}").status_code == 204


@pytest.fixture
def served(request: pytest.FixtureRequest) -> list[str]:
    given: list[str] = getattr(request, "param", [])
    return given


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, served: list[str]) -> Iterator[Client]:
    monkeypatch.setenv("RAGSTONE_ADMIN_KEY", KEY)
    options = {"book_chat": {"sample": False, "serve_pdf": served}}
    with (
        open_host(tmp_path, options=options) as host,
        running(create_app(host), host.hooks.options(WebSettings)) as url,
        httpx.Client(base_url=url, headers={"Authorization": f"Bearer {KEY}"}, timeout=60) as http,
    ):
        yield Client(http)


@pytest.fixture(scope="session")
def real(data: Path) -> Path:
    folder = data / "books" / "pdf"
    if not folder.is_dir():
        missing(f"the folder of PDFs {folder}")
    return folder


@pytest.mark.data
@pytest.mark.parametrize("served", [["*"]], indirect=True)
def test_a_real_pdf_is_read_cited_opened_and_removed(client: Client, real: Path, tmp_path: Path) -> None:
    content = (real / "riscv-debug-release.pdf").read_bytes()
    job = client.upload("riscv-debug-release.pdf", content)
    assert (job["state"], job["problem"]) == ("done", None)
    assert job["report"]["title"] == "RISC-V External Debug Support Version 0.13.2", "its own, not the file's name"
    (slug,) = client.books()
    answer = client.ask("Which register may not be preserved after an abstract command is executed?")
    citation = answer["citations"][0]
    assert citation["page_label"] != str(citation["page_index"]), "the printed number and the physical page"
    assert f'href="/book_chat/book/{slug}.pdf#page={citation["page_index"]}"' in client.get(citation["url"]).text
    assert client.get(f"/book_chat/book/{slug}.pdf").content == content
    assert list((tmp_path / "data" / "uploads").iterdir()) == []
    client.remove(slug)
    assert client.get(f"/book_chat/book/{slug}.pdf").status_code == 404
    assert list((tmp_path / "data" / "pdfs").iterdir()) == []


@pytest.mark.data
def test_pictures_of_pages_are_reported_as_such(client: Client, real: Path, tmp_path: Path) -> None:
    job = client.upload("no-text-layer.pdf", (real / "no-text-layer.pdf").read_bytes())
    assert job["state"] == "failed"
    assert (job["problem"]["status"], job["problem"]["reason"]) == (422, "needs_ocr")
    assert "26 pages" in job["problem"]["detail"]
    assert "ocrmypdf" in job["problem"]["detail"]
    assert str(tmp_path) not in json.dumps(job)
    assert client.books() == []
    assert client.ask("What is on the pictures?")["refused"]
    assert list((tmp_path / "data" / "uploads").iterdir()) == []


@pytest.mark.data
@pytest.mark.parametrize("end", [1_000, 400_000, -2_000], ids=["its first page", "half", "all but the end"])
def test_a_damaged_pdf_leaves_nothing(client: Client, real: Path, tmp_path: Path, end: int) -> None:
    whole = (real / "riscv-debug-release.pdf").read_bytes()
    job = client.upload("riscv.pdf", whole[:end])
    assert (job["state"], job["problem"]["reason"]) == ("failed", "broken")
    assert client.books() == []
    assert list((tmp_path / "data" / "uploads").iterdir()) == []


def test_pages_without_text_are_named(client: Client) -> None:
    job = client.upload("mixed.pdf", make([[*lines(72, 700, WHEELS)], [SCAN], [SCAN]]))
    assert job["state"] == "done"
    assert job["report"]["needs_ocr"] == [{"file": "book.pdf", "pages": [2, 3]}]
    assert job["report"]["broken_pages"] == []


@pytest.mark.parametrize("served", [["robot-parts"]], indirect=True)
def test_a_damaged_one_leaves_the_one_that_is_there(client: Client) -> None:
    book = make([[*lines(72, 700, WHEELS)]], title="Robot parts")
    assert client.upload("a.pdf", book)["state"] == "done"
    assert client.upload("b.pdf", book[: len(book) // 2], title="Robot parts")["problem"]["reason"] == "broken"
    assert "swivels" in client.ask("What is a caster?")["answer"]
    assert client.get("/book_chat/book/robot-parts.pdf").content == book


@pytest.mark.parametrize("served", [["robot-parts"]], indirect=True)
def test_the_same_again_embeds_nothing_and_another_takes_its_place(client: Client, tmp_path: Path) -> None:
    book = make([[*lines(72, 700, WHEELS)]], title="Robot parts")
    other = make([[*lines(72, 700, WHEELS, "It bears load.")]], title="Robot parts")
    client.upload("a.pdf", book)
    again = client.upload("again.pdf", book)["report"]
    assert (again["unchanged"], again["updated"], again["chunks"]) == (1, 0, 0)
    assert client.upload("other.pdf", other)["report"]["updated"] == 1
    assert client.get("/book_chat/book/robot-parts.pdf").content == other
    assert len(list((tmp_path / "data" / "pdfs").iterdir())) == 1


@pytest.mark.parametrize("served", [["robot-parts"]], indirect=True)
def test_a_citation_shows_its_page_with_the_quote_marked(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.upload("a.pdf", make([[*lines(72, 700, "Front.")], [*lines(72, 700, WHEELS)]], title="Robot parts"))
    (citation,) = client.ask("What is a caster?")["citations"]
    page = client.get(f"{citation['url']}?quote=swivels+about").text
    address = f"/book_chat/page/{citation['chunk_id']}.png"
    assert f'src="{address}?quote=swivels+about"' in page
    first = client.get(f"{address}?quote=swivels+about")
    assert (first.status_code, first.headers["content-type"]) == (200, "image/png")
    assert client.get(address).content != first.content, "with the quote, which is on that page"
    monkeypatch.setattr(PdfProcess, "draw", fail)
    assert client.get(f"{address}?quote=swivels+about").content == first.content, "it is drawn once"
    assert client.get(f"{address}?quote=other").status_code == 404
    client.remove("robot-parts")
    assert client.get(f"{address}?quote=swivels+about").status_code == 404


def fail(*_args: object, **_options: object) -> bytes:
    raise Unanswered("timeout", "")


@pytest.mark.parametrize("served", [["another"]], indirect=True)
def test_a_page_of_a_book_that_may_not_be_opened_is_not_drawn(client: Client) -> None:
    client.upload("a.pdf", make([[*lines(72, 700, WHEELS)]], title="Robot parts"))
    (citation,) = client.ask("What is a caster?")["citations"]
    assert "page-picture" not in client.get(citation["url"]).text
    assert client.get(f"/book_chat/page/{citation['chunk_id']}.png").status_code == 404
    assert client.get("/book_chat/page/nothing.png").status_code == 404


@pytest.mark.parametrize("served", [["robot-parts"]], indirect=True)
def test_only_so_many_pages_are_drawn_at_a_time(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.upload("a.pdf", make([[*lines(72, 700, WHEELS)]], title="Robot parts"))
    (citation,) = client.ask("What is a caster?")["citations"]
    go, begun = threading.Event(), threading.Semaphore(0)

    def waiting(*_args: object, **_options: object) -> bytes:
        begun.release()
        go.wait(60)
        return b"drawn"

    monkeypatch.setattr(PdfProcess, "draw", waiting)
    address = f"/book_chat/page/{citation['chunk_id']}.png"

    with ThreadPoolExecutor() as pool:
        busy = [pool.submit(client.get, f"{address}?quote={number}") for number in range(2)]
        for _ in busy:
            assert begun.acquire(timeout=60)
        assert client.get(address).status_code == 503
        go.set()
        assert [each.result().status_code for each in busy] == [200, 200]


@pytest.mark.parametrize("served", [[], ["another"]], indirect=True)
def test_a_pdf_that_may_not_be_served_is_not_kept(client: Client, tmp_path: Path) -> None:
    client.upload("a.pdf", make([[*lines(72, 700, WHEELS)]], title="Robot parts"))
    assert not list((tmp_path / "data").rglob("*.pdf"))
    assert client.get("/book_chat/book/robot-parts.pdf").status_code == 404
