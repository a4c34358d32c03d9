"""Who wrote a book: the authors that its files name, else the names on its title page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragstone.core.answering import Overview
from ragstone.core.text import WORKS, one_line, quoted_title, shown_title, stems

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode

    from .books import Book
    from .shelf import Shelf

#: "Who wrote this book?"; "the report" may be one that the book tells of.
ASKS_AUTHORS = re.compile(
    rf"\b(?:who (?:wrote|has written)|(?:authors?|editors?|writers?) of) (?:this|your) {WORKS}\W*$"
    rf"|\bwho (?:is|was) (?:this|your) {WORKS} (?:written )?by\W*$"
    r"|^\W*who (?:is|are|was|were) the (?:authors?|editors?)\W*$",
    re.IGNORECASE,
)
#: Characters of an author's name, and of a title page; names that are given.
_LONGEST_NAME, _LONGEST_PAGE, _MOST_NAMES = 100, 600, 15
_PART = re.compile(r"\s*(?:\n|\s·\s|\||;|,| and | & )\s*")
_BY = re.compile(r"^(?:(?:written |edited )?by|authors?:|editors?:)\s+", re.IGNORECASE)
#: Behind a name: an address.
_ADDRESS = re.compile(r"\s*(?:[<(\[]|\S+@).*$")
_NAME = re.compile(r"[A-Z][\w’'-]+(?: (?:[A-Z]\.|de|van|von|der|[A-Z][\w’'-]+)){0,3} [A-Z][\w’'-]+")
_NO_NAME = re.compile(
    r"\b(?:universit\w+|institute?|press|department|school|college|laborator\w+|systems?|inc|foundation|society|company"
    r"|edition|version|volume|part|chapter|preface|introduction|contents|abstract|draft|january|february|march|april|may"
    r"|june|july|august|september|october|november|december)\b|" + rf"\b{WORKS}\b",
    re.IGNORECASE,
)


def written_by(shelf: Shelf, book: Book, nodes: Sequence[TextNode]) -> Overview | None:
    """The authors that the book's files or its configuration name, else the names on the page of ``nodes``, the
    book's chunks, that comes first; ``None`` where there are none."""
    documents = shelf.corpus.contents.documents(f"{book.slug}:")
    named = (one_line(str(name), _LONGEST_NAME) for each in documents for name in each.metadata.get("authors", ()))
    authors = list(dict.fromkeys(filter(None, named)))
    if authors:
        return Overview(f"{quoted_title(book.title)} is by {_joined(authors)}.", ())
    on_page = list(dict.fromkeys(_names_on(nodes[0].text, book.title))) if nodes else []
    return Overview(f"The first page of {quoted_title(book.title)} names {_joined(on_page)}.", ()) if on_page else None


def _joined(names: Sequence[str]) -> str:
    *others, last = map(shown_title, names[:_MOST_NAMES])
    return f"{', '.join(others)} and {last}" if others else last


def _names_on(page: str, title: str) -> Iterator[str]:
    """The parts of a title page that are nothing but a name, and have no word of the book's title."""
    for part in _PART.split(page) if len(page) <= _LONGEST_PAGE else ():
        name = _ADDRESS.sub("", _BY.sub("", part))
        if _NAME.fullmatch(name) and not _NO_NAME.search(name) and set(stems(title)).isdisjoint(stems(name)):
            yield name
