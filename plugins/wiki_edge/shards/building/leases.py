"""Leases of parts: which worker builds which part, on any machines that see the folder.

A part that nobody builds has the file ``NUMBER.free``. A worker takes it by renaming it to ``NUMBER.WORKER``, which one
of several can do, and renews it while it works. A lease that was not renewed for ``EXPIRY_S``, or whose worker has died
on this machine, is taken over in the same way. What a lease decides is who spends the time: a part that two workers
build is the same twice, and put in place once.
"""

from __future__ import annotations

import os
import re
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

LEASES = "leases"
#: Seconds after which a lease that was not renewed may be taken over.
EXPIRY_S = 90.0
_RENEWED_S = 10.0
#: A worker that has got no further for so long renews its lease no more.
_STUCK_S = 900.0
_FREE = "free"


class Leases:
    """The leases of a plan, for one worker."""

    def __init__(self, folder: Path) -> None:
        """``folder``: the plan's. Raises ``OSError``."""
        self._folder = folder / LEASES
        self.worker = f"{_host()}-{os.getpid()}-{token_hex(4)}"
        self._progress = time.monotonic()

    def take(self, wanted: range, done: Collection[int]) -> int | None:
        """The first of the wanted parts that is not done and that nobody builds; ``None`` when there is none now."""
        for name in sorted(path.name for path in self._folder.iterdir()):
            number, _, worker = name.partition(".")
            if not number.isdigit() or int(number) not in wanted:
                continue
            if int(number) in done:  # its worker died between the last two steps
                (self._folder / name).unlink(missing_ok=True)
            elif worker == _FREE or self._is_over(name, worker):
                mine = self._file(int(number))
                with suppress(FileNotFoundError):  # another one was quicker
                    os.utime(self._folder / name)  # renewed before it is taken: none may find it expired
                    (self._folder / name).rename(mine)
                    return int(number)
        return None

    @contextmanager
    def renewed(self, number: int) -> Iterator[None]:
        """Keep the lease until the end of the block; it is then gone, and after an error free again."""
        ended, path = threading.Event(), self._file(number)
        self.progressed()

        def renew() -> None:
            while not ended.wait(_RENEWED_S):
                if time.monotonic() - self._progress < _STUCK_S:
                    with suppress(OSError):
                        os.utime(path)

        thread = threading.Thread(target=renew, name="wiki-lease", daemon=True)
        thread.start()
        try:
            yield
        except BaseException:
            with suppress(OSError):
                path.rename(self._folder / f"{number:06d}.{_FREE}")
            raise
        else:
            path.unlink(missing_ok=True)
        finally:
            ended.set()
            thread.join()

    def progressed(self) -> None:
        """The part that is being built has got further."""
        self._progress = time.monotonic()

    def restore(self, missing: Callable[[], Collection[int]]) -> None:
        """Make free leases of parts that have none; a part that is being taken now may then be built twice.

        ``missing``: the parts that are not built, asked for after the leases: a part is put in place before its lease
        ends.
        """
        known = {path.name.partition(".")[0] for path in self._folder.iterdir()}
        for number in missing():
            if f"{number:06d}" not in known:
                (self._folder / f"{number:06d}.{_FREE}").touch()

    def _file(self, number: int) -> Path:
        return self._folder / f"{number:06d}.{self.worker}"

    def _is_over(self, name: str, worker: str) -> bool:
        host, _, rest = worker.rpartition("-")[0].rpartition("-")
        if host == _host() and rest.isdigit() and not _is_alive(int(rest)):
            return True
        try:
            return self._now() - (self._folder / name).stat().st_mtime > EXPIRY_S
        except FileNotFoundError:
            return False

    def _now(self) -> float:
        """The time by the clock of the disk, which may be another machine's."""
        path = self._folder / f"clock.{self.worker}"
        path.touch()
        now = path.stat().st_mtime
        path.unlink()
        return now


@cache
def _host() -> str:
    """The machine, as far as process ids are its own: hosts of one name, and containers, are not one machine."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        # Another one after each start of the machine.
        parts += [Path("/proc/sys/kernel/random/boot_id").read_text("ascii"), str(Path("/proc/self/ns/pid").readlink())]
    name = re.sub(r"[^A-Za-z0-9]", "-", parts[0])[:50]
    return f"{name}-{sha256(' '.join(parts).encode()).hexdigest()[:8]}"


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
        # One that has ended and that its parent has not waited for yet.
        return b") Z " not in Path(f"/proc/{process}/stat").read_bytes()
    except ProcessLookupError:
        return False
    except OSError:
        return True
