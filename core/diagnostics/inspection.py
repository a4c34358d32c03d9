"""Runs one check so that its failure does not affect the others."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout

from ..errors import RagstoneError
from ..health import Check
from ..runtime.background import in_background

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
    with redirect_stdout(sys.stderr):  # a plugin's prints must not mix with the results
        future = in_background(lambda: list(check()), f"ragstone-doctor-{name}")
        try:
            error = future.exception(seconds)
        except TimeoutError:
            return [Check(name, False, f"did not finish within {seconds:g} s", fatal, "is a disk or server away?")]
    if error is None:
        return future.result()
    if isinstance(error, RagstoneError):
        return [Check.failed(name, error, fatal=fatal)]
    _log.info("where it happened", exc_info=error)
    detail = f"{type(error).__name__}: {error}"
    return [Check(name, False, detail, fatal, "ragstone -v doctor shows where it happened")]
