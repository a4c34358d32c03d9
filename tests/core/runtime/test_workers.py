"""Requests to worker processes: isolated from this process, and none lost by what became of another one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from pydantic import TypeAdapter

from ragstone.core.runtime import Unanswered, WorkerDied, Workers, workers
from tests.support.patience import HANG, until, without_hanging

NUMBER = TypeAdapter(float)
_WORK = '''
import json, os, subprocess, sys, time
from pathlib import Path
from ragstone.core.runtime import answer_requests

seen = []


def answer(request):
    """Do what the request says; "wait" writes a file and waits for another. Returns what the process knows."""
    what, *rest = json.loads(request)
    seen.append(what)
    if what == "die":
        os.kill(os.getpid(), rest[0])
    if what == "die if used" and len(seen) > 1:
        os.abort()
    if what == "exit":
        os._exit(rest[0])
    if what == "raise":
        raise ValueError
    if what == "claim":  # an answer of 4 GB
        os.write(0, b"\\xff\\xff\\xff\\xff")
        time.sleep(600)
    if what == "print":
        print("x" * 1000, flush=True)
    if what == "wait":
        helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        made = Path(rest[0]) / f"{os.getpid()}.tmp"
        made.write_text(json.dumps([os.getpid(), helper.pid]))
        made.rename(made.with_suffix(".there"))
        while not (Path(rest[0]) / "leave").exists():
            time.sleep(0.01)
    opened = []
    for descriptor in range(1024):
        try:
            os.fstat(descriptor)
        except OSError:
            continue
        opened.append(descriptor)
    return json.dumps(
        {"rest": rest, "seen": seen, "opened": opened, "environment": dict(os.environ), "folder": os.getcwd(),
         "pid": os.getpid(), "session": os.getsid(0), "arguments": sys.argv[1:]}
    ).encode()


if __name__ == "__main__":
    answer_requests(answer, idle=float(sys.argv[1]))
'''

_READ = """
import os, time
from ragstone.core.runtime import Unanswered, answer_json


def read(request):
    if request == b"refuse":
        raise Unanswered("own", "has a word of its own")
    if request == b"wait":
        time.sleep(600)
    if request == b"swallow":
        raise MemoryError
    if request.startswith(b"die"):
        os.kill(os.getpid(), int(request[3:]))
    return 1 / int(request)


if __name__ == "__main__":
    answer_json(read)
"""


@pytest.fixture(autouse=True)
def _work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work.py").write_text(_WORK, "utf-8")
    (tmp_path / "read.py").write_text(_READ, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(part for part in sys.path if part))


@pytest.fixture
def pool() -> Iterator[Workers]:
    made = Workers("work", str(HANG))
    yield made
    made.close()


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def ask(pool: Workers, *request: Any, seconds: float = HANG) -> dict[str, Any]:
    known: dict[str, Any] = json.loads(pool.ask(json.dumps(request or ["tell"]).encode(), seconds))
    return known


def gone(pid: int) -> bool:
    """Nothing of it runs; whether an orphan's remains were taken away is up to the machine."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def there(folder: Path) -> tuple[int, int]:
    """Number and helper of the worker that waits in the folder."""
    until(lambda: list(folder.glob("*.there")))
    worker, helper = json.loads(next(folder.glob("*.there")).read_text())
    return worker, helper


def waiting(threads: ThreadPoolExecutor, pool: Workers, folder: Path) -> Future[dict[str, Any]]:
    return threads.submit(ask, pool, "wait", str(folder))


