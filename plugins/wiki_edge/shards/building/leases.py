"""Leases of parts: which worker builds which part, on any machines that see the folder.

A lease is a file that its worker renews. It is taken over at once where the worker has died on this machine, else
when it was not renewed for ``EXPIRY_S``. What it decides is who spends the time: a part that two workers build is the
same twice, and put in place once.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from secrets import token_hex

from filelock import SoftFileLease, Timeout

LEASES = "leases"
#: Seconds after which a lease that was not renewed may be taken over.
EXPIRY_S = 90.0
_RENEWED_S = 10.0


class Leases:
    """The leases of a plan, for one worker."""

    def __init__(self, folder: Path) -> None:
        """``folder``: the plan's."""
        self._folder = folder / LEASES
        self.worker = f"{socket.gethostname()[:50]}-{os.getpid()}-{token_hex(4)}"
        #: Each one sees for how long another worker has not renewed it.
        self._leases: dict[int, SoftFileLease] = {}

    def take(self, parts: Iterable[int]) -> tuple[int, AbstractContextManager[object]] | None:
        """The first of the parts that nobody builds, and its lease, which ends with the block; ``None`` without one.

        The part may have been finished in the meantime. Raises ``OSError``.
        """
        for number in parts:
            if number not in self._leases:
                path = self._folder / f"{number:06d}"
                self._leases[number] = SoftFileLease(
                    path, lease_duration=EXPIRY_S, heartbeat_interval=_RENEWED_S, timeout=0
                )
            with suppress(Timeout):
                return number, self._leases[number].acquire()
        return None
