"""The commands of ``make package``, and how one that cannot be run differs from one that is not satisfied."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
DIST = REPOSITORY / "dist"
_SECONDS = 1200


class Skipped(Exception):
    """Something outside the repository cannot be reached."""


class Failed(Exception):
    """A tool is not satisfied."""


def run(*arguments: object, cwd: Path = REPOSITORY, variables: Mapping[str, str] | None = None) -> str:
    """What the command prints. Raises :class:`Failed` with its last lines when it fails."""
    unset = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    try:
        done = subprocess.run(  # noqa: S603 - every command is written in this file
            [str(each) for each in arguments],
            cwd=cwd,
            env={**environment, **(variables or {}), "PIP_DISABLE_PIP_VERSION_CHECK": "1", "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"{arguments[0]} took more than {_SECONDS} s") from error
    if done.returncode:
        raise Failed("\n".join([*done.stdout.splitlines()[-30:], *done.stderr.splitlines()[-30:]]))
    return done.stdout


def tool(name: str, *arguments: object) -> str:
    """The last line of what a tool of this environment prints, which is its summary."""
    printed = re.sub(r"\x1b\[[0-9;]*m", "", run(Path(sys.executable).with_name(name), *arguments))
    print(printed, end="")
    return (printed.splitlines() or ["no complaint"])[-1].replace(f"{DIST}/", "")
