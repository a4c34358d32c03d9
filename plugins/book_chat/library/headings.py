"""The headings of a book's chunks: their path, the chapter with a number, and lists of them for people."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragstone.core.text import counted

from ..markdown.characters import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.schema import TextNode

_NUMBER = re.compile(r"^\W*(?:chapter\s+)?(\d{1,3})\b", re.IGNORECASE)
#: Titles of front matter, and of what a chapter's exercises and demonstrations stand under.
_NO_CHAPTER = re.compile(
    r"^\W*(?:preface|foreword|acknowledg\w+|about|copyright|dedication)\b|\b(?:exercises|demo)\b", re.I
)
#: Titles that are listed.
MOST_LISTED = 15


def path_of(node: TextNode) -> list[str]:
    """The headings of a chunk, its chapter first."""
    chapter, section = str(node.metadata["chapter"]), str(node.metadata["section"] or "")
    titles = [title for title in section.split(SEPARATOR) if title]
    return titles if titles[:1] == [chapter] else [chapter, *titles]


def number_of(title: str) -> int | None:
    """The number that a chapter's title begins with."""
    found = _NUMBER.match(title)
    return int(found[1]) if found else None


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
    named = "; ".join(titles[:MOST_LISTED])
    more = f"; and {len(titles) - MOST_LISTED} more" if len(titles) > MOST_LISTED else ""
    if not titles:
        return f"{start} no {what}s with titles."
    return f"{start} {counted(**{what: len(titles)})}: {named}{more}."
