"""``python -m bench.edge_process``: the robot's whole process with deploy/pi5/ragstone.toml.

Host, LlamaIndex, int8 encoder, 120,000 rows and the planner, in fresh processes one after the other: seconds from the
process's start to its first answer, its greatest memory, and 200 more answers. What is made is kept in
bench-results/shards, as ``bench.shards`` does. ``--python`` names an interpreter of another environment, such as
one that holds the base install alone.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.support.pi5 import MEMORY, moved

from .children import measure, run
from .machine import describe

_KEPT = Path(__file__).parents[1] / "bench-results" / "shards"
_TARGETS = {"peak_rss_mb": 200, "first_answer_s": 1.4}


def run_one(python: str, config: Path, questions: Path, calls: int) -> dict[str, Any]:
    """One process's figures."""
    started = time.clock_gettime(time.CLOCK_MONOTONIC)
    side = str(Path(__file__).with_name("edge_child.py"))
    done = run([python, side, str(config), str(questions), str(calls), repr(started)], cwd=config.parent)
    found: dict[str, Any] = done.result
    return found


def prepared(root: Path, shards: Path, python: str) -> Path:
    """The profile in ``root`` over the shards in a folder with their manifest, its encoder's model made."""
    config = moved(root)
    memory = root / MEMORY
    memory.mkdir(parents=True, exist_ok=True)
    (memory / "wiki").symlink_to(shards.resolve(), target_is_directory=True)
    run([python, "-c", _PREPARE, str(config)], cwd=root)
    return config


#: As the installation does it, in a process that is over before anything is measured.
_PREPARE = """
import sys
from ragstone.core import Host
with Host.open(sys.argv[1]) as host:
    host.hooks.encoder
print("{}")
"""


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=120_000)
    parser.add_argument("--starts", type=int, default=5, help="processes, one after the other")
    parser.add_argument("--calls", type=int, default=200, help="further answers of each")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--kept", type=Path, default=_KEPT, help="folder of the shard that is made")
    parser.add_argument("--shards", type=Path, help="a folder with a manifest.json, in the place of the bench's own")
    parser.add_argument("--questions", type=Path, help="a JSON list, in the place of the bench's own")
    given = parser.parse_args()
    if given.shards is None or given.questions is None:
        given.kept.mkdir(parents=True, exist_ok=True)
        measure("shard_data.make", folder=str(given.kept), rows=given.rows)
    shards = given.shards or given.kept / str(given.rows)
    questions = (given.questions or given.kept / "questions.json").resolve()
    with tempfile.TemporaryDirectory() as folder:
        config = prepared(Path(folder).resolve(), shards, given.python)
        starts = []
        for _ in range(given.starts):
            shutil.rmtree(config.parent / MEMORY / "episodic", ignore_errors=True)  # each begins without memories
            starts.append(run_one(given.python, config, questions, given.calls))
    summary = {
        "peak_rss_mb": max(each["after"]["peak_rss_mb"] for each in starts),
        "first_answer_s": statistics.median(each["first_answer_s"] for each in starts),
    }
    met = {name: summary[name] <= target for name, target in _TARGETS.items()}
    print(json.dumps({"machine": describe(), "starts": starts, **summary, "targets_met": met}, indent=2))


if __name__ == "__main__":
    main()
