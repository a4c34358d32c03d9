"""What a search finds, in the specification's form and as LlamaIndex nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

if TYPE_CHECKING:
    from collections.abc import Mapping


class Hit(TypedDict):
    """The specification's ``{score, metadata}``, with what the score is made of."""

    #: By which the hits are ordered: of words and meaning together; of a vector alone, its cosine.
    score: float
    metadata: Mapping[str, Any]
    cosine: NotRequired[float | None]
    #: The shard's id.
    shard: NotRequired[str]


#: The headings of a passage; all other metadata are for citations.
_ABOVE = ("title", "heading")


def node_of(hit: Hit) -> TextNode:
    """The hit as a LlamaIndex node."""
    metadata = {name: value for name, value in hit["metadata"].items() if name != "text" and value is not None}
    ordered = {name: metadata.pop(name) for name in _ABOVE if metadata.get(name)}
    ordered |= {name: value for name, value in metadata.items() if name not in _ABOVE} | {"shard": hit["shard"]}
    return TextNode(
        id_=f"{hit['shard']}:{hit['metadata']['id']}",
        text=hit["metadata"]["text"],
        metadata=ordered,
        metadata_template="{value}",
        excluded_embed_metadata_keys=[name for name in ordered if name not in _ABOVE],
        # A chunk's id is its article's and its number.
        relationships={
            NodeRelationship.SOURCE: RelatedNodeInfo(
                node_id=hit["metadata"]["id"].rpartition("#")[0] or hit["metadata"]["id"]
            )
        },
    )
