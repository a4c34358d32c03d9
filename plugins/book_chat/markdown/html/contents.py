"""The table of contents of an EPUB, its navigation document or its NCX: entries, printed pages, headings by them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..characters import without_controls
from ..sections import outline_levels
from .archive import part_named
from .inline import MARK, Places
from .markup import name_of, names_of, words_of
from .page import HtmlBlock

_MOST_ENTRIES, _DEEPEST, _LONGEST = 20_000, 12, 300
_NUMBER = re.compile(r"^(?:section|§)?\s*(\d+(?:\.\d+)+)\b", re.IGNORECASE)
_LEAST_NUMBERED = 3
_LETTERS = re.compile(r"[\W_]+")
#: A chapter's label before its title, or in a heading of its own.
_LABEL = re.compile(
    r"(?:(?:chapter|section|part|unit|appendix|lesson|kapitel|chapitre) )?(?:\d+(?: \d+)*|[ivxlc]+\b)? ?"
)


@dataclass(frozen=True)
class TocEntry:
    """An entry of a table of contents: its level from 1, and the part and the anchor that it leads to."""

    level: int
    title: str
    part: str
    anchor: str


def toc_entries(root: Any, part: str) -> list[TocEntry]:
    """The entries of a navigation document or an NCX, in order; one without a link leads where the next one does."""
    entries: list[TocEntry] = []
    waiting: list[tuple[int, str]] = []
    for level, title, target in _all(root):
        words = MARK.sub("", without_controls(title))[:_LONGEST].strip()
        place = part_named(part, target) if target else None
        if words and place is None:
            waiting.append((level, words))
        elif words and place:
            entries += [TocEntry(up, name, *place) for up, name in waiting if up < level]
            entries.append(TocEntry(level, words, *place))
            waiting = []
    return _numbered(entries[:_MOST_ENTRIES])


def _all(root: Any) -> Iterator[tuple[int, str, str]]:
    points = next((each for each in root.iter() if name_of(each) == "navmap"), None)
    if points is not None:
        yield from _points(points, 1)
        return
    navs = [each for each in root.iter() if name_of(each) == "nav"]
    nav = next(
        (each for each in navs if {"toc", "doc-toc"}.intersection(names_of(each).split())), navs[0] if navs else None
    )
    if nav is not None:
        yield from _listed(nav, 0)


def _points(element: Any, level: int) -> Iterator[tuple[int, str, str]]:
    for point in element:
        if name_of(point) == "navpoint" and level <= _DEEPEST:
            yield level, *_label_and_target(point)
            yield from _points(point, level + 1)


def _label_and_target(point: Any) -> tuple[str, str]:
    label = next((words_of(each) for each in point if name_of(each) == "navlabel"), "")
    return label, next((each.get("src") for each in point if name_of(each) == "content"), None) or ""


def _listed(element: Any, level: int) -> Iterator[tuple[int, str, str]]:
    for child in element:
        name = name_of(child)
        if name in ("ol", "ul") and level < _DEEPEST:
            yield from _listed(child, level + 1)
        elif name == "li":
            label = next((each for each in child.iter() if name_of(each) in ("a", "span")), None)
            if label is not None:
                yield level, words_of(label), label.get("href") or ""
            yield from _listed(child, level)


def _numbered(entries: list[TocEntry]) -> list[TocEntry]:
    """Entries that are all on one level, by their decimal numbers, as converters write them: 2.1 is below 2."""
    numbers = [_NUMBER.match(entry.title) for entry in entries]
    is_flat = len({entry.level for entry in entries}) == 1 and not all(numbers)
    if not is_flat or sum(found is not None for found in numbers) < _LEAST_NUMBERED:
        return entries
    return [
        replace(entry, level=1 + found[1].count(".")) if found else entry
        for entry, found in zip(entries, numbers, strict=True)
    ]


def page_list(root: Any, part: str) -> list[tuple[str, str, str]]:
    """The label, the part and the anchor of each printed page."""
    found: list[tuple[str, str, str]] = []
    for element in root.iter():
        name = name_of(element)
        if name == "pagetarget":
            label, target = _label_and_target(element)
            found += _page(label or element.get("value") or "", part, target)
        elif name == "nav" and {"page-list", "doc-pagelist"}.intersection(names_of(element).split()):
            for link in element.iter():
                if name_of(link) == "a":
                    found += _page(words_of(link), part, link.get("href") or "")
    return found[:_MOST_ENTRIES]


def _page(label: str, part: str, target: str) -> list[tuple[str, str, str]]:
    place = part_named(part, target)
    words = without_controls(label).strip()[:30]
    return [(words, *place)] if place and words else []


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
