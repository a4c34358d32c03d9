"""Work in forks of one server: each piece alone, whatever becomes of another, of the server or of the owner."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from ragstone.core.runtime import Ended, ForkServer
from tests.support.patience import HANG, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future
    from pathlib import Path

_WORK = '''
import json, os, subprocess, sys, time
from pathlib import Path

seen = []


def main(what, *rest):
    """What it knows; first it does what it is told: "wait" says that it is there and waits for leave."""
    page = sys.stdin.read()
    seen.append(page)
    if what == "die":
        os.kill(os.getpid(), int(rest[0]))
    if what == "leave":
        os._exit(int(rest[0]))
    if what == "raise":
        raise ValueError
    if what == "wait":
        helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        said = Path(rest[0]) / f"{os.getpid()}.tmp"
        said.write_text(json.dumps([os.getpid(), os.getppid(), helper.pid]))
        said.rename(said.with_suffix(".there"))
        while not (Path(rest[0]) / "leave").exists():
            time.sleep(0.01)
    opened = []
    for descriptor in range(1024):
        try:
            os.fstat(descriptor)
        except OSError:
            continue
        opened.append(descriptor)
    json.dump(
        {"page": page, "rest": rest, "seen": seen, "opened": opened, "environment": dict(os.environ),
         "folder": os.getcwd(), "pid": os.getpid(), "server": os.getppid(), "group": os.getpgrp()}, sys.stdout
    )
'''


@pytest.fixture(autouse=True)
def _work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work.py").write_text(_WORK, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(part for part in sys.path if part))


@pytest.fixture
def server() -> Iterator[ForkServer]:
    made = ForkServer("work")
    yield made
    made.close()


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def run(server: ForkServer, *arguments: str, page: str = "a page", seconds: float = HANG) -> Ended:
    with tempfile.TemporaryFile() as made:
        made.write(page.encode())
        return server.run(*arguments, stdin=made, seconds=seconds)


def told(server: ForkServer, *arguments: str, page: str = "a page") -> dict[str, Any]:
    ended = run(server, *arguments, page=page)
    assert ended.code == 0
    known: dict[str, Any] = json.loads(ended.said)
    return known


def gone(pid: int) -> bool:
    """Nothing of it runs; whether an orphan's remains were taken away is up to the machine."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def there(folder: Path, count: int = 1) -> list[tuple[int, int, int]]:
    """Number, server and helper of the children that wait in the folder, as many as that."""
    until(lambda: len(list(folder.glob("*.there"))) >= count)
    return [tuple(json.loads(path.read_text())) for path in sorted(folder.glob("*.there"), key=_age)]


def waiting(threads: ThreadPoolExecutor, server: ForkServer, folder: Path, page: str = "waits") -> Future[Ended]:
    return threads.submit(run, server, "wait", str(folder), page=page)


def _age(path: Path) -> int:
    return path.stat().st_mtime_ns


def test_each_is_alone_in_its_process(server: ForkServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_LLM_API_KEY", "secret")
    one, other = told(server, "tell", "1", page="one"), told(server, "tell", "2", page="other")
    assert (one["page"], one["rest"], one["seen"]) == ("one", ["1"], ["one"])
    assert (other["page"], other["rest"], other["seen"]) == ("other", ["2"], ["other"])
    assert one["pid"] != other["pid"]
    assert one["server"] == other["server"] != os.getpid()
    assert one["environment"].keys() - {"LC_CTYPE"} == {"PYTHONPATH", "PYTHONUTF8"}
    assert one["folder"] == "/"
    assert psutil.Process(one["server"]).num_threads() == 1


def test_two_at_once_have_nothing_of_each_other(
    server: ForkServer, threads: ThreadPoolExecutor, tmp_path: Path
) -> None:
    slow = waiting(threads, server, tmp_path, page="slow")
    [(pid, parent, _)] = there(tmp_path)
    quick = told(server, "tell", page="quick")
    assert quick["server"] == parent
    assert quick["opened"] == [0, 1, 2]
    assert (quick["page"], quick["seen"]) == ("quick", ["quick"])
    assert quick["group"] == quick["pid"] != psutil.Process(parent).pid
    assert not gone(pid)
    (tmp_path / "leave").touch()
    assert json.loads(slow.result(HANG).said)["page"] == "slow"


def test_one_that_hangs_is_killed_with_its_own_and_another_goes_on(
    server: ForkServer, threads: ThreadPoolExecutor, tmp_path: Path
) -> None:
    (hanging := tmp_path / "hanging").mkdir()
    other = waiting(threads, server, tmp_path, page="other")
    there(tmp_path)
    with pytest.raises(TimeoutError):
        run(server, "wait", str(hanging), seconds=1.5)
    for pid, _, helper in there(hanging, 0):  # a machine that is too busy to start it in time has none
        assert gone(pid)
        until(lambda helper=helper: gone(helper))  # type: ignore[misc]
    (tmp_path / "leave").touch()
    assert json.loads(other.result(HANG).said)["page"] == "other"


@pytest.mark.parametrize(
    ("what", "code"),
    [
        *((("die", str(int(number))), -number) for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM)),
        (("leave", "3"), 3),
        (("raise",), 1),
    ],
)
def test_what_it_ended_with_is_told_and_is_its_own_affair(server: ForkServer, what: tuple[str, ...], code: int) -> None:
    before = told(server, "tell")["server"]
    assert run(server, *what) == Ended(b"", code)
    assert told(server, "tell")["server"] == before


