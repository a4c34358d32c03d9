"""Drafts of questions from one sentence or entry, each with how much a teacher would want it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..reading.definitions import definition_of, without_parentheses
from ..reading.material import is_about, topic_key
from ..reading.numbers import years_in
from ..reading.relations import relation_of
from ..reading.sentences import Sentence, bare_title, is_whole, stands_alone
from ..reading.spelling import gives_away, normal, stem_set
from ..records import BLANK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..reading.definitions import Definition
    from ..reading.material import Material
    from ..records import Asked, Form
    from .distractors import Distractors

#: Stems that a definition must have to be asked for, and for its name to be found by it.
_TELLS_ENOUGH, _TELLS_MUCH, _TELLS_ONE = 3, 4, 7
#: Stems that are not the term's own: "lipid-derived hormone: hormone derived from lipids" tells nothing.
_TELLS_NEW = 2
_LONGEST_TELLS, _LONGEST_TERM = 40, 4
#: Characters of a definition at the end of which a place is asked for.
_SHORT = 100
#: Of the sentences that have a word, more must be the page's where that word is asked for.
_SPECIFIC = 0.3
_NAME = r"[A-ZÀ-Þ][\w’'.-]*(?:\s(?:(?:of|de|la|von|van|the)\s)?[A-ZÀ-Þ][\w’'-]*){0,3}"
#: What follows these is what the sentence is told for.
_NAMED = re.compile(
    rf"\b(?:by|named after|native to|capital of|located in|part of|(?:son|daughter) of)\s(?:the\s)?(?:[a-z]+\s){{0,3}}"
    rf"(?P<name>{_NAME})(?=[,.]|\s(?:and|in|as|on|from|for|with|at|to)\b)"
)
#: Ends what a definition tells: "a western province of Canada".
_PLACE = re.compile(rf"\s(?:in|of)\s(?:the\s)?(?P<name>{_NAME})$")
_CALLED = re.compile(
    r"^[^,;:]{12,120}?\s(?:is|are)\s(?:often\s|also\s)?(?:called|known as|referred to as|termed)\s(?:an?\s|the\s)?"
    r"[“\"]?(?P<term>[a-z][a-z-]+(?:\s[a-z-]+){0,2}?)[”\"]?(?=[,.]|\s(?:and|because|when|which|that|in|by)\b)"
)
_HAPPENED = re.compile(
    r"\b(?:founded|established|born|first published|invented|discovered|introduced|ratified|proclaimed|abolished"
    r"|premiered|coined|independence|created|enacted|admitted|landed|launched|described|dissolved)\b"
)
#: Behind a word that is whole: "the proton number" has only a part of one.
_WHOLE = re.compile(
    r"[,.;:)]|\s(?:and|or|in|of|to|for|by|at|on|with|as|from|who|which|that|when|where|after|before|during|under|over|into"
    r"|is|was|are|were|has|have|can|may|through|between|within|without|consisting|containing|concerned|found|made|whose|than|[a-z]+ed)\b"
)
_NO_NOUN = re.compile(
    r"(?:ly|ed|ing|[^mn]al|ical|ic|ive|ous|ful|less|able|ible|ary|est|ern)$"
    r"|^(?:that|other|various|several|certain|different|about|usually|number|group|process|thing|which|their|first|second"
    r"|people|things|person|persons|example|parts?|types?|forms?|means|large|small|known|between|within|through"
    r"|members?|borders?|three|seven|eight|twenty|human|natural|world|areas?|terms?|years?)$"
)
_LISTED = re.compile(
    rf",\s(?:and\s|or\s)?{BLANK}|{BLANK}(?:\s(?:and|or)\s|,\s\w+(?:,|\s(?:and|or)\s))|(?:and|or)\s{BLANK}"
)
_ARTICLE_BEFORE = re.compile(r"\b([Aa])n? $")


@dataclass(frozen=True)
class Draft:
    """A question that a sentence may prove."""

    form: Form
    asked: Asked
    text: str
    key: str
    #: The wrong ones.
    wrong: tuple[str, ...]
    sentence: Sentence
    #: 0 to 1 and more: how much a teacher would want it.
    worth: float
    also: tuple[str, ...] = ()
    #: Whether only one question is asked of its sentence.
    once: bool = False


class Drafting:
    """Writes drafts for one plan."""

    def __init__(self, material: Material, distractors: Distractors, names: frozenset[str]) -> None:
        """``names``: of the plan's concepts, by their ``topic_key``."""
        self._material = material
        self._distractors = distractors
        self._names = names

    def of(self, sentence: Sentence, concept: str) -> Iterator[Draft]:
        """Of one sentence of a page; ``concept``: the name of what is learned."""
        title = bare_title(sentence.chunk.page_title)
        known = frozenset(normal(f"{title} {concept}").split()) | {normal(title), normal(concept)}
        definition = definition_of(sentence)
        if definition is not None and self._is_topic(definition):
            alone = definition.sentence_alone
            if is_whole(alone.text) if is_about(definition.subject, title) else stands_alone(alone, known):
                yield from self.of_definition(definition, concept)
        if not stands_alone(sentence, known):
            return
        yield from self._relation(sentence, title, concept)
        if definition is None:
            yield from self._called(sentence)
            if _begins_with(sentence.text, title):
                yield from self._year(sentence)
                if not sentence.chunk.section:
                    yield from self._inner(sentence, (0, len(sentence.text)), 0.5)

    def of_definition(self, definition: Definition, concept: str) -> Iterator[Draft]:
        """What it is, in one's own words; its name; and a word within it."""
        sentence, material = definition.sentence, self._material
        title = bare_title(sentence.chunk.page_title)
        own = is_about(definition.subject, title) or is_about(definition.subject, concept)
        tells = without_parentheses(definition.tells).strip()
        told = stem_set(tells)
        least = _TELLS_ENOUGH - (definition.is_entry or (own and definition.sort != "person"))
        if (
            len(told) < least
            or len(told - stem_set(definition.subject)) < _TELLS_NEW
            or len(tells.split()) > _LONGEST_TELLS
        ):
            return
        # What is learned is asked for in both directions, other terms in the one that can be graded best.
        worth = 1.0 if own else 0.85 if definition.is_entry else 0.75
        yield Draft(
            "open", "definition", self._asks_what(definition), definition.tells, (), sentence, worth, once=not own
        )
        if own and not definition.is_entry:
            yield from self._inner(
                definition.sentence, (definition.start, definition.end), worth - 0.2, definition.genus
            )
        if len(told) < _TELLS_MUCH - definition.is_entry or gives_away(tells, definition.subject):
            return
        is_name = not definition.is_entry and material.lowered(definition.subject)[0].isupper()
        # There are more states in the south-east and more physicists.
        if len(definition.subject.split()) > _LONGEST_TERM or (is_name and len(told) < _TELLS_ONE):
            return
        key = definition.subject if definition.is_entry else material.lowered(definition.subject)
        also = tuple(sorted(material.other_names.get(normal(definition.subject), ())))
        if any(gives_away(tells, other) for other in also):
            return
        wrong = tuple(self._distractors.terms(definition))
        verb = definition.verb
        if wrong:
            text = f"Which term means “{tells}”?" if definition.is_entry else f"Which of these {verb} {tells}?"
            worth += -0.05 if own else 0.05
            yield Draft("choice", "term", text, key, wrong, sentence, worth, also, not own)
        else:
            determiner = definition.determiner.casefold()
            before = "A(n) " if determiner in {"a", "an"} else "The " * bool(determiner)
            text = f"{BLANK}: {tells}" if definition.is_entry else f"{before}{BLANK} {verb} {tells}"
            yield Draft("blank", "term", f"Fill in the blank. “{text}.”", key, (), sentence, worth - 0.2, also, not own)

    def _is_topic(self, definition: Definition) -> bool:
        known = self._material.topics.get(topic_key(definition.subject))
        return known is not None and known.sentence == definition.sentence

    def _asks_what(self, definition: Definition) -> str:
        if definition.is_entry:
            return f"What does the term “{definition.subject}” mean?"
        determiner = definition.determiner
        if f"{determiner} {definition.subject}" != bare_title(definition.sentence.chunk.page_title):
            determiner = determiner.lower()  # "An American in Paris" is a name
        subject = definition.subject if determiner else self._material.lowered(definition.subject)
        who = "who" if definition.sort == "person" and not determiner and subject[0].isupper() else "what"
        be = definition.verb
        if be not in {"is", "are", "was", "were"}:
            be = "are" if definition.plural else "is"
        return f"In your own words: {who} {be} {f'{determiner} ' if determiner else ''}{subject}?"

    def _relation(self, sentence: Sentence, title: str, concept: str) -> Iterator[Draft]:
        found = relation_of(sentence)
        if found is None:
            return
        bare = re.sub(r"^(?:An?|The)\s", "", found.subject)
        told = sentence.text[found.start : found.end]
        own = any(is_about(bare, name) for name in (title, concept))
        part = stem_set(title) <= stem_set(bare) and len(bare.split()) <= _LONGEST_TERM
        if gives_away(bare, told) or not (own or part or topic_key(bare) in self._material.topics):
            return
        article, _, rest = found.subject.partition(" ")
        subject = (
            f"{article.lower()} {rest}" if article in {"A", "An", "The"} else self._material.lowered(found.subject)
        )
        worth = (0.85 if own else 0.75) - 0.2 * (len(stem_set(told)) == 1)
        yield Draft("open", "relation", found.question.format(subject), told, (), sentence, worth)

    def _called(self, sentence: Sentence) -> Iterator[Draft]:
        match = _CALLED.match(sentence.text)
        if match:
            yield from self._cloze(sentence, match.span("term"), "term", 0.8)

    def _year(self, sentence: Sentence) -> Iterator[Draft]:
        years = list(years_in(sentence.text))
        if len(years) == 1 and _HAPPENED.search(sentence.text):
            start, end, year = years[0]
            wrong = tuple(self._distractors.years(year, sentence))
            if wrong:
                worth = 0.7 if not sentence.chunk.section else 0.6 * (not sentence.text.startswith(("In ", "On ")))
                yield from self._cloze(sentence, (start, end), "year", worth, wrong)

    def _inner(self, sentence: Sentence, span: tuple[int, int], worth: float, genus: str = "") -> Iterator[Draft]:
        """The word within what a sentence tells that is best asked for: a name, or what the sources speak of much.

        ``genus``: of a definition, for which any word of the page's own is taken, or else this one.
        """
        text, found = sentence.text, list[tuple[float, int, int, "Asked"]]()
        inside = re.sub(r"\([^()]*\)", lambda match: " " * len(match[0]), text)
        for match in _NAMED.finditer(inside, span[0], span[1] + 1):
            found.append((0.15, *match.span("name"), "name"))
        if genus and span[1] - span[0] < _SHORT and (place := _PLACE.search(inside, span[0], span[1])):
            found.append((-0.1, *place.span("name"), "name"))
        for match in re.finditer(r"(?<![\w-])[a-z][a-z-]{3,}(?![\w-])", inside[: span[1]]):
            word, (start, end) = match[0], match.span()
            if start < span[0] or not _WHOLE.match(inside[end:]) or _NO_NOUN.search(word):
                continue
            longer = re.search(r"(?<![\w-])[a-z][\w-]+ $", inside[span[0] : start])
            first = start - len(longer[0]) if longer and stem_set(longer[0]) else start
            if self._is_known(inside[first:end]):
                found.append((0.2, first, end, "term"))
            elif self._is_known(word):
                found.append((0.15, start, end, "term"))
            elif genus and (own := self._material.specificity(word, sentence.chunk.page_title)) > _SPECIFIC:
                found.append((0.1 * own - 0.18, start, end, "term"))
            elif genus:
                found.append((-0.19 if word == genus else -0.2 + len(word) / 10_000, start, end, "term"))
        for more, start, end, asked in sorted(found, key=lambda one: -one[0]):
            wrong = tuple(self._distractors.beside(text[start:end], sentence))
            drafts = list(self._cloze(sentence, (start, end), asked, worth + more, wrong))
            if drafts:
                yield drafts[0]
                return

    def _is_known(self, phrase: str) -> bool:
        return topic_key(phrase) in self._material.topics or topic_key(phrase) in self._names

    def _cloze(
        self, sentence: Sentence, span: tuple[int, int], asked: Asked, worth: float, wrong: tuple[str, ...] = ()
    ) -> Iterator[Draft]:
        start, end = span
        text, key = sentence.text, sentence.text[start:end]
        if not wrong:
            wrong = tuple(self._distractors.beside(key, sentence))
        before = _ARTICLE_BEFORE.sub(r"\1(n) ", text[:start])
        asks = without_parentheses(f"{before}{BLANK}{text[end:]}")
        if (
            BLANK not in asks
            or "." in key
            or _LISTED.search(asks)
            or gives_away(asks, key)
            or (asked == "year" and not wrong)
        ):
            return
        worth -= 0.1 * (len(asks.split()) > 30)
        what = {"year": "Which year fills the blank?", "term": "Which term fills the blank?"}
        asking = what.get(asked, "What fills the blank?") if wrong else "Fill in the blank."
        yield Draft("choice" if wrong else "blank", asked, f"{asking} “{asks}”", key, wrong, sentence, worth)


def _begins_with(text: str, title: str) -> bool:
    """Whether a sentence's subject is what the page is about."""
    within = title[0].lower() + title[1:]
    names = "|".join(re.escape(name) for name in (title, within, title.rsplit(maxsplit=1)[-1]))
    return re.match(rf"(?:(?:In|On)\s[^,]+,\s)?(?:The\s)?(?:{names})\b", text) is not None
