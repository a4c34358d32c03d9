"""Books put on the shelf over HTTP: by whoever has the key, one at a time, with care for what is uploaded."""

from __future__ import annotations

import io
import json
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document
from werkzeug.test import TestResponse

from ragstone.core import hookimpl
from ragstone.core.testing import open_host
from ragstone.web import create_app

KEY = "a key of enough characters"
HELD = {"Authorization": f"Bearer {KEY}"}
BOOK = b"# Wheels\n\n## Casters\n\nA caster is a wheel that swivels about a vertical axis.\n"


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FlaskClient]:
    monkeypatch.setenv("RAGSTONE_ADMIN_KEY", KEY)
    options = {"book_chat": {"sample": False}, "web": {"max_body_bytes": 10_000, "max_upload_bytes": 200_000}}
    with open_host(tmp_path, options=options) as host:
        yield create_app(host).test_client()


@pytest.fixture
def uploads(tmp_path: Path) -> Path:
    return tmp_path / "data" / "uploads"


def archive(files: dict[str, bytes], *, kind: int = 0, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as out:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = method
            entry.external_attr = (kind | 0o644) << 16
            out.writestr(entry, content)
    return packed.getvalue()


def upload(client: FlaskClient, content: bytes, name: str, **fields: str) -> TestResponse:
    return client.post("/api/books", data={"file": (io.BytesIO(content), name), **fields}, headers=HELD)


def watch(client: FlaskClient, response: TestResponse) -> list[tuple[str, dict[str, Any]]]:
    """The upload's events up to its end."""
    assert response.status_code == 202, response.text
    with client.get(response.headers["Location"], headers=HELD) as events:
        assert events.mimetype == "text/event-stream"
        result = [
            part.split("\n") for part in events.get_data(as_text=True).split("\n\n") if part.startswith("event: ")
        ]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in result]


def books(client: FlaskClient) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/api/books", headers=HELD).get_json()["books"]
    return found


def test_a_file_is_uploaded_read_asked_and_removed(client: FlaskClient, uploads: Path) -> None:
    name, job = watch(client, upload(client, BOOK, "wheels.md", title="Robot parts", edition="Second Edition"))[-1]
    assert name == "done"
    assert (job["files"], job["of"], job["problem"]) == (1, 1, None)
    assert job["report"]["added"] == 1
    (book,) = books(client)
    assert (book["slug"], book["title"], book["edition"]) == (
        "robot-parts-second-edition",
        "Robot parts",
        "Second Edition",
    )
    answer = client.post("/query", json={"question": "What is a caster?"}).get_json()
    assert "swivels" in answer["answer"]
    assert list(uploads.iterdir()) == [], "the file is not needed any more"
    assert client.delete(f"/api/books/{book['slug']}", headers=HELD).status_code == 204
    assert books(client) == []
    assert client.delete(f"/api/books/{book['slug']}", headers=HELD).status_code == 404


def test_a_folder_comes_as_an_archive_and_again_brings_it_up_to_date(client: FlaskClient, uploads: Path) -> None:
    files = {
        "my book/book.toml": b'[book]\ntitle = "Machines"\n',
        "my book/src/SUMMARY.md": b"# Summary\n\n- [Wheels](wheels.md)\n- [Arms](arms.md)\n",
        "my book/src/wheels.md": BOOK,
        "my book/src/arms.md": b"# Arms\n\nA gripper closes two jaws along one line.\n",
        "my book/src/logo.png": b"\x89PNG",
    }
    events = watch(client, upload(client, archive(files), "machines.zip"))
    assert events[-1][0] == "done"
    assert events[-1][1]["report"]["layout"] == "mdbook"
    assert [(book["title"], book["files"]) for book in books(client)] == [("Machines", 2)]
    files["my book/src/arms.md"] += b"\nIt holds ten newtons.\n"
    report = watch(client, upload(client, archive(files), "machines.zip"))[-1][1]["report"]
    assert (report["updated"], report["unchanged"], report["added"], report["removed"]) == (1, 1, 0, 0)
    assert list(uploads.iterdir()) == []


def test_a_repository_comes_as_an_archive_and_one_with_several_books_is_refused(client: FlaskClient) -> None:
    files = {
        "robots-main/README.md": b"# Run make\n",
        "robots-main/docusaurus.config.ts": b"export default {\n  title: 'Robots',\n};\n",
        "robots-main/docs/arms.mdx": b"import A from 'a';\n\n# Arms\n\n<A b={1} />\n\nA gripper closes two jaws.\n",
    }
    report = watch(client, upload(client, archive(files), "robots-main.zip"))[-1][1]["report"]
    assert (report["layout"], report["title"], report["added"]) == ("docusaurus", "Robots", 1)
    assert report["left_out"][0] == {"file": "README.md", "reason": "outside the docs folder"}
    files |= {"robots-main/book/SUMMARY.md": b"[A](a.md)\n", "robots-main/book/a.md": b"# A\n\nWords.\n"}
    name, job = watch(client, upload(client, archive(files), "robots-main.zip"))[-1]
    assert name == "failed"
    assert "holds 2 books: book (mdBook, 1 page); docs (Docusaurus site, 1 page, 'Robots')" in job["problem"]["detail"]
    assert watch(client, upload(client, files["robots-main/docs/arms.mdx"], "arms.mdx"))[-1][0] == "done"
    assert ".mdx" in client.get("/book_chat/books/", headers=HELD).text


