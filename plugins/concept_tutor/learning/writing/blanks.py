"""Sentences with a year, a number, a name or a term left out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..reading.material import bare_title
from ..reading.names import is_whole, names_in, stands_as, stands_whole
from ..reading.numbers import counts_in, years_in
from ..reading.spelling import gives_away, normal, stem_set
from ..records import BLANK
from .drafting import Draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..reading.material import Material
    from ..reading.sentences import Sentence
    from ..records import Asked
    from .distractors import Distractors

_ASKS: dict[Asked, str] = {
    "year": "Which year fills the blank?",
    "number": "Which number fills the blank?",
    "person": "Whose name fills the blank?",
    "place": "Which place fills the blank?",
    "name": "Which name fills the blank?",
    "term": "Which term fills the blank?",
}
_WORTH: dict[Asked, float] = {"term": 0.65, "person": 0.6, "name": 0.5, "year": 0.5, "place": 0.45, "number": 0.4}
#: An aside of many words or several names hides what is asked for.
_CLUTTER = re.compile(r"\([^()]*(?:,[^()]*,|;|(?:\s[^()\s]+){5})[^()]*\)")
#: One of several in a row: others could stand there as well.
_LISTED = re.compile(rf",\s(?:and\s|or\s)?{BLANK}|{BLANK}(?:\s(?:and|or)\s|,)")
#: What is true of every statistic is true of each kind of them, and a kind may be among the other options.
_GENERAL = re.compile(r"\b(?:an?|any|every|each|all|no|some|many|most)\s$", re.IGNORECASE)
_ARTICLE_BEFORE = re.compile(r"\b([Aa])n? $")


def blanks(sentence: Sentence, material: Material, distractors: Distractors, terms: frozenset[str]) -> Iterator[Draft]:
    """Every blank that the sentence may have. ``terms``: names of things that the plan is about, in small letters."""
    text = sentence.text
    title = bare_title(sentence.chunk.page_title)
    topical = bool(stem_set(title) & stem_set(text))
    if topical:  # years and numbers of anything else are not worth keeping in mind
        for start, end, year in years_in(text):
            yield from _draft(sentence, start, end, "year", distractors.years(year, sentence))
        for count in counts_in(text):
            yield from _draft(sentence, count.start, count.end, "number", distractors.counts(count, sentence))
    if _CLUTTER.search(text):
        return
    for name in names_in(text, material.small_words) if topical else ():
        kind = material.kinds(name.text)
        if kind is not None and is_whole(text, name) and stands_as(text, name, kind):
            asked: Asked = "person" if kind == "person" else "place" if kind in {"place", "water"} else "name"
            yield from _draft(sentence, name.start, name.end, asked, distractors.names(name.text, kind, sentence))
    for term in sorted(terms):
        match = re.search(rf"(?<![\w'’-]){re.escape(term)}(?![\w'’-])", text)
        if match is None or not stands_whole(text, match.end()) or _GENERAL.search(text[: match.start()]):
            continue
        if not _LISTED.search(f"{text[: match.start()]}{BLANK}{text[match.end() :]}"):
            several = [other for other in terms if other.endswith("s") == term.endswith("s")]
            yield from _draft(sentence, *match.span(), "term", distractors.others(term, several, sentence))


def _draft(sentence: Sentence, start: int, end: int, asked: Asked, wrong: list[str]) -> Iterator[Draft]:
    text, key = sentence.text, sentence.text[start:end]
    title = bare_title(sentence.chunk.page_title)
    rest = f"{text[:start]} {BLANK} {text[end:]}"
    if not wrong or gives_away(rest, key) or gives_away(title, key):
        return
    if text[end:].startswith(" (") or text[:start].endswith("("):
        return  # an abbreviation, dates or another name beside it
    before = _ARTICLE_BEFORE.sub(r"\1(n) ", text[:start])
    topical = bool(stem_set(title) & stem_set(rest))
    worth = _WORTH[asked] + 0.15 * topical - (0.1 if len(text.split()) > 28 else 0) - (0.05 if "(" in text else 0)
    if not topical and asked != "term" and len(stem_set(normal(rest))) < 6:
        return
    question = f"{_ASKS[asked]} From the article on {title}: “{before}{BLANK}{text[end:]}”"
    yield Draft("choice", asked, question, key, tuple(wrong), sentence, worth)
