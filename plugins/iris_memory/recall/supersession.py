"""Of notes that say the same, the newest: older ones are left out where a newer one says nearly all that they say."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from llama_index.core.postprocessor.types import BaseNodePostprocessor

from .. import fields

if TYPE_CHECKING:
    from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle

NOTE = "note"
_RUN = 3
_KEPT = 2048


class NewestOnly(BaseNodePostprocessor):
    """Takes away notes that a newer passage among those found supersedes; the host keeps them as ``cut``."""

    #: Share of the older one's runs of three words that must stand in the newer one.
    share: float

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex serialises it."""
        return "NewestOnly"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002
    ) -> list[NodeWithScore]:
        older = superseded([node.node for node in nodes], self.share)
        return [node for node in nodes if node.node.node_id not in older]


def superseded(nodes: list[BaseNode], share: float) -> dict[str, str]:
    """Ids of the notes that a newer one supersedes, each with that one's id. Of copies the first in the list stays."""
    notes = [node for node in nodes if node.metadata.get(fields.DOC_TYPE) == NOTE]
    found: dict[str, str] = {}
    for place, older in enumerate(notes):
        for other, newer in enumerate(notes):
            if newer.metadata.get(fields.PATH) == older.metadata.get(fields.PATH):
                continue  # a file is of one moment
            first, second = _date(older.metadata), _date(newer.metadata)
            if (first, -place) < (second, -other) and repeated(older.get_content(), newer.get_content()) >= share:
                found[older.node_id] = newer.node_id
                break
    return found


def repeated(older: str, newer: str) -> float:
    """The share of the older text's runs of three words that stand in the newer one, 0 to 1."""
    before, after = _runs(older), _runs(newer)
    return len(before & after) / len(before) if before else float(older.split() == newer.split())


def _date(metadata: dict[str, Any]) -> float:
    value = metadata.get(fields.DATE)
    return float(value) if isinstance(value, int | float) else 0.0


@lru_cache(maxsize=_KEPT)
def _runs(text: str) -> frozenset[int]:
    words = text.casefold().split()
    if len(words) < _RUN:
        return frozenset({hash(tuple(words))}) if words else frozenset()
    return frozenset(map(hash, zip(words, words[1:], words[2:], strict=False)))