def test_more_than_a_socket_holds_comes_over_whole(server: ForkServer) -> None:
    page = "x" * 5_000_000
    assert told(server, "tell", page=page)["page"] == page


def test_a_server_that_was_killed_is_started_anew(server: ForkServer) -> None:
    pid = told(server, "tell")["server"]
    os.kill(pid, signal.SIGKILL)
    assert told(server, "tell")["server"] != pid
    assert not psutil.pid_exists(pid)


def test_work_whose_server_is_killed_is_done_by_another(
    server: ForkServer, threads: ThreadPoolExecutor, tmp_path: Path
) -> None:
    under_way = waiting(threads, server, tmp_path)
    [(child, first, _)] = there(tmp_path)
    os.kill(first, signal.SIGKILL)
    [_, (_, second, _)] = there(tmp_path, 2)
    assert second != first
    until(lambda: gone(child))
    (tmp_path / "leave").touch()
    assert json.loads(under_way.result(HANG).said)["page"] == "waits"


def test_work_that_twice_loses_its_server_is_given_up(
    server: ForkServer, threads: ThreadPoolExecutor, tmp_path: Path
) -> None:
    under_way = waiting(threads, server, tmp_path)
    for number in (1, 2):
        os.kill(there(tmp_path, number)[-1][1], signal.SIGKILL)
    with pytest.raises(ChildProcessError, match="work"):
        under_way.result(HANG)
    for child, *_ in there(tmp_path, 2):
        until(lambda child=child: gone(child))  # type: ignore[misc]
    assert told(server, "tell")["page"] == "a page"


def test_one_that_cannot_start_is_an_error() -> None:
    server = ForkServer("no_such_module")
    with pytest.raises(ChildProcessError, match="no_such_module"):
        run(server, "tell")
    server.close()


def test_only_its_owner_ends_it(server: ForkServer) -> None:
    pid = told(server, "tell")["server"]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(pid, number)
    assert told(server, "tell")["server"] == pid
    assert os.getsid(pid) == pid  # where no terminal's Ctrl-C comes


def test_it_ends_when_it_has_nothing_to_do() -> None:
    server = ForkServer("work", idle=0.05)
    pid = told(server, "tell")["server"]
    until(lambda: not psutil.pid_exists(pid))  # and is no zombie
    assert told(server, "tell")["server"] != pid
    server.close()


def test_close_lets_what_is_under_way_come_to_its_end(threads: ThreadPoolExecutor, tmp_path: Path) -> None:
    server = ForkServer("work")
    under_way = waiting(threads, server, tmp_path)
    [(_, pid, _)] = there(tmp_path)
    server.close()
    (tmp_path / "leave").touch()
    assert json.loads(under_way.result(HANG).said)["page"] == "waits"
    assert not psutil.pid_exists(pid)
    late = told(server, "tell")["server"]
    assert not psutil.pid_exists(late)


def test_it_ends_when_nobody_has_it_any_more() -> None:
    server = ForkServer("work")
    pid = told(server, "tell")["server"]
    del server
    until(lambda: not psutil.pid_exists(pid))


_OWNER = """
import sys, tempfile
from ragstone.core.runtime import ForkServer
with tempfile.TemporaryFile() as page:
    ForkServer("work").run("wait", sys.argv[1], stdin=page, seconds=600)
"""


def test_a_killed_owner_takes_all_with_it(tmp_path: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", _OWNER, str(tmp_path)])
    try:
        [numbers] = there(tmp_path)
        assert not any(gone(pid) for pid in numbers)
    finally:
        owner.kill()
        owner.wait()
    for pid in numbers:
        until(lambda pid=pid: gone(pid))  # type: ignore[misc]


_FORKS = """
import json, os, sys, tempfile, threading
from ragstone.core.runtime import ForkServer

def server_of(forks):
    with tempfile.TemporaryFile() as page:
        return json.loads(forks.run("tell", stdin=page, seconds=600).said)["server"]

forks = ForkServer("work")
told = [server_of(forks)]
pid = os.fork()
if pid == 0:
    told.append(server_of(forks))
    told.append(server_of(forks))
    forks.close()
    print(json.dumps(told), flush=True)
    os._exit(0)
os.waitpid(pid, 0)
print(server_of(forks), flush=True)
forks.close()
"""


def test_a_fork_of_the_owner_has_one_of_its_own() -> None:
    ran = subprocess.run([sys.executable, "-c", _FORKS], stdout=subprocess.PIPE, timeout=HANG, check=True)
    of_fork, of_owner = ran.stdout.splitlines()
    first, second, third = json.loads(of_fork)
    assert first == int(of_owner)
    assert second == third != first
    for pid in (first, second):
        until(lambda pid=pid: gone(pid))  # type: ignore[misc]


def test_many_threads(server: ForkServer) -> None:
    with ThreadPoolExecutor(8) as pool:
        pages = [f"page {number}" for number in range(60)]
        assert [each["page"] for each in pool.map(lambda page: told(server, "tell", page=page), pages)] == pages
    names = [thread.name for thread in threading.enumerate()]
    assert names.count("ragstone-fork-server") == 1
