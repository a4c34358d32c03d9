"""A page's sections as a LlamaIndex ``Document``, for the node parser ``mediawiki``."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import quote

from llama_index.core.schema import Document

from ragstone.core.parsoid import Page, Section

from ..client.responses import WikiPage

#: Of a document's metadata: the places of its sections, see ``_entry``.
SECTIONS = "sections"
SEPARATOR = " › "
_NAMESPACE = uuid.UUID("0b3c8c0e-6a3d-5d3f-9a55-4c8e5b7a1d42")
_SAFE = "!$&'()*+,;=:@/-._~"


def document_of(page: Page, fetched: WikiPage) -> Document:
    """The sections one after another under their headings, as Markdown.

    Title, addresses, revision and licence are those of ``fetched``, never of the content.
    """
    parts: list[str] = []
    at = 0
    entries: list[dict[str, Any]] = []
    before: tuple[str, ...] = ()
    for section in page.sections:
        heading = "".join(
            f"{'#' * min(level + 1, 6)} {name}\n\n"
            for level, name in enumerate(section.path, start=1)
            if level == len(section.path) or section.path[:level] != before[:level]
        )
        before = section.path
        entries.append(_entry(section, at + len(heading)))
        words = heading + "\n\n".join(block.text for block in section.blocks) + "\n\n"
        parts.append(words)
        at += len(words)
    return Document(
        id_=str(uuid.uuid5(_NAMESPACE, f"{fetched.url}\n{fetched.revision}")),
        text="".join(parts).rstrip(),
        metadata={
            "page_title": fetched.title,
            "url": fetched.url,
            "urls": {
                anchor: f"{fetched.url}#{quote(anchor, safe=_SAFE)}" if anchor else fetched.url
                for anchor in (entry["anchor"] for entry in entries)
            },
            "revision": fetched.revision,
            "licence": fetched.licence,
            "retrieved_at": fetched.retrieved_at.isoformat(),
            "language": fetched.language,
            "direction": page.direction,
            "categories": list(page.categories),
            SECTIONS: entries,
        },
    )


def _entry(section: Section, start: int) -> dict[str, Any]:
    """The section as the node parser reads it: ``blocks`` are ``[kind, start, end]`` in the document's text."""
    blocks: list[list[str | int]] = []
    for block in section.blocks:
        blocks.append([block.kind, start, start + len(block.text)])
        start += len(block.text) + 2
    return {"path": list(section.path), "anchor": section.anchor, "blocks": blocks}
