from __future__ import annotations

from collections.abc import Iterator

from llama_index.core.schema import BaseNode, Document, TextNode

from ragstone.core import SlicingNodeParser
from ragstone.core.corpus import parser_fingerprint


class Halves(SlicingNodeParser):
    embedded_keys = ("title",)
    parser_keys = ("middle",)

    def _chunks(self, document: BaseNode) -> Iterator[TextNode]:
        text, middle = document.get_content(), document.metadata["middle"]
        for start, end in ((0, middle), (middle, len(text))):
            yield TextNode(id_=f"{start}", text=text[start:end], start_char_idx=start, end_char_idx=end)


class OtherHalves(Halves):
    pass


def test_chunks_know_their_document_and_their_place_in_it() -> None:
    document = Document(id_="d", text="wordwords", metadata={"title": "Words", "path": "a.md", "middle": 4})
    first, second = Halves().get_nodes_from_documents([document])
    for node, place in ((first, (0, 4)), (second, (4, 9))):
        assert isinstance(node, TextNode)
        assert (node.start_char_idx, node.end_char_idx) == place
        assert node.ref_doc_id == "d"
        assert node.metadata == {"title": "Words", "path": "a.md"}
        assert node.excluded_embed_metadata_keys == ["path"]
        assert node.source_node is not None
        assert node.source_node.metadata == {"title": "Words", "path": "a.md"}


def test_two_classes_have_two_fingerprints() -> None:
    assert parser_fingerprint(Halves()) == parser_fingerprint(Halves())
    assert parser_fingerprint(Halves()) != parser_fingerprint(OtherHalves())
