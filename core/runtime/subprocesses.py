"""Runs Python in a separate process for untrusted input: it may hang, use too much memory or crash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@contextmanager
def apart(
    module: str,
    *arguments: str,
    stdin: int | IO[bytes],
    stderr: int | IO[bytes] = subprocess.DEVNULL,
    environment: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """``python -m module arguments`` with its stdout as a pipe; it and whatever it starts are gone afterwards.

    Of this process's environment it gets only where modules are, so that no key or token is there to be found, and
    what ``environment`` names. Limits of time and memory are the caller's and the module's own.
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
    """``python arguments``, as for ``apart``; who calls this sees to its end."""
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
