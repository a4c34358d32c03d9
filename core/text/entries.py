"""Entries of dictionaries and glossaries: a heading or a label that is the term, and what is said of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .answer_types import answer_type_scorer
from .irregular_verbs import with_forms
from .question_kinds import asks_whether, gives_a_reason
from .stemming import name_stems, stems
from .times import asks_for_time

#: Parts of a title: an article's own has one.
_DEEPER = re.compile(r"\n|\s›\s")
#: Behind the term that an article begins with: "…, also known as Y, is a".
_IS_A = re.compile(r"[^.;]{0,250}?\s(?:is|was|are|were) (?:an?|the|one|any) ")
#: The number before a title, and what is behind its term: "hmmscan - search a database", "Traits: shared behaviour".
_NUMBER = re.compile(r"^\W*(?:(?:chapter|section|appendix) )?(?:\d+(?:\.\d+)*[.:)]?\s|[A-Z]\.\s)\W*", re.IGNORECASE)
_BEHIND = re.compile(r"\s*(?::\s|\s[-–—]\s|\().*$")
_LABEL = re.compile(r"\W*([\w][^:.!?|]{0,60}):\s")
#: The same in bold type.
_ASKED_LABEL = re.compile(r"^[^\w\n]*(\w[^:.!?|\n]{0,60}):\W{0,3} (.*)", re.MULTILINE)
#: "Which soil …?", whose label is none of what soils have.
_KIND = re.compile(
    r"\W*(?:which|what) (?!(?:is|are|was|were|do|does|did|has|have|had|can|will|would|should)\b)(\w+)", re.IGNORECASE
)
#: Weight of a question, which answers no question whether something is so.
_IS_QUESTION = 3
#: Titles that are about something else than their term: "Other slices".
_OTHER = re.compile(r"\b(?:other|more|about|when|where|how|why|what|which|not|no|without|between)\b", re.IGNORECASE)
#: Words that a sentence with a verb has, or one that goes on with another; what an entry begins its clauses with.
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|could|will|would|may|might|must|should|do|does|did|this|these|that|it|we|you"
    r"|they|if|when)\b|^\W*(?:the|an?) \w+ [a-z]+(?<!s)s\b(?! of\b)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,(]?\s(?:that|which|whose|where|when|used|containing|consisting|i\.e\.)\b|[.;](?:\s|$)")
#: What stands in brackets, such as where a word comes from.
_BRACKETS = re.compile(r"\s?[(\[][^()\[\]]*[)\]]")
#: Beginnings of a sentence that goes on with another, or tells its reader to do something.
_OPENING = re.compile(
    r"\W*(?:\w+,|(?:let|to|now|as|although|since|because|while|after|before|for (?:example|instance|more|further))\b"
    r"|\w+ing (?:from|to|in|by|with)\b)",
    re.IGNORECASE,
)
#: "ES: fuga, I: fuga, D: Fuge": fields with their names.
_FIELD = re.compile(r"(?:^|[,;]\s)\w{1,16}:\s")
_LEAST_FIELDS = 3
#: A name and a value alone: "hall › temperature: 12".
_VALUE = re.compile(r"\W*(?![^:]*\b(?:is|are|was|were|has|have|had)\b)\w[^:.!?|\n]{0,80}: \S+(?: \S+){0,3}\W*")
#: The item of a list of tasks, and its first word, which is what is to be done.
_TASK = re.compile(r"\A\W*\[[ xX]\]\s+(\w+)")
_ASKS_DUE = re.compile(r"\b(?:due|deadline|by when|have to|has to|must|should|needs?)\b", re.IGNORECASE)
_ASKS_WISH = re.compile(r"\b(?:want|wish|ask|request|like|suggest|propose)", re.IGNORECASE)
_ASKS_WHICH = re.compile(r"\W*(?:which|what|where) (?!tasks?\b|items?\b|to\b|steps?\b|next\b)", re.IGNORECASE)
_ASKS_WHY = re.compile(r"\bwhy\b", re.IGNORECASE)
#: Words of an entry's first clause.
_LONGEST_CLAUSE = 30


def title_stems(headings: str) -> frozenset[str]:
    """The stems of the last title of a chunk's headings, without its number and what explains it; none of one that is
    about something else than its term."""
    title = next(iter(headings.splitlines()[-1:]), "").rpartition(" › ")[2]
    bare = _BEHIND.sub("", _NUMBER.sub("", title))
    return frozenset() if _OTHER.search(bare) else frozenset(stems(bare))


def is_lead(headings: str, term: frozenset[str]) -> bool:
    """Whether a chunk with these headings is of the part of an article on the term that is below its title alone."""
    return not _DEEPER.search(headings.strip()) and title_stems(headings) == term


def presents(sentence: str, term: frozenset[str]) -> bool:
    """Whether an article's first sentence begins with its term and says what it is, whatever stands between: "Ada, the
    language of …, also known as …, is a"."""
    found = _IS_A.match(sentence)
    return found is not None and frozenset(stems(found[0])[: len(term)]) == term


