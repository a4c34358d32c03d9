"""Questions about a book or a chapter as a whole: the titles of its parts, and what its own words say of it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ragstone.core.answering import Overview
from ragstone.core.text import WORKS, quoted_title, section_kind, stems

from .library.authors import written_by
from .library.chapters import nodes_in_order
from .library.editions import newest_editions
from .library.enumerations import asks_for_parts, enumerated
from .library.front_matter import front_matter
from .library.headings import NUMBERED, PARTS, chapter_with_number, exercises, list_titles, path_of, places_of
from .overview_questions import OverviewQuestion, overview_question

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from llama_index.core.schema import TextNode

    from .library.books import Book
    from .library.shelf import Shelf

#: A sentence that says what a work or a part of it covers.
_COVERS = re.compile(
    rf"\b(?:(?:this|our|these) (?:[\w-]+ ){{0,2}}(?:{WORKS}|{PARTS}|resource)s?|(?<!rest of )the {WORKS})\b"
    r"[^.!?]{0,80}?\b(?:"
    r"covers?|introduc\w+|describes?|explains?|is about|is (?:designed|intended|meant|written) (?:for|to)|provides?"
    r"|outlines?|presents?"
    r"|discuss\w*|defines?|explores?|aims?|specifies|deals? with|examines?"
    r"|look(?:s|ing)? at|will (?:\w+ )?(?:teach|show|learn|see|give|take|guide|walk))\b"
    rf"|\bthis is an? (?:[\w-]+ ){{0,3}}{WORKS} (?:about|on|for)\b",
    re.IGNORECASE,
)
#: Headings of notices, which are about a publisher, authors or rights.
_NOTICE = re.compile(
    r"^\W*(?:about (?!th(?:is|e) |our )|copyright|licen[cs]\w*|acknowledg\w+|dedication|errata|customization|cover"
    r"|contributors|reviewers|authors?|senior|to the student$)|\blicen[cs]e$",
    re.IGNORECASE,
)
_SUMMARY = re.compile(r"\b(?:summary|key takeaways?|conclusions?|recap|in short|key points?)\b", re.IGNORECASE)
#: Titles of what belongs to a chapter, and is none.
_EXERCISES = re.compile(r"\b(?:exercises|exercise sheet|demo|quiz|solutions)\b", re.IGNORECASE)
#: Chunks among which an opening is looked for; words of a heading beside those that name it.
_FIRST = 8
_MOST_OTHERS = 3
_OTHERS_OF_TOPIC = 2
#: Words of a chunk that explains; a shorter one is a heading with a line.
_EXPLAINING = 25


def overview(shelf: Shelf, question: str, filters: Mapping[str, str]) -> Overview | None:
    """What summarizes the book, or one part of it, where the question asks for that; an empty one where the book does
    not say it or has no such part; ``None`` for other questions, and where it is not clear which book is meant."""
    asked = overview_question(question)
    parts = frozenset() if asked else asks_for_parts(question)
    if not (asked or parts):
        return None
    book = _asked_book(shelf, filters)
    if book is None:
        titles = [quoted_title(each.title) for each in shelf.books()]
        if len(titles) < 2 or asked is None or not (asked.part == "chapter" or asked.is_of_whole):
            return None
        return Overview(f"{list_titles('The shelf has', 'book', titles)} Choose one to ask about it.", ())
    return enumerated(shelf, book.slug, parts) if asked is None else _of_book(shelf, book, asked)


def _of_book(shelf: Shelf, book: Book, asked: OverviewQuestion) -> Overview | None:
    nodes = nodes_in_order(shelf.corpus, book.slug)
    if asked.wanted == "authors" and (found := written_by(shelf, book, nodes)):
        return found
    if asked.wanted == "exercises":
        return exercises(nodes, int(asked.number))
    if asked.wanted == "places":
        return places_of(nodes, book.title, asked.name)
    if found := front_matter(asked.wanted, nodes, book.title):
        return found
    chapters = list(dict.fromkeys(str(node.metadata["chapter"]) for node in nodes))
    if not asked.is_of_whole:
        title = _title_of(asked, chapters, nodes)
        missing = Overview("", ()) if asked.number else None
        return _of_part(title, asked, nodes) if title else missing
    if asked.wanted in {"audience", "prerequisites", "authors"}:
        return Overview("", ())
    if asked.wanted == "title":
        return Overview(f"The title is {quoted_title(book.title)}.", ())
    listed = [each for each in chapters if each != book.title and not _EXERCISES.search(each)] or chapters
    summary = Overview("", () if asked.wanted == "parts" else _openings(nodes)[:2], _COVERS)
    if len(listed) == 1 and any(summary.sentences()):
        return summary
    return replace(summary, introduction=list_titles(f"{quoted_title(book.title)} has", "chapter", listed))


def _title_of(asked: OverviewQuestion, chapters: Sequence[str], nodes: Sequence[TextNode]) -> str | None:
    """The title of the part that is asked for."""
    if asked.number == "last" and asked.part != "chapter":
        return path_of(nodes[-1])[-1]
    if asked.number == "last":
        return next((each for each in reversed(chapters) if not _EXERCISES.search(each)), None)
    if asked.part == "chapter" and asked.number.isdecimal():
        return chapter_with_number(chapters, int(asked.number))
    headings = list(dict.fromkeys([*chapters, *(title for node in nodes for title in path_of(node))]))
    # Chunks that are about a topic say more than a section that only touches it.
    most = _OTHERS_OF_TOPIC if asked.wanted == "topic" else _MOST_OTHERS
    name = asked.number or asked.name
    is_of_chapter = asked.wanted == "topic" or asked.part == "chapter"
    return (_named(chapters, name, most) if is_of_chapter else None) or _named(headings, name, most)


def _of_part(title: str, asked: OverviewQuestion, nodes: Sequence[TextNode]) -> Overview | None:
    """What the part with that title is about: its sections, its opening, and its summary."""
    if asked.wanted == "title":
        has_number = asked.number == "last" or NUMBERED.match(title)
        shown = quoted_title(title)
        return Overview(f"{shown}." if has_number else f"{asked.part.capitalize()} {asked.number} is {shown}.", ())
    own = [node for node in nodes if title in path_of(node)]
    paths = (path_of(node) for node in own)
    tops = dict.fromkeys(next(iter(path[path.index(title) + 1 :]), "") for path in paths)
    sections = [top for top in tops if top and top != title and section_kind(top) in {None, "procedure"}]
    introduction = (
        ""
        if asked.wanted == "topic" and not sections
        else list_titles(f"{quoted_title(title)} has", "section", sections)
    )
    if asked.wanted == "parts":
        return Overview(introduction, ())
    summaries = [node for node in own if _SUMMARY.search(str(node.metadata["section"]))]
    found = Overview(introduction, [*_openings(own)[:1], *summaries[:2]], _COVERS)
    return found if introduction or any(found.sentences()) else None


def _asked_book(shelf: Shelf, filters: Mapping[str, str]) -> Book | None:
    if "book" in filters:
        return shelf.book(filters["book"])
    newest = newest_editions(shelf.books())
    return newest[0] if len(newest) == 1 else None


def _named(headings: Sequence[str], name: str, most: int) -> str | None:
    """The first heading with that number ("3.2", "B"), else with these words and the fewest others, at most so many."""
    if re.fullmatch(r"\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})*", name):
        numbered = re.compile(rf"\W*(?:{PARTS}\s+)?{re.escape(name)}(?![.\d]*\d)\b", re.IGNORECASE)
        return next((title for title in headings if numbered.match(title)), None)
    wanted = set(stems(name))
    words = [set(stems(NUMBERED.sub("", title))) for title in headings]
    others = [len(each - wanted) if wanted <= each else most + 1 for each in words]
    best = min(range(len(headings)), key=others.__getitem__, default=None)
    return headings[best] if wanted and best is not None and others[best] <= most else None


def _openings(nodes: Sequence[TextNode]) -> list[TextNode]:
    """The first chunks that hold running text: of the very first ones those that say what the whole covers."""
    found = [
        node
        for node in nodes
        if node.metadata["content_type"] == "text"
        and len(node.text.split()) > _EXPLAINING
        and not any(_NOTICE.search(title) for title in path_of(node))
    ]
    return [node for node in found[:_FIRST] if _COVERS.search(node.text)] or found
