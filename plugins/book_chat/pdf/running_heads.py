"""Running heads and page numbers, which are not part of the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from .lines import lines_of
from .model import Line, Page

_EDGE = 0.1  # of the page's height, where running heads are
_NUMBER_EDGE = 0.2  # where a line of a page's number alone is
_MOST_LINES = 3
_REPEATED = 3
_NUMBER = re.compile(r"[\divxlcIVXLC]+$")


def take_running_heads(pages: Sequence[Page]) -> list[int | None]:
    """Take running heads and page numbers out of ``page.words``; give the number printed on each page, if any."""
    lines = {page.number: lines_of(page.words) for page in pages}
    printed: dict[int, int] = {}
    for low in (False, True):
        for _ in range(_MOST_LINES):
            found = {}
            for page in pages:
                here = lines[page.number]
                if here and _at_edge(here[-1 if low else 0], page, low):
                    found[page.number] = here[-1 if low else 0]
            gone = _running(found, pages)
            if not gone:
                break
            for page in pages:
                if page.number in gone:
                    line = lines[page.number].pop(-1 if low else 0)
                    taken = set(map(id, line.words))
                    page.words = [w for w in page.words if id(w) not in taken]
                    ends = (line.words[0].text, line.words[-1].text)
                    number = next((int(end) for end in ends if end.isdecimal() and len(end) < 6), None)
                    if number is not None:
                        printed.setdefault(page.number, number)
    return [printed.get(page.number) for page in pages]


def _at_edge(line: Line, page: Page, low: bool) -> bool:
    alone = len(line.words) == 1 and _NUMBER.match(line.text)
    edge = page.height * (_NUMBER_EDGE if alone else _EDGE)
    return line.top > page.height - edge if low else line.bottom < edge


def _running(found: dict[int, Line], pages: Sequence[Page]) -> set[int]:
    """Pages on which the line found is a running head.

    It is when its words, numbers aside, stand in that place on other pages too, or when it begins or ends with the
    page's number where many pages have one.
    """
    words = Counter(_normal(line) for line in found.values())
    labels = {page.number: page.label for page in pages}
    ends = {number: {line.words[0].text, line.words[-1].text} for number, line in found.items()}
    labelled = {number for number in found if labels[number] and labels[number] in ends[number]}
    offsets = {
        number: {int(end) - number for end in ends[number] if end.isdecimal() and len(end) < 6} for number in found
    }
    counts = Counter(offset for each in offsets.values() for offset in each)
    common = {offset for offset, count in counts.items() if count >= _REPEATED}
    gone = set()
    for number, line in found.items():
        by_label = len(labelled) >= _REPEATED and number in labelled
        alone = len(line.words) == 1 and bool(_NUMBER.match(line.text)) and len(pages) > _REPEATED
        repeats = words[_normal(line)] >= _REPEATED
        if len(line.text) < 120 and (repeats or by_label or offsets[number] & common or (alone and common)):
            gone.add(number)
    return gone


def _normal(line: Line) -> str:
    bare = " ".join(w.text for w in line.words if not _NUMBER.fullmatch(w.text))
    return re.sub(r"\d+", "#", bare) + f"@{round(line.top / 8)}" if bare else ""
