"""Removes from what was found mail that is too old, and notes that a newer note repeats."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from pydantic import Field

from .. import fields
from ..indexing.documents import is_old_mail

if TYPE_CHECKING:
    from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle

_RUN = 3
#: Combines the words' hashes into one number: Knuth's multiplier for 64 bits (TAOCP, volume 2, 3.3.4).
_FACTOR = 6364136223846793005
_CACHED = 4096


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
    if not notes:
        return {}
    common = _shared_runs([note.get_content() for note in notes])
    repeats = np.tril(common >= share * common.diagonal()[:, None], -1)
    found: dict[str, str] = {}
    for place in np.flatnonzero(repeats.any(axis=1)).tolist():
        note = notes[place]
        newer = [
            other
            for other in np.flatnonzero(repeats[place]).tolist()
            if notes[other].metadata.get(fields.PATH) != note.metadata.get(fields.PATH)
        ]
        if newer:
            found[note.node_id] = notes[max(newer, key=lambda other: common[place, other])].node_id
    return found


def _shared_runs(texts: Sequence[str]) -> npt.NDArray[np.float64]:
    """How many different runs of three words each two of the texts share, [len(texts), len(texts)]."""
    runs = [_runs(text) for text in texts]
    different, places = np.unique(np.concatenate(runs), return_inverse=True)
    held = np.zeros((len(runs), len(different)))
    held[np.repeat(np.arange(len(runs)), [len(each) for each in runs]), places] = 1
    return held @ held.T


@lru_cache(maxsize=_CACHED)
def _runs(text: str) -> npt.NDArray[np.int64]:
    """The text's runs of three words as numbers, of this process only; of a shorter text its words."""
    words = np.array(list(map(hash, text.casefold().split())), np.int64)
    return (words[:-2] * _FACTOR + words[1:-1]) * _FACTOR + words[2:] if len(words) >= _RUN else words
