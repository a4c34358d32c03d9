"""The examination of one part, whose failure does not end the others'."""

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

#: Seconds for one look. Making the encoder's model takes a Raspberry Pi twenty, a locked database twenty.
LONGEST = 60.0


def run_check(
    name: str, look: Callable[[], Iterable[Check]], *, fatal: bool = False, seconds: float = LONGEST
) -> list[Check]:
    """What the look finds; one check that says so where it raises, ends the process, or does not come back.

    ``fatal``: whether nothing can be answered where it raises. The look has a thread of its own: a disk that is away
    can hold its reader for ever.
    """
    found: queue.SimpleQueue[list[Check]] = queue.SimpleQueue()

    def work() -> None:
        try:
            found.put(list(look()))
        except RagstoneError as error:
            found.put([Check.failed(name, error, fatal=fatal)])
        except BaseException as error:  # whatever it is, the others are looked at
            _log.info("where it happened", exc_info=error)
            told = f"{type(error).__name__}: {error}"
            found.put([Check(name, False, told, fatal, "ragstone -v doctor shows where it happened")])

    with redirect_stdout(sys.stderr):  # what a plugin prints is none of what is found
        threading.Thread(target=work, name=f"ragstone-doctor-{name}", daemon=True).start()
        with suppress(queue.Empty):
            return found.get(timeout=seconds)
    return [Check(name, False, f"did not come to an end within {seconds:g} s", fatal, "is a disk or server away?")]