@pytest.mark.parametrize(
    ("name", "title"),
    [("robot_parts-2.md", "Robot parts 2"), ("../../etc/passwd.md", "Passwd")],
)
def test_a_book_without_a_title_is_named_after_its_file(client: FlaskClient, name: str, title: str) -> None:
    assert watch(client, upload(client, b"A gripper closes two jaws.\n", name))[-1][0] == "done"
    assert [book["title"] for book in books(client)] == [title]


class Noted(BaseReader):
    """Reads ``.note`` files, and notes where they are."""

    def __init__(self) -> None:
        self.files: list[Path] = []

    def lazy_load_data(self, file: Path, **_: Any) -> Iterator[Document]:
        self.files.append(file)
        yield Document(text=file.read_text("utf-8"))

    @hookimpl
    def ragstone_readers(self) -> dict[str, BaseReader]:
        return {".note": self}


def test_what_is_uploaded_lies_under_generated_names(
    uploads: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSTONE_ADMIN_KEY", KEY)
    noted = Noted()
    names = ("../../../evil", "/etc/cron.d/evil", "..\\..\\evil", "con", "a\x00b", "é" * 300)
    with open_host(tmp_path, options={"book_chat": {"sample": False}}, plugins={"noted": noted}) as host:
        client = create_app(host).test_client()
        before = {path for path in tmp_path.rglob("*") if "data" not in path.parts}
        for name in names:
            response = upload(client, BOOK, f"{name}.note")
            assert response.status_code in {202, 422}, name
            if response.status_code == 202:
                watch(client, response)
    assert noted.files
    for file in noted.files:
        assert file.parent.parent == uploads
        assert file.name == "book.note"
        assert len(file.parent.name) == 32
        assert int(file.parent.name, 16)
    assert {path for path in tmp_path.rglob("*") if "data" not in path.parts} == before


@pytest.mark.parametrize(
    "name", ["../evil.md", "a/../../evil.md", "/evil.md", "\\evil.md", "C:\\evil.md", "..\\evil.md"]
)
def test_an_archive_that_leads_out_of_its_folder_is_refused(
    client: FlaskClient, tmp_path: Path, uploads: Path, name: str
) -> None:
    event, job = watch(client, upload(client, archive({"fine.md": BOOK, name: BOOK}), "evil.zip"))[-1]
    assert event == "failed"
    assert job["problem"]["status"] == 422
    assert "leads out of its folder" in job["problem"]["detail"]
    assert not list(tmp_path.rglob("evil.md"))
    assert list(uploads.iterdir()) == []
    assert books(client) == []


def damaged() -> bytes:
    whole = bytearray(archive({"a.md": b"words and more words " * 50}))
    whole[40:60] = b"\xff" * 20
    return bytes(whole)


@pytest.mark.parametrize(
    ("content", "status"),
    [
        pytest.param(b"no archive at all", 422, id="no archive"),
        pytest.param(archive({"a.md": BOOK})[:-30], 422, id="cut off"),
        pytest.param(damaged(), 422, id="damaged"),
        pytest.param(archive({"a.md": b"/etc/passwd"}, kind=stat.S_IFLNK), 422, id="a link"),
        pytest.param(archive({"a.md": b"x"}, kind=stat.S_IFIFO), 422, id="a pipe"),
        pytest.param(archive({"a/b.md": BOOK, "a": BOOK}), 422, id="a file that is a folder"),
        pytest.param(archive({"/".join("d" * 40) + "/a.md": BOOK}), 422, id="too deep"),
        pytest.param(archive({"x" * 250 + ".md": BOOK}), 422, id="too long a name"),
        pytest.param(archive({"bomb.md": b"\0" * 40_000_000}), 413, id="a bomb"),
        pytest.param(archive({"a.md": BOOK}, method=zipfile.ZIP_BZIP2), 422, id="bzip2"),
        pytest.param(archive({"a.md": BOOK}, method=zipfile.ZIP_LZMA), 422, id="LZMA"),
        pytest.param(archive({"": BOOK}), 422, id="no name"),
        pytest.param(archive({".": BOOK}), 422, id="a dot for a name"),
        pytest.param(archive({"\0.md": BOOK}), 422, id="a NUL for a name"),
        pytest.param(archive({"/": BOOK}), 422, id="nothing but a slash"),
        pytest.param(archive({"a.md": BOOK, "./a.md": BOOK}), 422, id="twice"),
        pytest.param(archive({"/".join(["d" * 190] * 30): BOOK}), 422, id="a path longer than the system's"),
        pytest.param(archive({"a.png": b"x"}), 422, id="nothing to read"),
        pytest.param(archive({}), 422, id="empty"),
    ],
)
def test_archives_that_are_none_fail_in_words(client: FlaskClient, uploads: Path, content: bytes, status: int) -> None:
    event, job = watch(client, upload(client, content, "book.zip"))[-1]
    assert event == "failed"
    assert job["problem"]["status"] == status
    assert str(uploads) not in json.dumps(job)
    assert list(uploads.iterdir()) == []
    assert books(client) == []


def test_an_archive_with_too_many_files_is_refused(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragstone.plugins.book_chat.library.uploads.archives.MOST_FILES", 3)
    event, job = watch(client, upload(client, archive({f"{n}.md": BOOK for n in range(4)}), "many.zip"))[-1]
    assert (event, job["problem"]["status"]) == ("failed", 413)


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({}, 400),
        ({"file": "not a file"}, 400),
        ({"file": (io.BytesIO(b""), "a.md")}, 400),
        ({"file": (io.BytesIO(BOOK), "")}, 400),
        ({"file": (io.BytesIO(BOOK), "a.exe")}, 422),
        ({"file": (io.BytesIO(BOOK), "a")}, 422),
        ({"file": (io.BytesIO(BOOK), "a.md"), "title": "x" * 256}, 400),
        ({"file": (io.BytesIO(BOOK), "a.md"), "title": "a\u202eb"}, 400),
        ({"file": (io.BytesIO(BOOK), "a.md"), "edition": "x" * 51}, 400),
        ({"file": (io.BytesIO(BOOK), "a.md"), "path": "/etc"}, 400),
        ({"file": (io.BytesIO(b"x" * 200_001), "a.md")}, 413),
    ],
)
def test_uploads_that_cannot_be_used_are_problems(
    client: FlaskClient, uploads: Path, data: dict[str, Any], status: int
) -> None:
    response = client.post("/api/books", data=data, headers=HELD, content_type="multipart/form-data")
    assert response.status_code == status, response.text
    assert response.mimetype == "application/problem+json"
    assert not uploads.exists() or list(uploads.iterdir()) == []


