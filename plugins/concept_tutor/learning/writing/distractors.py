"""Wrong options: of the key's own kind, and none that the sources may bear as well."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from ..reading.numbers import near_numbers, near_years
from ..reading.spelling import normal, stem_set

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..reading.frames import Definition
    from ..reading.material import Material
    from ..reading.numbers import Count
    from ..reading.sentences import Sentence

WRONG = 3
#: Years between two that are taken for the same time.
_FAR = 60
#: Of what a thing is said to be, so much in what another is said to be makes that one a second right answer.
_MUCH = 0.3
#: Sorts that are told apart at a glance: among three countries a mammal is found by whoever knows neither.
_STRICT = frozenset({"person", "place", "organisation", "work", "event", "living", "language", "condition"})
#: By names it is told more exactly what kind a thing is than by definitions.
_SORT_OF_KIND = {"water": "place", **dict.fromkeys(("company", "school", "body", "society", "army"), "organisation")}
#: Names of a kind that are looked at, those of which the sources say most.
_KNOWN = 40


class Distractors:
    """Finds wrong options in one plan's material. The same seed and key find the same ones."""

    def __init__(self, material: Material, seed: int = 0) -> None:
        self._material = material
        self._seed = seed

    def terms(self, definition: Definition) -> list[str]:
        """Other things that the sources define, of the same sort as far as can be told; none where they are too few."""
        material, told = self._material, stem_set(definition.tells)
        own = self._sort(definition)
        found: list[tuple[bool, bool, int, str]] = []
        for topic in material.topics:
            other = topic.definition
            if (other.plural, other.of_person) != (definition.plural, definition.of_person):
                continue
            if self._is_name(topic.name) != self._is_name(definition.subject):
                continue
            sort = self._sort(other)
            if sort != own and _STRICT & {sort, own}:
                continue
            shared = len(told & stem_set(other.tells))
            if shared >= _MUCH * len(told) or self._is_one_of(other, definition):
                continue
            found.append((other.genus != definition.genus, sort != own, -shared, material.lowered(topic.name)))
        self._random(definition.subject).shuffle(found)
        found.sort(key=lambda each: each[:3])
        return self._pick((each[3] for each in found), definition.subject, definition.sentence, told)

    def names(self, key: str, kind: str, sentence: Sentence) -> list[str]:
        """Other names of the kind: with the same head ("University") first, and those of which the sources say most."""
        others = list(self._material.kinds.of_kind(kind)[:_KNOWN])
        self._random(key).shuffle(others)
        others.sort(key=lambda name: (_head(name) != _head(key), abs(len(name.split()) - len(key.split())) > 1))
        return self._pick(others, key, sentence)

    def years(self, key: str, sentence: Sentence) -> list[str]:
        """Other years of the same time: of the sources, then made up."""
        others = [year for year in self._material.years if 2 < abs(int(year) - int(key)) <= _FAR]
        made = near_years(key)
        random_ = self._random(key)
        random_.shuffle(others)
        random_.shuffle(made)
        return self._pick([*others[:2], *made, *others[2:]], key, sentence, apart=3)

    def counts(self, count: Count, sentence: Sentence) -> list[str]:
        """Other numbers of what it counts, of the same magnitude and written alike: of the sources, then made up."""
        made = near_numbers(count)
        self._random(count.text).shuffle(made)
        alike = [other for other in self._material.counts.get(count.counted, ()) if _is_like(other, count)]
        return self._pick([*alike[:1], *made], count.text, sentence)

    def others(self, key: str, names: Iterable[str], sentence: Sentence) -> list[str]:
        """Of the given terms, in an order of their own, those that can be wrong options."""
        terms = sorted(names)
        self._random(key).shuffle(terms)
        return self._pick(terms, key, sentence)

    def _pick(
        self,
        candidates: Iterable[str],
        key: str,
        sentence: Sentence,
        frame: frozenset[str] | None = None,
        *,
        apart: int = 0,
    ) -> list[str]:
        """The first ones that are neither the key, nor each other, nor right by any sentence of the sources."""
        asked = (frame or stem_set(sentence.text)) - stem_set(key)
        within = f" {normal(sentence.text)} "
        chosen: list[str] = []
        for candidate in candidates:
            if f" {normal(candidate)} " in within or self._material.is_borne(candidate, asked):
                continue
            taken = [key, *chosen]
            if apart and any(abs(int(candidate) - int(one)) < apart for one in taken):
                continue
            if any(self._material.one_thing(candidate, one) for one in taken):
                continue
            chosen.append(candidate)
            if len(chosen) == WRONG:
                return chosen
        return []

    def _is_name(self, subject: str) -> bool:
        return self._material.lowered(subject) == subject and subject[:1].isupper()

    def _sort(self, definition: Definition) -> str:
        """By its definition, else by what the sources say around its name."""
        kind = self._material.kinds(definition.subject)
        return definition.sort or _SORT_OF_KIND.get(kind or "", kind or "")

    def _is_one_of(self, other: Definition, definition: Definition) -> bool:
        """A thing that is defined by the key's name, or the key by its, may be one of its sort and so right as well."""
        mine, theirs = stem_set(definition.subject), stem_set(other.subject)
        return mine <= stem_set(other.tells) or theirs <= stem_set(definition.tells)

    def _random(self, key: str) -> random.Random:
        return random.Random(f"{self._seed}\n{key}")  # noqa: S311 - for variety; nothing is kept secret


def _head(name: str) -> str:
    words = name.split()
    return words[words.index("of") - 1] if "of" in words[1:] else words[-1]


def _is_like(number: str, count: Count) -> bool:
    if ("." in number) != ("." in count.text) or number.isalpha() != count.text.isalpha():
        return False
    if number.isalpha():
        return True
    value = float(number.replace(",", ""))
    return count.value / 3 <= value <= count.value * 3 and abs(value - count.value) >= 0.1 * count.value
