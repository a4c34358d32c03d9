"""Of notes that say the same, the newest: older ones are left out where a newer one says nearly all that they say."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from llama_index.core.postprocessor.types import BaseNodePostprocessor

from .. import fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle

NOTE = "note"
_RUN = 3
_A_FEW = 32
_KEPT = 4096


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


def superseded(nodes: Sequence[BaseNode], share: float) -> dict[str, str]:
    """Ids of the notes that a newer one of another file supersedes, each with the id of the one that repeats it most.
    Of notes of one age the first in the list counts as the newer."""
    notes = [node for node in nodes if node.metadata.get(fields.DOC_TYPE) == NOTE]
    notes.sort(key=lambda node: -_date(node.metadata))  # stable
    newer: list[tuple[BaseNode, frozenset[int]]] = []
    found: dict[str, str] = {}
    for note in notes:
        held, some = _runs(note.get_content())
        best, most = None, share * len(held)
        for other, others in newer:
            # Most notes have nothing to do with each other: a few runs tell.
            if 2 * len(some & others) < share * len(some):
                continue
            if other.metadata.get(fields.PATH) == note.metadata.get(fields.PATH):
                continue
            count = len(held & others)
            if count > most or (count == most and best is None):
                best, most = other, count
        if best is not None:
            found[note.node_id] = best.node_id
        newer.append((note, held))
    return found


def repeated(older: str, newer: str) -> float:
    """The share of the older text's runs of three words that stand in the newer one, 0 to 1."""
    before, after = _runs(older)[0], _runs(newer)[0]
    return len(before & after) / len(before) if before else 0.0


def _date(metadata: dict[str, Any]) -> float:
    value = metadata.get(fields.DATE)
    return float(value) if isinstance(value, int | float) else 0.0


@lru_cache(maxsize=_KEPT)
def _runs(text: str) -> tuple[frozenset[int], frozenset[int]]:
    """The text's runs of three words, and a few of them."""
    words = text.casefold().split()
    runs = frozenset(
        map(hash, zip(words, words[1:], words[2:], strict=False)) if len(words) >= _RUN else map(hash, words)
    )
    return runs, frozenset(sorted(runs)[:_A_FEW])
