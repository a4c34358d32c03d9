"""Drafts of questions from one sentence or entry, each with how much a teacher would want it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..reading.definitions import Definition, definition_of
from ..reading.groups import Labelled
from ..reading.material import Material, is_about
from ..reading.relations import Relation, attribute_of, cause_of, relation_of
from ..reading.sentences import Sentence, bare_title, continued, is_whole, name_before, owner_before, stands_alone
from ..reading.spelling import gives_all_away, gives_away, normal, stem_set, topic_key, without_parentheses
from ..records import BLANK, Form
from .clozes import SPARE_WORTH, Clozes, Draft
from .distractors import Distractors

#: Stems that a definition must have to be asked for, and for its name to be found by it.
_ENOUGH_STEMS, _MANY_STEMS, _STEMS_OF_ONE = 3, 4, 7
_LONGEST_MEANING, _LONGEST_TERM = 40, 4
#: Stems of a definition of which one more may be asked for.
_STEMS_TO_SPARE = 6
#: What an entry is worth more at most, the more its page speaks of the term.
_MENTIONED = 0.09
#: Says what only one person was or did.
_SINGLES_OUT = re.compile(
    r"\b(?:\d+(?:st|nd|rd|th)|first|only|founder|inventor|discoverer|creator|founded|invented|discovered|developed"
    r"|wrote|formulated|proposed|led|best known|known for)\b"
)
#: In a definition, and in a question for what something is made of.
_PARTS = re.compile(r"\b(?:contain|consist|compris|(?:composed|made(?: up)?) of\b)")
#: Less than what defines a term, more than a year.
_OF_LABEL = _OF_CAUSE = 0.72
#: As much as is asked at least: rather what defines it.
_OF_CONTINUED = 0.65
#: Behind a name: says what is so of one thing alone, if it has a name in it.
_ALONE = re.compile(
    r" (?:(?:is|are|was|were) (?:best known (?:for|as)|the (?:first|only)|bordered by|bounded by|named after"
    r"|(?:discovered|invented|developed|founded|written|composed|directed|introduced|proposed) by)"
    r"|(?:also |first )?(?:discovered|invented|developed|founded|formulated|proposed|pioneered|wrote|led|directed"
    r"|composed) )[^.]*?\s[A-ZÀ-Þ]"
)


class Drafting:
    """Writes drafts for one plan."""

    def __init__(self, material: Material, distractors: Distractors, names: frozenset[str]) -> None:
        """``names``: of the plan's concepts, by their ``topic_key``."""
        self._material = material
        self._distractors = distractors
        self._clozes = Clozes(material, distractors, names)

    def of(self, sentence: Sentence, concept: str) -> Iterator[Draft]:
        """Of one sentence of a page; ``concept``: the name of what is learned."""
        title = bare_title(sentence.chunk.page_title)
        known = frozenset(normal(f"{title} {concept}").split()) | {normal(title), normal(concept)}
        definition = definition_of(sentence)
        known_as = definition and self._material.topics.get(self._material.topic_of(definition))
        if definition is not None and known_as is not None and known_as.sentence == sentence:
            alone = definition.sentence_alone
            if is_whole(alone.text) if self._material.is_own(definition) else stands_alone(alone, known):
                yield from self.of_definition(definition, concept)
        own = self._material.topics.get(topic_key(sentence.chunk.page_title))
        is_person = own is not None and own.sort == "person"
        owner = owner_before(sentence, title) if sentence.text.startswith("Its ") != is_person else ""
        if found := attribute_of(sentence, owner, known):
            yield from self._relation(found, title, concept)
        if own is not None and (more := continued(own.sentence, sentence, _pronouns_of(own))):
            yield from self._of_continued(own, *more, concept)
        if not stands_alone(sentence, known):
            return
        if found := relation_of(sentence):
            yield from self._relation(found, title, concept)
        if found := cause_of(sentence):
            first, _, rest = found.subject.partition(" ")
            lowered = self._material.lowered(found.subject)
            asks = lowered if lowered != found.subject else f"{self._material.lowered(first)} {rest}"
            answer = sentence.text[found.start : found.end]
            yield Draft("open", "relation", found.question.format(asks), answer, (), sentence, _OF_CAUSE)
        if definition is None:
            yield from self._clozes.called(sentence)
            if name_before(sentence.text, title):
                yield from self._clozes.year(sentence, of_person=is_person)
                if not sentence.chunk.section:
                    yield from self._clozes.named(sentence, 0.5)

    def of_definition(self, definition: Definition, concept: str) -> Iterator[Draft]:
        """What it is, in one's own words; a word within it; and its name."""
        sentence, material = definition.sentence, self._material
        own = material.is_own(definition) or is_about(definition.subject, concept)
        meaning = without_parentheses(definition.meaning).strip()
        stems = stem_set(meaning)
        least = _ENOUGH_STEMS - (definition.is_entry or (own and definition.sort != "person"))
        telling = stems if own else stems - stem_set(definition.subject)
        if len(telling) < least or len(meaning.split()) > _LONGEST_MEANING:
            return
        # What is learned is asked for in both directions, other terms in the one that can be graded best.
        worth = 1.0 if own else 0.75
        if definition.is_entry and not own:
            worth = 0.85 + _MENTIONED * (1 - 1 / (1 + material.mentions(definition)))
        asks, about = self._asks_what(definition), material.names_of(definition.subject)
        yield Draft("open", "definition", asks, definition.meaning, (), sentence, worth, once=not own, about=about)
        if own and not definition.is_entry:
            yield from self._clozes.of_work(definition)
            is_long = len(stems) >= _STEMS_TO_SPARE  # of a short one the word within it is all that there is to know
            for draft in self._clozes.inner(definition.sentence, (definition.start, definition.end), worth - 0.2):
                yield draft if is_long else replace(draft, worth=SPARE_WORTH)
        if self._means_one(definition, meaning, own):
            yield from self._term(definition, meaning, worth, own)

    def _means_one(self, definition: Definition, meaning: str, own: bool) -> bool:
        """Whether the term can be found by its meaning, and no other one is meant; ``own``: what is learned is."""
        stems, gives = stem_set(meaning) - stem_set(definition.subject), gives_all_away if own else gives_away
        if len(stems) < _MANY_STEMS - (own or definition.is_entry) or gives(meaning, definition.subject):
            return False
        if len(definition.subject.split()) > _LONGEST_TERM:
            return False
        if definition.is_entry or not self._material.lowered(definition.subject)[0].isupper():
            return True
        # There are more states in the south-east, and more than one "Soviet film-maker, writer and director".
        is_single = definition.sort != "person" or _SINGLES_OUT.search(meaning) is not None
        is_first = definition.meaning.startswith(("the first ", "the only "))
        return is_single and (is_first or len(stems) >= _STEMS_OF_ONE)

    def _term(self, definition: Definition, meaning: str, worth: float, own: bool) -> Iterator[Draft]:
        """What has that meaning: to be chosen where there are wrong options, else to be typed."""
        sentence, material = definition.sentence, self._material
        about, (key, also) = material.names_of(definition.subject), self._names(definition)
        if any((gives_all_away if own else gives_away)(meaning, other) for other in also):
            return
        # Of several options the one that shares a word with the question would be the key.
        wrong = () if gives_away(meaning, key) else tuple(self._distractors.terms(definition))
        verb = definition.verb
        if wrong:
            text = f"Which term means “{meaning}”?" if definition.is_entry else f"Which of these {verb} {meaning}?"
            worth += -0.04 if own else 0.05
            yield Draft("choice", "term", text, key, wrong, sentence, worth, also, not own, about)
        elif not material.kinds.is_shared(definition):
            determiner = definition.determiner.casefold()
            before = "A(n) " if determiner in {"a", "an"} else "The " * bool(determiner)
            text = f"Fill in the blank. “{before}{BLANK} {verb} {meaning}.”"
            if definition.is_entry:
                text = f"Which term means “{meaning}”? {BLANK}"
            yield Draft("blank", "term", text, key, (), sentence, worth - 0.2, also, not own, about)

    def _of_continued(self, own: Definition, both: Sentence, rest: str, concept: str) -> Iterator[Draft]:
        """Of a sentence that says more of what the one before it defines: "It is named after …"."""
        title = bare_title(both.chunk.page_title)
        name = f"{own.determiner} {own.subject}".strip()
        alone = replace(both, text=f"{name[0].upper()}{name[1:]}{rest}")
        if not stands_alone(alone, frozenset(normal(name).split())):
            return
        if found := relation_of(alone):
            for draft in self._relation(found, title, concept):
                yield replace(draft, sentence=both)
        key, also = self._names(own)
        if (
            _ALONE.match(rest)
            and re.search(r"\s[A-ZÀ-Þ]", rest)
            and not any(gives_all_away(rest, one) for one in (key, *also))
        ):
            before = f"{own.determiner} {BLANK}".strip()
            yield Draft("blank", "term", f"Fill in the blank. “{before}{rest}”", key, (), both, _OF_CONTINUED, also)

    def _names(self, definition: Definition) -> tuple[str, tuple[str, ...]]:
        """The defined thing's name, and its others."""
        title, material = bare_title(definition.sentence.chunk.page_title), self._material
        key = definition.subject if definition.is_entry else material.lowered(definition.subject)
        others = set(material.other_names.get(normal(definition.subject), ()))
        if topic_key(title) != topic_key(definition.subject) and material.is_own(definition):
            others.add(title)  # "Aldous Leonard Huxley" is known as Aldous Huxley
        return key, tuple(sorted(others))

    def of_label(self, found: Labelled) -> Iterator[Draft]:
        """Which of a series' labels something is said of: the others are the wrong options."""
        wrong = tuple(self._distractors.among(found.series, found.label, found.sentence))
        if wrong and not gives_away(found.description, found.label):
            text = f"Which of these is described? “{found.description}”"
            yield Draft("choice", "term", text, found.label, wrong, found.sentence, _OF_LABEL)

    def _asks_what(self, definition: Definition) -> str:
        if definition.is_entry:
            return f"What does the term “{definition.subject}” mean?"
        determiner = definition.determiner
        is_title = f"{determiner} {definition.subject}" == bare_title(definition.sentence.chunk.page_title)
        # "An American in Paris" is a name, "The Horizon" a heading, which a text has with a small "the" too
        small = re.compile(rf"(?<!\w){re.escape(determiner.lower())} (?i:{re.escape(definition.subject)})(?!\w)")
        if not is_title or any(small.search(chunk.content) for chunk in self._material.chunks):
            determiner = determiner.lower()
        subject = definition.subject if determiner else self._material.lowered(definition.subject)
        page = definition.sentence.chunk.page_title
        if definition.sentence.text.startswith(("“", '"')):
            subject = f"“{subject}”"
        if not determiner and page != bare_title(page) == definition.subject:
            subject += page.removeprefix(definition.subject)  # "Algorithms (journal)" is no sort of algorithms
        who = "who" if definition.sort == "person" and not determiner and subject[0].isupper() else "what"
        be = definition.verb
        if be not in {"is", "are", "was", "were"}:
            be = "are" if definition.plural else "is"
        return f"In your own words: {who} {be} {f'{determiner} ' if determiner else ''}{subject}?"

    def _relation(self, found: Relation, title: str, concept: str) -> Iterator[Draft]:
        bare = re.sub(r"^(?:An?|The)\s", "", found.subject, flags=re.IGNORECASE)
        answer = found.sentence.text[found.start : found.end]
        own = any(is_about(bare, name) for name in (title, concept))
        is_past = re.match(r"(?:\w+ or )?\w+ (?:was|were|did)\b", found.question) is not None
        part = (
            not is_past
            and re.search(r"['’]s\b", bare) is None
            and stem_set(title) <= stem_set(bare)
            and len(bare.split()) <= _LONGEST_TERM
        )
        topic = self._material.topics.get(topic_key(bare))
        if gives_away(bare, answer) or not (own or part or topic):
            return
        if topic and topic.sentence != found.sentence and _says(topic.meaning, found.question, answer):
            return  # what it is has been asked for
        article, _, rest = found.subject.partition(" ")
        subject = (
            f"{article.lower()} {rest}" if article in {"A", "An", "The"} else self._material.lowered(found.subject)
        )
        worth = (0.85 if own else 0.75) - 0.3 * (len(stem_set(answer)) == 1 and answer[0].islower())
        asks = found.question.format(subject)
        form: Form = "blank" if BLANK in asks else "open"
        yield Draft(form, "relation", asks, answer, (), found.sentence, worth)


def _pronouns_of(definition: Definition) -> tuple[str, ...]:
    """What stands for the defined thing at the next sentence's beginning."""
    return ("He", "She") if definition.sort == "person" else ("They",) if definition.plural else ("It",)


def _says(meaning: str, question: str, answer: str) -> bool:
    """Whether a definition answers the question: with its words, or in others where both are about parts."""
    stems = stem_set(answer)
    is_shared = 2 * len(stems & stem_set(meaning)) >= len(stems)
    return is_shared or (_PARTS.search(question) is not None and _PARTS.search(meaning) is not None)
