"""``python -m bench.shard_parts [--parts N] [--chunks N]``: parts, workers and Ray, on one machine.

Two workers of one thread each against one of one thread, with the real encoder, in turns; then the ceiling of
scheduling: parts and chunks a second with an encoder that costs nothing, in one process, in two, and on Ray where it is
installed. Two processors show what it costs and whether it is right, not how quick a cluster is.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ragstone.core import Host, Settings
from ragstone.core.embedding import MiniLMEmbedding
from ragstone.plugins.wiki_edge import BuildOptions
from ragstone.plugins.wiki_edge.shards.building.build import merge_plan, plan_build, work_plan
from ragstone.plugins.wiki_edge.shards.building.ray_work import RayOptions, work_on_ray

from . import machine
from .null_encoder import NullEncoder

_REPOSITORY = Path(__file__).parents[1]
_TARGET = 1.8


def open_host(folder: Path, *, is_real: bool) -> Host:
    """A host of one thread."""
    settings = Settings(
        data_dir=folder / f"data-{os.getpid()}",
        cache_dir=folder / "cache",
        index={"store": "none"},
        encoder={"threads": 1},
    )
    if is_real:
        return Host(settings)
    return Host(settings, plugins={"null": NullEncoder(MiniLMEmbedding.find(folder / "cache" / "encoder"))})


def work(plan: str, folder: str, is_real: str) -> None:
    """One worker: says that it is ready, waits for a line, builds parts, says how long that took."""
    host = open_host(Path(folder), is_real=is_real == "1")
    host.hooks.encoder.embed_texts(["warm up"] * 8)
    print("ready", flush=True)
    sys.stdin.readline()
    begun, used = time.perf_counter(), time.process_time()
    work_plan(Path(plan), host)
    print(json.dumps([time.perf_counter() - begun, time.process_time() - used]), flush=True)


def timed(plan: Path, folder: Path, workers: int, *, is_real: bool) -> tuple[float, float]:
    """Seconds until all parts are built, and processor seconds of the workers' encoders."""
    command = [sys.executable, "-m", "bench.shard_parts", "--work", str(plan), str(folder), str(int(is_real))]
    running = [
        subprocess.Popen(command, cwd=_REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(workers)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    begun = time.perf_counter()
    for process in running:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    found = [json.loads(process.communicate()[0].splitlines()[-1]) for process in running]
    return time.perf_counter() - begun, sum(used for _, used in found)


def made(source: Path, folder: Path, name: str, part_mb: float, *, is_real: bool) -> tuple[Path, int]:
    """A new plan, and its number of parts."""
    plan = folder / name
    if plan.exists():
        shutil.rmtree(plan)
    with open_host(folder, is_real=is_real) as host:
        return plan, len(plan_build(BuildOptions(source, plan / "shards", "x", part_mb=part_mb), host, plan).parts)


def merged(plan: Path, folder: Path, *, is_real: bool) -> tuple[str, int, float]:
    """The checksum of the shard's vectors and lines, its rows, and the seconds of merging."""
    with open_host(folder, is_real=is_real) as host:
        begun = time.perf_counter()
        report = merge_plan(plan, host)
        seconds = time.perf_counter() - begun
    digest = sha256()
    for name in ("embeddings.npy", "metadata.jsonl"):
        digest.update((report.folder / name).read_bytes())
    return digest.hexdigest()[:16], report.chunks, seconds


def corpus(path: Path, articles: int, words: int) -> Path:
    """JSON lines of random words."""
    draws = np.random.default_rng(3)
    some = np.array(
        [
            "robot",
            "wheel",
            "gripper",
            "sensor",
            "battery",
            "leg",
            "camera",
            "map",
            "torque",
            "joint",
            "signal",
            "path",
            "grasp",
            "to",
            "the",
            "of",
        ]
    )
    with path.open("w") as file:
        for number in range(articles):
            text = " ".join(draws.choice(some, words))
            file.write(json.dumps({"_id": str(number), "title": f"Article {number}", "text": text}) + "\n")
    return path


def scaling(folder: Path, articles: int, rounds: int) -> dict[str, Any]:
    """One worker and two, in turns, on the same parts."""
    source = corpus(folder / "real.jsonl", articles, 400)
    found: dict[int, list[float]] = {1: [], 2: []}
    used: dict[int, list[float]] = {1: [], 2: []}
    sums = set()
    for turn in range(rounds):
        for workers in (1, 2):
            plan, parts = made(source, folder, f"plan-{turn}-{workers}", 0.1, is_real=True)
            seconds, processor = timed(plan, folder, workers, is_real=True)
            found[workers].append(seconds)
            used[workers].append(processor)
            sums.add(merged(plan, folder, is_real=True)[0])
    ratio = min(found[1]) / min(found[2])
    return {
        "parts": parts,
        "one_s": [round(each, 1) for each in found[1]],
        "two_s": [round(each, 1) for each in found[2]],
        "ratio": round(ratio, 2),
        "processor_s_of_one_and_two": [round(statistics.median(used[count]), 1) for count in (1, 2)],
        "load": machine.load(),
        "same_bytes": len(sums) == 1,
        "target": "met" if ratio >= _TARGET else "missed",
    }


def ceiling(folder: Path, parts: int) -> dict[str, Any]:
    """Parts and chunks a second with an encoder that costs nothing; a part has some fifty chunks."""
    source = corpus(folder / "null.jsonl", parts * 50, 700)
    size = source.stat().st_size / parts / 2**20
    found: dict[str, Any] = {}
    ways = ["one process", "two processes", *(["Ray"] if find_spec("ray") else [])]
    for way in ways:
        plan, count = made(source, folder, "plan", size, is_real=False)
        begun = time.perf_counter()
        if way == "Ray":
            with open_host(folder, is_real=False) as host:
                # By a name that Ray's processes can import: this module is ``__main__`` here only.
                opened = import_module("bench.shard_parts").open_host
                on_ray = RayOptions("local", partial(opened, folder, is_real=False))
                begun = time.perf_counter()
                work_on_ray(plan, on_ray, host)
                seconds = time.perf_counter() - begun
        else:
            seconds, _ = timed(plan, folder, 1 if way == "one process" else 2, is_real=False)
        digest, rows, merging = merged(plan, folder, is_real=False)
        rates = {"parts_per_s": round(count / seconds, 2), "chunks_per_s": round(rows / seconds)}
        print(way, round(seconds, 1), rates, digest, flush=True)
        found[way] = {"seconds": round(seconds, 1), **rates, "merge_s": round(merging, 1), "sha256": digest}
    return {"parts": count, "rows": rows, **found}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.shard_parts", description=__doc__)
    parser.add_argument("--articles", type=int, default=1200, help="of the real encoder's part")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--parts", type=int, default=100, help="of the encoder that costs nothing")
    parser.add_argument("--only", choices=["scaling", "ceiling"])
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.work:
        work(*wanted.work)
        return
    os.environ["PYTHONPATH"] = os.pathsep.join([str(_REPOSITORY), os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as name:
        folder = Path(name)
        MiniLMEmbedding.find(folder / "cache" / "encoder")
        if wanted.only != "ceiling":
            print(json.dumps({"scaling": scaling(folder, wanted.articles, wanted.rounds)}, indent=2), flush=True)
        if wanted.only != "scaling":
            print(json.dumps({"ceiling": ceiling(folder, wanted.parts)}, indent=2))


if __name__ == "__main__":
    main()
