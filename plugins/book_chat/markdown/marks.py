"""Marks of the kinds that elements and directives state: paragraphs of their own until the text is normalized."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import cast

from ragstone.core.text import Kind, StatedKind, kind_of_names

# Control characters, which a source's text has none of when it is rewritten: nothing in it can pass for a mark.
_OPENS, _CLOSES, _IS = "\x05", "\x06", "\x07"
_MARK = re.compile(rf"[\s>]*([{_OPENS}{_CLOSES}{_IS}])(\S*) ?(\S*)\s*")
_NAMES = re.compile(
    r"""\s(?:class|className|data-type|role|epub:type)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
#: Of elements within each other: a caption in an exercise belongs to the exercise.
_FIRST: tuple[Kind, ...] = ("question", "objective", "reference", "navigation", "caption", "definition", "procedure")
_DIRECTIVES: dict[str, Kind] = {"exr": "question", "exercise": "question", "figure": "caption"}


def kind_of_tag(name: str, attributes: str) -> Kind | None:
    """The kind that an element states by its attributes, else by its name: ``<nav>``, ``<LearningObjectives>``."""
    stated = " ".join(a or b or c for a, b, c in _NAMES.findall(attributes))
    return kind_of_names(stated) or kind_of_names(_CAMEL.sub("-", name))


def kind_of_directive(name: str) -> Kind | None:
    """The kind that a directive or a container states: ``exercise``, ``.objectives``, ``#exr-one``."""
    bare = name.lstrip(".#").rpartition(":")[2]
    return kind_of_names(bare) or _DIRECTIVES.get(bare.partition("-")[0] if name[:1] == "#" else bare)


def opens(element: str, kind: Kind | None) -> str:
    """The mark where an element begins."""
    return f"{_OPENS}{element} {kind or ''}".rstrip()


def closes(element: str) -> str:
    """The mark where it ends; without one it states nothing."""
    return f"{_CLOSES}{element}"


def is_next(kind: Kind) -> str:
    """The mark before a paragraph of that kind."""
    return f"{_IS}next {kind}"


def is_mark(line: str) -> bool:
    """Whether the line is a mark."""
    return has_marks(line) and _MARK.fullmatch(line) is not None


def has_marks(text: str) -> bool:
    """Whether there is a mark in the text."""
    return _OPENS in text or _CLOSES in text or _IS in text


class Marks:
    """The marks of a text by their places among its lines."""

    def __init__(self) -> None:
        self._found: list[tuple[int, str, str, Kind | None]] = []
        #: Marks without a place.
        self.waiting: list[tuple[str, str, Kind | None]] = []

    def take(self, line: str) -> bool:
        """Note the line if it is a mark; its place is that of the next line with words."""
        found = _MARK.fullmatch(line)
        if found is not None:
            self.waiting.append((found[1], found[2], cast("Kind | None", found[3] or None)))
        return found is not None

    def place(self, number: int) -> None:
        """Give the marks since the last line with words their place, the next line's number."""
        self._found += [(number, *mark) for mark in self.waiting]
        self.waiting.clear()

    def kinds(self, lines: Sequence[str]) -> list[StatedKind]:
        """The kinds of the text of these lines: ascending, none within another."""
        self.place(len(lines))
        starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        active: Counter[Kind] = Counter()
        found: list[StatedKind] = []
        now: Kind | None = None
        begun = 0
        for at, kind, change in sorted(self._changes(lines)):
            place = starts[min(at, len(lines))]
            active[kind] += change
            following = next((each for each in _FIRST if active[each]), None)
            if following != now:
                if now and begun < place:
                    found.append((begun, place, now))
                now, begun = following, place
        return found

    def _changes(self, lines: Sequence[str]) -> Iterator[tuple[int, Kind, int]]:
        """Where a kind begins (1) and ends (-1). An element that is not closed states nothing."""
        opened: dict[str, list[tuple[int, Kind | None]]] = {}
        for place, sign, element, kind in self._found:
            if sign == _IS and kind:
                yield place, kind, 1
                yield next((at for at in range(place, len(lines)) if not lines[at].strip(" >")), len(lines)), kind, -1
            elif sign == _OPENS:
                opened.setdefault(element, []).append((place, kind))
            elif opened.get(element):
                begun, kind = opened[element].pop()
                if kind:
                    yield begun, kind, 1
                    yield place, kind, -1
