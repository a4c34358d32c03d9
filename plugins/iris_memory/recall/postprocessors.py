"""Removes from what was found mail that is too old, and notes that a newer note repeats."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle
from pydantic import Field

from .. import fields
from ..indexing.documents import is_old_mail


class CurrentChunks(BaseNodePostprocessor):
    """Removes mail of more than ``days``, which the index has until the next update, and notes that a newer note among
    those found supersedes; the host keeps them as ``cut``."""

    days: int
    #: Share of the older note's runs of three words that the newer one must have.
    share: float
    clock: Callable[[], float] = Field(default=time.time, exclude=True)

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex serialises it."""
        return "CurrentChunks"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002
    ) -> list[NodeWithScore]:
        now = self.clock()
        recent = [node for node in nodes if not is_old_mail(node.node.metadata, self.days, now)]
        older = superseded([node.node for node in recent], self.share)
        return [node for node in recent if node.node.node_id not in older]


def superseded(nodes: Sequence[BaseNode], share: float) -> dict[str, str]:
    """Ids of the notes that a newer one of another file supersedes, each with the id of the one that repeats it most.
    Of notes with the same date the first in the list counts as the newer."""
    notes = [node for node in nodes if node.metadata.get(fields.DOC_TYPE) == "note"]
    notes.sort(key=lambda node: -(fields.number(node.metadata, fields.DATE) or 0.0))  # stable
    runs = [_runs(note.get_content()) for note in notes]
    found: dict[str, str] = {}
    for place, note in enumerate(notes):
        newer = [other for other in range(place) if notes[other].metadata[fields.PATH] != note.metadata[fields.PATH]]
        shared, other = max(((len(runs[place] & runs[other]), -other) for other in newer), default=(-1, 0))
        if shared >= share * len(runs[place]):
            found[note.node_id] = notes[-other].node_id
    return found


def _runs(text: str) -> frozenset[Hashable]:
    """The text's runs of three words; of a shorter text its words."""
    words = text.casefold().split()
    return frozenset(zip(words, words[1:], words[2:], strict=False) if len(words) > 2 else words)
