"""Runs Python in a subprocess for untrusted input, which may make it hang, crash or use too much memory."""

from __future__ import annotations

import math
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def run_in_subprocess(
    module: str,
    *arguments: str,
    stdin: int | IO[bytes],
    stderr: int | IO[bytes] = subprocess.DEVNULL,
    environment: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run ``python -m module arguments`` with its stdout as a pipe; at the end kill it and all that it has started.

    Of this process's environment it gets only the module path, so that it finds no key or token, and ``environment``.
    Limits of time and memory are up to the caller and the module.
    """
    process = begin("-m", module, *arguments, stdin=stdin, stderr=stderr, environment=environment)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def begin(
    *arguments: str,
    stdin: int | IO[bytes],
    stdout: int = subprocess.PIPE,
    stderr: int | IO[bytes] = subprocess.DEVNULL,
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start ``python arguments`` as ``run_in_subprocess`` does; the caller must end it."""
    return subprocess.Popen(  # noqa: S603 - our own interpreter and modules
        [sys.executable, "-P", "-B", *arguments],
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env={
            **(environment or {}),
            "PYTHONPATH": os.pathsep.join(str(Path(part).absolute()) for part in sys.path if part),
            "PYTHONUTF8": "1",
        },
        cwd="/",
        start_new_session=True,
    )


def limit_process(memory: int, seconds: float, *, most_memory: int | None = None) -> None:
    """In a subprocess: limit its address space to ``memory`` bytes, and its further processor time to ``seconds``.

    It can write no file from now on, and no core dump. It may be called again, for a longer time and up to
    ``most_memory``. Where a system has not all of these limits, the parent's own time limit still holds.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    longest = math.ceil(used.ru_utime + used.ru_stime + seconds) + 1
    for what, soft, hard in (
        (resource.RLIMIT_AS, memory, most_memory or memory),
        (resource.RLIMIT_CPU, longest, resource.RLIM_INFINITY),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        known = resource.getrlimit(what)[1]
        most = min((each for each in (hard, known) if each != resource.RLIM_INFINITY), default=resource.RLIM_INFINITY)
        with suppress(OSError, ValueError):
            resource.setrlimit(what, (soft if most == resource.RLIM_INFINITY else min(soft, most), most))
