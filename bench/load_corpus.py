"""The corpus that ``bench.load`` asks: real books, and copies of their chunks with jittered vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ragstone.core import Corpus, Host, Settings
from ragstone.core.catalog import NewChunk, NewDocument
from ragstone.plugins.book_chat import Shelf

from .books import BOOKS, book_folders

_JITTER = 0.05


def fill(corpus: Corpus, wanted: int, dimension: int) -> int:
    """Copies of what is there, until the corpus has so many chunks; returns how many it has."""
    draws = np.random.default_rng(7)
    with corpus.catalog.read() as snapshot:
        row = corpus.contents.row(snapshot)
        documents = snapshot.documents(row.id)
        count = snapshot.sizes(row.id)[1]
    copy = 0
    while count < wanted:
        copy += 1
        for document in documents:
            with corpus.catalog.read() as snapshot:
                held = snapshot.vectors.of_document(document.key, dimension)
                stored = snapshot.chunks.stored(held.chunk_keys.tolist(), dimension)
            vectors = held.vectors + _JITTER * draws.standard_normal(held.vectors.shape).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            parts = np.split(vectors, np.cumsum(held.windows)[:-1])
            slug = f"copy-{copy}"
            chunks = []
            for key, part in zip(held.chunk_keys.tolist(), parts, strict=True):
                node = stored[key].node
                known = {**node.metadata, "book": slug, "book_title": f"Copy {copy}"}
                headings = f"{known['chapter']}\n{known['section']}"
                kept = node.to_dict()
                for name in ("text", "metadata", "embedding"):
                    kept.pop(name, None)
                kept["id_"] = chunk_id = f"{slug}-{node.node_id}"
                chunks.append(NewChunk(chunk_id, headings, node.text, known, kept, part, stored[key].sentences))
            made = NewDocument(
                f"{slug}:{document.doc_id}", document.hash, "", {**document.metadata, "book": slug}, chunks
            )
            corpus.catalog.documents.put(row.id, made)
            count += len(chunks)
            if count >= wanted:
                break
    return count


def prepared(folder: Path, chunks: int) -> tuple[Host, Shelf, list[dict[str, str]], int]:
    """An open host over so many chunks in the folder, which is filled unless it is already; the books' own chunks
    (text and section) and how many chunks there are in all."""
    host = Host(Settings(data_dir=folder / "data", cache_dir=folder / "cache"))
    host.start()
    shelf = Shelf(host)
    if not shelf.corpus.contents.exists:
        for name, place in book_folders(BOOKS).items():
            shelf.add(shelf.plan(Path(place)), title=name)
    with host.catalog.read() as snapshot:
        row = shelf.corpus.contents.row(snapshot)
        books = [each for each in snapshot.documents(row.id) if not each.doc_id.startswith("copy-")]
        nodes = [node for each in books for node in snapshot.chunks.of_document(each.key)]
        count = snapshot.sizes(row.id)[1]
    parts = [{"text": node.text, "section": node.metadata["section"]} for node in nodes]
    if count < chunks:
        count = fill(shelf.corpus, chunks, host.hooks.encoder.dimension)
    return host, shelf, parts, count
