"""The headings of a book by its table of contents: where an entry leads, its level and its title count."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from ..sections import outline_levels
from .contents import TocEntry
from .inline import MARK, Places
from .page import HtmlBlock

_LETTERS = re.compile(r"[\W_]+")
#: A chapter's label before its title, or in a heading of its own.
_LABEL = re.compile(
    r"(?:(?:chapter|section|part|unit|appendix|lesson|kapitel|chapitre) )?(?:\d+(?: \d+)*|[ivxlc]+\b)? ?"
)


def headed(
    blocks: list[HtmlBlock], starts: dict[str, int], places: Places, entries: Sequence[TocEntry], title: str | None
) -> list[HtmlBlock]:
    """The blocks with a heading of the entry's level where each entry leads. ``starts``: where each page begins.

    A heading of the page that says the same is the entry's own; others are below the entry that they stand in. What
    stands before the first entry is under the book's title. Without a table of contents, pages keep their headings.
    """
    levels = outline_levels([(entry.level, entry.title) for entry in entries])
    targets: dict[int, list[tuple[int, str]]] = defaultdict(list)
    marked = ((mark, at) for at, block in reversed([*enumerate(blocks)]) for mark in MARK.findall(block.text))
    at_anchor = {places.ids[mark]: at for mark, at in marked if mark in places.ids}
    for entry, level in zip(entries, levels, strict=True):
        at = at_anchor.get(f"{entry.part}#{entry.anchor}") if entry.anchor else None
        at = starts.get(entry.part) if at is None else at
        if at is not None:
            targets[at].append((level, entry.title))
    if not targets:
        return blocks
    out: list[HtmlBlock] = []
    depth = base = 0
    at = 0
    while at < len(blocks):
        if at in targets:
            for depth, words in targets[at]:
                out.append(HtmlBlock(words, depth))
            at, base = _own_headings(blocks, at, [words for _, words in targets[at]], set(targets), out)
            continue
        block = blocks[at]
        if block.level and depth:
            base = base or block.level - 1
            block.level = min(6, depth + max(1, block.level - base))
        elif not out and title and not block.level:
            out.append(HtmlBlock(title, 1))
        out.append(block)
        at += 1
    return out


def _own_headings(
    blocks: Sequence[HtmlBlock], at: int, titles: Sequence[str], targets: set[int], out: list[HtmlBlock]
) -> tuple[int, int]:
    """Pass over the headings at ``at`` that repeat the entry's title; where the rest begins, and their level."""
    wanted = _bare(" ".join(titles[-1:]))
    outer = [_bare(title) for title in titles[:-1]]
    first, base = at, 0
    while at < len(blocks) and blocks[at].level and (at == first or at not in targets):
        words = _bare(blocks[at].text)
        if words and not (words in wanted or (wanted and wanted in words) or words in outer):
            break
        base = blocks[at].level
        out[-1].text += "".join(MARK.findall(blocks[at].text))
        at += 1
    if at == first:  # no heading of its own: the first block is text, or another heading
        block = blocks[at]
        if block.level:
            base = block.level - 1
            block.level = min(6, out[-1].level + 1)
        out.append(block)
        at += 1
    return at, base


def _bare(title: str) -> str:
    """A title's words for comparison, without the label of its chapter; "" for a label alone."""
    words = _LETTERS.sub(" ", MARK.sub("", title)).strip().casefold()
    found = _LABEL.match(words)
    return words[found.end() :] if found else words
