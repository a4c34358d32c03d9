"""``python -m bench.memory``: the memory beside sentence-transformers and Chroma as its specification has them.

Full update, update with nothing changed, from a write to its being found, warm queries, first result, greatest memory;
each in a process of its own, in both precisions of the encoder, and both sides in the same run. Prints JSON;
``--quick`` is for trying out.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from . import children
from .books import weights_folder
from .children import run
from .machine import describe, load

_REPOSITORY = Path(__file__).parents[1]
#: Of the specification's corpus: some 700 chunks.
_FILES = 190
_PRECISIONS = ("fp32", "int8")


def measure(function: str, /, **arguments: Any) -> dict[str, Any]:
    """As ``children.measure``, and reported on stderr at once: the whole takes minutes."""
    found = children.measure(function, **arguments)
    print(f"{function}: {found}", file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.memory", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, for trying out")
    parser.add_argument("--weights", help="folder of all-MiniLM-L6-v2 for sentence-transformers")
    given = parser.parse_args()
    data = Path(os.environ.get("RAGSTONE_DATA", _REPOSITORY.parent / "shared" / "data"))
    files, many, large = (20, 300, 800) if given.quick else (_FILES, 5000, 20_000)
    began = describe()
    with tempfile.TemporaryDirectory() as work:
        home = measure("memory_measurements.prepare", work=work, notes=str(data / "memory" / "notes"), files=files)
        unchanged = measure("memory_measurements.unchanged", work=work, files=many)
        own = {precision: _own(work, precision, large) for precision in _PRECISIONS}
        weights = given.weights or weights_folder()
        peer: dict[str, Any] = {
            "full": measure("memory_peer.full", work=work, weights=weights),
            "first": measure("memory_peer.first", work=work, weights=weights),
            "warm": measure("memory_peer.warm", work=work, weights=weights, chunks=large),
        }
        peer["first"]["seconds"] = _peer_first(work, weights)
    print(
        json.dumps(
            {
                "machine": began,
                "load_after": load(),
                "home": home,
                "unchanged": unchanged,
                "ragstone": own,
                "peer": peer,
                "ratios": {precision: _ratios(own[precision], peer) for precision in _PRECISIONS},
                "targets": {precision: _targets(own[precision], unchanged) for precision in _PRECISIONS},
            },
            indent=2,
        )
    )


def _own(work: str, precision: str, chunks: int) -> dict[str, Any]:
    return {
        "full": measure("memory_measurements.full", work=work, precision=precision),
        "watched": measure("memory_measurements.watched", work=work, precision=precision),
        "warm": measure("memory_measurements.warm", work=work, precision=precision, chunks=chunks),
        "with_chroma": measure("memory_measurements.following", work=work, precision=precision),
        "first": _first(work, precision),
    }


def _targets(own: dict[str, Any], unchanged: dict[str, Any]) -> dict[str, dict[str, Any]]:
    targets = {
        "full_s": (own["full"]["seconds"], 15 * own["full"]["chunks"] / 700),
        "unchanged_ms_p50": (unchanged["ms"]["p50"], 300),
        "write_to_found_ms_max": (own["watched"]["ms"]["max"], 1000),
        "warm_ms_p50": (own["warm"]["ms"]["p50"], 15),
        "warm_ms_p99": (own["warm"]["ms"]["p99"], 50),
        "first_result_s": (own["first"]["seconds"], 2),
        "peak_mb_with_chroma": (own["with_chroma"]["peak_mb"], 300),
    }
    return {
        name: {"value": value, "limit": round(limit, 1), "met": value <= limit}
        for name, (value, limit) in targets.items()
    }


def _ratios(own: dict[str, Any], peer: dict[str, Any]) -> dict[str, float]:
    """Above 1 Ragstone is ahead."""
    pairs = {
        "full, chunks a second": (own["full"]["chunks"] / own["full"]["seconds"], _rate(peer["full"])),
        "warm query p50": (1 / own["warm"]["ms"]["p50"], 1 / peer["warm"]["ms"]["p50"]),
        "warm query p99": (1 / own["warm"]["ms"]["p99"], 1 / peer["warm"]["ms"]["p99"]),
        "first result": (1 / own["first"]["seconds"], 1 / peer["first"]["seconds"]),
        "peak memory, first result": (1 / own["first"]["peak_mb"], 1 / peer["first"]["peak_mb"]),
        "peak memory, full": (1 / own["full"]["peak_mb"], 1 / peer["full"]["peak_mb"]),
    }
    return {name: round(ours / theirs, 2) for name, (ours, theirs) in pairs.items()}


def _rate(found: dict[str, Any]) -> float:
    return float(found["chunks"] / found["seconds"])


def _first(work: str, precision: str) -> dict[str, Any]:
    """The command, from its process's start to its end, the best of three: what else the machine does only adds."""
    command = [
        str(Path(sys.executable).with_name("ragstone")),
        "memory",
        "query",
        "how do I configure a proxy?",
        "--format",
    ]
    folders = {"RAGSTONE_DATA_DIR": f"{work}/data-{precision}", "RAGSTONE_CACHE_DIR": f"{work}/cache"}
    named = {"RAGSTONE_PLUGINS__IRIS_MEMORY__ROOT": f"{work}/home", "RAGSTONE_ENCODER__PRECISION": precision}
    variables = {**folders, **named}
    runs = [run([*command, "json"], cwd=Path(work), variables=variables) for _ in range(3)]
    best = min(runs, key=lambda done: done.seconds)
    return {"seconds": round(best.seconds, 2), "peak_mb": round(max(done.peak_mb for done in runs), 1)}


def _peer_first(work: str, weights: str) -> float:
    spent = []
    for _ in range(2):
        started = time.perf_counter()
        measure("memory_peer.first", work=work, weights=weights)
        spent.append(time.perf_counter() - started)
    return round(min(spent), 2)


if __name__ == "__main__":
    main()
