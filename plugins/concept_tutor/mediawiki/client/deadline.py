"""One deadline for everything that a call does.

What ``requests`` calls a timeout is the longest pause between two reads: a server that sends a byte now and then
outlives it. So the sockets of a call are watched: at the deadline they are shut, which wakes the thread that reads from
them, within a TLS handshake as well.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from types import TracebackType


class Deadline:
    """A moment, ``seconds`` from when it was made."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left, 0 or more."""
        return max(0.0, self._ends - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether nothing is left."""
        return self.left() <= 0


class Watch:
    """Shuts the sockets that it was given when the deadline is over: a context around one exchange."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._over = False
        #: Whether something was cut off: what came then looks like all there is, but is not.
        self.cut = False
        self._timer = threading.Timer(deadline.left(), self._shut)
        self._timer.daemon = True

    def __enter__(self) -> Watch:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            for held in self._sockets:
                held.close()
            self._sockets.clear()

    def hold(self, opened: socket.socket) -> None:
        """Watch this one too. A copy of it is kept: TLS takes the socket itself away."""
        with self._lock:
            if self._over:
                opened.close()
                raise TimeoutError("the deadline is over")
            self._sockets.append(opened.dup())

    def wait_for_the_end(self, seconds: float) -> None:
        """Until the other side has closed what it was asked to close, but no longer than ``seconds``.

        A server that has sent its answer may still be busy with the request. What it sends meanwhile is dropped.
        """
        ends = time.monotonic() + min(seconds, self._deadline.left() / 2)  # what was got must not come too late
        with self._lock:
            held = list(self._sockets)
        for one in held:
            with contextlib.suppress(OSError, ValueError):  # it has ended by itself
                while (left := ends - time.monotonic()) > 0:
                    one.settimeout(left)
                    if not one.recv(65_536):
                        break

    def _shut(self) -> None:
        with self._lock:
            if self._over:
                return
            self._over = self.cut = True
            for held in self._sockets:
                with contextlib.suppress(OSError):  # it has ended by itself
                    held.shutdown(socket.SHUT_RDWR)
