"""The addresses at which a passage can be opened. They come from the store alone."""

from __future__ import annotations

from urllib.parse import urlsplit

PAGES = "/concept_tutor"
#: Where our own pages of passages are.
PASSAGES = f"{PAGES}/source/"


def stored_copy(chunk_id: str) -> str:
    """The address of our own page of a passage, which needs no network."""
    return f"{PASSAGES}{chunk_id}"


def page_address(page_url: str, chunk_id: str) -> str:
    """The address of the page that a passage was taken from, if it is a web address; else of our own page of it."""
    try:
        parts = urlsplit(page_url)
        fine = parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        fine = False
    if fine and page_url.isprintable() and "\\" not in page_url:
        return page_url
    return stored_copy(chunk_id)
