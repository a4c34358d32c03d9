"""All that a plan's sources say, read once: its sentences, what they define, and what goes with what."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from ...plans.records import SourceChunk
from .definitions import Definition, definition_of, definitions_of
from .groups import Groups
from .kinds import Kinds
from .sentences import Sentence, bare_title, sentences_of, years_in
from .spelling import normal, same_thing, stem_set, topic_key

_OTHER_NAME = re.compile(
    r"^(?:(?:An?|The)\s)?(?P<name>[^,;:()]{2,60}?)(?:\s\((?P<aside>[^(),;\d]{2,40})\)"
    r"|(?:\s\([^()]{2,120}\))?,?\s(?:or|also called|sometimes called|commonly called|abbreviated(?: as)?"
    r"|(?:\w+\s)?(?:known|referred to) as)\s(?P<other>[^,;:().]{2,40}),)"
)
#: "(from the Latin acidus)", "(occasionally)": says something of the name, and is none.
_NO_NAME = re.compile(
    r"\b(?:from|meaning|literally|pronounced|see|plural|singular|symbol|born|in|or|\w+ly)\b", re.IGNORECASE
)
#: "Jewish", "American": keep their capital.
_DEMONYM = re.compile(r"(?:ish|ese|ian|ean|can|man|ench|utch|ek|wan)s?$")
#: Of the words around a blank, so many in one sentence make what else it has a second right answer.
_MUCH = 0.4
_LEAST_WORDS = 2
#: Pages on which a name may stand in any plan.
_FEW_PAGES = 5
#: Sections that say of a page's own subject what it is.
_DEFINES = re.compile(
    r"(?:the )?(?:definitions?|overview|introduction|concepts?|description|summary|basics)\b", re.IGNORECASE
)


class Material:
    """The sources of a plan, or of some of its concepts."""

    def __init__(self, chunks: Sequence[SourceChunk]) -> None:
        unique = {chunk.chunk_id: chunk for chunk in chunks}
        self.chunks = tuple(unique.values())
        self.sentences: tuple[Sentence, ...] = tuple(s for chunk in self.chunks for s in sentences_of(chunk))

    @cached_property
    def groups(self) -> Groups:
        """What stands side by side."""
        return Groups(self.chunks)

    @cached_property
    def topics(self) -> dict[str, Definition]:
        """What the sources define, each once, by its ``topic_key``: by a glossary or its own page first."""
        found: dict[str, tuple[int, Definition]] = {}
        entries = (entry for chunk in self.chunks for entry in definitions_of(chunk))
        for definition in (*entries, *filter(None, map(definition_of, self.sentences))):
            chunk = definition.sentence.chunk
            if definition.is_entry:
                rank = 0
            elif (
                definition.past
                and not (definition.plural or definition.determiner)
                and self.lowered(definition.subject)[0].islower()
            ):
                continue  # "Flight was an innovation of the insects" says no more than what it was once
            elif self.is_own(definition):
                if chunk.section and not _DEFINES.match(chunk.section):
                    continue  # "Assistive technology in sport" says what it is in sport
                rank = 2 if chunk.section else 1
            elif self._is_term(definition):
                rank = 3
            else:
                continue
            key = self.topic_of(definition)
            if key not in found or rank < found[key][0]:
                found[key] = (rank, definition)
        return {key: definition for key, (_, definition) in found.items()}

    @cached_property
    def kinds(self) -> Kinds:
        """Which of the things that the sources define are of one kind."""
        return Kinds(self.topics)

    def topic_of(self, definition: Definition) -> str:
        """The ``topic_key`` of what it defines: "the atomic number of an element" is the page's atomic number."""
        is_own = not definition.is_entry and self.is_own(definition)
        return topic_key(definition.sentence.chunk.page_title if is_own else definition.subject)

    def _is_term(self, definition: Definition) -> bool:
        """Whether the subject is a name of a sort of things: "A z-score is …", not "The oldest text of it is …"."""
        words, title = definition.subject.split(), bare_title(definition.sentence.chunk.page_title)
        if definition.meaning.startswith("one of") or (
            self.lowered(title)[0].isupper() and title in definition.meaning
        ):
            return False  # "Rugby is a traditional sport in Andorra" says something of Andorra
        if len(words) > 3 or {"of", "or", "and", "in"} & set(words) or definition.past:
            return False
        return definition.determiner in {"A", "An", "a", "an"} or (
            not definition.determiner and self.lowered(definition.subject)[0].islower()
        )

    def names_of(self, name: str) -> frozenset[str]:
        """The ``topic_key`` of a name and of the other names that the sources give the same thing.

        A "venation pattern" is a venation where that is defined as a pattern.
        """
        first, _, last = name.rpartition(" ")
        topic = self.topics.get(topic_key(first))
        names = (name, first) if topic is not None and topic.genus == last else (name,)
        return frozenset(map(topic_key, (*names, *self.other_names.get(normal(name), ()))))

    def mentions(self, entry: Definition) -> int:
        """How many sentences of its page, without the glossary's, have the term."""
        title, phrase = entry.sentence.chunk.page_title, entry.subject
        spelled = {phrase, f"{phrase}s", phrase.removesuffix("s")}
        entries = self._glossaries
        found = {at for one in spelled for at in self._with(one)}
        chunks = (self.sentences[at].chunk for at in found)
        return sum(chunk.page_title == title and chunk.chunk_id not in entries for chunk in chunks)

    @cached_property
    def _glossaries(self) -> frozenset[str]:
        return frozenset(chunk.chunk_id for chunk in self.chunks if next(definitions_of(chunk), None))

    @cached_property
    def other_names(self) -> dict[str, frozenset[str]]:
        """For a name in one form: the other names that the sources give the same thing."""
        found: dict[str, set[str]] = defaultdict(set)
        for sentence in self.sentences:
            match = _OTHER_NAME.match(sentence.text)
            other = (match["other"] or match["aside"]) if match else None
            if match and other and not re.search(r"\d", other) and not _NO_NAME.search(other):
                other = re.sub(r"^(?:an?|the)\s|\sfor short$", "", other.strip(), flags=re.IGNORECASE)
                found[normal(match["name"])].add(other)
                found[normal(other)].add(match["name"])
        return {name: frozenset(others) for name, others in found.items()}

    def is_own(self, definition: Definition) -> bool:
        """Whether it says what its page is about: "Ray Charles Robinson, known as Ray Charles," is Ray Charles."""
        title = definition.sentence.chunk.page_title
        others = self.other_names.get(normal(definition.subject), ())
        return is_about(definition.subject, title) or any(normal(one) == normal(title) for one in others)

    @cached_property
    def years(self) -> tuple[str, ...]:
        """The years in which something happened, each once."""
        return tuple(dict.fromkeys(year for s in self.sentences for _a, _b, year in years_in(s.text)))

    @cached_property
    def _small_words(self) -> frozenset[str]:
        """The words that stand in small letters, and within sentences not more often with a capital ("debian-cd" of
        Debian): a capital at a sentence's beginning makes them no names."""
        found = Counter(self._words(r"(?<![\w'’-])[a-z][^\W_]*"))
        return frozenset(word for word, count in found.items() if count >= self._capital_words[word.capitalize()])

    @cached_property
    def _capital_words(self) -> Counter[str]:
        """The words that have a capital within a sentence, of names, and how often."""
        return Counter(self._words(r"(?<=[a-z,;] )[A-Z][^\W_]*"))

    def _words(self, form: str) -> Iterator[str]:
        return (word for chunk in self.chunks for word in re.findall(form, chunk.content))

    def one_thing(self, one: str, other: str) -> bool:
        """Whether two names may mean the same by how they are written or by what the sources say."""
        if same_thing(one, other):
            return True
        mine = {one, *self.other_names.get(normal(one), ())}
        theirs = {other, *self.other_names.get(normal(other), ())}
        return any(same_thing(a, b) for a in mine for b in theirs)

    def may_be_right(self, option: str, key: str, sentence: str, frame: frozenset[str]) -> bool:
        """Whether an option is in the sentence that is asked about, or another one has it with so much of the frame.

        ``frame``: the stems around the key. What the definitions of both begin with shows nothing, and what is
        contrasted with the key is wrong.
        """
        if f" {normal(option)} " in f" {normal(sentence)} ":
            return True
        if self.kinds.are_contrasted(option, key):
            return False
        wanted = frame - self.kinds.shared_beginning(option, key) - stem_set(option)
        least = max(_LEAST_WORDS, _MUCH * len(wanted)) if len(wanted) >= _LEAST_WORDS else 1
        return any(len(wanted & stem_set(self.sentences[at].text)) >= least for at in self._with(option))

    def lowered(self, phrase: str) -> str:
        """A phrase that stood at a sentence's beginning as it stands within one."""
        first, space, rest = phrase.partition(" ")
        if any(word[0].isupper() for word in rest.split()):
            return phrase  # "Animal Farm" is a name, though "animal" is none
        bare = first.removesuffix("'s").removesuffix("’s")
        is_plural = bare.casefold().removesuffix("s") in self._small_words
        is_common = first.casefold() in self._small_words or (
            bare not in self._capital_words and (is_plural or (rest and not _DEMONYM.search(bare)))
        )
        is_word = first[1:] == first[1:].lower() and (len(first) > 1 or first == "A")  # "M 86" begins with a letter
        return f"{first.casefold()}{space}{rest}" if is_common and is_word else phrase

    def is_everywhere(self, name: str) -> bool:
        """Whether a third of several pages speak of it: in a plan on one composer he is no answer to each question."""
        found = {self.sentences[at].chunk.page_title for at in self._with(name)}
        return len(found) >= max(_FEW_PAGES, len({chunk.page_title for chunk in self.chunks}) / 3)

    def _with(self, phrase: str) -> list[int]:
        wanted = f" {normal(phrase)} "
        first = wanted.split()[:1]
        places = self._places.get(first[0], ()) if first else ()
        return [at for at in places if wanted in self._plain[at]]

    @cached_property
    def _plain(self) -> list[str]:
        return [f" {normal(sentence.text)} " for sentence in self.sentences]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for at, plain in enumerate(self._plain):
            for word in dict.fromkeys(plain.split()):
                found[word].append(at)
        return found


def is_about(subject: str, title: str) -> bool:
    """Whether a sentence's subject is what the page is about: "Aldous Leonard Huxley" is Aldous Huxley."""
    title = bare_title(title)
    subject = re.sub(r"\sof\s(?:an?|the)\s.*", "", subject) if " of " not in title else subject
    mine, theirs = stem_set(subject), stem_set(title)
    if normal(subject) == normal(title) or (mine and mine == theirs):
        return True
    # 'Bennie Ross "Hank" Crawford' is called Hank
    words, named = re.sub(r".*[“\"](.+)[”\"]", r"\1", subject).split(), title.split()
    return len(named) > 1 and words[0] == named[0] and words[-1] == named[-1] and all(w[0].isupper() for w in words)
