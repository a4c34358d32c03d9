"""The queue of uploads: one is read at a time, in order; what waits is bounded, and archives take little memory."""

from __future__ import annotations

import io
import json
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import SourceError, StorageBusy, TooLarge
from ragstone.plugins.book_chat import AddReport
from ragstone.plugins.book_chat.library.uploads import archives, files, job_store
from ragstone.plugins.book_chat.library.uploads import jobs as jobs_module
from tests.support.allocations import peak_bytes


def archive(content: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as out:
        for name, data in content.items():
            out.writestr(name, data)
    return packed.getvalue()


def result(upload_: files.Upload) -> AddReport:
    return AddReport("slug", upload_.name, "First Edition", "file")


def waiting(tmp_path: Path, name: str) -> files.Upload:
    return files.Upload(files.upload_folders(tmp_path).make(name), files.About(name, "book.md"))


def end_of(jobs: jobs_module.Jobs, job_id: str) -> Any:
    last = None
    for job in jobs.follow(job_id, 30):
        last = job or last
    return last


def test_one_book_is_read_at_a_time_and_in_order(tmp_path: Path) -> None:
    lock, order, go = threading.Lock(), [], threading.Event()

    def add(given: files.Upload, tell: Callable[..., None]) -> AddReport:
        assert lock.acquire(blocking=False), "two at a time"
        assert go.wait(30)
        order.append(given.name)
        tell(files=1, of=2, chunks=3)
        lock.release()
        return result(given)

    jobs = jobs_module.Jobs(add)
    queued = [jobs.submit(waiting(tmp_path, name)) for name in "abc"]
    assert jobs.job(queued[2].id).state == "queued"
    go.set()
    assert [end_of(jobs, job.id).state for job in queued] == ["done", "done", "done"]
    assert order == ["a", "b", "c"]
    assert not any((tmp_path / name).exists() for name in "abc")


def test_a_reader_s_bug_is_reported_and_the_next_book_is_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def add(given: files.Upload, tell: Callable[..., None]) -> AddReport:
        if given.name == "bad":
            raise RuntimeError("secret insides")
        return result(given)

    jobs = jobs_module.Jobs(add)
    bad, good = (jobs.submit(waiting(tmp_path, name)) for name in ("bad", "good"))
    failed = end_of(jobs, bad.id)
    assert (failed.state, failed.problem["status"]) == ("failed", 500)
    assert "secret" not in json.dumps(failed.problem)
    assert end_of(jobs, good.id).state == "done"
    assert not (tmp_path / "bad").exists()


def test_nobody_has_to_watch_and_anybody_may_later(tmp_path: Path) -> None:
    go = threading.Event()

    def add(given: files.Upload, tell: Callable[..., None]) -> AddReport:
        tell(files=1, of=3, chunks=10)
        assert go.wait(30)
        return result(given)

    jobs = jobs_module.Jobs(add)
    job = jobs.submit(waiting(tmp_path, "book"))
    first = jobs.follow(job.id, 30)
    next(first)
    del first  # the client has gone
    go.set()
    assert end_of(jobs, job.id).state == "done"
    assert end_of(jobs, job.id).files == 1, "as often as one likes"


def test_the_queue_and_the_memory_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "MOST_WAITING", 2)
    monkeypatch.setattr(job_store, "MOST_REMEMBERED", 2)
    begun, go = threading.Event(), threading.Event()

    def add(given: files.Upload, tell: Callable[..., None]) -> AddReport:
        begun.set()
        assert go.wait(30)
        return result(given)

    jobs = jobs_module.Jobs(add)
    running = jobs.submit(waiting(tmp_path, "0"))
    assert begun.wait(30)
    kept = [jobs.submit(waiting(tmp_path, name)) for name in "12"]
    with pytest.raises(StorageBusy):
        jobs.submit(waiting(tmp_path, "3"))
    assert not (tmp_path / "3").exists()
    go.set()
    for job in (running, *kept):
        end_of(jobs, job.id)
    last = jobs.submit(waiting(tmp_path, "4"))
    assert end_of(jobs, last.id).state == "done"
    assert running.id not in {job.id for job in jobs.jobs()}
    assert len(jobs.jobs()) <= 3


def test_an_archive_takes_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """20 MB in 200 bytes of bzip2 are not unpacked, and a directory is not read that is larger than it may be."""
    bomb, full = tmp_path / "bomb.zip", tmp_path / "full.zip"
    bomb.write_bytes(archive({"a.md": b"\0" * 20_000_000}, method=zipfile.ZIP_BZIP2))
    full.write_bytes(archive({f"{n}.md": b"" for n in range(200)}))
    monkeypatch.setattr("ragstone.plugins.book_chat.library.uploads.archives._LONGEST_DIRECTORY", 10_000)

    def unpacked() -> None:
        with pytest.raises(SourceError, match="another method than deflate"):
            archives.unpack(bomb, tmp_path / "bomb")
        with pytest.raises(TooLarge, match="directory"):
            archives.unpack(full, tmp_path / "full")

    assert bomb.stat().st_size < 1_000
    assert peak_bytes(unpacked) < 5_000_000
