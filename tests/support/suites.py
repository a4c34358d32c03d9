"""Other people's test suites, each pinned: those of npm in a cached folder outside the repository, those of PyPI in
``.venv-suites``. ``make suites`` installs both; ``python -m tests.support.suites`` is the part of it for npm.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
_LISTS = REPOSITORY / "tests" / "conformance" / "npm"
_MACHINES = {"x86_64": "x64", "aarch64": "arm64"}


def npm_folder() -> Path:
    """Where the packages of the lock file are installed: another lock file has another folder."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    lock = (_LISTS / "package-lock.json").read_bytes()
    return cache / "ragstone" / f"suites-{hashlib.sha256(lock).hexdigest()[:12]}"


def npm_package(name: str) -> Path:
    """The folder of an installed package; skip or fail without it, as ``needs.missing``."""
    folder = npm_folder() / "node_modules" / name
    if not (npm_folder() / "ready").exists() or not folder.is_dir():
        _missing(f"the npm package {name} (make suites)")
    return folder


def can_run(package: str, program: str | None = None) -> bool:
    """Whether a test is to use a package beside what it is for: on a machine without it, it does without."""
    here = (npm_folder() / "node_modules" / package).is_dir() and (program is None or shutil.which(program) is not None)
    return here or os.environ.get("CI") == "true"


def node(*arguments: str | Path, timeout: float, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the packages with Node 22, which is one of them."""
    program = npm_package(f"node-linux-{_MACHINES.get(platform.machine(), platform.machine())}") / "bin" / "node"
    return subprocess.run(
        [program, *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "NO_COLOR": "1", **environment},
    )


def suites_python(*arguments: str | Path, timeout: float) -> subprocess.CompletedProcess[str]:
    """Run the Python of ``.venv-suites``, or the one that ``SUITES_PYTHON`` names; skip or fail without it."""
    python = Path(os.environ.get("SUITES_PYTHON") or REPOSITORY / ".venv-suites" / "bin" / "python")
    if not python.exists():
        _missing("the environment .venv-suites (make suites)")
    environment = os.environ | {"PYTHONPATH": f"{REPOSITORY / '.src'}{os.pathsep}{REPOSITORY}"}
    return subprocess.run(
        [python, *arguments], capture_output=True, text=True, timeout=timeout, check=False, env=environment
    )


def _missing(what: str) -> None:
    from tests.support.needs import missing  # pytest is not needed to install

    missing(what)


def main() -> None:
    """Install the npm packages, without running any script of theirs."""
    folder = npm_folder()
    if (folder / "ready").exists():
        return
    if shutil.which("npm") is None:
        sys.exit("npm is missing: the suites of npm are not installed")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(_LISTS / name, folder)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True)
    (folder / "ready").touch()


if __name__ == "__main__":
    main()
