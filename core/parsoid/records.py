"""A page as the worker process returns it. Standard library only, so that the worker starts quickly."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    """``kind``: "paragraph", "list", "definitions", "table", "code", "quote" or "caption"."""

    kind: str
    text: str


@dataclass(frozen=True)
class Section:
    """The blocks under one heading, without its subsections, which are sections of their own."""

    #: The headings above it, from the main section's on; none for the lead.
    path: tuple[str, ...]
    #: The ``id`` of its heading, as the page has it; empty for the lead.
    anchor: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Link:
    """Another page of the wiki that the prose names: its key, how often, and the number of the first such section."""

    key: str
    count: int
    #: Its place among the page's ``sections``; 0 is the lead, where there is one.
    section: int


@dataclass(frozen=True)
class Page:
    """A page's sections in order."""

    sections: tuple[Section, ...]
    #: ``ltr`` or ``rtl``.
    direction: str = ""
    #: In the order in which they are named first.
    links: tuple[Link, ...] = ()
    #: The names of its categories, without those by which a wiki keeps order among its articles.
    categories: tuple[str, ...] = ()
