"""Shards built in parts by workers that are killed, by this machine's processes and by Ray: the bytes stay the same.

In full, and where Ray is installed, with the real encoder and with kills of Ray's own processes.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

import psutil

from ragstone.core import Host, Settings
from ragstone.core.testing import TestModels
from ragstone.plugins.wiki_edge import BuildOptions, build_shard, verify_shards
from ragstone.plugins.wiki_edge.shards.building import ray_task
from ragstone.plugins.wiki_edge.shards.building.build import merge_plan, plan_build, work_plan
from ragstone.plugins.wiki_edge.shards.building.parts import finished, record_of
from ragstone.plugins.wiki_edge.shards.building.plan import read_plan
from ragstone.plugins.wiki_edge.shards.building.ray_work import RayOptions, work_on_ray

from .actors import Actor
from .run import PATIENCE_S, Run

_WORDS = ("robot", "wheel", "gripper", "sensor", "battery", "leg", "camera", "map", "torque", "joint", "signal", "path")
#: What is killed of Ray: its processes' names, the driver's being ours.
_RAY = ("ray::", "ray::", "ray::", "raylet", "gcs_server", "driver")
_REPOSITORY = Path(__file__).parents[1]


def open_small(folder: Path, *, is_real: bool) -> Host:
    """A host of one thread that notes how many texts it begins to embed, and takes its time where it is not real."""
    settings = Settings(
        data_dir=folder / f"data-{os.getpid()}",
        cache_dir=folder / "cache",
        index={"store": "none"},
        encoder={"threads": 1},
    )
    host = Host(settings, plugins={} if is_real else {"models": TestModels(None)})
    plain = host.hooks.encoder.embed_texts

    def counted(texts: Sequence[str]) -> Any:
        with (folder / "log").open("a") as log:
            log.write(f"{len(texts)}\n")
        if not is_real:
            time.sleep(0.05)
        return plain(texts)

    host.hooks.encoder.embed_texts = counted  # type: ignore[method-assign]
    return host


def killed_while_building(run: Run) -> None:
    """Sequential, two workers, workers that are killed, Ray, Ray that is killed: one SHA-256."""
    folder, is_real = run.folder, run.full
    source = _source(folder / "corpus.jsonl", run.random, run.times(40, 500))
    options = BuildOptions(source, folder / "one", "shard", part_mb=0.02 if is_real else 0.004)
    with open_small(folder, is_real=is_real) as host:
        report = build_shard(options, host)
        whole, chunks = _sums(report.folder), report.chunks
        plan = folder / "kills"
        plan_build(options, host, plan)
        run.figures |= {"parts": len(read_plan(plan).parts), "chunks": chunks}
        before = _embedded(folder)
        for _ in range(run.times(4, 14)):
            with Actor(_works, plan, folder, is_real) as first, Actor(_works, plan, folder, is_real) as second:
                for actor in (first, second):
                    actor.hear()
                time.sleep(run.random.random() * run.times(1, 6))
                run.random.choice((first, second)).kill()
                run.count("kills of workers", 2)  # the other one at the end of the block
            if len(finished(read_plan(plan))) == len(read_plan(plan).parts):
                break
        with Actor(_works, plan, folder, is_real) as first, Actor(_works, plan, folder, is_real) as second:
            for actor in (first, second, first, second):
                actor.hear()
        _is_whole(run, plan, host, whole)
        lost = _embedded(folder) - before - chunks
        largest = max(record_of(read_plan(plan), number).rows for number in finished(read_plan(plan)))
        kills = int(run.figures["kills of workers"])
        assert 0 <= lost <= kills * largest, f"{lost} chunks embedded again"
        run.figures["chunks lost a kill"] = round(lost / kills, 1)
        run.figures["chunks of the largest part"] = largest
        if run.full and find_spec("ray") is not None:
            _on_ray(run, options, host, whole)


def _on_ray(run: Run, options: BuildOptions, host: Host, whole: dict[str, str]) -> None:
    folder = run.folder
    os.environ["PYTHONPATH"] = os.pathsep.join([str(_REPOSITORY), os.environ.get("PYTHONPATH", "")])
    on_ray = RayOptions("local", partial(open_small, folder, is_real=run.full), 300.0)
    for name, kills in (("ray", 0), ("ray-kills", 12)):
        plan = folder / name
        parts = len(plan_build(options, host, plan).parts)
        before, started = _embedded(folder), time.perf_counter()
        with _killer(run, plan, parts, kills):
            report = work_on_ray(plan, on_ray, host)
        run.figures[f"{name} s"] = round(time.perf_counter() - started, 1)
        run.figures[f"{name}: retries"] = sum(report.failures.values())
        run.figures[f"{name}: restarts"] = report.restarts
        run.figures[f"{name}: chunks lost"] = _embedded(folder) - before - int(run.figures["chunks"])
        _is_whole(run, plan, host, whole)
        run.report(f"{name}: {report}")


@contextmanager
def _killer(run: Run, plan: Path, parts: int, kills: int) -> Iterator[None]:
    """Kill processes of Ray at random moments while parts are built, spread over them."""
    ended = threading.Event()

    def kill() -> None:
        for number in range(kills):
            while not ended.wait(0.2) and len(finished(read_plan(plan))) < number * parts // kills:
                pass
            if ended.wait(run.random.random() * 3):
                return
            kind = run.random.choice(_RAY) if number else "ray::"
            chosen = _processes(kind)
            if chosen:
                with suppress(psutil.Error):
                    run.random.choice(chosen).kill()
                    run.count(f"kills of {'a task' if kind == 'ray::' else kind}")

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(PATIENCE_S)


def _processes(kind: str) -> list[psutil.Process]:
    """Ray's processes of that kind, below this process."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            line = " ".join(process.cmdline())
            if kind == "driver":
                is_meant = ray_task.__name__ in line
            elif kind == "ray::":
                is_meant = line.startswith("ray::build_part")
            else:
                is_meant = process.name() == kind
            if is_meant:
                found.append(process)
    return found


def _works(line: Connection, plan: Path, folder: Path, is_real: bool) -> None:
    with open_small(folder, is_real=is_real) as host:
        line.send("begun")
        work_plan(plan, host)
        line.send("done")


def _is_whole(run: Run, plan: Path, host: Host, whole: dict[str, str]) -> None:
    report = merge_plan(plan, host)
    assert _sums(report.folder) == whole, f"{plan.name} has other bytes"
    assert verify_shards(report.folder.parent) == []
    numbers = {int(path.name) for path in (plan / "leases").iterdir()}
    assert numbers <= finished(read_plan(plan)), "leases are left of what is not built"
    run.count("same bytes")


def _sums(folder: Path) -> dict[str, str]:
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.name[0] != "."}


def _embedded(folder: Path) -> int:
    return sum(map(int, (folder / "log").read_text().split()))


def _source(path: Path, draw: Random, articles: int) -> Path:
    lines = []
    for number in range(articles):
        sentences = (" ".join(draw.choices(_WORDS, k=12)).capitalize() + "." for _ in range(draw.randrange(8, 30)))
        record = {"_id": str(number), "title": f"Article {number}", "text": " ".join(sentences)}
        lines.append(json.dumps(record) + "\n")
    path.write_text("".join(lines), "utf-8")
    return path
