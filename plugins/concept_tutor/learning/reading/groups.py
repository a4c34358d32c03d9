"""Things that the sources name side by side: in a list, a table's column, a glossary, a row of words, a category."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from .definitions import definitions_of
from .sentences import bare_title
from .spelling import normal, word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ...plans.records import SourceChunk

_WORD = r"[^\W\d_][\w’'-]{0,30}"
_ITEM = rf"{_WORD}(?: {_WORD}){{0,2}}"
_ROW = re.compile(
    rf"(?<![\w’'-])(?P<first>{_ITEM}), (?P<middle>(?:{_ITEM}, ){{0,8}}{_ITEM}),? (?:and|or) (?P<last>{_ITEM})"
)
_LINE = re.compile(rf"^[-*•] (?:The )?(?P<item>{_ITEM}(?: {_WORD}){{0,2}})(?=$|[:(–—,]| [-–—(])", re.MULTILINE)
_CELL = re.compile(rf"^\| (?P<item>{_ITEM}) \|", re.MULTILINE)
_FUNCTION = word_set(
    """
    a an the of in on at by with from for as is are was were has have had to and or not no that which who this these its
    his her their our it they such both some many most more other others also than into may can will be been being all
    while when where but if so then there each any one two three four five six seven eight nine ten
    """
)
_FEWEST, _MOST = 3, 40


class Groups:
    """For each thing those that stand beside it."""

    def __init__(self, chunks: Sequence[SourceChunk]) -> None:
        #: For each name the other members of its groups, each with the chunk that has the group.
        self._beside: dict[str, list[tuple[str, SourceChunk]]] = defaultdict(list)
        self._categories: dict[str, set[str]] = defaultdict(set)
        for chunk in chunks:
            self._categories[normal(bare_title(chunk.page_title))].update(chunk.categories)
            for group in _groups_in(chunk):
                for one in group:
                    self._beside[normal(one)] += [(other, chunk) for other in group if normal(one) != normal(other)]

    def share_category(self, one: str, other: str) -> bool:
        """Whether two pages of these titles are in one category."""
        mine, theirs = (self._categories.get(normal(name), set()) for name in (one, other))
        return bool(mine & theirs)

    def beside(self, name: str, where: Callable[[SourceChunk], bool]) -> list[str]:
        """What stands beside it in such chunks, most often first."""
        return [
            other for other, _ in Counter(o for o, chunk in self._beside[normal(name)] if where(chunk)).most_common()
        ]


def _groups_in(chunk: SourceChunk) -> Iterator[list[str]]:
    yield from _usable([definition.subject for definition in definitions_of(chunk)])
    for pattern in (_LINE, _CELL):
        yield from _usable([match["item"] for match in pattern.finditer(chunk.content)])
    for match in _ROW.finditer(chunk.content):
        middle = match["middle"].split(", ")
        if any(set(item.casefold().split()) & _FUNCTION for item in middle):
            continue
        # Where the first one begins and the last one ends is known only if all are single words.
        if all(len(item.split()) == 1 for item in middle):
            yield from _usable([match["first"].split()[-1], *middle, match["last"].split()[0]])
        else:
            yield from _usable(middle)


def _usable(items: Iterable[str]) -> Iterator[list[str]]:
    group = [item for item in dict.fromkeys(items) if not set(item.casefold().split()) & _FUNCTION and len(item) > 2]
    if _FEWEST <= len(group) <= _MOST:
        yield group
