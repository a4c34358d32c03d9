"""``python -m bench.shards``: searching shards, beside the specification's own method, faiss and Chroma.

Real sentence vectors first, then copies of them with a jitter. Each method is a process of its own. faiss is no
dependency: ``pip install faiss-cpu`` to have it beside. What is made is kept in bench-results/shards.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .children import measure
from .machine import describe

_KEPT = Path(__file__).parents[1] / "bench-results" / "shards"


def run(rows: int, questions: int, clusters: bool) -> dict[str, Any]:
    """Every method over so many rows."""
    arguments = {"folder": str(_KEPT), "rows": rows}
    print(f"{rows:,} rows: making", file=sys.stderr, flush=True)
    measure("shard_data.make", **arguments)
    methods = ["ours", "ours_clustered", "specification", "faiss", "chroma"]
    if find_spec("faiss") is None:
        methods.remove("faiss")
    if not clusters:
        methods.remove("ours_clustered")
    found = {}
    for method in methods:
        print(f"{rows:,} rows: {method}", file=sys.stderr, flush=True)
        found[method] = measure(f"shard_measurements.{method}", questions=questions, **arguments)
    return found


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[120_000, 1_000_000])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--clusters", action="store_true", help="also with rows in clusters")
    given = parser.parse_args()
    _KEPT.mkdir(parents=True, exist_ok=True)
    measured = {str(rows): run(rows, given.questions, given.clusters) for rows in given.rows}
    print(json.dumps({"machine": describe(), "rows": measured}, indent=2))


if __name__ == "__main__":
    main()
