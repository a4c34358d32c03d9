"""The server: ``python server.py MODULE IDLE``, with a socket from its owner as standard input.

A program of its own that imports nothing of the host, so that it is small, has no threads, and a fork of it is cheap.
For each request it forks a child, which has nothing open but its own input and output. It ends with its owner, when the
socket closes, or when it has had nothing to do for ``IDLE`` seconds; its children end with it.

A request is a length (four bytes, most significant first) and as many bytes of JSON, sent with three descriptors: the
child's standard input, its standard output, and a socket for its life. On that the server tells the child's number,
then what it ended with (four bytes each, signed). When the other end of it closes first, the child is killed.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import selectors
import signal
import socket
import struct
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

_LENGTH = struct.Struct("!I")
_TOLD = struct.Struct("!i")
_DESCRIPTORS = 3
#: Descriptors that it or a child may have; a child closes all that are not its own.
_MOST_OPEN = 1024
#: Seconds after its time that a child ends by itself, should there be nobody left to kill it.
_MERCY = 5.0
#: What a terminal or a service manager sends to everybody: whether to end because of it is the owner's affair.
_NOT_FOR_US = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main(module: str, idle: float) -> None:
    """Serve until the owner has gone or has nothing to do."""
    for number in _NOT_FOR_US:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most == resource.RLIM_INFINITY or most > _MOST_OPEN:
        resource.setrlimit(resource.RLIMIT_NOFILE, (_MOST_OPEN, _MOST_OPEN))
    with socket.socket(fileno=os.dup(0)) as control:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        work = importlib.import_module(module).main
        gc.collect()
        gc.freeze()  # a child that collects would copy all of it
        _Server(control, work).serve(idle)


class _Server:
    """Its children by their numbers, each with the socket on which its life is told."""

    def __init__(self, control: socket.socket, work: Callable[..., None]) -> None:
        self._control = control
        self._work = work
        self._lives: dict[int, socket.socket] = {}
        self._begun = False
        self._selector = selectors.DefaultSelector()
        self._woken, self._wake = socket.socketpair()

    def serve(self, idle: float) -> None:
        self._woken.setblocking(False)
        self._wake.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # so that it writes to what wakes
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        self._selector.register(self._woken, selectors.EVENT_READ, self._reap)
        self._selector.register(self._control, selectors.EVENT_READ, self._begin)
        try:
            while True:
                resting = self._begun and not self._lives  # who starts a server has something for it
                ready = self._selector.select(idle if resting else None)
                if resting and not ready:
                    return
                for key, _ in ready:
                    key.data()
        except (EOFError, ConnectionError):
            return  # the owner has gone
        finally:
            for pid in self._lives:
                _kill(pid)
            for pid in self._lives:
                os.waitpid(pid, 0)

    def _begin(self) -> None:
        head, descriptors, _, _ = socket.recv_fds(self._control, _LENGTH.size, _DESCRIPTORS)
        head += self._exactly(_LENGTH.size - len(head))
        request = json.loads(self._exactly(*_LENGTH.unpack(head)))
        self._begun = True
        stdin, stdout, life = descriptors
        told = socket.socket(fileno=life)
        try:
            pid = os.fork()
        except OSError:
            _tell(told, 0)
            _tell(told, 1)
            told.close()
        else:
            if pid == 0:
                self._child(request["arguments"], stdin, stdout, request["seconds"])
            with suppress(OSError):  # the child does it too: whoever is first
                os.setpgid(pid, pid)
            self._lives[pid] = told
            self._selector.register(told, selectors.EVENT_READ, partial(self._given_up, pid))
            _tell(told, pid)
        os.close(stdin)
        os.close(stdout)

    def _exactly(self, size: int) -> bytes:
        said = b""
        while len(said) < size:
            part = self._control.recv(size - len(said))
            if not part:
                raise EOFError
            said += part
        return said

    def _given_up(self, pid: int) -> None:
        told = self._lives.get(pid)
        if told is not None:  # else it has ended in the same moment
            self._selector.unregister(told)
            _kill(pid)

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            self._woken.recv(4096)
        while self._lives:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            _kill(pid)  # whatever it started
            told = self._lives.pop(pid)
            with suppress(KeyError):
                self._selector.unregister(told)
            _tell(told, os.waitstatus_to_exitcode(status))
            told.close()

    def _child(self, arguments: list[str], stdin: int, stdout: int, seconds: float) -> NoReturn:
        code = 1
        try:
            os.setpgid(0, 0)
            signal.set_wakeup_fd(-1)
            for number in (*_NOT_FOR_US, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, seconds + _MERCY)
            os.dup2(stdin, 0)
            os.dup2(stdout, 1)
            os.closerange(3, _MOST_OPEN)
            self._work(*arguments)
            sys.stdout.flush()
            code = 0
        finally:
            os._exit(code)  # and no tidying up: what is open is the server's


def _kill(pid: int) -> None:
    """The child and whatever it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _tell(told: socket.socket, what: int) -> None:
    with suppress(OSError):  # nobody listens any more
        told.sendall(_TOLD.pack(what))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
