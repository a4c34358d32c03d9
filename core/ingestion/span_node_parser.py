"""Node parsers whose chunks are slices of their documents."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, TypeVar

from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, Document, NodeRelationship, TextNode

Part = TypeVar("Part", bound=BaseNode)


class SlicingNodeParser(NodeParser):
    """Keeps the positions of its chunks: LlamaIndex would search a chunk's text and find the first equal one."""

    #: Metadata keys that are embedded and read with a chunk's text; all others are for citations.
    embedded_keys: ClassVar[tuple[str, ...]] = ()
    #: Metadata keys that only the parser needs; LlamaIndex copies all others of a document into each chunk.
    parser_keys: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex serialises it."""
        return cls.__name__

    @abstractmethod
    def _chunks(self, document: BaseNode) -> Iterable[TextNode]:
        """The document's chunks in order, each with its ``start_char_idx`` and ``end_char_idx``.

        They get the relationship ``SOURCE`` and the document's metadata without ``parser_keys``.
        """

    def without_parser_keys(self, document: Part) -> Part:
        """The document without the metadata of ``parser_keys``."""
        kept = {key: value for key, value in document.metadata.items() if key not in self.parser_keys}
        return document if len(kept) == len(document.metadata) else document.model_copy(update={"metadata": kept})

    def _parse_nodes(
        self,
        nodes: Sequence[BaseNode],
        show_progress: bool = False,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> list[BaseNode]:
        made: list[BaseNode] = []
        for node in nodes:
            source = self.without_parser_keys(node).as_related_node_info()
            for chunk in self._chunks(node):
                # One that the chunk brings may have the metadata of ``parser_keys``, which LlamaIndex would copy.
                chunk.relationships[NodeRelationship.SOURCE] = source
                made.append(chunk)
        return made

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]) -> list[BaseNode]:
        spans = [(node.start_char_idx, node.end_char_idx) for node in nodes if isinstance(node, TextNode)]
        parents = {doc_id: self.without_parser_keys(document) for doc_id, document in parent_doc_map.items()}
        done: list[BaseNode] = super()._postprocess_parsed_nodes(nodes, parents)
        for node, (start, end) in zip(done, spans, strict=True):
            assert isinstance(node, TextNode)  # noqa: S101
            node.start_char_idx, node.end_char_idx = start, end
            excluded = sorted(key for key in node.metadata if key not in self.embedded_keys)
            node.excluded_embed_metadata_keys = excluded
            node.excluded_llm_metadata_keys = list(excluded)
        return done


class WholeDocument(SlicingNodeParser):
    """Makes one chunk of each document, with its id and metadata."""

    #: What stands between the embedded metadata.
    separator: ClassVar[str] = "\n"

    def _chunks(self, document: BaseNode) -> Iterable[TextNode]:
        text = document.get_content()
        yield TextNode(
            id_=document.node_id,
            text=text,
            start_char_idx=0,
            end_char_idx=len(text),
            metadata=dict(document.metadata),
            metadata_template="{value}",
            metadata_separator=self.separator,
        )
