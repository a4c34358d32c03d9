"""An answer's citations as a list at its end, for clients that show nothing but text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import urljoin

from ragstone.core import Citation
from ragstone.core.text import one_line

#: Begins the list. In the history of a conversation an earlier answer is cut here: the list is no part of it.
SOURCES = "\n\nSources:\n"


def source_list(citations: Iterable[Citation], base: str | None = None) -> str:
    """Return the citations one a line, after ``SOURCES``; an empty text for none.

    ``base``: address of this server, which makes its own pages' addresses whole; without one they are left out.
    """
    lines = [_line(citation, base) for citation in citations]
    return SOURCES + "\n".join(lines) if lines else ""


def without_sources(text: str) -> str:
    """Return an earlier answer without the list at its end."""
    return text.rpartition(SOURCES)[0] or text


def url_citations(text: str, citations: Iterable[Citation], base: str) -> list[dict[str, Any]]:
    """Return the citations as OpenAI writes them, in their order; each is at its first marker in ``text``."""
    found = []
    for citation in citations:
        marker = f"[{citation.n}]"
        start = max(text.find(marker), 0)
        title = " · ".join(_path(citation)) or citation.chunk_id
        place = {"start_index": start, "end_index": start + len(marker)}
        url = {**place, "title": title, "url": urljoin(base, citation.url)}
        found.append({"type": "url_citation", "url_citation": url})
    return found


def _path(citation: Citation) -> list[str]:
    return list(dict.fromkeys(one_line(part) for part in citation.place.path))


def _line(citation: Citation, base: str | None) -> str:
    parts = _path(citation)
    if citation.url.startswith(("https://", "http://")):
        parts.append(citation.url)
    elif base is not None:
        parts.append(urljoin(base, citation.url))
    kept = list(dict.fromkeys(parts)) or [citation.chunk_id]
    note = f" ({citation.note})" if citation.note else ""
    return f"[{citation.n}] {' · '.join(kept)}{note}"
