"""Questions about a book or a chapter as a whole: the titles of its parts, and what its own words say of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from llama_index.core.schema import BaseNode, TextNode

from ragstone.core.answering import Overview
from ragstone.core.text import WORKS, quoted_title, section_kind, stems

from .library.books import Book
from .library.chapters import nodes_in_order, paths_in_order
from .library.editions import newest_editions
from .library.enumerations import asks_for_parts, enumerated
from .library.front_matter import front_matter, written_by
from .library.headings import NUMBERED, PARTS, chapter_with_number, exercises, list_titles, path_of, places_of
from .library.releases import release_asked, releases
from .library.shelf import Shelf
from .overview_questions import OverviewQuestion, overview_question, relative_part

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


def overview(
    shelf: Shelf, question: str, filters: Mapping[str, str], earlier: Callable[[], BaseNode | None]
) -> Overview | None:
    """What summarizes the book, or one part of it, where the question asks for that; an empty one where the book does
    not say it or has no such part; ``None`` for other questions, and where it is not clear which book is meant.

    ``earlier`` gives a chunk of the answer before it, by which "the next chapter" is meant.
    """
    if found := _of_relative_part(shelf, question, earlier):
        return found
    of_release = release_asked(question)
    asked = overview_question(question)
    parts = frozenset() if asked else asks_for_parts(question)
    if not (of_release or asked or parts):
        return None
    book = _asked_book(shelf, filters)
    if of_release and book and (found := releases(nodes_in_order(shelf.corpus, book.slug), of_release)):
        return found
    if not (asked or parts):
        return None
    if book is None:
        titles = [quoted_title(each.title) for each in shelf.books()]
        if len(titles) < 2 or asked is None or not (asked.part == "chapter" or asked.is_of_whole):
            return None
        return Overview(f"{list_titles('The shelf has', 'book', titles)} Choose one to ask about it.", ())
    return enumerated(shelf, book.slug, parts) if asked is None else _of_book(shelf, book, asked)


def _of_relative_part(shelf: Shelf, question: str, earlier: Callable[[], BaseNode | None]) -> Overview | None:
    """What summarizes the part that the question names by the one that the earlier chunk is in, "and the next
    chapter?"; an empty one where there is none; ``None`` for other questions."""
    asked = relative_part(question)
    if asked is None:
        return None
    if (known := earlier()) is None:
        return None if asked.number else Overview("", ())
    nodes = nodes_in_order(shelf.corpus, str(known.metadata["book"]))
    paths = [tuple(path_of(node)) for node in nodes]
    begin = next((path for path, node in zip(paths, nodes, strict=True) if node.node_id == known.node_id), None)
    if begin is None:  # the book has changed meanwhile
        return Overview("", ())
    if asked.number:
        parts = list(dict.fromkeys(path[:2] for path in paths if path[0] == begin[0] and path[1:]))
        at = len(parts) - 1 if asked.number == "last" else int(asked.number) - 1
        if not 0 <= at < len(parts):
            return None
    else:
        depth = None if asked.part in {"section", "part"} else 1
        in_turn = dict.fromkeys(path[:depth] for path in paths)
        parts = [part for part in in_turn if part == begin[:depth] or not _EXERCISES.search(part[0])]
        at = parts.index(begin[:depth]) + asked.step
        if not 0 <= at < len(parts):
            place = "last" if at > 0 else "first"
            return Overview(f"{quoted_title(begin[:depth][-1])} is the {place} {asked.part}.", [known], most=0)
    own = [node for node, path in zip(nodes, paths, strict=True) if path[: len(parts[at])] == parts[at]]
    return _of_part(parts[at][-1], asked, own, nodes)


