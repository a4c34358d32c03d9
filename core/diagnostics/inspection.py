"""Runs one check so that its failure does not affect the others."""

from __future__ import annotations

import logging
import queue
import sys
import threading
from contextlib import redirect_stdout, suppress
from typing import TYPE_CHECKING

from ..errors import RagstoneError
from ..health import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_log = logging.getLogger(__name__)

#: Seconds for one check. Making the encoder's model takes a Raspberry Pi twenty, a locked database twenty.
LONGEST = 60.0


def run_check(
    name: str, check: Callable[[], Iterable[Check]], *, fatal: bool = False, seconds: float = LONGEST
) -> list[Check]:
    """The results of the check; one failed ``Check`` if it raises, calls ``sys.exit`` or exceeds ``seconds``.

    ``fatal``: whether that failure prevents all answers. The check has a thread of its own, because reading a disk that
    is not available can block for ever.
    """
    found: queue.SimpleQueue[list[Check]] = queue.SimpleQueue()

    def work() -> None:
        try:
            found.put(list(check()))
        except RagstoneError as error:
            found.put([Check.failed(name, error, fatal=fatal)])
        except BaseException as error:  # the other checks must run in any case
            _log.info("where it happened", exc_info=error)
            detail = f"{type(error).__name__}: {error}"
            found.put([Check(name, False, detail, fatal, "ragstone -v doctor shows where it happened")])

    with redirect_stdout(sys.stderr):  # a plugin's prints must not mix with the results
        threading.Thread(target=work, name=f"ragstone-doctor-{name}", daemon=True).start()
        with suppress(queue.Empty):
            return found.get(timeout=seconds)
    return [Check(name, False, f"did not finish within {seconds:g} s", fatal, "is a disk or server away?")]
