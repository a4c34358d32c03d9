"""Questions about a book or a chapter as a whole: the titles of its parts, and what its own words say of it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ragstone.core.answering import Overview
from ragstone.core.text import section_kind, stems, topic_of

from .library.authors import ASKS_AUTHORS, WORKS, written_by
from .library.chapters import nodes_in_order
from .library.editions import newest_editions
from .library.enumerations import asks_for_parts, enumerated
from .library.headings import ASKS_EXERCISES, chapter_with_number, exercises, list_titles, path_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from llama_index.core.schema import TextNode

    from .library.books import Book
    from .library.shelf import Shelf

_WHOLE = rf"(?:this|the|that|these|your)(?: \w+)? {WORKS}"
_BOOK = re.compile(
    rf"\bwhat(?:'s|’s| is| are)? {_WHOLE}(?: is)? (?:all )?about\b"
    rf"|\btell (?:me|us)(?: more)? about {_WHOLE}\W*$"
    rf"|\bwhat (?:does|do) {_WHOLE} (?:cover|teach|contain|describe|specify|define)\W*$"
    rf"|\b(?:summari[sz]e|summary of|overview of|outline of|describe) {_WHOLE}\W*$|\btable of contents\b"
    r"|\b(?:what|which|list the) (?:topics|chapters)\b(?!.*\bchapter \d)"
    rf"|^\W*how many chapters (?:(?:does|do|has) {_WHOLE}(?: have| contain)?|are (?:there|(?:there )?in {_WHOLE}))\W*$"
    rf"|^\W*(?:what are |list |give me )?(?:the )?(?:main|key) (?:points|ideas|takeaways)(?: (?:of|in) {_WHOLE})?\W*$",
    re.IGNORECASE,
)
#: What a list of the chapters answers.
_CHAPTERS = re.compile(r"\b(?:table of contents|(?:what|which|list the|how many) chapters)\b", re.IGNORECASE)
_AUDIENCE = re.compile(
    rf"\bwho (?:is|are|should read|can read) {_WHOLE}(?: (?:written|meant|intended|made))?(?: for)?\W*$"
    rf"|\b(?:target |intended )?(?:audience|readers(?:hip)?)(?: (?:of|for) {_WHOLE})?\W*$",
    re.IGNORECASE,
)
_PLAN = re.compile(
    rf"\bhow (?:is|are|was) {_WHOLE} (?:organi[sz]ed|structured|arranged|divided|laid out)\W*$"
    rf"|\bhow (?:should|do|can|must) (?:i|we|one|you) (?:use|read|study|work through) {_WHOLE}\W*$"
    rf"|\b(?:organi[sz]ation|structure) of {_WHOLE}\W*$",
    re.IGNORECASE,
)
_PREREQUISITES = re.compile(
    rf"^\W*(?:what are |are there |list )?(?:the |any )?prerequisites(?: (?:for|of) {_WHOLE})?\W*$"
    rf"|\bwhat (?:should|must|do|need) (?:i|we|one|you) (?:already )?(?:have to |need to )?know"
    rf" (?:before|to|in order to) (?:reading |read |starting |start )?(?:with )?{_WHOLE}\W*$",
    re.IGNORECASE,
)
#: The headings under which a work answers such a question.
_FRONT_MATTER = {
    _AUDIENCE: re.compile(
        r"\W*(?:(?:(?:target|intended) )?(?:audience|readers(?:hip)?)|who (?:this|the) .{1,40} is for"
        r"|who (?:is this .{1,40} for|should read .{1,40})|is this .{1,40} for (?:you|me))\W*",
        re.IGNORECASE,
    ),
    _PLAN: re.compile(
        r"\W*(?:how to (?:use|read) (?:this|the) .{1,40}|using this .{1,40}|how (?:this|the) .{1,40} is organi[sz]ed"
        r"|(?:(?:book|course|document) )?(?:organi[sz]ation|structure)(?: of .{1,40})?)\W*",
        re.IGNORECASE,
    ),
    _PREREQUISITES: re.compile(
        r"\W*(?:prerequisites?|what you (?:need|should know).{0,40}|before you (?:start|begin)|assumed knowledge)\W*",
        re.IGNORECASE,
    ),
}
_CHAPTER = re.compile(
    r"(?:\b(?:summari[sz]e|summary of|overview of|outline of)\s+(?:the )?chapter\s+(\d{1,3})\b"
    r"|\bwhat(?:'s|’s| is| does)\s+(?:the )?chapter\s+(\d{1,3})\b.{0,20}\b(?:about|cover|say|teach|discuss|explain)\b)",
    re.IGNORECASE,
)
_PARTS = r"(?:chapter|section|part|appendix|unit|lesson)"
_ON = r"(?:(?:on|about|called|titled|named) (?:the )?)"
_SAYS = r"(?: is)?(?: all)? (?:about|covers?|contains?|teach|describes?|discuss|explain|say)\W*$"
#: The part by its number or its title: "section 3.2", "the chapter on wheels", "the wheels chapter".
_PART = re.compile(
    r"\b(?:(?:summari[sz]e|summary of|overview of|outline of) (?:the )?"
    rf"(?:{_PARTS} {_ON}?(?P<a>.+?)|(?P<b>.+?) {_PARTS})\W*$"
    rf"|what(?:'s|’s| is| does| do)? (?:the )?(?:{_PARTS} {_ON}?(?P<c>.+?)|(?P<d>.+?) {_PARTS}){_SAYS})",
    re.IGNORECASE,
)
#: What is told of a topic begins with its definition, which a section's opening seldom is.
_TELL = re.compile(r"\W*(?:please |what can you )?tell\b", re.IGNORECASE)
#: A sentence that says what a work or a part of it covers.
_COVERS = re.compile(
    rf"\b(?:(?:this|our|these) (?:[\w-]+ ){{0,2}}(?:{WORKS}|{_PARTS}|resource)s?|(?<!rest of )the {WORKS})\b"
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
_SAYS_CHAPTER = re.compile(r"\bchapter\b", re.IGNORECASE)
_NUMBERED = re.compile(rf"^\W*{_PARTS}\s+[\dA-Z.]+\b", re.IGNORECASE)
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
    """What summarizes the book, or one chapter, where the question asks for that; ``None`` otherwise, and where it is
    not clear which book is meant."""
    chapter, part, whole = _CHAPTER.search(question), _PART.search(question), _BOOK.search(question)
    topic = None if _TELL.match(question) else topic_of(question)
    authors, tasks = ASKS_AUTHORS.search(question), ASKS_EXERCISES.search(question)
    front_matter = next((heading for asked, heading in _FRONT_MATTER.items() if asked.search(question)), None)
    asks = chapter or part or whole or topic or authors or tasks or front_matter
    parts = frozenset() if chapter or part or whole else asks_for_parts(question)
    if not (asks or parts):
        return None
    book = _asked_book(shelf, filters)
    if book is None:
        titles = [f"“{each.title}”" for each in shelf.books()]
        if len(titles) < 2 or not (chapter or whole or authors or front_matter):
            return None
        return Overview(f"{list_titles('The shelf has', 'book', titles)} Choose one to ask about it.", ())
    enumeration = enumerated(shelf, book.slug, parts) if parts else None
    if enumeration or not asks:
        return enumeration
    nodes = nodes_in_order(shelf.corpus, book.slug)
    if authors:
        return written_by(shelf, book, nodes)
    if tasks:
        return exercises(nodes, int(tasks[1]))
    if front_matter:
        own = [node for node in nodes if front_matter.fullmatch(path_of(node)[-1].lstrip("0123456789."))]
        found = Overview("", own[:1], kinds=frozenset({"explanation", "objective"}))
        if any(found.sentences()):
            return found
    chapters = list(dict.fromkeys(str(node.metadata["chapter"]) for node in nodes))
    if whole or _PLAN.search(question):
        listed = [each for each in chapters if each != book.title and not _EXERCISES.search(each)] or chapters
        openings = () if _CHAPTERS.search(question) else _openings(nodes)[:2]
        found = Overview("", openings, _COVERS)
        if len(listed) == 1 and any(found.sentences()):
            return found
        return replace(found, introduction=list_titles(f"“{book.title}” has", "chapter", listed))
    if chapter:
        title = chapter_with_number(chapters, int(chapter[1] or chapter[2]))
    else:
        name = next(name for name in part.groups() if name) if part else topic or ""
        headings = list(dict.fromkeys([*chapters, *(title for node in nodes for title in path_of(node))]))
        # Chunks that are about a topic say more than a section that only touches it.
        most = _OTHERS_OF_TOPIC if topic else _MOST_OTHERS
        is_of_chapter = topic or _SAYS_CHAPTER.search(question)
        title = (is_of_chapter and _named(chapters, name, most)) or _named(headings, name, most)
    if title is None:
        return None
    own = [node for node in nodes if title in path_of(node)]
    paths = (path_of(node) for node in own)
    tops = dict.fromkeys(next(iter(path[path.index(title) + 1 :]), "") for path in paths)
    sections = [top for top in tops if top and top != title and section_kind(top) in {None, "procedure"}]
    summaries = [node for node in own if _SUMMARY.search(str(node.metadata["section"]))]
    introduction = "" if topic and not sections else list_titles(f"“{title}” has", "section", sections)
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
        numbered = re.compile(rf"\W*(?:{_PARTS}\s+)?{re.escape(name)}(?![.\d]*\d)\b", re.IGNORECASE)
        return next((title for title in headings if numbered.match(title)), None)
    wanted = set(stems(name))
    words = [set(stems(_NUMBERED.sub("", title))) for title in headings]
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
