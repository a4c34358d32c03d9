"""Uploads that wait or are read when their server stops: the next one goes on with them, or says why not."""

from __future__ import annotations

import io
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from ragstone.core.testing import open_host
from ragstone.plugins.book_chat import AddReport
from ragstone.plugins.book_chat.library.uploads import files as module
from ragstone.plugins.book_chat.library.uploads.jobs import MOST_BEGUN, Jobs
from ragstone.web import create_app
from tests.support.patience import until

pytestmark = pytest.mark.slow

KEY = "a key of enough characters"
HELD = {"Authorization": f"Bearer {KEY}"}
BOOK = b"# Wheels\n\n## Casters\n\nA caster is a wheel that swivels about a vertical axis.\n"


def given(folder: Path, content: bytes = BOOK, name: str = "wheels.md", **about: str) -> module.Upload:
    return module.store(io.BytesIO(content), name, folder / "data" / "uploads", suffixes={".md"}, **about)


def archive(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        for name, content in files.items():
            out.writestr(name, content)
    return packed.getvalue()


def end_of(jobs: Jobs, job_id: str) -> Any:
    *_, last = (job for job in jobs.follow(job_id, 30) if job is not None)
    return last


def test_the_next_server_reads_what_waited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_ADMIN_KEY", KEY)
    waiting = given(tmp_path, title="Robot parts", edition="Second Edition")
    waiting.release()  # as the system does for a server that is killed
    with open_host(tmp_path, options={"book_chat": {"sample": False}}) as host:
        client = create_app(host).test_client()
        host.serve()
        (job,) = client.get("/api/books/jobs", headers=HELD).get_json()["jobs"]
        assert (job["id"], job["file"], job["resumed"]) == (waiting.folder.name, "wheels.md", True)
        result = client.get(f"/api/books/jobs/{job['id']}/events", headers=HELD, buffered=True).text
        assert "event: done" in result
        (book,) = client.get("/api/books", headers=HELD).get_json()["books"]
        assert (book["title"], book["edition"]) == ("Robot parts", "Second Edition")
    assert list((tmp_path / "data" / "uploads").iterdir()) == []


def test_they_go_on_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    names = [f"{number}.md" for number in range(5)]
    for name in names:
        given(tmp_path, name=name).release()
    assert [upload.name for upload in module.unfinished_uploads(tmp_path / "data" / "uploads")] == names


def test_what_another_server_has_is_its_own(tmp_path: Path) -> None:
    upload = given(tmp_path)
    assert module.unfinished_uploads(tmp_path / "data" / "uploads") == []
    assert upload.file.is_file()
    upload.release()
    (found,) = module.unfinished_uploads(tmp_path / "data" / "uploads")
    assert module.unfinished_uploads(tmp_path / "data" / "uploads") == [], "taken once"
    found.remove()
    assert not upload.folder.exists()


def test_an_archive_that_was_half_unpacked_is_unpacked_anew(tmp_path: Path) -> None:
    upload = given(tmp_path, archive({"a.md": BOOK, "b.md": BOOK}), "book.zip")
    half = upload.folder / "book"
    half.mkdir()
    (half / "a.md").write_bytes(BOOK[:10])
    assert {path.name: path.read_bytes() for path in module.book_of(upload).iterdir()} == {"a.md": BOOK, "b.md": BOOK}
    assert sorted(path.name for path in module.book_of(upload).iterdir()) == ["a.md", "b.md"], "and once only"


def test_half_an_upload_goes_after_a_day(tmp_path: Path) -> None:
    upload = given(tmp_path)
    (upload.folder / "upload.json").unlink()
    upload.release()
    assert module.unfinished_uploads(upload.folder.parent) == []
    assert upload.folder.exists(), "it may just be coming in"
    yesterday = time.time() - 24 * 3600 - 60
    os.utime(upload.folder, (yesterday, yesterday))
    assert module.unfinished_uploads(upload.folder.parent) == []
    assert not upload.folder.exists()


@pytest.mark.parametrize("message", ["", "[]", '{"name": 1}', '{"unknown": ""}', "\x00"])
def test_what_says_nothing_sensible_of_itself_stops_no_server(tmp_path: Path, message: str) -> None:
    upload = given(tmp_path)
    (upload.folder / "upload.json").write_text(message)
    (upload.folder.parent / "a file").write_text("of somebody")
    upload.release()
    assert module.unfinished_uploads(upload.folder.parent) == []


def test_what_stops_its_server_each_time_is_given_up(tmp_path: Path) -> None:
    upload = given(tmp_path)
    for _ in range(MOST_BEGUN):
        upload.begin()
    upload.release()

    def add(upload: module.Upload, tell: Callable[..., None]) -> AddReport:
        raise AssertionError("it is not read again")

    jobs = Jobs(add)
    jobs.resume(module.unfinished_uploads(tmp_path / "data" / "uploads"))
    (job,) = jobs.jobs()
    assert job.state == "failed"
    assert job.problem is not None
    assert "3 times" in job.problem["detail"]
    assert not upload.folder.exists()


def test_each_beginning_is_written_down_before_the_reading(tmp_path: Path) -> None:
    seen = []

    def add(upload: module.Upload, tell: Callable[..., None]) -> AddReport:
        seen.append(json.loads((upload.folder / "upload.json").read_text())["begun"])
        return AddReport("slug", "title", "First Edition", "file")

    jobs = Jobs(add)
    assert end_of(jobs, jobs.submit(given(tmp_path)).id).state == "done"
    assert seen == [1]


def test_a_server_that_ends_leaves_what_it_had_to_the_next(tmp_path: Path) -> None:
    upload, at_work, over = given(tmp_path), queue.Queue[threading.Thread](), threading.Event()

    def add(upload: module.Upload, tell: Callable[..., None]) -> AddReport:
        at_work.put(threading.current_thread())
        assert over.wait(30)
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    jobs = Jobs(add)
    job, later = jobs.submit(upload), jobs.submit(given(tmp_path, name="later.md"))
    working = at_work.get(timeout=30)
    jobs.close()
    over.set()
    working.join(30)
    assert [jobs.job(one.id).state for one in (job, later)] == ["reading", "queued"]
    assert upload.file.is_file()
    upload.release()
    found = module.unfinished_uploads(tmp_path / "data" / "uploads")
    assert [one.name for one in found] == ["wheels.md", "later.md"]
    assert [one.about.begun for one in found] == [0, 0], "a stop in order is not held against a book"


@contextmanager
def serving(folder: Path, ending: signal.Signals) -> Iterator[httpx.Client]:
    """A server of its own, ended by the signal; with its exit code 0, if it may say so."""
    process = subprocess.Popen(
        [Path(sys.executable).with_name("ragstone"), "serve", "--port", "0"],
        cwd=folder,
        env={**os.environ, "RAGSTONE_DATA_DIR": str(folder / "data"), "RAGSTONE_ADMIN_KEY": KEY},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address
        with httpx.Client(base_url=address[0], headers=HELD, timeout=60) as client:
            yield client
    finally:
        process.send_signal(ending)
        process.communicate(timeout=60)
    assert process.returncode == (-ending if ending == signal.SIGKILL else 0)


def events(client: httpx.Client, job: str) -> Iterator[dict[str, Any]]:
    with client.stream("GET", f"/api/books/jobs/{job}/events") as response:
        for line in response.iter_lines():
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))


