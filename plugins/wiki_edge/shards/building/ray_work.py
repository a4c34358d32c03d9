"""Builds a plan's parts on Ray, one task a part.

Ray's driver runs in a process of its own, because it may hang or end with the cluster: what is built lies in the plan's
folder, so that it is started again and loses nothing but the parts that were being built.
"""

from __future__ import annotations

import json
import logging
import os
import pickle
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from ragstone.core import Host, SourceError, StorageError, require_extra
from ragstone.core.runtime import run_in_subprocess

from .plan import Plan, read_plan, reader_of
from .ray_task import SILENCE_S
from .work import BuildProgress, PartCounts

_log = logging.getLogger(__name__)

#: Seconds that a part may take.
PART_S = 1800.0
#: How often a part may fail, and the driver end without a further part.
MOST_FAILURES = 5


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
    while missing := counts.missing:
        why = _run(plan, options, counts, report, on_progress)
        counts.look()
        if not (left := counts.missing):
            break
        report.restarts += 1
        useless = useless + 1 if left == missing else 0
        if useless >= MOST_FAILURES:
            what = f"Ray ended {useless} times without a further part: {why}"
            raise RayFailed(what, where=options.address, hint=f"ragstone wiki work {folder} builds the rest here")
        _log.warning("Ray is started again: %s", why)
    return report


def _run(
    plan: Plan, options: RayOptions, counts: PartCounts, report: RayReport, on_progress: Callable[[BuildProgress], None]
) -> str:
    """Follow one driver to its end; why it ended."""
    with tempfile.TemporaryFile() as errors, _driver(plan, options, errors) as process:
        for line in process.stdout or ():
            if not line.endswith(b"\n"):
                break
            message = json.loads(line)
            if message["event"] == "refused":
                raise SourceError(message["what"], where=message["where"], hint=message["hint"])
            if message["event"] == "failed":
                _count(plan, message, report)
            elif message["event"] == "ended":
                return str(message["why"])
            counts.look()
            on_progress(counts.progress())
        code = process.wait()
        errors.seek(0)
        log = errors.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
    return f"it was silent for {SILENCE_S} s" if code == -signal.SIGALRM else f"it ended with {code}: {log[:300]}"


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
def _driver(plan: Plan, options: RayOptions, errors: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """The driver's process, whose output is its messages; it is ended with all that it has started."""
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}  # nothing is reported to Ray's makers
    module = f"{__package__}.ray_task"
    with run_in_subprocess(module, stdin=subprocess.PIPE, stderr=errors, environment=environment) as process:
        try:
            with suppress(BrokenPipeError), cast("IO[bytes]", process.stdin) as stdin:
                stdin.write(pickle.dumps((plan.folder, options.address, options.open_host, options.seconds)))
            yield process
        finally:
            process.terminate()  # Ray stops its own processes then
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
