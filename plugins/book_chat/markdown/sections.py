"""A document's sections, with their chapter and path, from its headings."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from .blocks import Block, read_blocks
from .characters import SEPARATOR

_NUMBERING = re.compile(r"^(?:(?:chapter|part|section|unit)\s+)?\d+(?:\.\d+)*\s*[:.)\-\u2013\u2014]*\s+", re.IGNORECASE)
#: A part of the book, which only groups its chapters.
_PART = re.compile(r"(?:part|unit|book|volume|teil|band|partie|parte|livre|libro|tome)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Section:
    """A heading and the text below it, up to the next; ``headings`` is its path, outermost first."""

    chapter: str
    title: str
    headings: tuple[str, ...]
    start: int
    end: int
    blocks: tuple[Block, ...]


def read_sections(text: str, known: dict[str, Any]) -> list[Section]:
    """A document's sections in order, those without text left out.

    ``known`` may give ``chapter``, ``within`` and ``title``. Without ``chapter`` it comes from the headings: several
    H1 are chapters; below a single H1 several H2 are; else the H1, the title or the file's name is the
    chapter.
    """
    blocks = read_blocks(text)
    heads = [at for at, block in enumerate(blocks) if block.kind == "heading"]
    levels = Counter(blocks[at].level for at in heads)
    given = known.get("chapter")
    top = next((blocks[at].plain for at in heads if blocks[at].level == 1), None)
    page = known.get("title") or top or PurePosixPath(str(known.get("path") or "Untitled")).stem
    chapter_level = 0 if given else 1 if levels[1] > 1 else 2 if levels[1] == 1 and levels[2] > 1 else 0
    chapter = str(given or (page if chapter_level == 1 else top or page))
    outer = tuple(str(title) for title in known.get("within") or ())
    repeated = {_bare(str(title)) for title in (chapter, page, *outer[-1:]) if title}
    start = SEPARATOR.join(outer) or (str(page) if given else chapter)
    sections: list[Section] = []
    path: list[tuple[int, str]] = []
    bounds = [-1, *heads, len(blocks)]
    for at, following in itertools.pairwise(bounds):
        if at >= 0:
            heading = blocks[at]
            words = " ".join(heading.plain.split())
            while path and path[-1][0] >= heading.level:
                path.pop()
            if heading.level == chapter_level:
                chapter = start = words or chapter
                outer, path = (), []
            elif words and not (_bare(words) in repeated and (heading.level == 1 or at == heads[0])):
                path.append((heading.level, words))
        titles = (*outer, *(title for _, title in path))
        body = blocks[at + 1 : following]
        if body:
            end = blocks[following].start if following < len(blocks) else len(text)
            begin = blocks[at].start if at >= 0 else 0
            name = SEPARATOR.join(titles) if path else start
            sections.append(Section(chapter, name, (chapter, *titles), begin, end, body))
    return sections


def outline_levels(entries: Sequence[tuple[int, str]]) -> list[int]:
    """The level of the heading of each entry, a level and a title, of a table of contents, 1 to 6.

    A part's chapters are on its level. So are those of the book's own title, where it is the one entry above all.
    """
    levels: list[int] = []
    top = min((level for level, _ in entries), default=1)
    lone = [level for level, _ in entries].count(top) == 1 and len(entries) > 1 and entries[0][0] == top
    if lone:
        levels, entries = [1], entries[1:]
        top = min(level for level, _ in entries)
    in_part = 0
    for at, (level, title) in enumerate(entries):
        if level == top:
            has_below = at + 1 < len(entries) and entries[at + 1][0] > level
            in_part = int(has_below and _PART.match(title) is not None)
        levels.append(min(6, max(1, level - top + 1 - in_part)))
    return levels


def _bare(title: str) -> str:
    """A title without its number, to find a heading that repeats it."""
    return re.sub(r"[\W_]+", " ", _NUMBERING.sub("", title)).strip().casefold()
