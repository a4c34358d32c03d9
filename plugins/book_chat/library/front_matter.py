"""What a book says of itself: who wrote it, for whom it is, how it is arranged, what its readers need and learn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from llama_index.core.schema import TextNode

from ragstone.core.answering import Overview
from ragstone.core.text import WORKS, Kind, one_line, quoted_title, shown_title, stems

from .books import Book
from .headings import path_of
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
#: By what is asked for: the headings under which a book says it, and the sentences that say it elsewhere, where
#: "WORK" stands for "this book" or its title.
_SAYS = {
    "audience": (
        (
            r"(?:(?:target|intended) )?(?:audience|readers(?:hip)?)|who (?:this|the) .{1,40} is for"
            r"|who (?:is this .{1,40} for|should read .{1,40})|is this .{1,40} for (?:you|me)"
        ),
        (
            r"WORK (?:is|was) (?:\w+ )?(?:intended|written|meant|designed|aimed|suitable|made) (?:for|at)"
            r" (?-i:(?![A-Z]))"
            r"|(?:target|intended) (?:audience|readers?)\b"
            r"|WORK (?:\w+ ){0,2}(?:describes?|explains?|introduces?|teach(?:es)?|shows?)\b[^.]{0,80}\b(?:to|for)"
            r" (?:[\w-]+ ){0,3}(?:users|developers|readers|students|beginners|newcomers|programmers|engineers"
            r"|administrators|teachers|players|people)\b"
        ),
    ),
    "plan": (
        (
            r"how to (?:use|read) (?:this|the) .{1,40}|using this .{1,40}|how (?:this|the) .{1,40} is organi[sz]ed"
            r"|(?:(?:book|course|document) )?(?:organi[sz]ation|structure)(?: of .{1,40})?"
        ),
        r"WORK is (?:organi[sz]ed|structured|arranged|divided)\b",
    ),
    "prerequisites": (
        r"prerequisites?|what you (?:need|should know).{0,40}|before you (?:start|begin)|assumed knowledge",
        (
            r"WORK (?:assumes|requires|expects|presupposes)\b|prerequisites?\b"
            r"|(?:readers?|you) (?:should|must|need to) (?:already )?(?:know|have|be familiar)\b"
        ),
    ),
    "goals": (
        r"what you(?:['’]ll| will) learn|(?:(?:learning|course|book) )?(?:objectives|outcomes|goals|aims)",
        r"(?:in|with|from|after reading) WORK,? you(?:['’]ll| will)\b|WORK (?:will )?(?:teach|show)(?:es|s)?\b",
    ),
    "authors": (
        r"(?:about )?(?:the )?(?:authors?|editors?|contributors?)",
        r"WORK (?:was|is|has been) (?:written|edited|compiled) by\b",
    ),
}
_KINDS: frozenset[Kind] = frozenset({"explanation", "objective"})
#: Chunks of a book among which its front matter is.
_FRONT = 40


def front_matter(wanted: str, nodes: Sequence[TextNode], title: str) -> Overview | None:
    """What the book with these chunks says under the first heading for it, else in its first such sentences; ``None``
    where it says nothing, and for what books do not say of themselves."""
    if wanted not in _SAYS:
        return None
    heading, sentence = _SAYS[wanted]
    under = [node for node in nodes if re.fullmatch(rf"[\W\d]*(?:{heading})\W*", path_of(node)[-1], re.IGNORECASE)]
    found = Overview("", under[:1], kinds=_KINDS)
    if any(found.sentences()):
        return found
    work = rf"(?:(?:this|the) {WORKS}|{re.escape(title)})"
    says = re.compile(rf"\b(?:{sentence.replace('WORK', work)})", re.IGNORECASE)
    found = Overview("", [node for node in nodes[:_FRONT] if says.search(node.text)][:1], says, _KINDS)
    return found if any(says.search(each.text) for each in found.sentences()) else None


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
