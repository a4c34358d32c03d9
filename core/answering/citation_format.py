"""How an assistant's chunks are cited: which metadata a citation has, its address, and what people see of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from llama_index.core.schema import BaseNode


@dataclass(frozen=True)
class Place:
    """Where a chunk is, for people."""

    #: Of its source; empty where it has none.
    title: str = ""
    #: Within the source, from the outside in: chapter, section, page; none is the title again.
    parts: tuple[str, ...] = ()
    licence: str = ""
    tags: tuple[str, ...] = ()
    #: Whether its address takes the quote that its page's picture marks.
    has_picture: bool = False

    @property
    def path(self) -> tuple[str, ...]:
        """The title and the parts, none of them twice."""
        return tuple(dict.fromkeys(part for part in (self.title, *self.parts) if part))


@dataclass(frozen=True)
class CitationFormat:
    """What the citations of an assistant have, in JSON and for people."""

    #: Metadata of a chunk that its citations have in JSON, in this order.
    fields: tuple[str, ...]
    #: Address of a chunk: a path of this server, or an ``https`` address.
    url: Callable[[BaseNode], str]
    #: The fields that people see, where a chunk has them: the title of its source …
    title: str = "title"
    #: … the way to the chunk within it, from the outside in …
    parts: tuple[str, ...] = ("chapter", "section", "heading", "place")
    #: … the label of its page, the licence …
    page: str = "page_label"
    licence: str = "licence"
    #: … one that is set where the address shows the page as a picture, in which ``?quote=`` marks these words …
    picture: str = ""
    #: … and tags, each shown where its field is true: ``{"is_draft": "Draft"}``.
    tags: Mapping[str, str] = field(default_factory=dict)
    #: Makes further fields of a citation.
    shown: Callable[[BaseNode], Mapping[str, Any]] = lambda _node: {}

    def fields_of(self, node: BaseNode) -> dict[str, Any]:
        """The fields of a chunk's citation, by name."""
        return {name: node.metadata.get(name) for name in self.fields} | dict(self.shown(node))

    def place(self, fields: Mapping[str, Any]) -> Place:
        """The place of a chunk whose citation has these fields."""
        parts = [str(fields[name]) for name in self.parts if fields.get(name)]
        if fields.get(self.page):
            parts.append(f"p. {fields[self.page]}")
        title = str(fields.get(self.title) or "")
        return Place(
            title=title,
            parts=tuple(part for part in dict.fromkeys(parts) if part != title),
            licence=str(fields.get(self.licence) or ""),
            tags=tuple(tag for name, tag in self.tags.items() if fields.get(name)),
            has_picture=bool(fields.get(self.picture)),
        )
