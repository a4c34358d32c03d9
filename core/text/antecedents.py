"""What a short question refers to: "a sponsor" for "What is that?" behind "Do I need a sponsor?", or the item of a list
in the answer before it for "And the second one?", or the person for "he" and "she"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .doers import NAME, doers_in
from .rewording import LEAD, reworded, topic_of
from .stemming import STOP_WORDS, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_POINTER = r"(?:it|that|this|they|them|these|those)"
_WHAT_IS = r"(?:what|who)(?:['’]s| is| are| was| were)"
_ASKS_TERM = re.compile(rf"\W*(?:{_WHAT_IS}|define|explain|describe|tell me about)\s+(.{{2,60}}?)\W*$", re.IGNORECASE)
#: The last words of a question, up to three, behind an article or a preposition.
_LAST_NOUN = re.compile(
    r"\b(?:an?|the|any|some|my|your|of|with|for|in|on|from|about|by|using|use)\s+((?:[\w.-]+\s){0,2}[\w.-]*\w)\W*$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:an?|the)\s+", re.IGNORECASE)
_MOST_WORDS = 4
#: "On Linux" of "And on Linux?".
_PREPOSITION = re.compile(r"(?:on|in|for|with|from|to|at|by|of|under|after|before|without|during)\b", re.IGNORECASE)
_LEAST_HEAD = 4
_ASKS_WHAT_IT_IS = re.compile(rf"\W*({_WHAT_IS}) {_POINTER}(?: exactly| then| anyway)?\W*", re.IGNORECASE)
_GOES_ON = re.compile(r"\W*(?:please )?tell\b", re.IGNORECASE)
_TREATED = r"(?:\w+ed|about)(?: here)?"
_DIFFERENCE = r"(?:differences?|distinction)"
#: "What is the difference?", "How do they differ?"
_ASKS_DIFFERENCE = re.compile(
    rf"\W*(?:what(?:['’]s| is| are) the {_DIFFERENCE}(?: between (?:them|those|these|both|the two))?"
    r"|how (?:do|are) they (?:differ|different))\W*",
    re.IGNORECASE,
)
#: "The difference to B", "How does it differ from B?", "Compare it with B".
_TO_OTHER = re.compile(rf"\b{_DIFFERENCE} (?:to|from|with) (?=\w)", re.IGNORECASE)
_POINTED_SIDE = re.compile(
    rf"\b(how (?:does|do|is|are)|compare|{_DIFFERENCE} between) {_POINTER}\b"
    r"(?= (?:differ|different|distinct|to|with|and)\b)",
    re.IGNORECASE,
)
#: "Is it failing now?", and "the backup" of "When did the backup last fail?"
_ASKS_STATE = re.compile(r"(\W*(?:(?:and|but|so)\b\W*)?(?:is|are|does|do|has|have) )(?:it|they)\b", re.IGNORECASE)
_ADVERB = r"(?: (?:last|still|again|ever|currently|now|lately))?"
_SUBJECT = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have) ((?:the|an?|our|my|your) (?:[\w-]+ ){0,2}?[\w-]+)"
    rf"{_ADVERB} (?!last|still|again|ever|currently|now|lately)[\w-]+{_ADVERB}\W*$",
    re.IGNORECASE,
)
#: A question that things of a kind may answer.
_ASKS_WHAT = re.compile(
    r"(?:and |but |so )?(?:(?:in |into |by |from |of )?(?:what|which)|how|name|list|give)\b", re.IGNORECASE
)
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
_THINGS = r"(?:ones?|item|type|kind|part|step|stage|phase|point|form|method|option|way|reason)"
_ORDINAL = re.compile(
    rf"\b(?:the|number) ((?a:{'|'.join(_PLACES)}))(?: {_THINGS})?(?=\W*$|\s+(?:mean|work|do)\b)", re.I
)
#: A line of a list, and its term: "- Assets: what you own".
_LINE = re.compile(r"^[ \t]{0,8}(?:[-*+•]|\d{1,2}[.)])[ \t]{1,4}([^\n:.–—]{2,60})", re.MULTILINE)
#: Of "three types: hinges, sliders and screws" or "are hinges, sliders and screws" the enumeration.
_ENUMERATION = re.compile(
    r"(?:[:(]|\b(?:are|is|into|including|includes|as))\s([^,.;:()\n]{2,50}(?:,\s[^,.;:()\n]{2,50}){1,8},?\s(?:and|or)"
    r"\s[^,.;:()\n]{2,50})"
)
_BETWEEN = re.compile(r",\s(?:and|or)\s|,\s|\s(?:and|or)\s")
#: Characters of an answer in which a person is looked for.
_LONGEST_SENTENCE = 600
#: "He" and "she" in every form; a possessive is the first group: "her friend", not "with her".
_PERSONS = (
    re.compile(r"\b(?:he|him|(his))\b", re.IGNORECASE),
    re.compile(
        r"\b(?:she|her(?=\W*$| (?:an?|the|to|in|on|at|by|for|from|of|with|and|or|as|about|after|before|when|so)\b)"
        r"|(hers?))\b",
        re.IGNORECASE,
    ),
)
#: Of them that are replaced in a question.
_MOST = 4
_ASKS_WHO = re.compile(r"\bwho\b", re.IGNORECASE)
#: "Who was Anna Kerr?", "Tell me about Kerr", which have the name, not "Who was Anna's father?".
_ASKS_WHO_IS = re.compile(
    r"\W*(?:(?i:and|but|so) )?(?i:who (?:is|was)|who['’]s|tell me(?: more)? about)"
    r" ((?:[A-Z][\w.’'-]*(?<!['’]s) ?){1,5})\W*$"
)


def with_subject(question: str, earlier: Sequence[str]) -> str:
    """ "Is the backup failing now?" for "Is it failing now?" behind "When did the backup last fail?"; empty for another
    question, and where the one before has no such subject."""
    asked, named = _ASKS_STATE.match(question), _SUBJECT.search(earlier[-1]) if earlier else None
    return f"{asked[1]}{named[1]}{question[asked.end() :]}" if asked and named else ""


def resolve_pronoun(question: str, earlier: Sequence[str]) -> str:
    """The question with the thing that the earlier ones, the latest last, ask about in the place of its pronoun, where
    it asks what that is, where it is treated, or how it differs from another; else as it is."""
    named = _named(earlier)
    if asked := _ASKS_WHAT_IT_IS.fullmatch(question):
        is_known = not earlier or _ASKS_TERM.match(earlier[-1])
        one = "" if is_known else next(named, "")
        return f"{asked[1]} {one}?" if one else question
    if _ASKS_DIFFERENCE.fullmatch(question):
        second, first = next(named, ""), next(named, "")
        return f"What is the difference between {first} and {second}?" if first and second else question
    topic = topic_of(question) or ""
    is_pointed = bool(re.fullmatch(_POINTER, topic, re.IGNORECASE)) and not _GOES_ON.match(question)
    if not (is_pointed or _TO_OTHER.search(question) or _POINTED_SIDE.search(question)) or not (one := next(named, "")):
        return question
    if is_pointed:
        return re.sub(rf"\b{topic}(?=\W*(?:{_TREATED})?\W*$)", lambda _: one, question, count=1)
    question = _TO_OTHER.sub(lambda _: f"difference between {one} and ", question)
    return _POINTED_SIDE.sub(lambda found: f"{found[1]} {one}", question)


def resolve_ordinal(question: str, earlier: str, answer: str) -> str | None:
    """The question with the item of the earlier answer that it names by its place, "And hinges?" for "And the first
    one?"; ``None`` where it names none, or the answer's first quote has no list."""
    asked = _ORDINAL.search(question)
    items = _items_of(answer.partition(" [")[0]) if asked and _ASKS_WHAT.match(earlier) else []
    place = _PLACES[asked[1].casefold()] if asked else 0
    if asked is None or not -len(items) <= place < len(items):
        return None
    return question[: asked.start()] + items[place] + question[asked.end() :]


