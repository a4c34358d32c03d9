"""Resident worker processes for untrusted input: each answers one request after another and can be killed."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from pydantic import TypeAdapter

from .subprocesses import begin

Result = TypeVar("Result")

#: Before each request and each answer: its length, most significant byte first.
_LENGTH = struct.Struct("!I")
#: Bytes of an answer; a worker that was taken over could send more than this process has memory for.
_LONGEST = 200_000_000
#: Bytes of requests after which a worker is replaced, so that its memory does not grow without end.
_RENEWAL = 30_000_000
#: By which libraries end a process that gets no memory.
_WANT_OF_MEMORY = (signal.SIGABRT, signal.SIGILL, signal.SIGKILL, signal.SIGSEGV, signal.SIGTRAP)
#: Seconds in which a worker ends once it has closed its socket.
_PATIENCE = 10.0


class WorkerDied(ChildProcessError):
    """A worker ended without an answer; ``code`` is as ``Popen.returncode``."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the worker process ended with {code}")
        self.code = code


class Unanswered(Exception):
    """A request without a result: in a word why, and what happened, as words that follow the name of what was read.

    ``reason``: ``timeout``, ``too_large`` (for the memory), ``crashed``, ``broken``, or the worker's own word.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class Workers:
    """Worker processes that run ``python -m module arguments``, which calls ``answer_requests``.

    As with ``run_in_subprocess``, they get none of this process's environment and open files. A worker is started when
    no idle one is there, and is killed with its children when a request fails in it. It ends when it is idle for 30
    seconds, with this process however this ends, and by ``close``. A fork of this process starts workers of its own.
    Thread-safe.
    """

    def __init__(self, module: str, *arguments: str) -> None:
        self._command = ("-m", module, *arguments)
        # No lock: in a fork, a thread that held it would not be there to release it.
        self._idle: list[_Worker] = []
        self._pid = os.getpid()
        self._is_closed = False

    def ask(self, request: bytes, seconds: float) -> bytes:
        """A worker's answer. Raises ``TimeoutError`` and ``WorkerDied``, the latter only for a new worker.

        A request that a used worker dies of is sent to a new one: earlier requests may have been the reason.
        """
        end = time.monotonic() + seconds
        with suppress(IndexError, WorkerDied):
            return self._ask(self._idle_here().pop(), request, end)
        return self._ask(_Worker(self._command), request, end)

    def ask_json(self, request: bytes, seconds: float, kind: TypeAdapter[Result]) -> Result:
        """The result of a worker that calls ``answer_json``, checked: it is untrusted. Raises ``Unanswered``."""
        late = f"takes longer than {round(seconds, 1):g} s"
        try:
            answer = json.loads(self.ask(request, seconds))
            if "result" in answer:
                return kind.validate_python(answer["result"])
            raise Unanswered(str(answer["reason"]), str(answer["detail"])[:300])
        except TimeoutError:
            raise Unanswered("timeout", late) from None
        except WorkerDied as died:
            if died.code == -signal.SIGXCPU:
                raise Unanswered("timeout", late) from died
            if -died.code in _WANT_OF_MEMORY:
                raise Unanswered("too_large", "takes more memory than it may have") from died
            raise Unanswered("crashed", f"ended its reader with {died.code}") from died
        except OSError as error:
            raise Unanswered("crashed", f"has no process to be read in ({error})") from error
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise Unanswered("crashed", "gave no valid answer") from error

    def close(self) -> None:
        """End the idle workers; the others end after their requests."""
        self._is_closed = True
        with suppress(IndexError):
            while True:
                self._idle_here().pop().kill()

    def _ask(self, worker: _Worker, request: bytes, end: float) -> bytes:
        answer = worker.ask(request, end)
        if worker.received < _RENEWAL:
            self._idle_here().append(worker)
        else:
            worker.kill()
        if self._is_closed:
            self.close()
        return answer

    def _idle_here(self) -> list[_Worker]:
        if self._pid != os.getpid():  # the workers seen here are those of the process that was forked
            self._idle, self._pid = [], os.getpid()
        return self._idle


class _Worker:
    def __init__(self, command: tuple[str, ...]) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = begin(*command, stdin=theirs.fileno(), stdout=subprocess.DEVNULL)
        #: Bytes of the requests so far.
        self.received = 0

    def ask(self, request: bytes, end: float) -> bytes:
        """The answer; ``end`` is of ``time.monotonic``. Raises ``TimeoutError`` and ``WorkerDied``; it is dead then."""
        self.received += len(request)
        try:
            _send(self._socket, request, end)
            return _receive(self._socket, end, _LONGEST)
        except (ConnectionError, EOFError):
            self._socket.close()
            with suppress(subprocess.TimeoutExpired):  # its own code, rather than that of being killed
                self._process.wait(_PATIENCE)
            raise WorkerDied(self.kill()) from None
        except BaseException:
            self.kill()
            raise

    def kill(self) -> int:
        """End it and its children; returns its code."""
        self._socket.close()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        return self._process.wait()


def answer_requests(answer: Callable[[bytes], bytes], *, idle: float = 30.0) -> None:
    """The worker's side: answer until the owner is gone or sends nothing for ``idle`` seconds.

    Standard input must be the socket that ``Workers`` gives. ``answer`` should set limits of its own.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # meant for the owner, which then ends its workers
        signal.signal(number, signal.SIG_IGN)
    with socket.socket(fileno=0) as owner, suppress(EOFError, OSError):
        while True:
            request = _receive(owner, time.monotonic() + idle)
            with _ended_with(owner):
                answered = answer(request)
            _send(owner, answered, time.monotonic() + idle)


def answer_json(read: Callable[[bytes], Any]) -> None:
    """The worker's side of ``Workers.ask_json``: ``read`` makes the result, or raises ``Unanswered``.

    Any other error is ``broken``, except want of memory: then the process ends, as the next request needs a new one.
    """

    def answer(request: bytes) -> bytes:
        made: dict[str, Any]
        try:
            made = {"result": read(request)}
        except Unanswered as error:
            made = {"reason": error.reason, "detail": error.detail[:300]}
        except MemoryError:
            raise
        except Exception as error:
            made = {"reason": "broken", "detail": f"cannot be read: {type(error).__name__}: {error}"[:300]}
        return json.dumps(made, ensure_ascii=True).encode()

    try:
        answer_requests(answer)
    except MemoryError:
        os.abort()  # as libraries do that get no memory


@contextmanager
def _ended_with(owner: socket.socket) -> Iterator[None]:
    """Let SIGIO end this process and its children, even in C code, when the owner's end of the socket is closed."""
    flags = fcntl.fcntl(owner, fcntl.F_GETFL)
    fcntl.fcntl(owner, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(owner, fcntl.F_SETFL, flags | os.O_ASYNC)
    try:
        yield
    finally:
        fcntl.fcntl(owner, fcntl.F_SETFL, flags)


def _send(connection: socket.socket, message: bytes, end: float) -> None:
    for part in (_LENGTH.pack(len(message)), message):
        connection.settimeout(_left(end))
        connection.sendall(part)


def _receive(connection: socket.socket, end: float, longest: int = 1 << 32) -> bytes:
    (size,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size, end))
    if size > longest:
        raise EOFError
    return _exactly(connection, size, end)


def _exactly(connection: socket.socket, size: int, end: float) -> bytes:
    received = bytearray()
    while len(received) < size:
        connection.settimeout(_left(end))
        part = connection.recv(min(size - len(received), 1 << 20))
        if not part:
            raise EOFError
        received += part
    return bytes(received)


def _left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
