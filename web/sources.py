"""An answer's citations as a list at its end, for clients that show nothing but text."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin

from ragstone.core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragstone.core import Citation

#: Begins the list. An earlier answer of a conversation that comes back is cut here: sources are nothing that was said.
SOURCES = "\n\nSources:\n"


def source_list(citations: Iterable[Citation], base: str | None = None) -> str:
    """The citations one a line, after ``SOURCES``; nothing for none.

    ``base``: address of this server, which makes its own pages' addresses whole; without one they are left out.
    """
    lines = [_line(citation, base) for citation in citations]
    return SOURCES + "\n".join(lines) if lines else ""


def without_sources(text: str) -> str:
    """An earlier answer as it was before its list was put behind it."""
    return text.rpartition(SOURCES)[0] or text


def _line(citation: Citation, base: str | None) -> str:
    told = [one_line(part) for part in citation.place.path]
    if citation.url.startswith(("https://", "http://")):
        told.append(citation.url)
    elif base is not None:
        told.append(urljoin(base, citation.url))
    kept = list(dict.fromkeys(told)) or [citation.chunk_id]
    note = f" ({citation.note})" if citation.note else ""
    return f"[{citation.n}] {' · '.join(kept)}{note}"