def test_a_worker_has_nothing_of_its_owner(pool: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_LLM_API_KEY", "secret")
    known = ask(pool, "tell", "more")
    assert (known["rest"], known["arguments"]) == (["more"], [str(HANG)])
    assert known["environment"].keys() - {"LC_CTYPE"} == {"PYTHONPATH", "PYTHONUTF8"}
    assert (known["folder"], known["opened"]) == ("/", [0, 1, 2])
    assert known["session"] == known["pid"]  # where no terminal's Ctrl-C comes
    assert psutil.Process(known["pid"]).num_threads() == 1


def test_it_takes_one_request_after_another_and_two_take_two_at_once(
    pool: Workers, threads: ThreadPoolExecutor, tmp_path: Path
) -> None:
    first = ask(pool)["pid"]
    slow = waiting(threads, pool, tmp_path)
    assert there(tmp_path)[0] == first
    other = ask(pool)
    assert (other["pid"] != first, other["seen"], other["opened"]) == (True, ["tell"], [0, 1, 2])
    (tmp_path / "leave").touch()
    assert slow.result(HANG)["seen"] == ["tell", "wait"]


def test_one_that_hangs_is_killed_with_its_own_and_another_goes_on(
    pool: Workers, threads: ThreadPoolExecutor, tmp_path: Path
) -> None:
    (hanging := tmp_path / "hanging").mkdir()
    other = waiting(threads, pool, tmp_path)
    there(tmp_path)
    with pytest.raises(TimeoutError):
        ask(pool, "wait", str(hanging), seconds=1.5)
    for made in hanging.glob("*.there"):  # a machine that is too busy to start it in time has none
        worker, helper = json.loads(made.read_text())
        assert not psutil.pid_exists(worker)
        until(lambda helper=helper: gone(helper))  # type: ignore[misc]
    (tmp_path / "leave").touch()
    assert other.result(HANG)["seen"] == ["wait"]


@pytest.mark.parametrize(
    ("what", "code"),
    [
        *((("die", int(number)), -number) for number in (signal.SIGSEGV, signal.SIGKILL)),
        (("exit", 3), 3),
        (("raise",), 1),
        (("claim",), -signal.SIGIO),
    ],
)
def test_what_it_ended_with_is_reported_and_another_is_started(
    pool: Workers, what: tuple[str | int, ...], code: int
) -> None:
    before = ask(pool)["pid"]
    with pytest.raises(WorkerDied) as caught:
        ask(pool, *what)
    assert caught.value.code == code
    after = ask(pool)
    assert (after["pid"] != before, after["seen"]) == (True, ["tell"])


def test_what_a_used_worker_dies_of_is_asked_of_a_new_one(pool: Workers) -> None:
    before = ask(pool)["pid"]
    after = ask(pool, "die if used")
    assert (after["pid"] != before, after["seen"]) == (True, ["die if used"])
    assert not psutil.pid_exists(before)


def test_one_that_was_killed_while_idle_is_replaced(pool: Workers) -> None:
    before = ask(pool)["pid"]
    os.kill(before, signal.SIGKILL)
    assert ask(pool)["pid"] != before
    assert not psutil.pid_exists(before)


def test_more_than_a_socket_holds_comes_over_whole_and_what_is_printed_does_not_mix_in(pool: Workers) -> None:
    text = "x" * 5_000_000
    assert ask(pool, "print", text)["rest"] == [text]


def test_it_is_replaced_after_so_many_bytes(pool: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_RENEWAL", 1000)
    pids = [ask(pool, "tell", "x" * 400)["pid"] for _ in range(4)]
    assert pids[0] == pids[1] == pids[2] != pids[3]
    assert not psutil.pid_exists(pids[0])


def test_one_that_cannot_start_is_an_error() -> None:
    pool = Workers("no_such_module")
    with pytest.raises(WorkerDied, match="ended with 1"):
        ask(pool)


def test_one_that_does_not_read_is_given_up() -> None:
    pool = Workers("timeit", "-n1", "-r1", "import time; time.sleep(600)")
    with without_hanging(), pytest.raises(TimeoutError):
        pool.ask(b"x" * 10_000_000, 0.5)


def test_only_its_owner_ends_it(pool: Workers) -> None:
    pid = ask(pool)["pid"]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(pid, number)
    assert ask(pool)["pid"] == pid


def test_it_ends_when_it_is_idle() -> None:
    pool = Workers("work", "0.2")
    pid = ask(pool)["pid"]
    until(lambda: gone(pid))
    assert ask(pool)["pid"] != pid
    pool.close()


def test_close_lets_what_is_under_way_come_to_its_end(threads: ThreadPoolExecutor, tmp_path: Path) -> None:
    pool = Workers("work", str(HANG))
    under_way = waiting(threads, pool, tmp_path)
    pid, _ = there(tmp_path)
    idle = ask(pool)["pid"]
    pool.close()
    assert not psutil.pid_exists(idle)
    (tmp_path / "leave").touch()
    assert under_way.result(HANG)["pid"] == pid
    late = ask(pool)["pid"]
    assert not psutil.pid_exists(pid)
    assert not psutil.pid_exists(late)


_OWNER = """
import json, sys
from ragstone.core.runtime import Workers
pool = Workers("work", "600")
print(json.loads(pool.ask(b'["tell"]', 600))["pid"], flush=True)
if sys.argv[1:]:
    pool.ask(json.dumps(["wait", sys.argv[1]]).encode(), 600)
sys.stdin.read()
"""


@pytest.mark.parametrize("is_busy", [False, True], ids=["idle", "busy"])
def test_a_killed_owner_takes_its_worker_with_it(tmp_path: Path, is_busy: bool) -> None:
    arguments = [str(tmp_path)] if is_busy else []
    command = [sys.executable, "-c", _OWNER, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        pids = list(there(tmp_path)) if is_busy else [pid]
        assert pid in pids
        assert not any(gone(pid) for pid in pids)
        owner.kill()
    until(lambda: all(gone(pid) for pid in pids), seconds=20)


_FORKS = """
import json, os
from ragstone.core.runtime import Workers

def pid_of(pool):
    return json.loads(pool.ask(b'["tell"]', 600))["pid"]

pool = Workers("work", "600")
seen = [pid_of(pool)]
fork = os.fork()
if fork == 0:
    seen += [pid_of(pool), pid_of(pool)]
    pool.close()
    print(json.dumps(seen), flush=True)
    os._exit(0)
os.waitpid(fork, 0)
print(pid_of(pool), flush=True)
pool.close()
"""


def test_a_fork_of_the_owner_has_one_of_its_own() -> None:
    ran = subprocess.run([sys.executable, "-c", _FORKS], stdout=subprocess.PIPE, timeout=HANG, check=True)
    of_fork, of_owner = ran.stdout.splitlines()
    first, second, third = json.loads(of_fork)
    assert first == int(of_owner)
    assert second == third != first
    for pid in (first, second):
        until(lambda pid=pid: gone(pid))  # type: ignore[misc]


def test_many_threads(pool: Workers) -> None:
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda number: ask(pool, "tell", number), range(60)))
    assert [answer["rest"] for answer in answers] == [[number] for number in range(60)]
    assert len({answer["pid"] for answer in answers}) <= 8


@pytest.mark.parametrize(
    ("request_", "reason", "detail"),
    [
        (b"refuse", "own", "has a word of its own"),
        (b"0", "broken", "cannot be read: ZeroDivisionError: division by zero"),
        (b"wait", "timeout", "takes longer than 1 s"),
        (b"swallow", "too_large", "takes more memory than it may have"),
        (f"die{signal.SIGKILL:d}".encode(), "too_large", "takes more memory than it may have"),
        (f"die{signal.SIGXCPU:d}".encode(), "timeout", f"takes longer than {HANG:g} s"),
        (f"die{signal.SIGTRAP:d}".encode(), "too_large", "takes more memory than it may have"),
        (f"die{signal.SIGBUS:d}".encode(), "crashed", f"ended its reader with -{signal.SIGBUS:d}"),
    ],
)
def test_a_request_without_a_result_says_why_in_a_word(request_: bytes, reason: str, detail: str) -> None:
    reading = Workers("read")
    assert reading.ask_json(b"4", HANG, NUMBER) == 0.25
    with pytest.raises(Unanswered) as caught:
        reading.ask_json(request_, 1 if request_ == b"wait" else HANG, NUMBER)
    assert (caught.value.reason, caught.value.detail) == (reason, detail)
    with pytest.raises(Unanswered, match="gave no valid answer"):
        reading.ask_json(b"4", HANG, TypeAdapter(str))
    reading.close()


def test_what_is_no_answer_of_a_reader_is_no_result(pool: Workers) -> None:
    with pytest.raises(Unanswered, match="gave no valid answer"):
        pool.ask_json(json.dumps(["tell"]).encode(), HANG, NUMBER)
