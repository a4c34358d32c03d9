"""Wrong options: of the key's own sort and size, and none that the sources may support as well."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from ..reading.definitions import QUALITY, Definition
from ..reading.material import Material, topic_key
from ..reading.numbers import near_years
from ..reading.spelling import normal, stem_set, word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ...plans.records import SourceChunk
    from ..reading.sentences import Sentence

WRONG = 3
#: Sorts that are too different for one question: among three persons a mammal is found at once.
_APART_SORTS = frozenset({"person", "place", "organisation", "work", "event", "living", "language"})
#: Whose things differ at a glance, if their definitions name different nouns: a vessel and a layer.
_WIDE_SORTS = frozenset({"structure", "matter"})
#: Nouns of definitions that do not show what a thing is: "one of three tubes".
_EMPTY_GENERA = word_set("one structure part region area group end type form")
#: Ends the name of what goes on, or of a property.
_PROCESS = re.compile(r"(?:[st]ion|sis|ing|ment|ity|ness|port)$")
#: Has a number of a series: "group IV virus".
_NUMBERED = re.compile(r"\b(?:\d+|[ivx]+)\b")
_PLURAL = re.compile(r"[^siu]s$")
_SIGNS = (QUALITY, _PROCESS, _NUMBERED, _PLURAL)
#: Years between two that are taken for the same time, and between two options.
_FAR, _APART = 15, 3
#: Of what a thing is said to be, so much in what another is said to be makes that one a second right answer.
_MUCH = 0.3


class Distractors:
    """Finds wrong options in one plan's material. The same seed and key find the same ones."""

    def __init__(self, material: Material, is_near: Callable[[SourceChunk, SourceChunk], bool], seed: int = 0) -> None:
        """``is_near``: whether two chunks are of one concept, or of one and its prerequisite or sibling."""
        self._material = material
        self._is_near = is_near
        self._seed = seed

    def terms(self, definition: Definition) -> list[str]:
        """Other things that the sources define: of its sort beside it or near by, and of its page's categories."""
        material, stems = self._material, stem_set(definition.meaning)
        mine = definition.sentence.chunk
        beside = set(map(topic_key, material.groups.beside(definition.subject, lambda _chunk: True)))
        found: list[tuple[int, str]] = []
        for key, other in material.topics.items():
            if (other.plural, other.past) != (definition.plural, definition.past):
                continue
            if self._shown(other)[0].isupper() != self._shown(definition)[0].isupper():
                continue
            if self._is_one_of(other, definition):
                continue
            if len(stems & stem_set(other.meaning)) >= _MUCH * len(stems):
                continue
            near = self._is_near(mine, other.sentence.chunk)
            likeness = _likeness(self._shown(other), self._shown(definition))
            alike = other.genus == definition.genus
            same = alike and other.genus not in _EMPTY_GENERA
            if definition.sort and definition.sort not in _WIDE_SORTS:
                same = other.sort == definition.sort
            same = same or _same_head(other.subject, definition.subject)
            typed = likeness >= 0 and (key in beside or near) and same
            kin = material.groups.share_category(definition.subject, other.subject)
            # A president and a novelist may be of one category: among such options the novelist is found at once.
            kin &= alike if definition.sort == "person" else not _APART_SORTS & ({other.sort} ^ {definition.sort})
            if typed or kin:
                more = 2 * (key in beside) + near + kin + likeness + 2 * alike
                found.append((-more, self._shown(other)))
        random.Random(f"{self._seed}\n{definition.subject}").shuffle(found)  # noqa: S311 - for variety
        found.sort(key=lambda each: each[0])
        return self._pick((each[1] for each in found), definition.subject, definition.sentence, stems)

    def beside(self, key: str, sentence: Sentence) -> list[str]:
        """What the sources name side by side with the key, written alike."""
        alike = (
            name
            for name in self._material.groups.beside(key, lambda chunk: self._is_near(sentence.chunk, chunk))
            if name[0].isupper() == key[0].isupper() and (name.endswith("s") == key.endswith("s") or name[0].isupper())
            if self._same_sort(name, key)
        )
        return self._pick(alike, key, sentence)

    def among(self, series: Sequence[str], key: str, sentence: Sentence) -> list[str]:
        """Others of a series of labels, of which each stands for something of its own."""
        others = [label for label in series if label != key]
        random.Random(f"{self._seed}\n{key}").shuffle(others)  # noqa: S311 - for variety
        return self._pick(others, key, sentence)

    def _same_sort(self, one: str, other: str) -> bool:
        """Whether two names are of things of one sort, as far as the sources say what they are."""
        mine, theirs = (self._material.topics.get(topic_key(name)) for name in (one, other))
        if mine is None or theirs is None:
            return mine is theirs
        return mine.genus == theirs.genus or bool(mine.sort and mine.sort == theirs.sort)

    def years(self, key: str, sentence: Sentence) -> list[str]:
        """Other years of the same time: of the sources, then made up."""
        others = [year for year in self._material.years if 2 < abs(int(year) - int(key)) <= _FAR]
        made = near_years(key)
        random_ = random.Random(f"{self._seed}\n{key}")  # noqa: S311 - for variety
        random_.shuffle(others)
        random_.shuffle(made)
        chosen = [int(key)]
        for year in map(int, [*others[:2], *made, *others[2:]]):
            if all(abs(year - one) >= _APART for one in chosen):
                chosen.append(year)
        return self._pick(map(str, chosen[1:]), key, sentence)

    def _pick(
        self, candidates: Iterable[str], key: str, sentence: Sentence, frame: frozenset[str] | None = None
    ) -> list[str]:
        """The first ones that are neither the key, nor each other, nor right by any sentence of the sources."""
        asked = (frame or stem_set(sentence.text)) - stem_set(key)
        within = f" {normal(sentence.text)} "
        chosen: list[str] = []
        for candidate in candidates:
            if f" {normal(candidate)} " in within or self._material.is_borne(candidate, asked):
                continue
            if any(self._material.one_thing(candidate, one) for one in (key, *chosen)) or _is_within(candidate, key):
                continue
            chosen.append(candidate)
            if len(chosen) == WRONG:
                return chosen
        return []

    def _shown(self, definition: Definition) -> str:
        subject = re.sub(r"\sof\s(?:an?|the)\s.*", "", definition.subject)
        return subject if definition.is_entry else self._material.lowered(subject)

    def _is_one_of(self, other: Definition, definition: Definition) -> bool:
        """A thing that is defined by the key's name or its last word, or the key by its, may be right as well.

        "Directional selection", a selection, is natural selection, which is said to be a force.
        """
        mine, theirs = stem_set(definition.subject), stem_set(other.subject)
        if other.genus != definition.genus and other.genus == normal(definition.subject).split()[-1]:
            return True
        return mine <= stem_set(other.meaning) or theirs <= stem_set(definition.meaning)


def _likeness(one: str, other: str) -> int:
    """How much two names look alike, so that no option stands out; below 0 for an adjective, a process and a thing, and
    where one is numbered or of several."""
    a, b = normal(one), normal(other)
    if any(bool(sign.search(a)) != bool(sign.search(b)) for sign in _SIGNS):
        return -1
    same_end = a.split()[-1] == b.split()[-1] or a[-4:] == b[-4:]
    return 2 * same_end + (len(a.split()) == len(b.split()))


def _same_head(one: str, other: str) -> bool:
    """Whether both names end with one word: "axial skeleton" and "exoskeleton"."""
    a, b = normal(one), normal(other)
    return a.endswith(b.split()[-1]) or b.endswith(a.split()[-1])


def _is_within(one: str, other: str) -> bool:
    """A "nucleic acid" may be right where "deoxyribonucleic acid" is."""
    a, b = normal(one), normal(other)
    return a in b or b in a
