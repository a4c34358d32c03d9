"""Builds a plan's parts on Ray, one task a part.

Ray's driver runs in a process of its own, because it may hang or end with the cluster: what is built lies in the plan's
folder, so that it is started again and loses nothing but the parts that were being built.
"""

from __future__ import annotations

import json
import logging
import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, cast

from ragstone.core import SourceError, StorageError, require_extra

from .parts import finished
from .plan import read_plan, reader_of
from .work import PartCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ragstone.core import Host

    from .plan import Plan
    from .work import BuildProgress

_log = logging.getLogger(__name__)

#: Seconds that a part may take.
PART_S = 1800.0
#: How often a part may fail, and the driver end without a further part.
MOST_FAILURES = 5
#: Seconds without a message after which the driver is ended.
_SILENCE_S = 120.0


class RayFailed(StorageError):
    """Ray did not build a part, or could not be reached."""

    title = "Ray did not build it"


@dataclass
class RayReport:
    """What became of the tasks."""

    #: Tasks that failed, by their part.
    failures: Counter[int] = field(default_factory=Counter)
    #: How often the driver was started again.
    restarts: int = 0


@dataclass(frozen=True)
class RayOptions:
    """Where and how the parts are built."""

    #: ``local`` starts an instance on this machine, ``auto`` finds the one that runs here.
    address: str
    #: The host in a task: a function that can be pickled by its name.
    open_host: Callable[[], Host]
    #: Seconds that a part may take.
    seconds: float = PART_S


def work_on_ray(
    folder: Path, options: RayOptions, host: Host, on_progress: Callable[[BuildProgress], None] = lambda _: None
) -> RayReport:
    """Build the parts of the plan in the folder on Ray until all are built.

    Raises ``MissingExtra`` without Ray, ``SourceError`` for a part that cannot be built, ``RayFailed`` for one that
    failed ``MOST_FAILURES`` times, and where Ray ends as often without a further part.
    """
    require_extra("ray", "ray")
    plan = read_plan(folder)
    reader_of(plan, host)
    counts, report, useless = PartCounts(plan), RayReport(), 0
    while not counts.done.issuperset(counts.wanted):
        before = len(finished(plan))
        why = _run(plan, options, counts, report, on_progress)
        counts.look()
        if counts.done.issuperset(counts.wanted):
            break
        report.restarts += 1
        useless = useless + 1 if len(counts.done) == before else 0
        if useless >= MOST_FAILURES:
            what = f"Ray ended {useless} times without a further part: {why}"
            raise RayFailed(what, where=options.address, hint=f"ragstone wiki work {folder} builds the rest here")
        _log.warning("Ray is started again: %s", why)
    return report


def _run(
    plan: Plan,
    options: RayOptions,
    counts: PartCounts,
    report: RayReport,
    on_progress: Callable[[BuildProgress], None],
) -> str:
    """Follow one driver to its end; why it ended."""
    why, last = "it ended", time.monotonic()
    with tempfile.TemporaryFile() as errors, _driver(plan, options, errors) as (process, messages):
        while True:
            try:
                message = messages.get(timeout=1.0)
            except queue.Empty:
                if time.monotonic() - last > _SILENCE_S:
                    return f"it was silent for {_SILENCE_S:.0f} s"
                continue
            last = time.monotonic()
            if message is None:
                errors.seek(0)
                log = errors.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
                return why if why != "it ended" else f"it ended with {process.wait()}: {log[:300]}"
            event = message["event"]
            if event == "refused":
                raise SourceError(message["what"], where=message["where"], hint=message["hint"])
            if event == "failed":
                _count(plan, message, report)
            elif event == "ended":
                why = message["why"]
            counts.look()
            on_progress(counts.progress())


def _count(plan: Plan, message: dict[str, Any], report: RayReport) -> None:
    """Count a failure. Raises ``RayFailed`` where there are too many of a part."""
    number = message["part"]
    report.failures[number] += 1
    name = plan.name(plan.parts[number])
    _log.warning("%s failed, attempt %d of %d: %s", name, report.failures[number], MOST_FAILURES, message["why"])
    if report.failures[number] >= MOST_FAILURES:
        what = f"{name} failed {MOST_FAILURES} times, at last: {message['why']}"
        raise RayFailed(what, where=str(plan.folder), hint=f"ragstone wiki work {plan.folder} tries it here")


@contextmanager
def _driver(
    plan: Plan, options: RayOptions, errors: IO[bytes]
) -> Iterator[tuple[subprocess.Popen[bytes], queue.Queue[dict[str, Any] | None]]]:
    """The driver's process and its messages, ``None`` at their end; it is ended with all that it has started."""
    process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-m", f"{__package__}.ray_task"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"},  # nothing is reported to Ray's makers
        start_new_session=True,
    )
    messages: queue.Queue[dict[str, Any] | None] = queue.Queue()

    def read() -> None:
        for line in process.stdout or ():
            with suppress(ValueError):
                messages.put(json.loads(line))
        messages.put(None)

    thread = threading.Thread(target=read, name="wiki-ray", daemon=True)
    try:
        with suppress(BrokenPipeError), cast("IO[bytes]", process.stdin) as stdin:
            stdin.write(pickle.dumps((plan.folder, options.address, options.open_host, options.seconds)))
        thread.start()
        yield process, messages
    finally:
        if process.poll() is None:  # Ray stops its own processes then
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        thread.join(5)
        if process.stdout is not None:
            process.stdout.close()
