"""Questions about a book or a chapter as a whole: the titles of its parts, and what its own words say of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from ragstone.core.answering import Overview
from ragstone.core.text import section_kind

from .library.editions import older_editions
from .markdown.characters import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from llama_index.core.schema import TextNode

    from .library.shelf import Book, Shelf

_WHOLE = r"(?:this|the|that|your)(?: \w+)? (?:book|text|textbook|manual|guide|course|tutorial)"
_BOOK = re.compile(
    rf"\bwhat(?:'s|’s| is| are)? {_WHOLE}(?: is)? (?:all )?about\b"
    rf"|\bwhat (?:does|do) {_WHOLE} (?:cover|teach|contain)\b"
    rf"|\b(?:summari[sz]e|summary of|overview of|outline of|describe) {_WHOLE}\W*$|\btable of contents\b"
    r"|\b(?:what|which|list the) (?:topics|chapters)\b(?!.*\bchapter \d)",
    re.IGNORECASE,
)
_CHAPTER = re.compile(
    r"(?:\b(?:summari[sz]e|summary of|overview of|outline of)\s+(?:the )?chapter\s+(\d{1,3})\b"
    r"|\bwhat(?:'s|’s| is| does)\s+(?:the )?chapter\s+(\d{1,3})\b.{0,20}\b(?:about|cover|say|teach|discuss|explain)\b)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^\W*(?:chapter\s+)?(\d{1,3})\b", re.IGNORECASE)
_SUMMARY = re.compile(r"\b(?:summary|key takeaways?|conclusions?|recap|in short|key points?)\b", re.IGNORECASE)
#: Titles of front matter, and of what a chapter's exercises and demonstrations stand under.
_NO_CHAPTER = re.compile(
    r"^\W*(?:preface|foreword|acknowledg\w+|about|copyright|dedication)\b|\b(?:exercises|demo)\b", re.I
)
#: Titles that are listed.
_MOST_LISTED = 15
#: Words of a passage that explains; a shorter one is a heading with a line.
_EXPLAINING = 25


def overview(shelf: Shelf, question: str, filters: Mapping[str, str]) -> Overview | None:
    """What tells of the book, or of one chapter, where the question asks for that; ``None`` otherwise, and where it is
    not clear which book is meant."""
    chapter = _CHAPTER.search(question)
    if not chapter and not _BOOK.search(question):
        return None
    book = _asked_book(shelf, filters)
    if book is None:
        return None
    nodes = shelf.corpus.contents.find(MetadataFilters(filters=[MetadataFilter(key="book", value=book.slug)]))
    chapters = list(dict.fromkeys(str(node.metadata["chapter"]) for node in nodes))
    if not chapter:
        return Overview(_listed(f"“{book.title}” has", "chapter", chapters), _openings(nodes)[:2])
    title = _numbered(chapters, int(chapter[1] or chapter[2]))
    if title is None:
        return None
    own = [node for node in nodes if node.metadata["chapter"] == title]
    tops = dict.fromkeys(str(node.metadata["section"] or "").partition(SEPARATOR)[0] for node in own)
    sections = [top for top in tops if top and top != title and section_kind(top) is None]
    summaries = [node for node in own if _SUMMARY.search(str(node.metadata["section"]))]
    return Overview(_listed(f"“{title}” has", "section", sections), [*_openings(own)[:1], *summaries[:2]])


def _asked_book(shelf: Shelf, filters: Mapping[str, str]) -> Book | None:
    if "book" in filters:
        return shelf.book(filters["book"])
    older = older_editions(shelf.books())
    newest = [book for book in shelf.books() if book not in older]
    return newest[0] if len(newest) == 1 else None


def _numbered(chapters: Sequence[str], number: int) -> str | None:
    """The chapter with that number in its title, else the one at that place behind the front matter."""
    own = [chapter for chapter in chapters if not _NO_CHAPTER.search(chapter)]
    by_title = {int(found[1]): chapter for chapter in reversed(own) if (found := _NUMBER.match(chapter))}
    if by_title:
        return by_title.get(number)
    return own[number - 1] if 0 < number <= len(own) else None


def _openings(nodes: Sequence[TextNode]) -> list[TextNode]:
    """The first passages that hold running text."""
    return [node for node in nodes if node.metadata["content_type"] == "text" and len(node.text.split()) > _EXPLAINING]


def _listed(start: str, what: str, titles: Sequence[str]) -> str:
    named = "; ".join(titles[:_MOST_LISTED])
    more = f"; and {len(titles) - _MOST_LISTED} more" if len(titles) > _MOST_LISTED else ""
    if not titles:
        return f"{start} no {what}s with titles."
    return f"{start} {len(titles)} {what}{'s' if len(titles) > 1 else ''}: {named}{more}."
