"""Measurements of Ragstone's memory. Each public function is one measurement in a process of its own."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import threading
import time
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ragstone.__main__ import configure_process
from ragstone.core import Host, Settings
from ragstone.core.embedding import MiniLMEmbedding
from ragstone.core.testing import TestModels
from ragstone.core.text.chunk_terms import headings_of
from ragstone.plugins.iris_memory import memory_of, query_memory
from ragstone.plugins.iris_memory.indexing.watcher import Watcher

from .figures import spread
from .null_encoder import NullEncoder

Precision = Literal["fp32", "int8"]
PRECISIONS: tuple[Precision, ...] = ("fp32", "int8")

_WARM = ["warm " * length for length in (5, 60, 250)]
_PATIENCE = 30.0


def prepare(work: str, notes: str, files: int) -> dict[str, Any]:
    """An agent's home of real notes, and the encoder's models."""
    home = Path(work, "home")
    there = sorted(path for path in Path(notes).rglob("*.md") if path.name != "README.md")
    step = max(1, len(there) // files)
    for path in there[::step][:files]:
        target = home / "memory-legacy" / "notes" / f"{path.parent.name}-{path.name}"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for precision in PRECISIONS:
        MiniLMEmbedding.find(Path(work, "cache", "encoder"), precision=precision)
    return {"files": len(list(home.rglob("*.md"))), "bytes": sum(path.stat().st_size for path in home.rglob("*.md"))}


def full(work: str, precision: Precision) -> dict[str, Any]:
    """The first update of all; the encoder is loaded and warm. Keeps the chunks for the peer."""
    with _opened(work, precision) as host:
        host.hooks.encoder.embed_texts(_WARM * 4)
        memory = memory_of(host)
        started = time.perf_counter()
        report = memory.update()
        seconds = time.perf_counter() - started
        started = time.perf_counter()
        memory.update_file("nothing-there.md")
        nodes = [
            node
            for row in memory.corpus.contents.documents()
            for node in memory.corpus.contents.document_nodes(row.doc_id)
        ]
        windows = sum(len(host.hooks.encoder.windows(headings_of(node), node.text)) for node in nodes)
        tokens = sum(host.hooks.encoder.count_tokens(node.text) for node in nodes)
    texts = [(node.node_id, f"{headings_of(node)}\n{node.text}") for node in nodes]
    Path(work, "chunks.json").write_text(json.dumps(texts), "utf-8")
    return {"seconds": round(seconds, 2), "chunks": report.chunks, "windows": windows, "tokens": tokens}


def unchanged(work: str, files: int) -> dict[str, Any]:
    """An update with nothing changed over many files, nothing in doubt; no encoder is asked."""
    home = Path(work, "many")
    for number in range(files):
        path = home / f"f{number % 50}" / f"n{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Note {number}\n\nThis is about the bolts of thing {number}.\n", "utf-8")
    with _opened(work, data="many-data", home="many", plugins={"models": TestModels()}) as host:
        memory = memory_of(host)
        memory.update()
        time.sleep(2.5)
        memory.update()  # what was in doubt is certain from now on
        spent, worked = [], []
        for _ in range(15):
            started, begun = time.perf_counter(), time.process_time()
            report = memory.update()
            spent.append((time.perf_counter() - started) * 1000)
            worked.append((time.process_time() - begun) * 1000)
            assert report.unchanged == files
    return {"files": files, "ms": spread(spent), "processor_ms": spread(worked)}


def watched(work: str, precision: Precision, writes: int = 40) -> dict[str, Any]:
    """From a write to the moment at which a query finds it, while the home is watched."""
    spent = []
    with _opened(work, precision) as host:
        memory = memory_of(host)
        host.hooks.encoder.embed_texts(_WARM)
        watcher = Watcher(memory)
        watcher.start()
        watcher.watching.wait()
        time.sleep(1)
        file = Path(work, "home", "memory-legacy", "notes", "written.md")
        for number in range(writes):
            word = hashlib.sha256(str(number).encode()).hexdigest()[:10]
            started = time.perf_counter()
            file.write_text(f"# Password of the day\n\nThe password of the day is {word} from now on.\n", "utf-8")
            while word not in "".join(chunk.text for chunk in query_memory("password of the day", 1, host=host)):
                assert time.perf_counter() - started < _PATIENCE, "never found"
                time.sleep(0.01)
            spent.append((time.perf_counter() - started) * 1000)
            time.sleep(0.3)
        file.unlink()
        while any("Password" in chunk.text for chunk in query_memory("password of the day", 1, host=host)):
            time.sleep(0.01)
        watcher.close()
    return {"writes": writes, "ms": spread(spent)}


def warm(work: str, precision: Precision, chunks: int) -> dict[str, Any]:
    """Queries over many chunks in a process that has answered before. Questions are encoded, chunks have any vector."""
    rng = random.Random(5)
    words = [word for path in Path(work, "home").rglob("*.md") for word in path.read_text("utf-8").split()]
    home, made = Path(work, "large"), 0
    for number in range(chunks // 8):
        starts = [rng.randrange(len(words) - 150) for _ in range(8)]
        parts = (f"## Part {at}\n\n{' '.join(words[at : at + rng.randrange(60, 140)])}\n" for at in starts)
        path = home / f"n{number % 64}" / f"n{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(parts), "utf-8")
    real = MiniLMEmbedding.find(Path(work, "cache", "encoder"), precision=precision)
    large, numbers = f"large-{precision}", np.random.default_rng(3)
    with _opened(
        work,
        precision,
        data=large,
        home="large",
        plugins={"quick": NullEncoder(real, lambda _: numbers.standard_normal(384).tolist())},
    ) as host:
        memory_of(host).update()
        made = memory_of(host).corpus.info().chunks
    with _opened(work, precision, data=large, home="large") as host:
        questions = [" ".join(words[at : at + 9]) for at in (rng.randrange(len(words) - 9) for _ in range(320))]
        for question in questions[:20]:
            query_memory(question, host=host, min_relevance=-1)
        spent = []
        for question in questions[20:]:
            started = time.perf_counter()
            query_memory(question, host=host, min_relevance=-1)
            spent.append((time.perf_counter() - started) * 1000)
    return {"chunks": made, "queries": len(spent), "ms": spread(spent)}


def following(work: str, precision: Precision) -> dict[str, Any]:
    """The memory of a process that lets Chroma follow, watches, and answers."""
    with _opened(work, precision, index={"store": "chroma"}) as host:
        memory = memory_of(host)
        host.serve()
        watcher = Watcher(memory)
        thread = threading.Thread(target=watcher.run)
        thread.start()
        begun = time.perf_counter()
        while not _is_current(host) and time.perf_counter() - begun < _PATIENCE:
            time.sleep(0.05)
        for number in range(50):
            query_memory(f"how do I configure thing {number}?", host=host)
        watcher.end()
        thread.join()
        return {"index": "chroma" if _is_current(host) else "none"}


def _is_current(host: Host) -> bool:
    corpus = memory_of(host).corpus
    with corpus.catalog.read() as snapshot:
        row, follower = corpus.contents.row(snapshot), corpus.search_cache.follower
        return follower is not None and follower.current == (row.id, row.seq)


def _opened(
    work: str,
    precision: Precision = "fp32",
    *,
    data: str | None = None,
    home: str = "home",
    plugins: dict[str, object] | None = None,
    **settings: Any,
) -> Host:
    configure_process()  # as the commands do, which are what is limited
    named = {"iris_memory": {"root": str(Path(work, home)), "mail_days": 0}}
    folders = {"data_dir": Path(work, data or f"data-{precision}"), "cache_dir": Path(work, "cache")}
    encoder = {"precision": precision}
    host = Host(Settings(**{**folders, "plugins": named, "encoder": encoder, **settings}), plugins=plugins or {})
    host.start()
    return host
