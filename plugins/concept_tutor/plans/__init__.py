"""Study plans: concepts, which of them to learn before which, and the sources of each.

A chunk can be opened at addresses that come from the store alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from ragstone.core import Corpus, Host

#: The corpus of their chunks, and the kind of its documents.
NAME = "concept_tutor"
KIND = "tutor_passage"
PAGES = "/concept_tutor"
#: Where our own pages of chunks are.
CHUNKS = f"{PAGES}/source/"


def corpus_of(host: Host) -> Corpus:
    """The chunks of all plans. A chunk's id is its ``chunk_id``; its metadata are those of ``corpus.document_of``."""
    return host.corpus(NAME, kind=KIND, hint="ragstone tutor plan add, then ragstone tutor sources PLAN")


def stored_copy(chunk_id: str) -> str:
    """The address of our own page of a chunk, which needs no network."""
    return f"{CHUNKS}{chunk_id}"


def page_address(page_url: str, chunk_id: str) -> str:
    """The address of the page that a chunk was taken from, if it is a web address; else of our own page of it."""
    try:
        parts = urlsplit(page_url)
        fine = parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        fine = False
    if fine and page_url.isprintable() and "\\" not in page_url:
        return page_url
    return stored_copy(chunk_id)
