"""Whoever has work to be forked for: starts the server when it is needed, and outlives whatever happens to it."""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import struct
import subprocess
import threading
import time
import weakref
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ..subprocesses import begin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SERVER = Path(__file__).with_name("server.py")
_LENGTH = struct.Struct("!I")
_TOLD = struct.Struct("!ii")  # the child's number, and what it ended with
_TRIES = 2
#: Seconds in which a server that works has long done what it was asked.
_PATIENCE = 10.0


@dataclass(frozen=True)
class Ended:
    """What a child wrote to its standard output, and what it ended with: as ``Popen.returncode``."""

    said: bytes
    code: int


class ForkServer:
    """Runs ``module.main(*arguments)`` again and again, each time in a process of its own that can be killed.

    The processes are forks of one that has only imported the module, so that none knows of another, and what costs time
    to import costs it once. That one has no threads and, as with ``apart``, nothing of this process's environment. It
    is started when it is needed, and anew when something happened to it. It ends with this process however this ends,
    after ``idle`` seconds without work, and by ``close``. A fork of this process has a server of its own; the one that
    it saw is then gone after its idle time at the latest. Safe to use from several threads.
    """

    def __init__(self, module: str, *, idle: float = 30.0) -> None:
        self._module = module
        self._idle = idle
        self._of_process: dict[int, _Keeper] = {}

    def run(self, *arguments: str, stdin: IO[bytes], seconds: float) -> Ended:
        """Run it once. It finds ``stdin``, a file, from its beginning; limits beside the clock are its own to set.

        It and whatever it started are gone afterwards. Raises ``TimeoutError`` after so many seconds, and
        ``ChildProcessError`` if its server ended twice under it.
        """
        end = time.monotonic() + seconds
        request = json.dumps({"arguments": arguments, "seconds": seconds}).encode()
        with self._keeper().in_use() as keeper:
            server = None
            for _ in range(_TRIES):
                server = keeper.server(server)
                stdin.seek(0)
                ended = server.run(request, stdin, end)
                if ended is not None:
                    return ended
        raise ChildProcessError(f"the server of {self._module} ended under it")

    def close(self) -> None:
        """Keep no server. What is under way goes on, and the server ends after it."""
        self._keeper().close()

    def _keeper(self) -> _Keeper:
        # No lock: at a fork another thread may hold it, and would not be there to let it go.
        mine = self._of_process.setdefault(os.getpid(), _Keeper(self._module, self._idle))
        for pid in [pid for pid in tuple(self._of_process) if pid != os.getpid()]:
            if (seen := self._of_process.pop(pid, None)) is not None:
                seen.forget()
        return mine


class _Keeper:
    """The server of this process, if there is one just now."""

    def __init__(self, module: str, idle: float) -> None:
        self._module = module
        self._idle = idle
        self._lock = threading.Lock()
        self._server: _Server | None = None
        self._users = 0
        self._closed = False

    @contextmanager
    def in_use(self) -> Iterator[_Keeper]:
        with self._lock:
            self._users += 1
        try:
            yield self
        finally:
            with self._lock:
                self._users -= 1
                last = self._take() if self._closed and not self._users else None
            if last is not None:
                last.close()

    def server(self, failed: _Server | None) -> _Server:
        """One that runs and is not the one that failed."""
        with self._lock:
            if self._server is None or self._server is failed or not self._server.runs:
                if (before := self._take()) is not None:
                    before.kill()
                self._server = _Server(self._module, self._idle)
            return self._server

    def close(self) -> None:
        with self._lock:
            self._closed = True
            server = None if self._users else self._take()
        if server is not None:
            server.close()

    def forget(self) -> None:
        """In a fork: it is another's. The lock may be held for ever."""
        if self._server is not None:
            self._server.forget()

    def _take(self) -> _Server | None:
        server, self._server = self._server, None
        return server


class _Server:
    """A running server, and the socket on which it is asked."""

    def __init__(self, module: str, idle: float) -> None:
        self._control, theirs = socket.socketpair()
        self._asking = threading.Lock()
        # If nobody says that it is to end. At the end of this process the system does it, after the last thread.
        weakref.finalize(self, self._control.close).atexit = False
        with theirs:
            self._process = begin(str(_SERVER), module, repr(idle), stdin=theirs.fileno(), stdout=subprocess.DEVNULL)
        self._control.settimeout(_PATIENCE)
        # So that one that ends by itself leaves no zombie.
        self._waiting = threading.Thread(target=self._process.wait, name="ragstone-fork-server", daemon=True)
        self._waiting.start()

    @property
    def runs(self) -> bool:
        return self._waiting.is_alive()

    def run(self, request: bytes, stdin: IO[bytes], end: float) -> Ended | None:
        """``None``: the server has failed. ``end`` is of ``time.monotonic``. Raises ``TimeoutError``."""
        life, their_life = socket.socketpair()
        said, their_said = socket.socketpair()
        with life, said:
            with their_life, their_said:
                if not self._ask(request, [stdin.fileno(), their_said.fileno(), their_life.fileno()]):
                    return None
            told = bytearray()
            try:
                return _listen(life, said, told, end)
            finally:
                if len(told) < _TOLD.size:
                    self._give_up(life, told)

    def _ask(self, request: bytes, descriptors: Sequence[int]) -> bool:
        message = _LENGTH.pack(len(request)) + request
        try:
            with self._asking:
                sent = socket.send_fds(self._control, [message], descriptors)
                self._control.sendall(message[sent:])
        except OSError:
            return False
        return True

    def _give_up(self, life: socket.socket, told: bytearray) -> None:
        """The server kills its child. Where it does not say so, it is gone or does nothing: then both are killed."""
        life.settimeout(_PATIENCE)
        with suppress(OSError):
            life.shutdown(socket.SHUT_WR)
            while len(told) < _TOLD.size and (part := life.recv(_TOLD.size)):
                told += part
        if len(told) < _TOLD.size:
            self.kill()
            child = int.from_bytes(told[:4], signed=True)
            if child > 0:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(child, signal.SIGKILL)

    def close(self) -> None:
        """It ends by itself, and is killed if it does not."""
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()
        self._waiting.join(_PATIENCE)
        self.kill()

    def kill(self) -> None:
        if self.runs:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._waiting.join(_PATIENCE)
        self._control.close()

    def forget(self) -> None:
        self._control.close()


def _listen(life: socket.socket, said: socket.socket, told: bytearray, end: float) -> Ended | None:
    """What it says until its life has ended; ``None`` where the server's has."""
    heard = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(life, selectors.EVENT_READ)
        selector.register(said, selectors.EVENT_READ)
        while len(told) < _TOLD.size:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError
            for key, _ in selector.select(left):
                if key.fileobj is life:
                    part = life.recv(_TOLD.size)
                    if not part:
                        return None
                    told += part
                elif not _hear(said, heard):
                    selector.unregister(said)
    said.setblocking(False)
    with suppress(BlockingIOError):
        while _hear(said, heard):
            pass
    return Ended(bytes(heard), _TOLD.unpack(told)[1])


def _hear(said: socket.socket, heard: bytearray) -> bool:
    part = said.recv(1 << 16)
    heard += part
    return bool(part)
