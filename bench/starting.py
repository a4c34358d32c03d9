"""Seconds from a command's start to its end: ``python -m bench.starting [--rounds N]``.

``ragstone --version``, ``--help``, ``book list``, ``memory query`` and ``ask`` beside the imports of click and pluggy,
and of LlamaIndex, each in turn in fresh processes, on a small book and three notes. Prints the best and the median
time of each, and their shares of LlamaIndex's import, by which machines can be compared. Compiled modules are written.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_RAGSTONE = str(Path(sys.executable).with_name("ragstone"))
_COMMANDS = {
    "import click, pluggy": [sys.executable, "-c", "import click, pluggy"],
    "import llama_index.core": [sys.executable, "-c", "import llama_index.core"],
    "ragstone --version": [_RAGSTONE, "--version"],
    "ragstone --help": [_RAGSTONE, "--help"],
    "ragstone book list": [_RAGSTONE, "book", "list"],
    "ragstone memory query": [_RAGSTONE, "memory", "query", "Which tyre grips wet concrete?"],
    "ragstone ask": [_RAGSTONE, "ask", "book_chat", "What is a caster?"],
}
_FRAMEWORK = "import llama_index.core"
_TEXT = """# Wheels

## Casters

A caster is a wheel that swivels. Rubber tyres grip wet concrete better than nylon tyres.
"""


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.starting", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as folder:
        work = Path(folder)
        _prepare(work)
        _round(work)  # reads files from the disk and compiles modules: it does not count
        found = [_round(work) for _ in range(rounds)]
    print(json.dumps({name: _summary(name, found) for name in _COMMANDS}, indent=2))


def _prepare(work: Path) -> None:
    notes = work / "notes"
    notes.mkdir()
    for number in range(3):
        (notes / f"note-{number}.md").write_text(_TEXT, "utf-8")
    (work / "wheels.md").write_text(_TEXT, "utf-8")
    settings = (
        f'data_dir = "{work / "data"}"\n[plugins.iris_memory]\nroot = "{notes}"\n[plugins.book_chat]\nsample = false\n'
    )
    (work / "ragstone.toml").write_text(settings, "utf-8")
    for command in (["book", "add", "wheels.md", "--title", "Wheels"], ["memory", "update"]):
        _run([_RAGSTONE, *command], work)


def _round(work: Path) -> dict[str, float]:
    return {name: _run(command, work) for name, command in _COMMANDS.items()}


def _run(command: list[str], work: Path) -> float:
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    subprocess.run(command, cwd=work, env=variables, check=True, capture_output=True)
    return time.perf_counter() - started


def _summary(name: str, found: list[dict[str, float]]) -> dict[str, float]:
    seconds, framework = ([each[key] for each in found] for key in (name, _FRAMEWORK))
    return {
        "best_s": round(min(seconds), 3),
        "median_s": round(statistics.median(seconds), 3),
        "of_llama_index": round(min(seconds) / min(framework), 2),
    }


if __name__ == "__main__":
    main()
