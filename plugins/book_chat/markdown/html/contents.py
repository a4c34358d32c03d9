"""The table of contents and the list of printed pages of an EPUB: its navigation document, or its NCX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..characters import without_controls
from .archive import part_named
from .inline import MARK
from .markup import name_of, names_of, words_of

_MOST_ENTRIES, _DEEPEST, _LONGEST = 20_000, 12, 300
_NUMBER = re.compile(r"^(?:section|§)?\s*(\d+(?:\.\d+)+)\b", re.IGNORECASE)
_LEAST_NUMBERED = 3


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
