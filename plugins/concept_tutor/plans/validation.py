"""Validates a plan before it is stored."""

from __future__ import annotations

import re
from collections import Counter

from ragstone.core import BadRequest, TooLarge

from .graph import break_cycles
from .records import NewPlan

#: What a plan may hold, so that one hostile file cannot fill the disk or the page.
MOST_CONCEPTS = 2_000
MOST_EDGES = 20_000
LONGEST_NAME = 200
LONGEST_WORDS = 4_000
#: Of a plan's slug and of a concept's key.
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LONGEST_SLUG = 80


def check(new: NewPlan) -> None:
    """Raise ``BadRequest`` or ``TooLarge`` where a plan is none."""
    _slug(new.slug, "a plan's slug")
    _words(new.title, "a plan's title", LONGEST_NAME, needed=True)
    for what in (new.description, new.language, new.origin):
        _words(what, "a description, language or origin", LONGEST_WORDS)
    if not new.concepts:
        raise BadRequest("a plan has one concept or more", where=new.slug)
    if len(new.concepts) > MOST_CONCEPTS or len(new.edges) > MOST_EDGES:
        raise TooLarge(f"a plan has at most {MOST_CONCEPTS} concepts and {MOST_EDGES} prerequisites", where=new.slug)
    for one in new.concepts:
        _slug(one.key, "a concept's key")
        _words(one.name, "a concept's name", LONGEST_NAME, needed=True)
        _words(one.summary, "a concept's summary", LONGEST_WORDS)
    keys = [one.key for one in new.concepts]
    if twice := [key for key, count in Counter(keys).items() if count > 1]:
        raise BadRequest(f"two concepts have the key {twice[0]!r}", where=new.slug)
    pairs = Counter((edge.prerequisite, edge.concept) for edge in new.edges)
    for (before, after), count in pairs.items():
        if before not in keys or after not in keys:
            raise BadRequest(f"{(after if before in keys else before)!r} is no concept of the plan", where=new.slug)
        if count > 1:
            raise BadRequest(f"{before!r} is named twice as a prerequisite of {after!r}", where=new.slug)
    for edge in new.edges:
        _words(edge.reason, "a prerequisite's reason", LONGEST_WORDS)
        if not 0 < edge.weight <= 1:
            raise BadRequest("a prerequisite's weight is above 0 and not above 1", where=new.slug)
    if circles := break_cycles(keys, new.edges)[1]:
        raise BadRequest(
            f"each of these is to be learned before the next: {', '.join(circles[0].keys)}", where=new.slug
        )


def _slug(value: str, what: str) -> None:
    if not SLUG.fullmatch(value) or len(value) > LONGEST_SLUG:
        raise BadRequest(f"{value[:80]!r} cannot be {what}", hint="use a-z, 0-9 and - between them")


def _words(value: str, what: str, longest: int, *, needed: bool = False) -> None:
    if needed and not value.strip():
        raise BadRequest(f"{what} is empty")
    if len(value) > longest:
        raise TooLarge(f"{what} has more than {longest} characters")
    if any(ord(letter) < 32 and letter not in "\t\n\r" for letter in value):
        raise BadRequest(f"{what} holds a control character")
