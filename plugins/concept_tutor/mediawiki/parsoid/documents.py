"""A page's HTML to a LlamaIndex ``Document`` that knows where its sections are."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime  # noqa: TC003 - pydantic and callers read it
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from ragstone.core import SourceError, require_extra

from .pool import Failed, Limits, PageWorkers

if TYPE_CHECKING:
    from .pool import Reason
    from .records import Page, Section

#: Of a document's metadata: where its sections are, for the node parser; see ``section_entry``.
SECTIONS = "sections"
SEPARATOR = " › "
_NAMESPACE = uuid.UUID("0b3c8c0e-6a3d-5d3f-9a55-4c8e5b7a1d42")
_SAFE = "!$&'()*+,;=:@/-._~"
_HINTS: dict[str, str] = {
    "too_deep": "no wiki nests like this; leave the page out",
    "too_large": "raise the memory or the size that one page may have, or leave it out",
    "timeout": "raise the seconds that one page may take, or leave it out",
}


class UnreadablePage(SourceError):
    """A page's HTML gave no text; ``reason`` is one word for why."""

    def __init__(self, url: str, failed: Failed) -> None:
        self.reason: Reason = failed.reason
        super().__init__(
            f"the page {failed.detail or 'cannot be read'} ({failed.reason})",
            where=url,
            hint=_HINTS.get(failed.reason, "look at the page in a browser; leave it out if it is like this there"),
        )


@dataclass(frozen=True)
class PageFacts:
    """What is known of a page beside its HTML, from whoever fetched it; none of it is ever taken from the content."""

    title: str
    #: What the page's key is put behind: ``https://en.wikipedia.org/wiki/``.
    base_url: str
    revision: str
    licence: str
    retrieved_at: datetime
    #: Empty where the page itself is to say it.
    language: str = ""
    #: The page's name in addresses; the title with underscores where not given.
    key: str = ""

    def url(self, anchor: str = "") -> str:
        """The page's canonical address, with the section's anchor."""
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise SourceError(f"{self.base_url!r} is no address of a wiki", hint="give one with http or https")
        page = f"{self.base_url.rstrip('/')}/{quote((self.key or self.title).replace(' ', '_'), safe=_SAFE)}"
        return f"{page}#{quote(anchor, safe=_SAFE)}" if anchor else page


class ParsoidReader(BaseReader):
    """Reads the HTML of a wiki's REST interface, in worker processes that can be killed.

    Raises ``MissingExtra`` without lxml. ``close`` ends the worker processes.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        require_extra("tutor", "lxml")
        self.readers = PageWorkers(limits or Limits())

    def load_data(self, html: bytes, facts: PageFacts) -> list[Document]:
        """The page as one document; none where nothing in it is text. Raises ``UnreadablePage``."""
        page = self.read(html, facts.url(), facts.language)
        return [document_of(page, facts)] if page.sections else []

    def read(self, html: bytes, url: str, language: str) -> Page:
        """The page's sections and links. Raises ``UnreadablePage``."""
        try:
            return self.readers.read(html, language)
        except Failed as failed:
            raise UnreadablePage(url, failed) from failed

    def close(self) -> None:
        """End the worker processes; a page that is read later starts one for itself."""
        self.readers.close()


def document_of(page: Page, facts: PageFacts) -> Document:
    """The sections one after another under their headings, as Markdown."""
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
    language = facts.language or page.language
    return Document(
        id_=str(uuid.uuid5(_NAMESPACE, f"{facts.url()}\n{facts.revision or page.revision}")),
        text="".join(parts).rstrip(),
        metadata={
            "page_title": facts.title,
            "url": facts.url(),
            "urls": {entry["anchor"]: facts.url(entry["anchor"]) for entry in entries},
            "revision": facts.revision or page.revision,
            "licence": facts.licence,
            "retrieved_at": facts.retrieved_at.isoformat(),
            "language": language,
            "direction": page.direction,
            "dropped": dict(page.dropped),
            SECTIONS: entries,
        },
    )


def _entry(section: Section, start: int) -> dict[str, Any]:
    """The section as the node parser wants it: ``blocks`` are ``[kind, start, end]`` in the document's text."""
    blocks: list[list[str | int]] = []
    for block in section.blocks:
        blocks.append([block.kind, start, start + len(block.text)])
        start += len(block.text) + 2
    return {"path": list(section.path), "anchor": section.anchor, "number": section.number, "blocks": blocks}