def test_a_server_is_killed_over_a_book_and_the_next_one_finishes_it(tmp_path: Path) -> None:
    (tmp_path / "ragstone.toml").write_text("[plugins.book_chat]\nsample = false\n")
    chapters = {
        f"{number:03}.md": f"# Part {number}\n\nWheel {number} turns about its axis.\n".encode()
        for number in range(300)
    }
    with serving(tmp_path, signal.SIGKILL) as client:
        sent = [
            client.post("/api/books", files={"file": (name, content)}).json()["job"]["id"]
            for name, content in (("big.zip", archive(chapters)), ("small.md", BOOK))
        ]
        assert next(job for job in events(client, sent[0]) if job["files"] > 0)["state"] == "reading"
    with serving(tmp_path, signal.SIGTERM) as client:
        found = client.get("/api/books/jobs").json()["jobs"]
        assert [job["id"] for job in found] == sent
        assert all(job["resumed"] for job in found)
        big, small = ([*events(client, job)][-1] for job in sent)
        assert (big["state"], small["state"]) == ("done", "done")
        assert big["report"]["unchanged"] > 0, "what was read before is not embedded again"
        assert big["report"]["unchanged"] + big["report"]["added"] == len(chapters)
        books = {book["title"]: book["files"] for book in client.get("/api/books").json()["books"]}
        assert books == {"Big": len(chapters), "Wheels": 1}
    assert list((tmp_path / "data" / "uploads").iterdir()) == []


@pytest.mark.parametrize("after", [0, 0.3, 1])
def test_a_server_that_is_stopped_over_a_book_ends_well_and_keeps_it(tmp_path: Path, after: float) -> None:
    (tmp_path / "ragstone.toml").write_text("[plugins.book_chat]\nsample = false\n")
    sections = (f"# Part {number}\n\n{f'Wheel {number} turns about axis {number}. ' * 40}\n" for number in range(400))
    with serving(tmp_path, signal.SIGTERM) as client:
        client.post("/api/books", files={"file": ("big.md", "\n".join(sections).encode())})
        until(lambda: client.get("/api/books/jobs").json()["jobs"][0]["of"])
        time.sleep(after)  # within the catalog's work or the encoder's
    (left,) = module.unfinished_uploads(tmp_path / "data" / "uploads")
    assert (left.name, left.about.begun) == ("big.md", 0)
