"""Editions of one book: which of them is the newest, and what changed from one to the other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ragstone.core import Corpus

from ..markdown.characters import SEPARATOR
from .books import Book
from .files import natural

_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()  # noqa: SIM905
)
_DRAFT = re.compile(r"\b(?:draft|preview|beta|alpha|pre-?release|rc ?\d*)\b", re.IGNORECASE)


@lru_cache(maxsize=8)  # asked for by every question, of the same books
def newest_editions(books: tuple[Book, ...]) -> tuple[Book, ...]:
    """The books without those of which there is a newer edition."""
    newest: dict[str, Book] = {}
    for book in books:
        title = book.title.casefold()
        if title not in newest or edition_order(book.edition) > edition_order(newest[title].edition):
            newest[title] = book
    return tuple(book for book in books if newest[book.title.casefold()] is book)


def edition_order(edition: str) -> tuple[object, ...]:
    """Sorts editions from old to new: "First" before "Second", 2e before 10e, 0.13 before 1.0, a draft before the rest.

    An edition without a number comes before those with one.
    """
    words = edition.casefold()
    for number, ordinal in enumerate(_ORDINALS, start=1):
        words = re.sub(rf"\b{ordinal}\b", str(number), words)
    numbers = tuple(int(found) for found in re.findall(r"\d{1,9}", words))
    return bool(numbers), numbers, not _DRAFT.search(words), natural(words)


@dataclass(frozen=True)
class SectionDiff:
    """Sections of two editions, each as ``chapter › section``, in the order of the book that has them."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: int = 0
    #: (before, after) of sections with the same words under another heading.
    renamed: tuple[tuple[str, str], ...] = ()


def diff(corpus: Corpus, before: Book, after: Book) -> SectionDiff:
    """Which sections changed from one edition to the other, by their words and not by their line breaks."""
    old, new = _sections(corpus, before.slug), _sections(corpus, after.slug)
    gone = [name for name in old if name not in new]
    came = [name for name in new if name not in old]
    renamed = []
    for name in came:
        same = next((other for other in gone if old[other] == new[name]), None)
        if same is not None:
            gone.remove(same)
            renamed.append((same, name))
    moved = {name for _, name in renamed}
    common = [name for name in new if name in old]
    changed = [name for name in common if old[name] != new[name]]
    return SectionDiff(
        added=tuple(name for name in came if name not in moved),
        removed=tuple(gone),
        changed=tuple(changed),
        unchanged=len(common) - len(changed),
        renamed=tuple(renamed),
    )


def _sections(corpus: Corpus, slug: str) -> dict[str, str]:
    """The words of each section; of several with one name, together."""
    found: dict[str, str] = {}
    documents = corpus.contents.documents(f"{slug}:")
    for document in (each.doc_id for each in sorted(documents, key=lambda each: each.metadata.get("position") or 0)):
        text = corpus.contents.document_text(document)
        spans: dict[tuple[int, int], str] = {}
        for node in corpus.contents.document_nodes(document):
            known = node.metadata
            spans[known["section_start"], known["section_end"]] = SEPARATOR.join((known["chapter"], known["section"]))
        for (start, end), name in sorted(spans.items()):
            # Without its heading, which is compared as the name.
            words = re.sub(r"\A\s*#{1,6} .*", "", text[start:end])
            found[name] = " ".join([found.get(name, ""), *words.split()]).strip()
    return found
