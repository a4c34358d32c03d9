"""``python -m bench.shard_build [--articles N] [--source FILE]``: how fast a shard is built, and in how much memory.

Speed: rows a second of the whole build over rows a second of the encoder alone on the very same chunks, given to it in
one call after the build. On a machine that others use the ratio of processor seconds, reading included, is the steadier
one. Memory: peak of the building process and of the one that reads, for the dump as it is and for one of eight times
its articles, with an encoder that costs nothing: what the real one needs does not depend on the source.
"""

from __future__ import annotations

import argparse
import bz2
import itertools
import json
import os
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from ragstone.core import Host, Settings
from ragstone.core.embedding import MiniLMEmbedding
from ragstone.plugins.wiki_edge import BuildOptions, build_shard
from ragstone.plugins.wiki_edge.shards.building import work_folder
from ragstone.plugins.wiki_edge.shards.building.work import BuildProgress

from . import machine
from .children import measure
from .null_encoder import NullEncoder

_REPOSITORY = Path(__file__).parents[1]
_EXCERPT = "mediawiki/dumps/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
_PAGES_A_STREAM = 100
_TARGET = 0.85
_TIMES = 8


def throughput(source: str, work: str, articles: int | None) -> dict[str, Any]:
    """Build with the real encoder; then the encoder alone on what was built."""
    folder = Path(work)
    settings = Settings(data_dir=folder / "data", cache_dir=folder / "cache", index={"store": "none"})
    with Host(settings) as host:
        host.hooks.encoder.embed_texts(["warm up"] * 64)
        reader = _Reader()
        spent = _processor_s()
        result: list[tuple[float, BuildProgress]] = []

        def note(now: BuildProgress) -> None:
            result.append((time.perf_counter() - begun, now))
            reader.look()

        begun = time.perf_counter()
        report = build_shard(
            BuildOptions(Path(source), folder / "out", "bench", limit=articles),
            host,
            on_progress=note,
        )
        whole, building = time.perf_counter() - begun, _processor_s() - spent
        rows = [json.loads(line) for line in (report.folder / "metadata.jsonl").read_text("utf-8").splitlines()]
        texts = [f"{row['title']}\n{row['text']}" for row in rows]
        alone, encoding = [], []
        for _ in range(2):
            began, spent = time.perf_counter(), _processor_s()
            host.hooks.encoder.embed_texts(texts)
            alone.append(time.perf_counter() - began)
            encoding.append(_processor_s() - spent)
    embedded, last = result[-1][0], report.chunks / min(alone)
    return {
        "articles": report.articles,
        "chunks": report.chunks,
        "build_s": round(whole, 2),
        "until_the_last_row_s": round(embedded, 2),
        "encoder_s": [round(seconds, 2) for seconds in alone],
        "build_rows_per_s": round(report.chunks / whole, 2),
        "encoder_rows_per_s": round(last, 2),
        "ratio": round(min(alone) / whole, 3),
        "ratio_until_the_last_row": round(min(alone) / embedded, 3),
        "ratio_of_processor_s": round(min(encoding) / building, 3),
        "reader_mb": reader.peak_mb,
    }


def prepare(work: str) -> dict[str, Any]:
    """Make the encoder's model."""
    MiniLMEmbedding.find(Path(work, "cache", "encoder"))
    return {}


def memory(source: str, work: str) -> dict[str, Any]:
    """Build with an encoder that costs nothing."""
    folder = Path(work)
    settings = Settings(data_dir=folder / "data", cache_dir=folder / "cache", index={"store": "none"})
    vars(work_folder)["make_side_files"] = lambda *_: {}
    real = MiniLMEmbedding.find(folder / "cache" / "encoder")
    with Host(settings, plugins={"null": NullEncoder(real)}) as host:
        reader = _Reader()
        report = build_shard(
            BuildOptions(Path(source), folder / f"out-{Path(source).stem}", "bench"),
            host,
            on_progress=lambda _: reader.look(),
        )
    size = round(Path(source).stat().st_size / 1e6, 2)
    return {"source_mb": size, "chunks": report.chunks, "reader_mb": reader.peak_mb}


def _processor_s() -> float:
    """Processor seconds of this process and of those that it has waited for."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds))


class _Reader:
    """The most memory that a child had when it was looked at; its ru_maxrss would count that of its parent."""

    def __init__(self) -> None:
        self.peak_mb = 0.0

    def look(self) -> None:
        """After every batch."""
        for child in psutil.Process().children():
            with suppress(psutil.Error):
                self.peak_mb = max(self.peak_mb, round(child.memory_info().rss / 2**20, 1))


def times(source: str, target: str, count: int) -> dict[str, Any]:
    """Write a multi-stream dump with every page of the source so many times, under other ids and titles."""
    raw = bz2.decompress(Path(source).read_bytes()).decode()
    head, foot = raw[: raw.index("  <page>")], raw[raw.rindex("</page>") + len("</page>\n") :]
    pages = re.findall(r"  <page>.*?</page>\n", raw, re.DOTALL)
    with Path(target).open("wb") as file:
        for part in itertools.chain([head], _groups(pages, count), [foot]):
            file.write(bz2.compress(part.encode()))
    return {}


def _groups(pages: list[str], count: int) -> Iterator[str]:
    for turn in range(count):
        changed = [
            re.sub(r"<id>(\d+)</id>", rf"<id>{turn + 1}000\1</id>", page, count=1).replace(
                "</title>", f" {turn}</title>"
            )
            for page in pages
        ]
        for at in range(0, len(changed), _PAGES_A_STREAM):
            yield "".join(changed[at : at + _PAGES_A_STREAM])


def main() -> None:
    """Measure and print."""
    data = Path(os.environ.get("RAGSTONE_DATA", _REPOSITORY.parent / "shared" / "data"))
    parser = argparse.ArgumentParser(prog="python -m bench.shard_build", description=__doc__)
    parser.add_argument("--source", type=Path, default=data / _EXCERPT)
    parser.add_argument("--articles", type=int, help="at most so many for the speed")
    parser.add_argument("--only", choices=["speed", "memory"])
    wanted = parser.parse_args()
    if not wanted.source.is_file():
        sys.exit(f"there is no {wanted.source}; --source names a dump")
    print(f"load before: {machine.load()}")
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as work:
        if wanted.only != "memory":
            found = measure("shard_build.throughput", source=str(wanted.source), work=work, articles=wanted.articles)
            print(json.dumps(found, indent=2))
            met = "met" if found["ratio"] >= _TARGET else "missed"
            print(f"build over encoder: {found['ratio']} ({met}; target {_TARGET})")
        if wanted.only != "speed":
            # The encoder's model is made by the first that needs it, which takes more than building does.
            measure("shard_build.prepare", work=work)
            for count in (1, _TIMES):
                # In a process of its own: what this one held would count as its children's.
                dump = str(Path(work, f"times-{count}.xml.bz2"))
                measure("shard_build.times", source=str(wanted.source), target=dump, count=count)
                print(f"x{count}: {json.dumps(measure('shard_build.memory', source=dump, work=work))}")
    print(f"load after: {machine.load()}")


if __name__ == "__main__":
    main()
