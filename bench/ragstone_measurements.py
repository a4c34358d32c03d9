"""Measurements of Ragstone. Each public function is one measurement in a process of its own."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from llama_index.core.schema import TextNode

from ragstone.core import Host, Settings
from ragstone.core.embedding import MiniLMEmbedding
from ragstone.core.text.chunk_terms import headings_of
from ragstone.plugins.book_chat import Shelf

from .figures import spread
from .null_encoder import NullEncoder
from .questions import questions_over

#: Texts for the encoders alone, and the questions asked before anything is timed.
_TEXTS = 400
_WARM_UP = 10
#: Seconds that the vector index may take to catch up with three books.
_LONGEST_CATCHING_UP = 600


def prepare(work: str, books: dict[str, str]) -> dict[str, Any]:
    """Make the model's files, and read and cut the books without a model; keep chunks, questions and texts as JSON.

    What this takes is what the host adds to the encoder's work: reading, cutting, counting tokens, storing.
    """
    seconds = {}
    precisions: tuple[Literal["fp32", "int8"], ...] = ("fp32", "int8")
    for precision in precisions:
        started = time.perf_counter()
        exact = MiniLMEmbedding.find(Path(work, "cache", "encoder"), precision=precision)
        seconds[precision] = round(time.perf_counter() - started, 2)
    host = _emptied_host(work, "no-model", plugins={"no_model": NullEncoder(exact)})
    chunks, read = [], {}
    with host:
        shelf = Shelf(host)
        for name, folder in books.items():
            started = time.perf_counter()
            layout = shelf.plan(Path(folder))
            report = shelf.add(layout)
            spent = time.perf_counter() - started
            nodes = list(_stored(shelf, report.book))
            windows = sum(len(host.hooks.encoder.windows(headings_of(node), node.text)) for node in nodes)
            read[name] = {
                "files": [str(file.path) for file in layout.files],
                "left_out": len(report.left_out),
                "chunks": len(nodes),
                "windows": windows,
                "seconds_without_model": round(spent, 3),
            }
            chunks += [
                {"book": name, "headings": headings_of(node), "text": node.text, "section": node.metadata["section"]}
                for node in nodes
            ]
        step = max(1, len(chunks) // _TEXTS)
        texts = [host.hooks.encoder.windows(chunk["headings"], chunk["text"])[0] for chunk in chunks[::step][:_TEXTS]]
    for kind, content in (("chunks", chunks), ("questions", questions_over(chunks)), ("texts", texts)):
        Path(work, f"{kind}.json").write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    return {"books": read, "model_made_s": seconds}


def ingest(work: str, books: dict[str, str]) -> dict[str, Any]:
    """Put the books on the shelf as ``ragstone book add`` does; the encoder is loaded and warm."""
    found = {}
    host = _emptied_host(work, "data")
    with host:
        _warm(host)
        shelf = Shelf(host)
        for name, folder in books.items():
            started = time.perf_counter()
            report = shelf.add(shelf.plan(Path(folder)))
            spent = time.perf_counter() - started
            nodes = list(_stored(shelf, report.book))
            tokens = sum(
                host.hooks.encoder.count_tokens(window)
                for node in nodes
                for window in host.hooks.encoder.windows(headings_of(node), node.text)
            )
            found[name] = {
                "seconds": round(spent, 3),
                "files": len(report.added),
                "chunks": report.chunks,
                "chars": sum(len(node.text) for node in nodes),
                "tokens": tokens,
                "tokens_embedded": tokens,
            }
    return {"books": found, "torch_imported": "torch" in sys.modules}


def ingest_against_encoder(work: str, books: dict[str, str]) -> dict[str, Any]:
    """Ingestion between two passes of the bare encoder over exactly the same texts, book by book."""
    cut = json.loads(Path(work, "chunks.json").read_text("utf-8"))
    found = {}
    host = _emptied_host(work, "against-encoder")
    with host:
        _warm(host)
        shelf = Shelf(host)
        for name, folder in books.items():
            texts = [(chunk["headings"], chunk["text"]) for chunk in cut if chunk["book"] == name]
            before = _encode(host, texts)
            clock = _Clock()
            report = shelf.add(shelf.plan(Path(folder)))
            during = clock.spent()
            after = _encode(host, texts)
            stored = [(headings_of(node), node.text) for node in _stored(shelf, report.book)]
            found[name] = {
                "seconds": during[0],
                "encoder_s": [before[0], after[0]],
                "cpu_s": during[1],
                "encoder_cpu_s": [before[1], after[1]],
                "same_texts": stored == texts,
            }
    return {"books": found}


def query(work: str) -> dict[str, Any]:
    """Two hundred questions by exact search."""
    host = _host(work, "data")
    with host:
        return _asked(host, work)


def query_following(work: str) -> dict[str, Any]:
    """The same with Chroma caught up with the catalog."""
    host = _host(work, "data", index={"store": "chroma"})
    with host:
        corpus = host.corpus("books", kind="book")
        started = time.perf_counter()
        host.serve()
        while corpus.search_cache.follower is None or corpus.search_cache.follower.current is None:
            trouble = corpus.search_cache.follower.failure if corpus.search_cache.follower is not None else None
            if trouble or time.perf_counter() - started > _LONGEST_CATCHING_UP:
                states = [f"{check.name}: {check.detail}" for check in host.checks()]
                raise RuntimeError(f"the vector index did not catch up: {trouble or '; '.join(states)}")
            time.sleep(0.05)
        caught_up = time.perf_counter() - started
        asked = _asked(host, work)
        still = corpus.search_cache.follower is not None and corpus.search_cache.follower.current is not None
    return {**asked, "caught_up_s": round(caught_up, 2), "followed_to_the_end": still}


def opened(work: str) -> Host:
    """The host over the ingested books."""
    return _host(work, "data")


def _asked(host: Host, work: str) -> dict[str, Any]:
    questions = json.loads(Path(work, "questions.json").read_text("utf-8"))
    assistant = host.assistant("book_chat")
    started = time.perf_counter()
    assistant.ask("Which of these books is the longest?")
    first = time.perf_counter() - started
    for question in questions[:: max(1, len(questions) // _WARM_UP)]:
        assistant.ask(f"{question} And why?")
    parts: dict[str, list[float]] = {"encode": [], "retrieve": [], "answer": [], "total": [], "refusal": []}
    for question in questions:
        started = time.perf_counter()
        answer = assistant.ask(question)
        total = (time.perf_counter() - started) * 1000
        parts["encode"].append(answer.timings.encode)
        parts["retrieve"].append(answer.timings.retrieve)
        parts["answer"].append(answer.timings.answer)
        parts["total"].append(total)
        if answer.refused:
            parts["refusal"].append(total)
    refused = len(parts["refusal"])
    found = [a + b for a, b in zip(parts["encode"], parts["retrieve"], strict=True)]
    return {
        "questions": len(questions),
        "refused": refused,
        "first_answer_s": round(first, 3),
        "ms": {name: spread(values) for name, values in {**parts, "encode_and_retrieve": found}.items() if values},
        "torch_imported": "torch" in sys.modules,
    }


def _encode(host: Host, texts: list[tuple[str, str]]) -> tuple[float, float]:
    clock = _Clock()
    host.hooks.encoder.embed_chunks(texts)
    return clock.spent()


def _warm(host: Host) -> None:
    for length in (5, 60, 250):
        host.hooks.encoder.embed_texts(["warm " * length] * 8)


def _stored(shelf: Shelf, book: str) -> Iterator[TextNode]:
    """The book's chunks, document by document in the order in which they were stored."""
    corpus = shelf.corpus
    with corpus.catalog.read() as snapshot:
        row = corpus.contents.row(snapshot)
        documents = [one for one in snapshot.documents(row.id) if one.metadata["book"] == book]
        for document in sorted(documents, key=lambda one: one.seq):
            yield from snapshot.chunks.of_document(document.key)


def _emptied_host(work: str, data: str, *, plugins: dict[str, object] | None = None) -> Host:
    """One without the books of an earlier run: they would be found unchanged."""
    shutil.rmtree(Path(work, data), ignore_errors=True)
    return _host(work, data, plugins=plugins)


def _host(work: str, data: str, *, plugins: dict[str, object] | None = None, **settings: Any) -> Host:
    host = Host(Settings(data_dir=Path(work, data), cache_dir=Path(work, "cache"), **settings), plugins=plugins)
    host.start()
    return host


class _Clock:
    """Started when it is made."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def spent(self) -> tuple[float, float]:
        """Seconds, and seconds of processor time of all threads: others on the machine disturb these less."""
        return round(time.perf_counter() - self._wall, 3), round(time.process_time() - self._processor, 3)
