"""Wheels of this repository, and environments with them and without this environment's packages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.needs import missing

REPOSITORY = Path(__file__).parents[2]
_SECONDS = 600


def built(wheels: Path, *sources: Path) -> Path:
    """The folder with a wheel of each source, of Ragstone without any."""
    for source in sources or (REPOSITORY,):
        # The development environment has the build backend: no other is fetched.
        _run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", wheels, source)
    return wheels


def offline(environment: Mapping[str, str], wheels: Path) -> dict[str, str]:
    """Variables for commands outside the tests' environment, whose pip finds these wheels."""
    known = environment.get("PIP_FIND_LINKS", "")
    cleaned = {name: value for name, value in environment.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return {**cleaned, "PIP_FIND_LINKS": f"{wheels} {known}".strip(), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def need_an_index(folder: Path) -> None:
    """Skip with a message, or fail in CI, when pip finds no packages but those that are here."""
    wanted = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), "hatchling"]
    done = subprocess.run(wanted, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode:
        missing(f"an index of packages ({done.stderr.strip().splitlines()[-1:]})")


def environment_with(folder: Path, wheels: Path, *wanted: str, variables: Mapping[str, str]) -> Path:
    """A virtual environment of its own with what is wanted; its ``bin`` folder."""
    _run(sys.executable, "-m", "venv", folder)
    _run(folder / "bin" / "pip", "install", "--quiet", *wanted, environment=offline(variables, wheels))
    return folder / "bin"


def unpacked(wheels: Path, site: Path) -> Path:
    """A folder for ``PYTHONPATH`` with the wheels, without what they depend on."""
    found = [str(wheel) for wheel in sorted(wheels.glob("*.whl"))]
    _run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, *found)
    return site


def _run(*arguments: object, environment: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(
        [str(each) for each in arguments],
        env=None if environment is None else dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
