"""Terms and abbreviations: which one a question asks for or which two it compares, and whether a sentence has it, or
what it stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .stemming import STOP_WORDS, stems, words

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_CALLED = r"(?:called|named|known as|termed|referred to as)"
_ASKS_FOR_TERM = re.compile(
    # "What do you call …?", "What is … called?", "… is known as what?", "The … is called:"
    rf"^\W*what (?:do|does|would|can|is|are|was|were)\b.{{0,300}}\b(?:call|{_CALLED})\b"
    rf"|\b{_CALLED}(?: (?:an?|the))?(?: what)?\W*$"
    r"|\bwhat(?:['’]s| is| are| was) the (?:\w+ )?(?:(?:term|word)s?\b|names? (?:for|given to)\b)"
    r"|^\W*(?:what|which) (?:term|word|name) (?:is|do|does|describes?|refers?|means?|denotes?|applies|stands)\b",
    re.IGNORECASE,
)
_WORDS = r"[\w'’-]+(?: [\w'’-]+){0,2}"
_NAMES = re.compile(
    rf"\b(?:{_CALLED}|terms?)\s(?:(?:an?|the)\s)?[\"“'‘*_]{{0,3}}({_WORDS})"
    rf"|^\W{{0,4}}(?:(?:an?|the)\s)?({_WORDS}|[^:.\n]{{2,60}}(?=:\s))[\"”'’*_]{{0,3}}(?: \([^()]{{1,60}}\))?"
    r"(?::\s|\s(?:(?:is|are)\s(?:an?|any)|refers? to|means?)\s)",
    re.IGNORECASE,
)
#: Asks for the words that an abbreviation stands for.
_ASKS_EXPANSION = re.compile(
    r"^\W*(?:what (?:does|do|did) ([\w-]{2,12}) stand for"
    r"|what is ([\w-]{2,12}) (?:short|an (?:abbreviation|acronym)) for"
    r"|what is (?:the )?(?:full form|expansion) of ([\w-]{2,12}))\W*$",
    re.IGNORECASE,
)
#: Between an abbreviation and its words, and between these and the abbreviation: "SSD (solid …", "SSD: solid …".
_WORDS_FOLLOW = re.compile(
    r"[\"”’*_]*(?: here)?(?:\s?\(|\s?[:–—=]|,(?= (?:the|an?) )|,? or\b|,? meaning\b"
    r"|\s(?:means?|refers? to|denotes?|is|are)\b)[\s\"“*_]*"
    r"(?:(?:the|an?) )?(?=\w)"
)
_WORDS_PRECEDE = re.compile(
    r"(?:\s?\(|,? (?:or|(?:also |often )?(?:called|noted|denoted|abbreviated|known)(?: as| to| by)?) )[\"“*_]*$"
)
_STANDS_FOR = re.compile(r"\W{1,3}(?:stands? for|(?:(?:is|are) )?short for|abbreviates)\b", re.IGNORECASE)
#: It has two capital letters or more, and few letters.
_ABBREVIATION = re.compile(r"\b(?=\w{0,11}[A-Z][a-z\d-]{0,11}[A-Z])[\w-]{2,12}\b")
#: Characters before and behind an abbreviation in which its words are looked for.
_NEAR = 80
#: Questions that compare A and B.
_END = r"\W*(?:[?.!].*)?$"
_COMPARISONS = tuple(
    re.compile(form + _END, re.IGNORECASE)
    for form in (
        (
            r"\b(?:differences?|distinction|distinguish|compare|comparison) (?:between |of )?(.{2,80}?)"
            r" (?:and|with|to|from) (.{2,80}?)"
        ),
        r"\bhow (?:do|does|did|is|are) (.{2,80}?) (?:differ|different|distinct) from (.{2,80}?)",
        r"^\W*(.{2,80}?) (?:vs\.?|versus|compared (?:to|with)) (.{2,80}?)",
    )
)


def asks_for_term(question: str) -> bool:
    """Whether the question describes something and asks what it is called."""
    return bool(_ASKS_FOR_TERM.search(question))


def names_term(sentence: str, known: Collection[str]) -> bool:
    """Whether the sentence calls something by a name with a stem that is none of the ``known``."""
    found = (set(stems(match[1] or match[2])) for match in _NAMES.finditer(sentence))
    return any(each and not each.issubset(known) for each in found)


def abbreviation_of(question: str) -> frozenset[str]:
    """The stem of X in "What does X stand for?"; empty for another question."""
    asked = _ASKS_EXPANSION.match(question)
    return frozenset(stems(next(filter(None, asked.groups())))) if asked else frozenset()


def spells_out(sentence: str, term: Collection[str]) -> bool:
    """Whether the sentence says what the abbreviation with this stem stands for: "solid-state drive (SSD)", "SSD (solid
    …)", "SSD: solid …", "SSD stands for …"."""
    term = frozenset(term)
    for found in _ABBREVIATION.finditer(sentence):
        short, start, end = found[0], *found.span()
        if not _is_term(short, term):
            continue
        if _STANDS_FOR.match(sentence, end):
            return True
        before = sentence[max(0, start - _NEAR) : start]
        if link := _WORDS_PRECEDE.search(before):
            parts = words(before[: link.start()])[-2 * len(short) :]
            if any(_abbreviates(short, parts[first:]) for first in range(len(parts))):
                return True
        if link := _WORDS_FOLLOW.match(sentence, end):
            parts = words(sentence[link.end() : link.end() + _NEAR])[: 2 * len(short)]
            if any(_abbreviates(short, parts[:last]) for last in range(2, len(parts) + 1)):
                return True
    return False


def _is_term(word: str, term: frozenset[str]) -> bool:
    return frozenset(stems(word)) == term or frozenset(stems(word.removesuffix("s"))) == term


def _abbreviates(short: str, parts: Sequence[str]) -> bool:
    """Whether the abbreviation is made of the first letters of two words or more, the first and the last among them,
    and of others of these words; small words, and as many others as half of the letters, may be left out."""
    letters = "".join(filter(str.isalpha, short.removesuffix("s").casefold()))  # "SSDs", but "vBNS"
    reached = {0: 0}  # words left out, the fewest, by the number of letters that the words up to here may stand for
    for number, part in enumerate(parts):
        onward: dict[int, int] = {}
        for at, left_out in reached.items():
            if 0 < number < len(parts) - 1:
                onward[at] = min(onward.get(at, len(parts)), left_out + (part not in STOP_WORDS))
            initial = part[1:2] if part.startswith("ex") and letters.startswith("x", at) else part[0]
            if letters.startswith(initial, at):
                most = at + 1
                for letter in part[1:]:
                    most += letters.startswith(letter, most)
                onward.update({to: min(onward.get(to, len(parts)), left_out) for to in range(at + 1, most + 1)})
        reached = onward
    return len(parts) > 1 and reached.get(len(letters), len(letters)) <= len(letters) // 2


def sides_of(question: str) -> tuple[list[str], list[str]] | None:
    """The stems of A and of B, in order, in "the difference between A and B", "A vs B", "how does A differ from B"."""
    found = next((match for form in _COMPARISONS if (match := form.search(question))), None)
    if found is None:
        return None
    first, second = stems(found[1]), stems(found[2])
    return (first, second) if set(first) - set(second) and set(second) - set(first) else None
