"""Runs Python in a subprocess for untrusted input, which may make it hang, crash or use too much memory."""

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
