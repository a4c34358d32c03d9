"""Drafts of questions from a sentence with a word, a name or a year left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from ..reading.definitions import Definition
from ..reading.material import Material
from ..reading.sentences import Sentence, years_in
from ..reading.spelling import gives_all_away, gives_away, hidden, normal, stem_set, topic_key, without_parentheses
from ..records import BLANK, Asked, Form
from .distractors import Distractors

#: Characters of a definition at the end of which a place is asked for.
_SHORT = 100
_NAME = r"[A-ZÀ-Þ][\w’'.-]*(?:\s(?:(?:of|de|la|von|van|the)\s)?(?:[A-ZÀ-Þ]\.(?=\s[A-ZÀ-Þ])|[A-ZÀ-Þ][\w’'-]*)){0,3}"
#: What follows these is the point of the sentence.
_NAMED = re.compile(
    r"\b(?:by|named after|native to|capital of|located in|part of|(?:born|died) in|(?:son|daughter|founder) of)\s"
    # "the American composer", "statistician and evolutionary biologist"
    r"(?:the\s)?(?:(?:[A-Z][a-z]+\s)?(?:[a-z]+\s){1,4})?"
    rf"(?P<name>{_NAME})(?<!\s[A-Z])(?=[,.]|\s(?:and|in|as|on|from|for|with|at|to|written|[a-z]+ed)\b)"
)
#: Ends a definition: "a western province of Canada".
_PLACE = re.compile(rf"\s(?:in|of)\s(?:the\s)?(?P<name>{_NAME})$")
_CALLED = re.compile(
    r"^[^,;:]{12,120}?\s(?:is|are)\s(?:often\s|also\s)?(?:called|known as|referred to as|termed)\s"
    r"(?:(?:an?|the|its|their)\s)?"
    r"[“\"]?(?P<term>[^\W\d_][\w-]+(?:\s[\w-]+){0,2}?)[”\"]?(?=[,.]|\s(?:\(|and|because|when|which|that|in|by)\b)"
)
_HAPPENED = re.compile(
    r"\b(?:founded|established|first published|invented|discovered|introduced|ratified|proclaimed|abolished"
    r"|premiered|coined|independence|created|enacted|admitted|landed|launched|described|dissolved)\b"
)
#: In a definition: of which year it is.
_WORK_OF = re.compile(
    r"(?:\ban?(?=\s\d{4}\s[a-z])|\b(?:released|recorded|published|written|performed|premiered)(?:\s\w+){0,8}?\sin(?:\s[A-Z][a-z]+)?)"
    r"\s(?P<year>1[0-9]{3}|20[0-4][0-9])\b"
)
#: Of a person: worth little, so that it is asked for where there is nothing else to choose.
_LIVED = re.compile(r"\b(?:born|died)\b")
#: Behind a word that is whole: "the proton number" has only a part of one.
_WHOLE = re.compile(
    r"[,.;:)]|\s(?:and|or|in|of|to|for|by|at|on|with|as|from|who|which|that|when|where|after|before|during|under|over|into"
    r"|is|was|are|were|has|have|can|may|through|between|within|without|consisting|containing|concerned|found|made|whose|than|[a-z]+ed)\b"
)
#: What is counted or measured: no other word for it has the same number.
_MEASURED = re.compile(
    r"(?:the\s)?(?:total\s)?(?:number|amount|mass|speed|(?:SI\s)?unit)\sof\s"
    rf"(?P<term>(?:[a-z][\w-]+\s)??[a-z][\w-]{{3,}})(?={_WHOLE.pattern})"
)
#: Of what it is a field, or to what it belongs.
_FIELD = re.compile(
    r"(?:an?|the)\s(?:[\w-]+\s){0,3}?(?:branch|discipline|family|field|order|phylum|sub-?field|subset)\sof\s(?:the\s)?"
    rf"(?P<term>(?:[a-z][\w-]+\s)??[a-z][\w-]{{3,}})(?={_WHOLE.pattern})"
)
_LISTED = re.compile(
    # "born in ____, Kent, on the coast" and "on May 6, ____" are no lists
    rf"(?<!\d),\s(?:and\s|or\s)?{BLANK}|{BLANK}(?:(?:,\s\w+)+,?)?\s(?:and|or)\s|(?:and|or)\s{BLANK}"
)
#: But the one of an initial: "Harry M. Woods".
_DOT = re.compile(r"(?<!\b[A-Z])\.")
_ARTICLE_BEFORE = re.compile(r"\b([Aa])n? $")

#: How much more it is worth than its sentence, where it begins and ends, and what it is.
_Place: TypeAlias = "tuple[float, int, int, Asked]"

#: Of what is asked for only where a concept has nothing else to fill in or to choose.
SPARE_WORTH = 0.5


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
    #: The names of what it is about, each by its ``topic_key``: no other sentence is asked about that.
    about: frozenset[str] = frozenset()


class Clozes:
    """Leaves words out, for one plan."""

    def __init__(self, material: Material, distractors: Distractors, names: frozenset[str]) -> None:
        """``names``: of the plan's concepts, by their ``topic_key``."""
        self._material = material
        self._distractors = distractors
        self._names = names

    def called(self, sentence: Sentence) -> Iterator[Draft]:
        match = _CALLED.match(sentence.text)
        if match:
            about = self._material.names_of(match["term"])
            for draft in self._cloze(sentence, match.span("term"), "term", 0.8):
                yield replace(draft, about=about, once=True)

    def year(self, sentence: Sentence, *, of_person: bool) -> Iterator[Draft]:
        """In which year what the page is about was founded, discovered and the like; of a person, born or dead."""
        years = list(years_in(sentence.text))
        lived = _LIVED.search(sentence.text) if of_person else None
        happened = _HAPPENED.search(sentence.text) or lived
        if len(years) == 1 and happened and _is_of_subject(sentence.text[: happened.start()]):
            start, end, year = years[0]
            wrong = tuple(self._distractors.years(year, sentence))
            if wrong:
                worth = 0.7 if not sentence.chunk.section else 0.6 * (not sentence.text.startswith(("In ", "On ")))
                worth = min(worth, SPARE_WORTH) if happened is lived else worth
                yield from self._cloze(sentence, (start, end), "year", worth, wrong)

    def of_work(self, definition: Definition) -> Iterator[Draft]:
        """Of which year a work is: "a 1961 album", "a song recorded in 1945"."""
        sentence, (start, end) = definition.sentence, (definition.start, definition.end)
        years = [match.span("year") for match in _WORK_OF.finditer(sentence.text, start, end)]
        if len(years) == 1:
            (at,) = years
            wrong = tuple(self._distractors.years(sentence.text[slice(*at)], sentence))
            if wrong:
                yield from self._cloze(sentence, at, "year", SPARE_WORTH, wrong)

    def inner(self, sentence: Sentence, span: tuple[int, int], worth: float) -> Iterator[Draft]:
        """The word within a sentence that is best asked for: a name, a concept of the plan, a glossary's term, or what
        the definition counts or measures.

        Any other word has others for it: "a sovereign ____ in North Africa" may be a state and a country.
        """
        found = [*_names_in(sentence, span), *self._terms_in(sentence, span)]
        for more, form in ((0.1, _MEASURED), (-0.1, _FIELD)):
            if match := form.match(sentence.text, *span):
                found.append((more, *match.span("term"), "term"))
        yield from self._best(sentence, found, worth)

    def named(self, sentence: Sentence, worth: float) -> Iterator[Draft]:
        """The name that is the point of a sentence, which defines nothing."""
        for draft in self._best(sentence, list(_names_in(sentence, (0, len(sentence.text)))), worth):
            yield replace(draft, once=True)

    def _terms_in(self, sentence: Sentence, span: tuple[int, int]) -> Iterator[_Place]:
        inside = hidden(sentence.text, " ")
        for match in re.finditer(r"(?<![\w-])[a-z][a-z-]{3,}(?![\w-])", inside[: span[1]]):
            word, (start, end) = match[0], match.span()
            if start < span[0] or not _WHOLE.match(inside[end:]):
                continue
            longer = re.search(r"(?<![\w-])[a-z][\w-]+ $", inside[span[0] : start])
            first = start - len(longer[0]) if longer and stem_set(longer[0]) else start
            if self._is_known(inside[first:end]):
                yield (0.2, first, end, "term")
            elif self._is_known(word):
                yield (0.15, start, end, "term")

    def _best(self, sentence: Sentence, found: list[_Place], worth: float) -> Iterator[Draft]:
        for more, start, end, asked in sorted(found, key=lambda one: -one[0]):
            if drafts := list(self._cloze(sentence, (start, end), asked, worth + more)):
                yield drafts[0]
                return

    def _is_known(self, phrase: str) -> bool:
        key = topic_key(phrase)
        topic = self._material.topics.get(key)
        return key in self._names or (topic is not None and topic.is_entry)

    def _cloze(
        self, sentence: Sentence, span: tuple[int, int], asked: Asked, worth: float, wrong: tuple[str, ...] = ()
    ) -> Iterator[Draft]:
        start, end = span
        text, key = sentence.text, sentence.text[start:end]
        before = _ARTICLE_BEFORE.sub(r"\1(n) ", text[:start])
        asks = without_parentheses(f"{before}{BLANK}{text[end:]}")
        gives = gives_all_away if asked == "name" else gives_away
        if asked == "name" and self._material.is_everywhere(key):
            return
        if BLANK not in asks or _DOT.search(key) or _LISTED.search(asks) or gives(asks, key):
            return
        worth -= 0.1 * (len(asks.split()) > 30)
        asking = "Which year fills the blank?" if wrong else "Fill in the blank."
        yield Draft("choice" if wrong else "blank", asked, f"{asking} “{asks}”", key, wrong, sentence, worth)


def _names_in(sentence: Sentence, span: tuple[int, int]) -> Iterator[_Place]:
    inside, title = hidden(sentence.text, " "), f" {normal(sentence.chunk.page_title)} "
    found: list[_Place] = [
        (0.15, *match.span("name"), "name") for match in _NAMED.finditer(inside, span[0], span[1] + 1)
    ]
    if span[1] - span[0] < _SHORT and (place := _PLACE.search(inside[: span[1]].rstrip(), span[0])):
        found.append((-0.1, *place.span("name"), "name"))
    # The title is shown with the question: "Victoria (Australia)".
    yield from (one for one in found if f" {normal(inside[one[1] : one[2]])} " not in title)


def _is_of_subject(before: str) -> bool:
    """Whether what is before a verb is the sentence's subject alone, and no clause of something else begins in it."""
    rest = re.sub(r"^(?:In|On)\s[^,]+,\s", "", before)
    return rest.count(",") % 2 == 0 and not re.search(r",\s(?:with|and|while|where|whose|which)\s", rest)
