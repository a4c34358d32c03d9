"""Wrong options: of the key's own sort and size, and none that the sources may support as well."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence

from ...plans.records import SourceChunk
from ..reading.definitions import QUALITY, Definition
from ..reading.material import Material
from ..reading.sentences import Sentence
from ..reading.spelling import normal, stem_set, topic_key, word_set

WRONG = 3
#: Where no more are of the key's own kind.
FEWEST = 2
#: Stems of a common beginning that count.
_MOST_SHARED = 3
#: Letters of an ending that makes two names alike.
_ENDING = 5
#: An abbreviation, without the "s" of several.
_INITIALS = re.compile(r"\b[A-Z]{2,}(?=s?\b)")
#: Sorts that are too different for one question: among three persons a mammal is found at once.
_APART_SORTS = frozenset({"person", "place", "organisation", "work", "event", "living", "language"})
#: Whose things differ at a glance, if their definitions name different nouns: a vessel and a layer.
_WIDE_SORTS = frozenset({"structure", "matter"})
#: Nouns of definitions that do not show what a thing is: "one of three tubes".
_EMPTY_GENERA = word_set("one structure part portion region area group end type form point amount")
#: What too much is one of: only beside one another, and named alike or defined in the same words, they are alike.
_WIDE_GENERA = word_set(
    "cell organism molecule protein substance process method term particle cells organisms molecules"
)
#: Ends the name of what goes on, or of a property.
_PROCESS = re.compile(r"(?:[st]ion|sis|ing|ment|ity|ness|port)$")
#: Has a number of a series: "group IV virus".
_NUMBERED = re.compile(r"\b(?:\d+|[ivx]+)\b")
_PLURAL = re.compile(r"[^siu]s$")
#: Ends adjectives that a glossary defines as if they were things: "quiescent: cell that …".
_ADJECTIVE = re.compile(r"(?:[ae]nt|oid|(?<!ani)(?<!mam)mal)$")
_SIGNS = (QUALITY, _ADJECTIVE, _PROCESS, _NUMBERED, _PLURAL)
#: Years between two that are taken for the same time, and between two options.
_FAR, _APART = 15, 3
#: The last one that can be asked for.
_LAST_YEAR = 2024
#: Of what a thing is said to be, so much in what another is said to be makes that one a second right answer.
_MUCH = 0.3


class Distractors:
    """Finds wrong options in one plan's material. The same seed and key find the same ones."""

    def __init__(self, material: Material, is_near: Callable[[SourceChunk, SourceChunk], bool], seed: int) -> None:
        """``is_near``: whether two chunks are of one concept, or of one and its prerequisite or sibling."""
        self._material = material
        self._is_near = is_near
        self._seed = seed

    def terms(self, definition: Definition) -> list[str]:
        """Other things that the sources define: of its kind beside it or near by, and of its page's categories.

        Three of them, or two where no more are of its own kind.
        """
        groups = self._material.groups
        beside = set(map(topic_key, groups.beside(definition.subject)))
        found: list[tuple[bool, int, str]] = []
        for key, other in self._material.topics.items():
            rank = self._rank(other, definition, key in beside)
            if rank is not None and not self._may_be_right(other, definition):
                found.append((*rank, self._shown(other)))
        random.Random(f"{self._seed}\n{definition.subject}").shuffle(found)  # noqa: S311 - for variety
        found.sort(key=lambda each: each[:2])
        stems = stem_set(definition.meaning)
        first = [name for is_far, _, name in found if not is_far]
        wrong = self._pick(first, definition.subject, definition.sentence, stems)
        if len(wrong) < FEWEST:  # a third one that is no stage of mitosis would be found at once among those that are
            names = (name for *_, name in found)
            wrong = _enough(self._pick(names, definition.subject, definition.sentence, stems))
        return wrong

    def _rank(self, other: Definition, definition: Definition, is_beside: bool) -> tuple[bool, int] | None:
        """Whether it is of another genus, and a number that is least for the best option; ``None``: it is none."""
        material = self._material
        near = self._is_near(definition.sentence.chunk, other.sentence.chunk)
        kin = material.groups.share_category(definition.subject, other.subject)
        if not (is_beside or near or kin) or (other.plural, other.past) != (definition.plural, definition.past):
            return None
        one, name = self._shown(other), self._shown(definition)
        if one[0].isupper() != name[0].isupper():
            return None
        alike = bool(definition.genus) and other.genus == definition.genus
        mine, theirs = _head(other.subject), _head(definition.subject)
        headed = mine.endswith(theirs) or theirs.endswith(mine)  # "axial skeleton" and "exoskeleton"
        same = alike and other.genus not in _EMPTY_GENERA
        if other.genus in _WIDE_GENERA:  # a phototroph is an organism, and none of those that like salt or sugar
            is_other = material.kinds.are_contrasted(other.subject, definition.subject)
            same &= is_beside and (headed or is_other or _end_alike(one, name))
        # "Anaphase" and "mitotic phase" have one noun, and are a stage and a period.
        closest = same or (headed and (alike or not (definition.genus and other.genus)))
        if definition.sort and definition.sort not in _WIDE_SORTS:
            same = closest or (other.sort == definition.sort and not alike)
        # Of another genus is a sum among values, and what is named alike: "exocytosis" and "endocytosis".
        same = closest or headed or (same and (definition.sort == "measure" or _end_alike(one, name)))
        same &= material.kinds.parent_of(other) == material.kinds.parent_of(definition)
        likeness = _likeness(one, name)
        # A president and a novelist may be of one category: among such options the novelist is found at once.
        kin &= alike if definition.sort == "person" else not _APART_SORTS & ({other.sort} ^ {definition.sort})
        if not kin and not (likeness >= 0 and (is_beside or near) and same):
            return None
        shared = len(stem_set(other.meaning) & stem_set(definition.meaning))
        return not (closest or kin), -(2 * is_beside + near + kin + likeness + 2 * alike + min(shared, _MOST_SHARED))

    def _may_be_right(self, other: Definition, definition: Definition) -> bool:
        """Whether what the key is said to be may be said of the other one as well."""
        mine, theirs = stem_set(definition.meaning), stem_set(other.meaning)
        if self._is_one_of(other, definition) or theirs <= mine:
            return True
        if self._material.kinds.are_contrasted(other.subject, definition.subject):
            return False
        # "Stage of mitosis during which …": what both are is no sign that the other is right as well.
        shared = self._material.kinds.shared_beginning(other.subject, definition.subject)
        both = len((mine & theirs) - shared)
        return both >= _MUCH * len(mine - shared) or (bool(shared) and both > 1)

    def among(self, series: Sequence[str], key: str, sentence: Sentence) -> list[str]:
        """Others of a series of labels, of which each stands for something of its own."""
        others = [label for label in series if label != key]
        random.Random(f"{self._seed}\n{key}").shuffle(others)  # noqa: S311 - for variety
        return _enough(self._pick(others, key, sentence))

    def years(self, key: str, sentence: Sentence) -> list[str]:
        """Other years of the same time: of the sources, then made up, of which none is a neighbour."""
        others = [year for year in self._material.years if 2 < abs(int(year) - int(key)) <= _FAR]
        made = [str(int(key) + by) for by in (-13, -9, -6, -4, 4, 7, 11, 14) if 1000 <= int(key) + by <= _LAST_YEAR]
        random_ = random.Random(f"{self._seed}\n{key}")  # noqa: S311 - for variety
        random_.shuffle(others)
        random_.shuffle(made)
        chosen = [int(key)]
        for year in map(int, [*others[:2], *made, *others[2:]]):
            if all(abs(year - one) >= _APART for one in chosen):
                chosen.append(year)
        return _enough(self._pick(map(str, chosen[1:]), key, sentence))

    def _pick(
        self, candidates: Iterable[str], key: str, sentence: Sentence, frame: frozenset[str] | None = None
    ) -> list[str]:
        """At most ``WRONG`` that are neither the key, nor each other, nor right by any sentence of the sources."""
        asked = (frame or stem_set(sentence.text)) - stem_set(key)
        initials = frozenset(_INITIALS.findall(sentence.text))
        chosen: list[str] = []
        for candidate in candidates:
            # "APC" stands for an "antigen-presenting cell", in the plural "APCs"
            short = "".join(word[0] for word in normal(candidate).replace("-", " ").split()).upper()
            if short in initials or self._material.may_be_right(candidate, key, sentence.text, asked):
                continue
            if any(self._material.one_thing(candidate, one) for one in (key, *chosen)):
                continue
            less, more = sorted((normal(candidate), normal(key)), key=len)
            if less in more:  # a "nucleic acid" may be right where "deoxyribonucleic acid" is
                continue
            chosen.append(candidate)
            if len(chosen) == WRONG:
                break
        return chosen

    def _shown(self, definition: Definition) -> str:
        subject = re.sub(r"\sof\s(?:an?|the)\s.*", "", definition.subject)
        return subject if definition.is_entry else self._material.lowered(subject)

    def _is_one_of(self, other: Definition, definition: Definition) -> bool:
        """A thing that is defined by the key's name or its last word, or the key by its, may be right as well.

        "Directional selection", a selection, is natural selection, which is said to be a force.
        """
        mine, theirs = stem_set(definition.subject), stem_set(other.subject)
        if other.genus != definition.genus and other.genus == _head(definition.subject):
            return True
        return mine <= stem_set(other.meaning) or theirs <= stem_set(definition.meaning)


def _likeness(one: str, other: str) -> int:
    """How much two names look alike, so that no option stands out; below 0 for an adjective, a process and a thing, and
    where one is numbered or of several."""
    a, b = normal(one), normal(other)
    if any(bool(sign.search(a)) != bool(sign.search(b)) for sign in _SIGNS):
        return -1
    return 2 * (a[-4:] == b[-4:]) + (len(a.split()) == len(b.split()))


def _head(name: str) -> str:
    """The noun that says what sort of thing it is by its name: of "law of mass action" the law."""
    return re.split(r"\s(?:of|in|for|to|with|by|from)\s", normal(name))[0].split()[-1]


def _end_alike(one: str, other: str) -> bool:
    a, b = normal(one), normal(other)
    return a[-_ENDING:] == b[-_ENDING:]


def _enough(wrong: list[str]) -> list[str]:
    """They, or none where there are too few."""
    return wrong if len(wrong) == WRONG else []