def parallel_question(question: str, earlier: Sequence[str]) -> str:
    """The last of the earlier questions with what this one, which has no verb, names in the place of its counterpart:
    "What is a hub?" for "And a hub?" behind "What is an axle?"; empty where it has none."""
    known = ""
    for asked in (*earlier, question):
        known = _parallel(LEAD.sub("", asked, count=1).strip(" ?.!"), known) or ("" if asked is question else asked)
    return known


def _parallel(rest: str, before: str) -> str:
    """``before`` with the rest of a question in the place of what it asks about, of the phrase with the same
    preposition, or of the noun with the same last word."""
    if not 0 < len(words(rest)) <= _MOST_WORDS + 1:
        return ""
    topic = topic_of(before)
    if topic and topic in before:
        return before.replace(topic, rest, 1)
    if preposition := _PREPOSITION.match(rest):
        places = list(re.finditer(rf"\b{preposition[0]} ", before, re.IGNORECASE))
        return f"{before[: places[-1].start()]}{rest}?" if places else ""
    if (term := _ASKS_TERM.match(before)) and _is_name(_ARTICLE.sub("", term[1])):
        return f"{before[: term.start(1)]}{rest}?"
    head = rest.rpartition(" ")[2]
    same = re.search(rf"\b(?:an?|the|any|some) (?:[\w.-]+ ){{1,3}}{re.escape(head)}\b", before, re.IGNORECASE)
    if same is None or len(head) < _LEAST_HEAD:
        return ""
    rest = rest if _ARTICLE.match(rest) else f"{same[0].partition(' ')[0]} {rest}"
    return before[: same.start()] + rest + before[same.end() :]


