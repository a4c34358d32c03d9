"""What the planner asks of the shards' search, and how what it finds becomes passages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from .fencing import flags
from .situation import Passage

if TYPE_CHECKING:
    from ragstone.core import Host

Kind = Literal["wiki", "episodic"]


#: The specification's ``{score, metadata}``. A search that ranks by something else than the cosine gives that as well,
#: under ``cosine``; and ``shard``, its id.
Hit = Mapping[str, Any]


class Library(Protocol):
    """Searches the shards of a deployment."""

    def search(
        self, question: str, *, k: int, kind: str, domain: str | None = None, language: str | None = None
    ) -> Sequence[Hit]:
        """The ``k`` best passages of shards of that kind, domain and language, best first. Raises ``RagstoneError``."""


@runtime_checkable
class Weighing(Protocol):
    """A library that also knows how much words tell."""

    def idf(self, stems: Sequence[str]) -> Mapping[str, float]:
        """BM25's inverse document frequency of each of the stems."""


@runtime_checkable
class Refusing(Protocol):
    """A library that tells which shards it does not search, and why."""

    @property
    def refused(self) -> Sequence[object]:
        """Each with its ``place`` and its ``reason``."""


class Nothing:
    """A library without shards."""

    def search(
        self,
        question: str,  # noqa: ARG002 - there is nothing to ask
        *,
        k: int,  # noqa: ARG002
        kind: str,  # noqa: ARG002
        domain: str | None = None,  # noqa: ARG002
        language: str | None = None,  # noqa: ARG002
    ) -> list[Hit]:
        """Nothing."""
        return []


def library_of(host: Host) -> Library:
    """The deployment's shards."""
    from ..retrievers import searcher_of as librarian_of

    return librarian_of(host)


def refusals_of(library: Library) -> list[str]:
    """Which shards are not searched, in words."""
    refused = library.refused if isinstance(library, Refusing) else ()
    return [f"{getattr(each, 'place', '')}: {getattr(each, 'reason', '')}" for each in refused]


def passages_of(hits: Iterable[Hit], kind: Kind) -> list[Passage]:
    """The hits as passages, in their order. One that is none (no text, no number as its score) is left out."""
    return [made for hit in hits if (made := _passage(hit, kind)) is not None]


def _passage(hit: Hit, kind: Kind) -> Passage | None:
    metadata, score = hit.get("metadata"), _number(hit.get("score"))
    if not hasattr(metadata, "get") or score is None:
        return None
    assert metadata is not None  # noqa: S101 - for the type checker
    text, identity = metadata.get("text"), metadata.get("id")
    if not isinstance(text, str) or not text.strip() or not isinstance(identity, str):
        return None
    cosine = _number(hit["cosine"]) if "cosine" in hit else score if -1.001 <= score <= 1.001 else None
    named = {
        name: value if isinstance(value := metadata.get(name), str) else ""
        for name in ("title", "heading", "url", "license")
    }
    shard = hit.get("shard")
    return Passage(
        id=identity,
        kind=kind,
        text=text,
        score=score,
        cosine=cosine,
        shard=shard if isinstance(shard, str) else "",
        flags=flags("\n".join((named["title"], named["heading"], text))),
        **named,
    )


def _number(value: object) -> float | None:
    try:
        number = float(value)  # type: ignore[arg-type]  # numpy's as well
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
