"""The search of shards that a planner needs, and its results as passages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ragstone.core.text import question_stems

from .order_flags import flags
from .situation import Passage

if TYPE_CHECKING:
    from ragstone.core import Host

    from .situation import Kind

#: The specification's ``{score, metadata}``; also ``cosine`` where the score is something else, and ``shard``, its id.
Hit = Mapping[str, Any]


class Library(Protocol):
    """Searches the shards of a deployment."""

    def search(
        self, question: str, *, k: int, kind: str, domain: str | None = None, language: str | None = None
    ) -> Sequence[Hit]:
        """The ``k`` best passages of shards of that kind, domain and language, best first. Raises ``RagstoneError``."""


@runtime_checkable
class _HasFrequencies(Protocol):
    def idf(self, stems: Sequence[str]) -> Mapping[str, float]:
        """BM25's inverse document frequency of each of the stems."""


@runtime_checkable
class _HasRefusals(Protocol):
    @property
    def refused(self) -> Sequence[Any]:
        """The shards that are not searched, each with its ``place`` and ``reason``."""


def library_of(host: Host) -> Library:
    """The deployment's shards."""
    from ..retrievers import searcher_of as librarian_of

    return librarian_of(host)


def idf_of(library: Library, goal: str) -> Mapping[str, float]:
    """The weights of the goal's stems; none where the library does not know them."""
    return library.idf(question_stems(goal)) if isinstance(library, _HasFrequencies) else {}


def refusals_of(library: Library) -> list[str]:
    """Which shards are not searched, and why."""
    refused = library.refused if isinstance(library, _HasRefusals) else ()
    return [f"{each.place}: {each.reason}" for each in refused]


def passages_of(hits: Iterable[Hit], kind: Kind) -> list[Passage]:
    """The hits as passages, in their order, without those that lack an id, a text or a number as score."""
    return [made for hit in hits if (made := _passage(hit, kind)) is not None]


def _passage(hit: Hit, kind: Kind) -> Passage | None:
    metadata: Any = hit.get("metadata")
    score = _number(hit.get("score"))
    if not hasattr(metadata, "get") or score is None:
        return None
    text, identity = metadata.get("text"), metadata.get("id")
    if not isinstance(text, str) or not text.strip() or not isinstance(identity, str):
        return None
    cosine = _number(hit["cosine"]) if "cosine" in hit else score if -1.001 <= score <= 1.001 else None
    named = {name: _text(metadata.get(name)) for name in ("title", "heading", "url", "license")}
    return Passage(
        id=identity,
        kind=kind,
        text=text,
        score=score,
        cosine=cosine,
        shard=_text(hit.get("shard")),
        flags=flags("\n".join((named["title"], named["heading"], text))),
        **named,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    try:
        number = float(value)  # type: ignore[arg-type]  # numpy's as well
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
