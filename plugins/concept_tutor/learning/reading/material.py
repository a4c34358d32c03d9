"""All that a plan's sources say, read once: its sentences, what they define, its names, and what goes with what."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .frames import definition_of
from .names import DEMONYM, Kinds
from .numbers import counts_in, years_in
from .sentences import sentences_of
from .spelling import normal, same_thing, stem_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...plans.records import SourceChunk
    from .frames import Definition
    from .sentences import Sentence

_ASIDE = re.compile(r"\s*\([^()]*\)\s*$")
_OTHER_NAME = re.compile(
    r"^(?:(?:An?|The)\s)?(?P<name>[^,;:()]{2,60}?)(?:\s\((?P<aside>[^(),;]{2,40})\)|,?\s(?:or|also known as|also called"
    r"|sometimes called|commonly known as|commonly called|abbreviated(?: as)?|known as)\s(?P<other>[^,;:().]{2,40}),)"
)
#: Of the words around a blank, so many in one sentence make what else it has a second right answer.
_MUCH = 0.4
_LEAST_WORDS = 2


@dataclass(frozen=True)
class Topic:
    """A thing that the sources define, under the name that they define it by."""

    name: str
    definition: Definition


class Material:
    """The sources of a plan, or of some of its concepts."""

    def __init__(self, chunks: Sequence[SourceChunk]) -> None:
        unique = {chunk.chunk_id: chunk for chunk in chunks}
        self.chunks = tuple(unique.values())
        self.sentences: tuple[Sentence, ...] = tuple(s for chunk in self.chunks for s in sentences_of(chunk))

    @cached_property
    def kinds(self) -> Kinds:
        """What kind of thing each name is."""
        return Kinds((sentence.text for sentence in self.sentences), self.small_words)

    @cached_property
    def topics(self) -> tuple[Topic, ...]:
        """What the sources define, each once, in their order."""
        found: dict[str, Topic] = {}
        for sentence in self.sentences:
            definition = definition_of(sentence)
            if definition is None:
                continue
            if definition.names_a_term or is_about(definition.subject, sentence.chunk.page_title):
                found.setdefault(normal(definition.subject), Topic(definition.subject, definition))
        return tuple(found.values())

    @cached_property
    def other_names(self) -> dict[str, frozenset[str]]:
        """For a name in one form: the other names that the sources give the same thing."""
        found: dict[str, set[str]] = defaultdict(set)
        for sentence in self.sentences:
            match = _OTHER_NAME.match(sentence.text)
            other = (match["other"] or match["aside"]) if match else None
            if match and other and not re.search(r"\d", other):
                other = re.sub(r"^(?:an?|the)\s", "", other.strip(), flags=re.IGNORECASE)
                found[normal(match["name"])].add(other)
                found[normal(other)].add(match["name"])
        return {name: frozenset(others) for name, others in found.items()}

    @cached_property
    def counts(self) -> dict[str, tuple[str, ...]]:
        """The numbers that the sources have of each thing that they count."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for sentence in self.sentences:
            for count in counts_in(sentence.text):
                found[count.counted].setdefault(count.text)
        return {counted: tuple(numbers) for counted, numbers in found.items()}

    @cached_property
    def years(self) -> tuple[str, ...]:
        """The years in which something happened, each once."""
        return tuple(dict.fromkeys(year for s in self.sentences for _a, _b, year in years_in(s.text)))

    @cached_property
    def small_words(self) -> frozenset[str]:
        """The words that stand in small letters anywhere: a capital at a sentence's beginning makes them no names."""
        return frozenset(
            word for chunk in self.chunks for word in re.findall(r"(?<![\w'’-])[a-z][^\W_]*", chunk.content)
        )

    @cached_property
    def capital_words(self) -> frozenset[str]:
        """The words that have a capital within a sentence: of names."""
        return frozenset(
            word for chunk in self.chunks for word in re.findall(r"(?<=[a-z,;] )[A-Z][^\W_]*", chunk.content)
        )

    def one_thing(self, one: str, other: str) -> bool:
        """Whether two names may mean the same by how they are written or by what the sources say."""
        if same_thing(one, other):
            return True
        mine = {one, *self.other_names.get(normal(one), ())}
        theirs = {other, *self.other_names.get(normal(other), ())}
        return any(same_thing(a, b) for a in mine for b in theirs)

    def is_borne(self, option: str, frame: frozenset[str], much: float = _MUCH) -> bool:
        """Whether a sentence has the option and so much of the frame's stems that it may be right there too."""
        wanted = frame - stem_set(option)
        least = max(_LEAST_WORDS, much * len(wanted)) if len(wanted) >= _LEAST_WORDS else 1
        return any(len(wanted & self._stems[at]) >= least for at in self._with(option))

    def together(self, one: str, other: str) -> bool:
        """Whether any sentence has both."""
        return bool(set(self._with(one)) & set(self._with(other)))

    def lowered(self, phrase: str) -> str:
        """A phrase that stood at a sentence's beginning as it stands within one."""
        first, space, rest = phrase.partition(" ")
        if any(word[0].isupper() for word in rest.split()):
            return phrase  # "Animal Farm" is a name, though "animal" is none
        bare = first.removesuffix("'s").removesuffix("’s")
        is_common = first.casefold() in self.small_words or (
            rest and bare not in self.capital_words and not DEMONYM.search(bare)
        )
        return f"{first.casefold()}{space}{rest}" if is_common and not first[1:].isupper() else phrase

    def _with(self, phrase: str) -> list[int]:
        """The sentences that have the phrase."""
        wanted = f" {normal(phrase)} "
        first = wanted.split()[:1]
        places = self._places.get(first[0], ()) if first else ()
        return [at for at in places if wanted in self._plain[at]]

    @cached_property
    def _plain(self) -> list[str]:
        return [f" {normal(sentence.text)} " for sentence in self.sentences]

    @cached_property
    def _stems(self) -> list[frozenset[str]]:
        return [stem_set(sentence.text) for sentence in self.sentences]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for at, plain in enumerate(self._plain):
            for word in dict.fromkeys(plain.split()):
                found[word].append(at)
        return found


def bare_title(title: str) -> str:
    """A page's title without what tells it from others of that name: "Animalia (book)" is "Animalia"."""
    return _ASIDE.sub("", title) or title


def is_about(subject: str, title: str) -> bool:
    """Whether a sentence's subject is what the page is about."""
    one, other = normal(subject), normal(bare_title(title))
    if one == other:
        return True
    mine, theirs = stem_set(subject), stem_set(bare_title(title))
    return bool(mine) and mine == theirs