def is_entry(sentence: str, term: frozenset[str]) -> bool:
    """Whether the sentence has the form of what a dictionary says of the term with these stems, without the whole term
    and without a verb: "A sequence of chords that ends …"; not "Now look at the chords."."""
    bare = _BRACKETS.sub("", _BRACKETS.sub("", sentence)).strip()  # also those in others
    first = _CLAUSE.split(bare, maxsplit=1)[0]
    known = stems(first)
    is_of_term = term.issubset(known) or (first.startswith("The ") and not term.isdisjoint(known[:1]))
    return (
        len(first.split()) <= _LONGEST_CLAUSE
        and not is_of_term
        and not leads_on(first)
        and not _FINITE.search(first)
        and not first.endswith("?")
        and ": " not in first
    )


def leads_on(sentence: str) -> bool:
    """Whether the sentence begins as one that goes on with another, or tells its reader to do something."""
    return _OPENING.match(sentence) is not None


def is_fields(sentence: str) -> bool:
    """Whether the sentence is a list of fields with their names: "ES: fuga, I: fuga, D: Fuge"."""
    return _FIELD.match(sentence) is not None and len(_FIELD.findall(sentence)) >= _LEAST_FIELDS


def labels(sentence: str, compound: Sequence[str]) -> bool:
    """Whether the sentence's label is what is asked for without its last word: "Quick: …" for "the quick trait"."""
    found = _LABEL.match(sentence)
    return found is not None and len(compound) > 1 and frozenset(stems(found[1])) == frozenset(compound[:-1])


def label_finder(question: str) -> Callable[[str], bool]:
    """A function that tells whether a sentence has a label of words of the question, no names alone, and behind it the
    time, quantity or name that is asked for: "Subsidy: 15 percent" for "How high is the subsidy?". Where none is asked
    for, it is a label of the kind that is: "Soil: loam" for "Which soil is best?"."""
    asked, named = frozenset[str]().union(*map(with_forms, stems(question))), name_stems(question)
    has_type, of_kind = answer_type_scorer(question), _KIND.match(question)
    kind = set(stems(of_kind[1])) if of_kind else set()

    def has_label(sentence: str) -> bool:
        labels = ((set(stems(label)), value) for label, value in _ASKED_LABEL.findall(sentence))
        labels = (each for each in labels if not each[0].issubset(named) and each[0] <= asked)
        return any(has_type(value) > 0.5 * (not kind <= found) for found, value in labels)

    return has_label


def other_answer_finder(question: str) -> Callable[[str], int] | None:
    """A function that tells, by a weight, whether a sentence is a name and a value, which says what and how much, where
    the question asks why; a task to do something else, where it asks when: by when slides for a meeting are prepared is
    not when the meeting is; any task, where it asks which, what or where; or a question, where it asks whether
    something is so. ``None`` for another question."""
    if asks_for_time(question) and not _ASKS_DUE.search(question):
        asked = frozenset[str]().union(*map(with_forms, stems(question)))
        return lambda sentence: any(asked.isdisjoint(stems(verb)) for verb in _TASK.findall(sentence))
    if _ASKS_WHY.search(question):
        return lambda sentence: bool(_VALUE.fullmatch(sentence)) and not gives_a_reason(sentence)
    if _ASKS_WHICH.match(question) and not _ASKS_DUE.search(question):
        return lambda sentence: _TASK.match(sentence) is not None
    if asks_whether(question) and not _ASKS_WISH.search(question):
        return lambda sentence: _IS_QUESTION * sentence.endswith("?")
    return None
