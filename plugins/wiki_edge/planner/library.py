"""The search of shards that a planner needs, and its results as passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ragstone.core.text import question_stems

from .order_flags import flags
from .situation import Passage

if TYPE_CHECKING:
    from .situation import Kind

#: The specification's ``{score, metadata}``; also ``cosine`` where the score is something else, and ``shard``, its id.
Hit = Mapping[str, Any]


class Library(Protocol):
    """Searches the shards of a deployment, as ``ShardSearcher`` does. Its ``idf`` and ``refused`` may be missing."""

    def search(
        self, question: str, *, k: int, kind: str, domain: str | None = None, language: str | None = None
    ) -> Sequence[Hit]:
        """The ``k`` best passages of shards of that kind, domain and language, best first. Raises ``RagstoneError``."""


def idf_of(library: Library, goal: str) -> Mapping[str, float]:
    """The weights of the goal's stems; none where the library does not know them."""
    idf = getattr(library, "idf", None)
    return idf(question_stems(goal)) if idf else {}


def refusals_of(library: Library) -> list[str]:
    """Which shards are not searched, and why."""
    return [f"{each.place}: {each.reason}" for each in getattr(library, "refused", ())]


def passages_of(hits: Iterable[Hit], kind: Kind) -> list[Passage]:
    """The hits as passages, in their order."""
    return [_passage(hit, kind) for hit in hits]


def _passage(hit: Hit, kind: Kind) -> Passage:
    metadata = hit["metadata"]
    named = {name: str(metadata.get(name) or "") for name in ("title", "heading", "url", "license")}
    return Passage(
        id=metadata["id"],
        kind=kind,
        text=metadata["text"],
        score=hit["score"],
        cosine=hit.get("cosine", hit["score"]),
        shard=hit.get("shard", ""),
        flags=flags("\n".join((named["title"], named["heading"], metadata["text"]))),
        **named,
    )
