"""``python -m bench.shard_million [--rows N]``: a large shard from plan to search, with vectors that are drawn.

In pieces: ``--folder DIR`` keeps what is made, ``--steps`` names those to do; ``work`` that was ended goes on.

Each step is a process of its own: its seconds, processor seconds and peak memory (``VmHWM``). The vectors are those of
topics with noise, so that a question has neighbours; what the real encoder needs comes on top of the step ``work``.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragstone.core import Host, Settings
from ragstone.plugins.wiki_edge import BuildOptions, searcher_of
from ragstone.plugins.wiki_edge.shards.building.build import merge_plan, plan_build, work_plan

from . import machine
from .children import run_function
from .figures import spread
from .null_encoder import NullEncoder

_DIMENSION, _NOISE = 384, 0.04
#: Rows of a topic.
_OF_A_TOPIC = 50
_QUESTIONS, _TOP = 100, 10
_STEPS = ("source", "plan", "work", "merge", "search")


def _vector(text: str) -> npt.NDArray[np.float32]:
    """The vector of the text's first word, and some noise of its own."""
    topic = np.random.default_rng(zlib.crc32(text.split(maxsplit=1)[0].encode())).standard_normal(
        _DIMENSION, np.float32
    )
    noise = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(_DIMENSION, np.float32)
    mixed = topic / np.linalg.norm(topic) + _NOISE * noise
    unit: npt.NDArray[np.float32] = mixed / np.linalg.norm(mixed)
    return unit


def _host(folder: Path) -> Host:
    wiki = {"wiki_edge": {"wiki": folder / "plan" / "shards", "cache_mb": 64}}
    settings = Settings(data_dir=folder / "data", cache_dir=folder / "cache", index={"store": "none"}, plugins=wiki)
    return Host(settings, plugins={"drawn": NullEncoder(None, lambda text: _vector(text).tolist())})


def _source(folder: Path, rows: int) -> dict[str, Any]:
    draws = np.random.default_rng(1)
    words = np.array([f"word{number}" for number in range(30_000)])
    with (folder / "corpus.jsonl").open("w") as file:
        for start in range(0, rows, 10_000):
            count = min(10_000, rows - start)
            topics = draws.integers(max(1, rows // _OF_A_TOPIC), size=count)
            # Words are as unequally frequent as those of a language.
            texts = words[np.minimum(draws.zipf(1.3, (count, 24)), len(words)) - 1]
            for number in range(count):
                text = f"topic{topics[number]} {' '.join(texts[number])} {start + number}"
                file.write(json.dumps({"_id": str(start + number), "title": "", "text": text}) + "\n")
    return {"mb": round((folder / "corpus.jsonl").stat().st_size / 1e6)}


def _plan(folder: Path, _: int) -> dict[str, Any]:
    with _host(folder) as host:
        options = BuildOptions(folder / "corpus.jsonl", folder / "plan" / "shards", "large")
        return {"parts": len(plan_build(options, host, folder / "plan").parts)}


def _work(folder: Path, _: int) -> dict[str, Any]:
    with _host(folder) as host:
        return {"parts": len(work_plan(folder / "plan", host).parts)}


def _merge(folder: Path, _: int) -> dict[str, Any]:
    with _host(folder) as host:
        return {"rows": merge_plan(folder / "plan", host).chunks}


def _search(folder: Path, rows: int) -> dict[str, Any]:
    stored = np.load(folder / "plan" / "shards" / "large" / "embeddings.npy", mmap_mode="r")
    asked = [f"topic{number * 37 % max(1, rows // _OF_A_TOPIC)} question {number}" for number in range(_QUESTIONS)]
    vectors = np.stack([_vector(text) for text in asked])
    with _host(folder) as host:
        host.start()
        searcher = searcher_of(host)
        begun = time.perf_counter()
        searcher.nearest(vectors[0])
        loading = time.perf_counter() - begun
        dense, hybrid, found = [], [], []
        for text, vector in zip(asked, vectors, strict=True):
            begun = time.perf_counter()
            hits = searcher.nearest(vector, k=_TOP)
            dense.append((time.perf_counter() - begun) * 1000)
            found.append({hit["metadata"]["id"].partition("#")[0] for hit in hits})
            begun = time.perf_counter()
            searcher.search(text, k=_TOP)
            hybrid.append((time.perf_counter() - begun) * 1000)
        held = machine.memory_mb("VmHWM")
    products = np.concatenate([stored[at : at + 20_000] @ vectors.T for at in range(0, rows, 20_000)])
    exact = np.argpartition(-products, _TOP, axis=0)[:_TOP].T
    hit = sum(len(names & {str(row) for row in right}) for names, right in zip(found, exact.tolist(), strict=True))
    return {
        "open_s": round(loading, 2),
        "dense_ms": spread(dense),
        "hybrid_ms": spread(hybrid),
        "recall@10": round(hit / (_TOP * _QUESTIONS), 4),
        "peak_mb_while_searching": held,
    }


_DO: dict[str, Callable[[Path, int], dict[str, Any]]] = {
    "source": _source,
    "plan": _plan,
    "work": _work,
    "merge": _merge,
    "search": _search,
}


def step(name: str, folder: str, rows: int) -> dict[str, Any]:
    """Do one step."""
    begun = time.perf_counter()
    found = _DO[name](Path(folder), rows)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    figures = {
        "seconds": round(time.perf_counter() - begun, 1),
        "processor_s": round(sum(one.ru_utime + one.ru_stime for one in used), 1),
        "peak_mb": machine.memory_mb("VmHWM"),
    }
    return {**figures, **found}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.shard_million", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="by default one that is removed")
    parser.add_argument("--steps", nargs="+", choices=_STEPS, default=_STEPS)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as made:
        folder = str((wanted.folder or Path(made)).absolute())
        Path(folder).mkdir(exist_ok=True)
        for name in wanted.steps:
            found = run_function("shard_million.step", name=name, folder=folder, rows=wanted.rows).result
            print(f"{name}: {json.dumps(found)}  load {machine.load()}", flush=True)


if __name__ == "__main__":
    main()
