"""Where a passage can be opened. Addresses come from the store alone."""

from __future__ import annotations

from urllib.parse import urlsplit

PAGES = "/concept_tutor"


def kept_copy(chunk_id: str) -> str:
    """Our own page of a passage: it is there without a network, too."""
    return f"{PAGES}/source/{chunk_id}"


def page_of(page_url: str, chunk_id: str) -> str:
    """The page that a passage was taken from, where it is one of the web; else our own page of the passage."""
    try:
        parts = urlsplit(page_url)
        fine = parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        fine = False
    if fine and page_url.isprintable() and "\\" not in page_url:
        return page_url
    return kept_copy(chunk_id)
