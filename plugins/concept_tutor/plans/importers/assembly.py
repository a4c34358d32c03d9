"""Makes a plan for the store of what was read: assigns keys, resolves prerequisites, breaks cycles."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, count

from ragstone.core import BadRequest, TooLarge

from ..graph import Cycle, break_cycles
from ..records import Edge, NewChunk, NewConcept, NewPlan
from ..validation import LONGEST_SLUG, MOST_CONCEPTS, MOST_EDGES
from .schema import ConceptSchema, PlanSchema, SourceSchema

_LONGEST = 60


@dataclass(frozen=True)
class ImportedPlan:
    """A plan that can be stored, the chunks that came with it by its concepts' keys, and the cycles that it had."""

    plan: NewPlan
    sources: dict[str, tuple[NewChunk, ...]]
    dropped: tuple[Cycle, ...] = ()
    #: Prerequisites that are no concepts of the plan, where the file is a part of a larger collection.
    left_out: tuple[str, ...] = ()


def assemble(
    schema: PlanSchema,
    *,
    title: str = "",
    origin: str = "",
    where: Callable[[int], str] = lambda at: f"concepts[{at}]",
    is_part: bool = False,
) -> ImportedPlan:
    """The plan that the schema describes; ``title`` in the place of its own, ``origin`` where it has none.

    ``where``: the place of the concept of that number, for errors. ``is_part``: of a larger collection, of which it may
    name prerequisites that it has not. Raises ``BadRequest``.
    """
    title = title or schema.title
    if not title.strip():
        raise BadRequest("the plan has no title", hint="give it one, with --title on the command line")
    if len(schema.concepts) > MOST_CONCEPTS or sum(len(one.needs) for one in schema.concepts) > MOST_EDGES:
        raise TooLarge(f"a plan has at most {MOST_CONCEPTS} concepts and {MOST_EDGES} prerequisites")
    keys = _keys(schema.concepts, where)
    found = _by_name(schema.concepts, keys)
    keyed = dict(zip(keys, schema.concepts, strict=True))
    edges: dict[tuple[str, str], Edge] = {}
    left_out: dict[str, None] = {}
    for at, (key, concept) in enumerate(keyed.items()):
        for need in concept.needs:
            before = found.get(need.concept) or found.get(_plain(need.concept))
            if before is None and is_part:
                left_out.setdefault(need.concept)
            elif before is None:
                raise BadRequest(
                    f"{concept.name!r} needs {need.concept!r}, which is no concept of the plan",
                    where=where(at),
                    hint="name it by its key or its name, or add it",
                )
            else:
                edges.setdefault((before, key), Edge(before, key, need.reason, need.weight))
    kept, circles = break_cycles(keys, edges.values())
    plan = NewPlan(
        slug=schema.slug or slug_of(title, "plan"),
        title=" ".join(title.split()),
        concepts=tuple(NewConcept(key, one.name, one.summary) for key, one in keyed.items()),
        edges=kept,
        description=schema.description,
        language=schema.language,
        origin=schema.origin or origin,
    )
    return ImportedPlan(
        plan,
        {key: tuple(_chunk(source) for source in one.sources) for key, one in keyed.items() if one.sources},
        circles,
        tuple(left_out),
    )


def slug_of(words: str, otherwise: str) -> str:
    """A name for addresses made of words; ``otherwise`` where no letter of them is allowed there."""
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().casefold()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST].strip("-") or otherwise


def free_slug(slug: str, taken: Collection[str]) -> str:
    """The slug, with a number behind it where it is taken."""
    numbered = (f"{slug[: LONGEST_SLUG - 4].rstrip('-')}-{number}" for number in count(2))
    return next(one for one in chain([slug], numbered) if one not in taken)


def _keys(concepts: Sequence[ConceptSchema], where: Callable[[int], str]) -> list[str]:
    """Each concept's own key, or a unique one of its name. Raises ``BadRequest`` for a concept twice."""
    own = {one.key for one in concepts if one.key}
    seen: dict[str, int] = {}
    taken, made = set(own), list[str]()
    for at, one in enumerate(concepts):
        first = seen.setdefault(one.key or _plain(one.name), at)
        if first != at:
            raise BadRequest(
                f"{one.key or one.name!r} is there twice", where=where(at), hint=f"first at {where(first)}"
            )
        made.append(one.key or free_slug(slug_of(one.name, f"concept-{at + 1}"), taken))
        taken.add(made[-1])
    return made


def _by_name(concepts: Sequence[ConceptSchema], keys: Sequence[str]) -> dict[str, str]:
    """Keys by keys and by names; what is a key of one and the name of another is the key."""
    found = {_plain(one.name): key for one, key in zip(reversed(concepts), reversed(keys), strict=True)}
    return found | {key: key for key in keys}


def _plain(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _chunk(source: SourceSchema) -> NewChunk:
    facts = source.model_dump(exclude={"url", "retrieved"})
    when = source.retrieved or datetime.now(UTC)
    when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    return NewChunk(page_url=source.url, retrieved=when, **facts)
