"""deploy/server/backup.sh and restore.sh, on SQLite and PostgreSQL: what is restored answers as before."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragstone.core import Host
from ragstone.core.testing import open_host
from ragstone.plugins.book_chat import Shelf
from tests.support.composed import SERVER
from tests.support.needs import missing
from tests.support.patience import until
from tests.support.postgresql import Server
from tests.support.third_party_fakes import add_book

_SECONDS = 120
_QUESTIONS = ("What is a caster?", "How strong is the grip force of a small parallel gripper?")


@dataclass(frozen=True)
class Deployment:
    """A deployment on one of both databases."""

    folder: Path
    database: str | None
    server: Server | None

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def backups(self) -> Path:
        return self.folder / "backups"

    def open(self) -> AbstractContextManager[Host]:
        return open_host(self.folder, database=self.database)

    def run(self, script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        result = {"PATH": os.environ["PATH"], "RAGSTONE_DATA_DIR": str(self.data)}
        if self.server is not None:
            result["PATH"] = f"{self.server.programs}{os.pathsep}{result['PATH']}"
            result |= {"PGHOST": str(self.server.folder), "PGUSER": "ragstone", "PGDATABASE": "again"}
        command = ["sh", str(SERVER / script), *map(str, arguments)]
        return subprocess.run(command, env=result, capture_output=True, text=True, timeout=_SECONDS, check=False)

    def back_up(self, *arguments: object) -> Path:
        done = self.run("backup.sh", self.backups, *arguments)
        assert done.returncode == 0, done.stderr
        return self.backups / done.stdout.strip().rpartition("/")[2]

    def lose_everything(self) -> None:
        shutil.rmtree(self.data)
        if self.server is not None:
            with self.server.connect("again") as past:
                past.execute("DROP SCHEMA ragstone CASCADE")


@pytest.fixture
def deployment(tmp_path: Path, database: str | None, request: pytest.FixtureRequest) -> Deployment:
    server = None if database is None else request.getfixturevalue("postgresql")
    return Deployment(tmp_path / "deployed", database, server)


def _fill(host: Host, book: Path) -> None:
    add_book(host, book, "Parts")


def _answers(host: Host) -> list[object]:
    answers = [host.assistant("book_chat").ask(question) for question in _QUESTIONS]
    assert all(answer.citations for answer in answers)
    return [(answer.text, answer.citations) for answer in answers]


def test_what_is_restored_into_nothing_answers_as_before(deployment: Deployment, small_book: Path) -> None:
    with deployment.open() as host:
        _fill(host, small_book)
        before = _answers(host)
        (deployment.data / "pdfs").mkdir(parents=True)
        (deployment.data / "pdfs" / "some.pdf").write_bytes(b"%PDF")
        backup = deployment.back_up()  # while the deployment is open
        for file in small_book.iterdir():
            file.write_text("# Nothing\n\nNothing of all that is true any more.\n", "utf-8")
        _fill(host, small_book)
    deployment.lose_everything()
    done = deployment.run("restore.sh", backup)
    assert done.returncode == 0, done.stderr
    assert (deployment.data / "pdfs" / "some.pdf").read_bytes() == b"%PDF"
    with deployment.open() as host:
        assert _answers(host) == before
        _fill(host, small_book)  # and it can be written to


def test_what_was_there_is_kept_aside_and_its_index_is_not_believed(deployment: Deployment, small_book: Path) -> None:
    with deployment.open() as host:
        _fill(host, small_book)
        before = _answers(host)
    backup = deployment.back_up()
    with deployment.open() as host:
        shelf = Shelf(host)
        shelf.remove("parts")
    index = deployment.data / "index"
    for name in ("books/state.json", "books/store-0a1b2c3d/data", "photos/of-others.jpg", "books/notes.txt"):
        (index / name).parent.mkdir(parents=True, exist_ok=True)
        (index / name).write_text("{}", "utf-8")
    (deployment.data / "index" / "deployment").write_text("0123", "ascii")
    done = deployment.run("restore.sh", backup)
    assert done.returncode == 0, done.stderr
    assert "is kept" in done.stdout
    there = sorted(str(path.relative_to(index)) for path in index.rglob("*") if path.is_file())
    assert there == ["books/notes.txt", "deployment", "photos/of-others.jpg"]
    with deployment.open() as host:
        assert _answers(host) == before
    again = deployment.run("restore.sh", backup)
    assert again.returncode == 1
    assert "kept aside is still there" in again.stderr


def test_a_restoring_that_fails_leaves_what_was_there(deployment: Deployment, small_book: Path) -> None:
    with deployment.open() as host:
        _fill(host, small_book)
        before = _answers(host)
    backup = deployment.back_up()
    (catalog,) = backup.glob("catalog.*")
    catalog.write_bytes(catalog.read_bytes()[: catalog.stat().st_size // 2])
    damaged = deployment.run("restore.sh", backup)
    assert damaged.returncode == 1
    assert "damaged" in damaged.stderr
    if deployment.server is not None:  # its sums are those of a file that pg_dump did not end
        sums = subprocess.run(
            ["sha256sum", catalog.name], cwd=backup, capture_output=True, text=True, check=True
        ).stdout
        (backup / "SHA256SUMS").write_text(sums, "utf-8")
        half = deployment.run("restore.sh", backup)
        assert half.returncode == 1
        assert "is as it was" in half.stderr
    with deployment.open() as host:
        assert _answers(host) == before


def test_nothing_is_restored_under_a_server(deployment: Deployment, small_book: Path) -> None:
    with deployment.open() as host:
        _fill(host, small_book)
        backup = deployment.back_up()
        host.serve()
        lock = deployment.data / "index" / "lock"
        until(lambda: lock.exists() and not _free(lock), "a server's hold on its data folder")
        refused = deployment.run("restore.sh", backup)
        assert refused.returncode == 1
        assert "stop all" in refused.stderr
        assert _answers(host)


def _free(lock: Path) -> bool:
    return subprocess.run(["flock", "--nonblock", str(lock), "true"], check=False).returncode == 0


def test_the_newest_are_kept_and_what_was_killed_goes(deployment: Deployment, small_book: Path) -> None:
    with deployment.open() as host:
        _fill(host, small_book)
    old = ["2026-01-01T00-00-00Z", "2026-01-02T00-00-00Z", ".2026-01-03T00-00-00Z.new", "somebody else's"]
    for name in old:
        (deployment.backups / name).mkdir(parents=True)
    for name in old[:2]:
        (deployment.backups / name / "SHA256SUMS").touch()
    others = [".mine.new", "2025-01-01T00-00-00Z"]  # like a backup's, but no backup
    for name in others:
        (deployment.backups / name).mkdir()
    made = deployment.back_up("--keep", 2)
    there = sorted(path.name for path in deployment.backups.iterdir())
    assert there == sorted(["2026-01-02T00-00-00Z", made.name, "somebody else's", *others])
    assert (made.stat().st_mode & 0o777) == 0o700


def test_it_goes_on_until_it_is_asked_to_stop(tmp_path: Path, small_book: Path) -> None:
    deployment = Deployment(tmp_path / "deployed", None, None)
    with deployment.open() as host:
        _fill(host, small_book)
    command = ["sh", str(SERVER / "backup.sh"), str(deployment.backups), "--every", "1", "--keep", "2"]
    result = {"PATH": os.environ["PATH"], "RAGSTONE_DATA_DIR": str(deployment.data)}
    seen: set[str] = set()

    def three() -> bool:
        seen.update(path.name for path in deployment.backups.glob("[0-9]*"))
        return len(seen) >= 3

    with subprocess.Popen(command, env=result, stdout=subprocess.DEVNULL) as going_on:
        try:
            until(three, "three backups")
            going_on.terminate()
            assert going_on.wait(_SECONDS) == 0
        finally:
            going_on.kill()
    assert len(list(deployment.backups.iterdir())) <= 3  # two, and perhaps one that was begun


@pytest.mark.parametrize(
    ("script", "arguments", "message"),
    [
        ("backup.sh", [], "no folder is named"),
        ("backup.sh", ["a", "b"], "one folder is enough: b"),
        ("backup.sh", ["a", "--keep", "0"], "--keep needs a number above 0: 0"),
        ("backup.sh", ["a", "--often"], "unknown: --often"),
        ("backup.sh", ["a"], "catalog.sqlite"),
        ("restore.sh", [], "no backup is named"),
        ("restore.sh", ["nowhere"], "there is no backup in nowhere"),
    ],
)
def test_what_cannot_be_done_is_reported_in_one_line(
    tmp_path: Path, script: str, arguments: list[str], message: str
) -> None:
    done = Deployment(tmp_path, None, None).run(script, *arguments)
    assert done.returncode == 1
    assert message in done.stderr.splitlines()[-1]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["backup.sh", "restore.sh"])
def test_shellcheck_finds_nothing(name: str) -> None:
    if shutil.which("shellcheck") is None:
        missing("shellcheck")
    done = subprocess.run(["shellcheck", str(SERVER / name)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
