"""A corpus of the catalog as a shard: its chunks with the vectors that the catalog has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np
import numpy.typing as npt
from llama_index.core.schema import MetadataMode, TextNode

from ragstone.core import Corpus, Host, NotFound
from ragstone.core.answering import check_type
from ragstone.core.catalog import CorpusRow, Snapshot, StoredDocument

from ...readers.articles import HEADING_SEPARATOR
from ..writer import UNKNOWN_LICENSE, ShardWriter, shard_row
from .plan import check_fields
from .work_folder import SHARD, BuildReport, publish, set_purpose, work_folder

_DOCUMENTS_A_BATCH = 64


@dataclass(frozen=True)
class ExportOptions:
    """What is to be exported."""

    corpus: str
    #: The folder of the manifest.
    out: Path
    id: str
    domain: str | None = None
    language: str | None = None
    #: Of the shard, and of chunks whose metadata name none.
    license: str | None = None

    def __post_init__(self) -> None:
        """Raises ``BadRequest`` for a value of another type."""
        check_fields(self, "corpus id", str, "a string")
        check_fields(self, "out", Path, "a path")
        check_fields(self, "domain language license", (str, NoneType), "a string or None")


def export_corpus(options: ExportOptions, host: Host) -> BuildReport:
    """Write the corpus as a shard. One read transaction, memory for some documents at a time.

    Embedded again is nothing unless the corpus was made with another encoder than the deployment's. A chunk with
    several vectors gets their mean. Raises ``NotFound`` for an unknown or empty corpus, ``BadRequest``,
    ``StorageError`` and its kin, ``EncoderError``.
    """
    check_type(options, "options", ExportOptions, "ExportOptions")
    check_type(host, "host", Host, "an open Host")
    corpus = host.find_corpus(options.corpus)
    with work_folder(options.out, options.id) as work:
        set_purpose(work, {"export": options.corpus}, f"finish it, give another --id, or remove {work}")
        return publish(work, options.out, lambda: _made(corpus, options, work))


def _made(corpus: Corpus, options: ExportOptions, work: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write the shard's files; its entry's fields, and the number of documents."""
    encoder, count = corpus.encoder, 0
    with ShardWriter(work / SHARD, encoder.dimension) as writer, corpus.catalog.read() as snapshot:
        row = corpus.contents.row(snapshot)
        documents = snapshot.documents(row.id)
        for start in range(0, len(documents), _DOCUMENTS_A_BATCH):
            some = documents[start : start + _DOCUMENTS_A_BATCH]
            for document, nodes, vectors in _chunks(corpus, row, snapshot, some):
                count += bool(nodes)
                writer.add(vectors, [_row(node, document, options) for node in nodes])
        if not writer.rows:
            raise NotFound(f"the corpus {corpus.name!r} has no chunks")
    fields = {
        "id": options.id,
        "kind": "wiki",
        "dim": encoder.dimension,
        "size": writer.rows,
        "license": options.license or UNKNOWN_LICENSE,
        "language": options.language,
        "domain": options.domain,
        "source": {"name": options.corpus},
        "encoder": {"model": encoder.model.model_name, "fingerprint": encoder.family},
    }
    return fields, {"articles": count}


def _chunks(
    corpus: Corpus, row: CorpusRow, snapshot: Snapshot, documents: Sequence[StoredDocument]
) -> Iterator[tuple[StoredDocument, list[TextNode], npt.NDArray[np.float32]]]:
    """The documents with their chunks and a unit vector for each chunk."""
    encoder = corpus.encoder
    keys = [document.key for document in documents]
    stored = snapshot.vectors.of_documents(keys, encoder.dimension) if corpus.has_vectors(row) else None
    for document in documents:
        nodes = list(snapshot.chunks.of_document(document.key))
        if not nodes:
            continue
        if stored is None:
            yield document, nodes, encoder.embed_texts([node.get_content(MetadataMode.EMBED) for node in nodes])
            continue
        found = stored[document.key]
        sums = np.add.reduceat(found.vectors, np.cumsum(found.windows) - found.windows, axis=0)
        yield document, nodes, sums / np.linalg.norm(sums, axis=1, keepdims=True)


def _row(node: TextNode, document: StoredDocument, options: ExportOptions) -> dict[str, Any]:
    known = {**document.metadata, **node.metadata}
    lines = node.get_metadata_str(MetadataMode.EMBED).replace(HEADING_SEPARATOR, "\n").splitlines()
    above = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    title = str(known.get("title") or (above[0] if above else document.doc_id))
    return shard_row(
        {
            "id": node.node_id,
            "title": title,
            "url": known.get("url"),
            "text": node.text,
            "license": known.get("license") or known.get("licence") or options.license,
            "domain": options.domain,
            "heading": known.get("heading") or HEADING_SEPARATOR.join(line for line in above if line != title),
            "revision": known.get("revision"),
        }
    )
