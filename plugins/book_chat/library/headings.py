"""The headings of a book's chunks: their path, the chapter with a number, its exercises, lists of them for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from llama_index.core.schema import TextNode

from ragstone.core.answering import Overview
from ragstone.core.text import counted, listed, quoted_title, section_kind, stems

from ..markdown.characters import SEPARATOR

PARTS = r"(?:chapter|section|part|appendix|unit|lesson|module)"
NUMBERED = re.compile(rf"^\W*{PARTS}\s+[\dA-Z.]+\b", re.IGNORECASE)
NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
#: Roman numerals of two letters and more, up to 399; "ı" without a dot, which Unicode takes for "I", is none.
ROMAN = r"(?a:(?=[ivxlc]{2})c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3}))"
#: One of ``NUMBER_WORDS``.
NUMBER_WORD = rf"(?a:{'|'.join(NUMBER_WORDS)})"
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
#: "3 Wheels", "Chapter 3", "CHAPTER III", "Chapter Three", "III. Wheels".
_NUMBER = re.compile(
    rf"^\W*(?:(?:chapter\s+)?(\d{{1,3}})\b|chapter\s+({ROMAN}|(?a:[ivx])|{NUMBER_WORD})\b|({ROMAN}|(?a:[ivx]))(?:\.|\W*$))",
    re.IGNORECASE,
)
#: Titles of front matter, and of what a chapter's exercises and demonstrations stand under.
_NO_CHAPTER = re.compile(
    r"^\W*(?:preface|foreword|acknowledg\w+|about|copyright|dedication)\b|\b(?:exercises|demo)\b", re.I
)
_EXERCISES = (
    r"(?:exercises|problems|homework|quiz(?:zes)?|(?:review |practice |study |assessment |discussion |test )?questions)"
)
#: "List the exercises of chapter 3", "Which exercises does chapter 3 have?"; the number of the chapter is its group.
ASKS_EXERCISES = re.compile(
    rf"^\W*(?:(?:what|which) (?:are )?|(?:please )?(?:list|name|show|give)(?: me)? )?(?:all )?(?:the )?{_EXERCISES}"
    r" (?:(?:of|in|for|from|to|at the end of|are there in) |(?:do|does|has|have) )(?:the )?chapter (\d{1,3})"
    r"(?: have| contain)?\W*$",
    re.IGNORECASE,
)
#: Chunks whose exercises are quoted.
_MOST_QUOTED = 8


def path_of(node: TextNode) -> list[str]:
    """The headings of a chunk, its chapter first."""
    return path_from(str(node.metadata["chapter"]), str(node.metadata["section"] or ""))


def path_from(chapter: str, section: str) -> list[str]:
    """The headings of the chunks with that chapter and section, the chapter first."""
    titles = [title for title in section.split(SEPARATOR) if title]
    return titles if titles[:1] == [chapter] else [chapter, *titles]


def number_of(title: str) -> int | None:
    """The number that a chapter's title begins with."""
    found = _NUMBER.match(title)
    return numeral(next(filter(None, found.groups()))) if found else None


def numeral(written: str) -> int:
    """The number that is written in digits, in words up to ten, or in Roman numerals."""
    written = written.casefold()
    if written.isdecimal() or written in NUMBER_WORDS:
        return int(written) if written.isdecimal() else NUMBER_WORDS.index(written) + 1
    values = [_ROMAN_VALUES[letter] for letter in written]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def chapter_with_number(chapters: Sequence[str], number: int) -> str | None:
    """The chapter with that number in its title, else the one at that place before the first that has a number."""
    own = [chapter for chapter in chapters if not _NO_CHAPTER.search(chapter)]
    places = {found: place for place, title in reversed([*enumerate(own)]) if (found := number_of(title)) is not None}
    if number in places:
        return own[places[number]]
    # Those before the first with a number count back from it: of a book whose first chapters' titles have none.
    first = min(places, default=len(own) + 1)
    place = places.get(first, len(own)) - (first - number)
    return own[place] if number < first and place >= 0 else None


def list_titles(start: str, what: str, titles: Sequence[str]) -> str:
    """A sentence with the number of titles and the first ones: "The book has 2 chapters: Wheels; Legs."."""
    if not titles:
        return f"{start} no {what}s with titles."
    found = f"{start} {counted(**{what: len(titles)})}: {listed(titles)}"
    return found if found.endswith(("?", "!")) else f"{found}."


def places_of(nodes: Sequence[TextNode], book: str, topic: str) -> Overview | None:
    """The parts whose titles have the topic's words, those with the fewest other words first, and the
    first sentences of one; ``None`` without any."""
    wanted = set(stems(topic))
    found: dict[tuple[str, ...], TextNode] = {}
    for node in nodes:
        path = path_of(node)
        depth = next((at for at, title in enumerate(path, 1) if wanted and wanted.issubset(stems(title))), 0)
        if depth and not any(map(_is_of_exercises, path)):
            found.setdefault(tuple(path[:depth]), node)
    if not found:
        return None
    paths = sorted(found, key=lambda path: (len(set(stems(NUMBERED.sub("", path[-1]))) - wanted), len(path)))
    quoted = (Overview("", [found[path]]) for path in paths)
    first = next((each for each in quoted if any(each.sentences())), Overview("", [found[paths[0]]], most=0))
    titles = [SEPARATOR.join(path) for path in paths]
    return replace(first, introduction=list_titles(f"{quoted_title(book)} treats this in", "part", titles))


def exercises(nodes: Sequence[TextNode], number: int) -> Overview | None:
    """The titles of the exercises of the chapter with that number, or the first of them where they have no titles;
    ``None`` where it has none."""
    chapters = list(dict.fromkeys(str(node.metadata["chapter"]) for node in nodes))
    chapter = chapter_with_number(chapters, number)
    of_chapter = {chapter} | {each for each in chapters if number_of(each) == number and _is_of_exercises(each)}
    own = [
        node for node in nodes if node.metadata["chapter"] in of_chapter and any(map(_is_of_exercises, path_of(node)))
    ]
    titles = dict.fromkeys(title for node in own if (title := _title(path_of(node))))
    if titles:
        named = quoted_title(chapter or str(own[0].metadata["chapter"]))
        return Overview(list_titles(f"{named} has", "exercise", list(titles)), ())
    return Overview("", own[:_MOST_QUOTED], kinds=frozenset({"question"})) if own else None


def _is_of_exercises(heading: str) -> bool:
    return section_kind(heading) == "question" or bool(re.search(r"\bexercises\b", heading, re.IGNORECASE))


def _title(path: Sequence[str]) -> str:
    """The heading below the one that says that exercises follow; empty without one."""
    at = next(index for index, heading in enumerate(path) if _is_of_exercises(heading))
    return next(iter(path[at + 1 : at + 2]), "")