def _of_book(shelf: Shelf, book: Book, asked: OverviewQuestion) -> Overview | None:
    paths = paths_in_order(shelf.corpus, book.slug)
    chapters = list(dict.fromkeys(path[0] for path in paths))
    title = None if asked.is_of_whole else _title_of(asked, chapters, paths)
    missing = Overview("", ()) if asked.number else None
    if asked.wanted == "topic" and title is None:
        return missing  # before a text is read: many questions name no part of the book
    nodes = nodes_in_order(shelf.corpus, book.slug)
    if asked.wanted == "authors" and (found := written_by(shelf, book, nodes)):
        return found
    if asked.wanted == "exercises":
        return exercises(nodes, int(asked.number))
    if asked.wanted == "places":
        return places_of(nodes, book.title, asked.name)
    if found := front_matter(asked.wanted, nodes, book.title):
        return found
    if not asked.is_of_whole:
        own = [node for node in nodes if title in path_of(node)]
        return _of_part(title, asked, own, nodes) if title else missing
    if asked.wanted in {"audience", "prerequisites", "authors"}:
        return Overview("", ())
    if asked.wanted == "title":
        return Overview(f"The title is {quoted_title(book.title)}.", ())
    listed = [each for each in chapters if each != book.title and not _EXERCISES.search(each)] or chapters
    summary = Overview("", () if asked.wanted == "parts" else _openings(nodes)[:2], _COVERS)
    if len(listed) == 1 and any(summary.sentences()):
        return summary
    return replace(summary, introduction=list_titles(f"{quoted_title(book.title)} has", "chapter", listed))


def _title_of(asked: OverviewQuestion, chapters: Sequence[str], paths: Sequence[Sequence[str]]) -> str | None:
    """The title of the part that is asked for. ``paths``: of the book's chunks, in their order."""
    if asked.number == "last" and asked.part != "chapter":
        return paths[-1][-1]
    if asked.number == "last":
        return next((each for each in reversed(chapters) if not _EXERCISES.search(each)), None)
    if asked.part == "chapter" and asked.number.isdecimal():
        return chapter_with_number(chapters, int(asked.number))
    headings = list(dict.fromkeys([*chapters, *(title for path in paths for title in path)]))
    # Chunks that are about a topic say more than a section that only touches it.
    most = _OTHERS_OF_TOPIC if asked.wanted == "topic" else _MOST_OTHERS
    name = asked.number or asked.name
    is_of_chapter = asked.wanted == "topic" or asked.part == "chapter"
    return (_named(chapters, name, most) if is_of_chapter else None) or _named(headings, name, most)


def _of_part(
    title: str, asked: OverviewQuestion, own: Sequence[TextNode], nodes: Sequence[TextNode]
) -> Overview | None:
    """What the part with that title and its own ``nodes`` of the book is about: its sections, its opening, and its
    summary."""
    if asked.wanted == "title":
        has_number = asked.number in {"", "last"} or NUMBERED.match(title)
        shown = quoted_title(title)
        named = f"{shown}." if has_number else f"{asked.part.capitalize()} {asked.number} is {shown}."
        return Overview(named, own[:1], most=0)
    paths = (path_of(node) for node in own)
    tops = dict.fromkeys(next(iter(path[path.index(title) + 1 :]), "") for path in paths)
    sections = [top for top in tops if top and top != title and section_kind(top) in {None, "procedure"}]
    if asked.wanted == "parts":
        return Overview(list_titles(f"{quoted_title(title)} has", "section", sections), own[:1], most=0)
    summaries = [node for node in own if _SUMMARY.search(str(node.metadata["section"]))]
    chapters = {str(node.metadata["chapter"]) for node in own}
    others: dict[str, str] = {}
    for node in nodes:
        if (chapter := str(node.metadata["chapter"])) not in chapters:
            others[chapter] = f"{others.get(chapter, '')}\n{node.text}"
    found = Overview("", [*_openings(own)[:1], *summaries[:2]], _COVERS, others=[*others.values()])
    if sections:
        return replace(found, introduction=list_titles(f"{quoted_title(title)} has", "section", sections))
    if not any(found.sentences()):
        return None
    return found if asked.wanted == "topic" else replace(found, introduction=f"From {quoted_title(title)}:")


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
    texts = [
        node
        for node in nodes
        if node.metadata["content_type"] == "text" and not any(_NOTICE.search(title) for title in path_of(node))
    ]
    found = [node for node in texts if len(node.text.split()) > _EXPLAINING] or texts
    return [node for node in found[:_FIRST] if _COVERS.search(node.text)] or found