def _is_name(text: str) -> bool:
    return 0 < len(words(text)) <= _MOST_WORDS and STOP_WORDS.isdisjoint(words(text))


def _named(questions: Sequence[str]) -> Iterator[str]:
    """What the questions ask about, the latest first."""
    for question in reversed(questions):
        rest = reworded(LEAD.sub("", question, count=1))
        found = [_ASKS_TERM.match(rest), _LAST_NOUN.search(rest)]
        for name in [*(each[1] for each in found if each), *([rest.strip(" ?.!")] if rest != question else [])]:
            name = _ARTICLE.sub("", name)
            if _is_name(name):
                yield name
                break


def _items_of(answer: str) -> list[str]:
    """The items of the first list of the answer, or of its first enumeration."""
    if len(lines := _LINE.findall(answer)) > 1:
        return [line.strip() for line in lines]
    found = _ENUMERATION.search(answer)
    return [item.strip() for item in _BETWEEN.split(found[1])] if found else []


def with_person(question: str, history: Sequence[tuple[str, str]]) -> str:
    """The question with the name of the person who was asked for, or asked about, for "he" or for "she", whichever
    comes first; of a person that the question names itself it is as it was: "Did Anna Kerr say that she is ill?".

    ``history``: the earlier questions, each with its answer, the latest last.
    """
    found = [each for form in _PERSONS if (each := form.search(question))]
    first = min(found, key=re.Match.start, default=None)
    if first is None or (first[0].casefold() not in {"him", "her"} and NAME.search(question, 1, first.start())):
        return question
    # "Where does she live?" behind "Who is her father?" is of her of whom that was asked.
    turns = ((asked, answer) for asked, answer in reversed(history) if not first.re.search(asked))
    person = next(filter(None, (_person_of(*turn) for turn in turns)), "")
    named = first.re.sub(lambda each: f"{person}’s" if each[1] else person, question, _MOST)
    return named if person else question


def _person_of(question: str, answer: str) -> str:
    """The name of who was asked for, or the full one of who was asked about; empty for none."""
    if named := _ASKS_WHO_IS.match(question):
        return named[1].strip()
    if _ASKS_WHO.search(question):
        quoted = answer[:_LONGEST_SENTENCE].partition("\n\n")[0].rpartition(" [")[0]  # not what comes closest
        sentence, known = quoted.partition(" [")[0], frozenset(words(question))
    else:
        sentence, known = question, frozenset[str]()
    name = max(doers_in(sentence, known, is_done=True), key=lambda each: len(each.split()), default="")
    return name if known or " " in name else ""