def test_only_uploads_may_be_large(client: FlaskClient) -> None:
    assert watch(client, upload(client, BOOK + b"word " * 30_000, "long.md"))[-1][0] == "done"
    assert client.post("/query", json={"question": "x" * 10_001}).status_code == 413
    assert client.post("/api/books", json={}, headers=HELD).status_code == 415


EVERYTHING = [
    ("GET", "/api/books"),
    ("POST", "/api/books"),
    ("DELETE", "/api/books/x"),
    ("GET", "/api/books/jobs"),
    ("GET", "/api/books/queue"),
    ("GET", "/api/books/jobs/x/events"),
]


def test_nothing_is_done_without_the_key(client: FlaskClient) -> None:
    wrong = ["", "Bearer", "Bearer ", f"Bearer {KEY}x", f"Bearer {KEY[:-1]}", f"Basic {KEY}", KEY, "Bearer é"]
    for headers in [{}, *({"Authorization": each} for each in wrong)]:
        for method, path in EVERYTHING:
            response = client.open(path, method=method, headers=headers)
            assert response.status_code == 401, (method, path, headers)
            assert response.mimetype == "application/problem+json"
            assert response.headers["WWW-Authenticate"].lower().startswith("bearer")


@pytest.mark.parametrize("configured", [None, "", "short", " " * 40])
def test_nothing_is_done_where_no_key_is_configured(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, configured: str | None
) -> None:
    monkeypatch.delenv("RAGSTONE_ADMIN_KEY")
    if configured is not None:
        monkeypatch.setenv("RAGSTONE_ADMIN_KEY", configured)
    for given in ("", "Bearer ", f"Bearer {configured or ''}", f"Bearer {KEY}"):
        for method, path in EVERYTHING:
            response = client.open(path, method=method, headers={"Authorization": given})
            assert response.status_code == 403, (method, path, given)
            assert "RAGSTONE_ADMIN_KEY" in response.get_json()["detail"]


def test_another_site_s_page_cannot_add_books_even_with_the_key(client: FlaskClient) -> None:
    response = client.post("/api/books", headers={**HELD, "Origin": "https://evil.example"})
    assert response.status_code == 403
    assert books(client) == []
