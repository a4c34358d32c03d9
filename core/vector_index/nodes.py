"""The nodes of a vector index, one for each window of a chunk, and a sample of vectors to verify it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import BasePydanticVectorStore, VectorStoreQuery

from ..catalog import CorpusRow, Snapshot

_SAMPLE_SIZE = 64
#: Neighbours among which a sample's vector must be found: several chunks may have the same text.
_NEIGHBOURS = 10


def windows(snapshot: Snapshot, doc_id: str, key: int, dimension: int) -> Iterator[TextNode]:
    """One node for each window: id, vector and the metadata for filters. The text stays in the catalog."""
    held = snapshot.vectors.of_document(key, dimension)
    nodes = snapshot.chunks.of_document(key)
    row = 0
    for node, count in zip(nodes, held.windows, strict=True):
        plain = {name: value for name, value in node.metadata.items() if isinstance(value, str | int | float)}
        for window in range(int(count)):
            yield TextNode(
                id_=f"{node.node_id}#{window}",
                text=" ",
                metadata=plain,
                embedding=held.vectors[row].tolist(),
                relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=doc_id)},
            )
            row += 1


def sample(
    snapshot: Snapshot, row: CorpusRow, applied: int, dimension: int
) -> tuple[list[str], npt.NDArray[np.float32]]:
    """Ids and vectors, evenly spread over the documents that have not changed since change ``applied``."""
    documents = [document for document in snapshot.documents(row.id) if document.seq <= applied]
    ids: list[str] = []
    vectors = []
    for document in documents[:: max(1, len(documents) // _SAMPLE_SIZE)][:_SAMPLE_SIZE]:
        held = snapshot.vectors.of_document(document.key, dimension)
        node = next(snapshot.chunks.of_document(document.key), None)
        if node is not None:
            ids.append(f"{node.node_id}#0")
            vectors.append(held.vectors[0])
    return ids, np.array(vectors, np.float32)


def sample_mismatch(
    store: BasePydanticVectorStore,
    ids: Sequence[str],
    vectors: npt.NDArray[np.float32],
    before_each: Callable[[], None],
) -> str | None:
    """Why a plugin's store must be filled again: an external store may have lost vectors.

    ``None`` if it finds nine in ten of the sample; of many equal texts it may find others. ``before_each`` is called
    before each search and may raise.
    """
    lost = 0
    for wanted, vector in zip(ids, vectors, strict=True):
        before_each()
        found = store.query(VectorStoreQuery(query_embedding=vector.tolist(), similarity_top_k=_NEIGHBOURS)).ids
        lost += wanted not in (found or ())
    return f"it does not find {lost} of {len(ids)} of its vectors" if lost > len(ids) // 10 else None
