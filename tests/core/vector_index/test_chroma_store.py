"""What a collection of Chroma holds of a window."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

from tests.support.needs import needed


def test_a_row_is_an_id_a_vector_and_what_filters_ask_for(tmp_path: Path) -> None:
    chromadb = needed("chromadb")
    from ragstone.core.vector_index.chroma_store import ChromaStore, collection_of

    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="book:1")}
    nodes = [
        TextNode(id_=f"c{at}#0", text="A caster.", metadata={"book": "b"}, embedding=[1.0, at], relationships=source)
        for at in range(2)
    ]
    client = chromadb.PersistentClient(str(tmp_path))
    with closing(ChromaStore(client, "books")) as store:
        assert store.add(nodes) == ["c0#0", "c1#0"]
        held = collection_of(client, "books").get(include=["metadatas", "documents"])
        assert held["metadatas"] == [{"book": "b", "document_id": "book:1"}] * 2
        assert held["documents"] == [None, None]
        store.delete("book:1")
        assert collection_of(client, "books").count() == 0
