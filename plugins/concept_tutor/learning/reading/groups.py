"""Things that the sources name side by side: in a list, a table's column, a glossary, a row of words, a category.

Some are series of labelled paragraphs, as textbooks have them: "Supervisory control: A person decides …".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ragstone.core.text import sentence_spans

from ...plans.records import SourceChunk
from .definitions import definitions_of, is_subject
from .sentences import Sentence, bare_title, is_whole
from .spelling import normal, word_set

_WORD = r"[^\W\d_][\w’'-]{0,30}"
_ITEM = rf"{_WORD}(?: {_WORD}){{0,2}}"
_ROW = re.compile(
    rf"(?<![\w’'-])(?P<first>{_ITEM}), (?P<middle>(?:{_ITEM}, ){{0,8}}{_ITEM}),? (?:and|or) (?P<last>{_ITEM})"
)
_ITEM_LINE = re.compile(rf"^[-*•] (?:The )?(?P<item>{_ITEM}(?: {_WORD}){{0,2}})(?=$|[:(–—,]| [-–—(])", re.MULTILINE)
_CELL = re.compile(rf"^\| (?P<item>{_ITEM}) \|", re.MULTILINE)
_FUNCTION = word_set(
    """
    a an the of in on at by with from for as is are was were has have had to and or not no that which who this these its
    his her their our it they such both some many most more other others also than into may can will be been being all
    while when where but if so then there each any one two three four five six seven eight nine ten
    """
)
_FEWEST_ITEMS, _MOST_ITEMS = 3, 40
_LINE = re.compile(r"\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?(?P<label>[A-Z][^:.!?;|`()]{2,58}): (?P<text>[A-Z].*)")
_FENCE = re.compile(r"\s*(?:```|~~~)")
#: Labels of a text's parts, and not of what it is about.
_PARTS = word_set(
    """
    note notes tip hint warning caution important example examples step phase input output answer solution question
    task goal goals objective result results summary figure table source see pros cons advantage advantages disadvantage
    disadvantages benefit benefits challenge challenges problem limitation limitations definition purpose description
    overview conclusion exercise activity instructions reason context usage use option case week day chapter section
    unit lesson part key introduction fundamentals foundations foundation basics concepts practices practice
    implementation considerations
    """
)
#: "In this model, humans …", "This theory suggests …": of the label, whose word would give it away.
_BACK = re.compile(r"(?:In this (?P<within>\w+), |This (?P<this>\w+) )")
#: Speaks to the reader, or begins a list.
_NO_DESCRIPTION = re.compile(r"\b(?:[Ww]e|us|[Oo]ur|[Yy]ou|[Yy]our|I)\b|:")
_FEWEST, _FEWEST_WORDS, _MOST_WORDS = 4, 6, 36


class Groups:
    """For each thing those that stand beside it."""

    def __init__(self, chunks: Sequence[SourceChunk]) -> None:
        self._beside: dict[str, set[str]] = defaultdict(set)
        self._categories: dict[str, set[str]] = defaultdict(set)
        for chunk in chunks:
            self._categories[normal(bare_title(chunk.page_title))].update(chunk.categories)
            for group in _groups_in(chunk):
                for one in group:
                    self._beside[normal(one)].update(group)

    def share_category(self, one: str, other: str) -> bool:
        """Whether two pages of these titles are in one category."""
        mine, theirs = (self._categories.get(normal(name), set()) for name in (one, other))
        return bool(mine & theirs)

    def beside(self, name: str) -> set[str]:
        """The members of its groups."""
        return self._beside.get(normal(name), set())


def _groups_in(chunk: SourceChunk) -> Iterator[list[str]]:
    yield from _usable([definition.subject for definition in definitions_of(chunk)])
    for pattern in (_ITEM_LINE, _CELL):
        yield from _usable([match["item"] for match in pattern.finditer(chunk.content)])
    for match in _ROW.finditer(chunk.content):
        middle = match["middle"].split(", ")
        # Where the first one begins and the last one ends is known only if all are single words.
        if all(len(item.split()) == 1 for item in middle):
            yield from _usable([match["first"].split()[-1], *middle, match["last"].split()[0]])
        else:
            yield from _usable(middle)


def _usable(items: Iterable[str]) -> Iterator[list[str]]:
    group = [item for item in dict.fromkeys(items) if not set(item.casefold().split()) & _FUNCTION and len(item) > 2]
    if _FEWEST_ITEMS <= len(group) <= _MOST_ITEMS:
        yield group


@dataclass(frozen=True)
class Labelled:
    """A label with the first sentence of what it stands for; ``sentence`` is both, as they stand in the chunk."""

    label: str
    #: Without words that only point back to the label.
    description: str
    sentence: Sentence
    #: The labels of the whole series.
    series: tuple[str, ...]


def series_in(chunk: SourceChunk) -> Iterator[list[Labelled]]:
    """Of each series of at least four labels what a sentence describes, in its order."""
    for run in _runs(chunk.content):
        labels = tuple(dict.fromkeys(label for label, _, _ in run))
        if len(labels) < _FEWEST or len(labels) != len(run):
            continue
        found = []
        for label, start, at in run:
            end = chunk.content.find("\n", at)
            spans = sentence_spans(chunk.content, at, len(chunk.content) if end < 0 else end)
            if (first := next(iter(spans), None)) is None:
                continue
            described = chunk.content[first[0] : first[1]]
            is_said = is_whole(described) and not _NO_DESCRIPTION.search(described)
            if is_said and _FEWEST_WORDS <= len(described.split()) <= _MOST_WORDS:
                sentence = Sentence(chunk, start, first[1], chunk.content[start : first[1]])
                found.append(Labelled(label, _forwards(described, label), sentence, labels))
        yield found


def _runs(text: str) -> Iterator[list[tuple[str, int, int]]]:
    """Labelled lines that follow one another: each label, its place, and the place of what it stands for."""
    run: list[tuple[str, int, int]] = []
    at, in_code = 0, False
    for line in text.splitlines(keepends=True):
        begin, at = at, at + len(line)
        in_code ^= _FENCE.match(line) is not None
        match = None if in_code else _LINE.match(line)
        if match and _is_label(match["label"]):
            run.append((match["label"], begin + match.start("label"), begin + match.start("text")))
        elif line.strip():
            yield run
            run = []
    yield run


def _is_label(label: str) -> bool:
    return is_subject(label, None) and not set(re.findall(r"[a-z]+", label.casefold())) & _PARTS


def _forwards(described: str, label: str) -> str:
    back = _BACK.match(described)
    if back is None or (back["within"] or back["this"]) not in label.casefold().split():
        return described
    rest = described[back.end() :]
    return f"{rest[0].upper()}{rest[1:]}" if back["within"] else f"It {rest}"
