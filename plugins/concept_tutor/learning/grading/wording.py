"""Words of an answer beside words of a source: forms, synonyms and slips of one word, and words that tell little."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from pathlib import Path

from ragstone.core.citations import AnalyzedText

from .word_forms import bases, is_form, roots, stem_of

_WORD = re.compile(r"(?:(?<![^\s(=])[-−](?=\d))?(?:\d+\.\d+(?![.\d])|[^\W_]+(?:['’][^\W_]+)*)")
_MINUS = re.compile(r"\b(?:minus|negative) (\d|[a-z]+)", re.IGNORECASE)
#: The digits or the first word of a quantity.
_NUMBER = re.compile(r"[-+$€£]*(?:\d[\d.,/]*|[a-z]+)", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_COMPASS = re.compile(
    r"\b(north|south)(?:ern)?[ -]?(east|west)(?:ern)?\b|\b(north|south|east|west)ern\b", re.IGNORECASE
)
#: "Keeps A from doing B" prevents it.
_KEEPING = re.compile(r"\bke(?:eps?|pt|eping)\b(?=[^.;:]{2,60} from [a-z]+ing\b)", re.IGNORECASE)
_LATIN = re.compile(r"\b(i|e)\.\s?(e|g)\.")
_POSSESSIVE = re.compile(r"['’]s?$")
_COUNTRY = re.compile(r"\bU\.?\s?S\.?(?:\s?A\b\.?)?(?!\w)")
ARTICLES = frozenset({"a", "an", "the", "its", "their", "his", "her"})
_RANKS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split()  # noqa: SIM905 - easily read
_NUMBERS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_RANK = re.compile(r"(\d+)(?:st|nd|rd|th)")
#: Before a word they turn it round: "underactive" is "not active".
_TURNING = ("under", "un", "in", "im", "ir", "il", "non", "dis")
#: Words that differ in these alone say the opposite: "inhale", "exhale".
_PREFIXES = [
    pair
    for listed in (
        "in ex", "im ex", "intra extra", "inter intra", "inner outer", "endo exo", "endo ecto", "hypo hyper",
        "over under", "pre post", "mono poly", "homo hetero", "macro micro", "auto hetero", "pro eu", "uni multi",
        "up down", "in out", "fore after", "syn anti", "con anti", "maxi mini", "ana cata", "pro anti", "de re",
    )
    for pair in (tuple(listed.split()), tuple(listed.split()[::-1]))
]  # fmt: skip
#: Of comparisons.
DEGREES = frozenset("more less fewer".split())  # noqa: SIM905
_NEGATIONS = frozenset("not no none never without nor neither cannot less lacks hardly".split())  # noqa: SIM905


def _word_lists() -> dict[str, list[list[str]]]:
    """The groups of words of each part of ``words.txt``."""
    lines = Path(__file__).with_name("words.txt").read_text("utf-8").splitlines()
    text = " ".join(line for line in lines if not line.startswith("#"))
    return {
        name: [group.split() for group in words.split(";")] for name, words in re.findall(r"\[(\w+)\]([^\[]*)", text)
    }


_LISTS = _word_lists()
#: Words that matter little; pairs that say the opposite, and pairs of different things.
_LIGHT = frozenset(_LISTS["light"][0])
_OPPOSITE, _DIFFERENT = (
    frozenset(pair for group in _LISTS[name] for pair in permutations(group, 2)) for name in ("opposite", "different")
)
#: The verb that says the same as a verb with a second word.
_PHRASES = {(verb, second): plain for verb, second, plain in _LISTS["phrases"]}


@dataclass(frozen=True)
class Word:
    """A word as it is written, its stem ("" for a stop word), and the characters between it and the one before."""

    text: str
    low: str
    stem: str
    before: str

    @property
    def is_name(self) -> bool:
        """Whether its first letter is a capital one."""
        return self.text[0].isupper()

    @property
    def is_verbal(self) -> bool:
        """Whether it looks like a form of a verb."""
        return self.low.endswith(("ing", "ed"))

    @property
    def is_letter(self) -> bool:
        """Whether it is a capital letter that stands for something: vitamin B, the nucleotide U."""
        return len(self.text) == 1 and self.is_name

    @property
    def is_number(self) -> bool:
        """Whether it is written in digits."""
        return self.low.lstrip("-")[0].isdigit()


def words_of(text: str) -> list[Word]:
    """The words of a text: points of the compass one by one ("southeastern" is "south east"), no units of numbers."""
    plain = _COUNTRY.sub("United States", _THOUSANDS.sub("", _KEEPING.sub("prevent", _LATIN.sub(r"\1\2", text))))
    analyzed = AnalyzedText(_COMPASS.sub(lambda at: " ".join(part for part in at.groups() if part), plain))
    plain = analyzed.text
    for each in analyzed.quantities:
        number = _NUMBER.match(plain, each.start)
        if number and each.unit not in {"", "th"}:
            plain = plain[: number.end()] + " " * (each.end - number.end()) + plain[each.end :]
    found: list[Word] = []
    done = 0
    for match in _WORD.finditer(plain):
        written = _POSSESSIVE.sub("", match[0])
        if written:
            low = _number(written.casefold().replace("−", "-"))
            is_letter = len(written) == 1 and written.isupper() and bool(found)  # "A" is no article within a sentence
            found.append(Word(written, low, low if is_letter else stem_of(low), plain[done : match.start()]))
        done = match.end()
    return _plain_verbs(found)


def _plain_verbs(words: list[Word]) -> list[Word]:
    """With one word for each verb of two that the lists have: "remove" for "get rid" and "take it away"."""
    found: list[Word] = []
    places = iter(range(len(words)))
    for at in places:
        word = words[at]
        behind = 2 if words[at + 1 : at + 2] and words[at + 1].low in {"it", "them"} else 1
        second = words[at + behind].low if at + behind < len(words) else ""
        low = next((_PHRASES[base, second] for base in bases(word.low) if (base, second) in _PHRASES), "")
        found.append(replace(word, low=low, stem=stem_of(low)) if low else word)
        if low:
            found += words[at + 1 : at + behind]
            for _ in range(behind):
                next(places)
    return found


def with_signs(text: str) -> str:
    """The text with "-5" for "minus five"."""
    return _MINUS.sub(
        lambda at: f"-{_number(at[1].casefold())}" if _number(at[1].casefold())[0].isdigit() else at[0], text
    )


def _number(low: str) -> str:
    """A number in digits, of a rank with a point ("16." for "sixteenth"); other words as they are."""
    if low in _RANKS:
        return f"{_RANKS.index(low) + 1}."
    rank = _RANK.fullmatch(low)
    if low in _NUMBERS:
        return str(_NUMBERS.index(low) + 2)
    return f"{rank[1]}." if rank else low


def is_light(word: Word) -> bool:
    """Whether it tells little: an answer may leave it out or add it."""
    # "sets" and "forming", but not "majority" and "performance"
    return word.low in _LIGHT or not word.stem or not _LIGHT.isdisjoint(bases(word.low))


@lru_cache(maxsize=16384)
def same(one: str, other: str) -> bool:
    """Whether two words in small letters are forms, synonyms or slips of one."""
    return is_form(one, other) or bool(_groups(one) & _groups(other))


@lru_cache(maxsize=16384)
def are_opposite(one: str, other: str) -> bool:
    """Whether two words in small letters, or synonyms of them, say the opposite."""
    if turned(one) == other or turned(other) == one:
        return True
    bases = {
        (one.removeprefix(a), other.removeprefix(b)) for a, b in _PREFIXES if one.startswith(a) and other.startswith(b)
    }
    if any(mine == theirs and len(mine) > 2 for mine, theirs in bases):
        return True
    if any(a.endswith("ful") and b == f"{a.removesuffix('ful')}less" for a, b in ((one, other), (other, one))):
        return True  # "meaningful", "meaningless"
    if is_form(one, other):
        return False
    mine, theirs = _listed(one), _listed(other)
    return any((a, b) in _DIFFERENT for a in mine[0] for b in theirs[0]) or any(
        (a, b) in _OPPOSITE for one, other in ((0, 1), (1, 0)) for a in mine[one] for b in theirs[other]
    )


@lru_cache(maxsize=8192)
def _listed(word: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of the lists of opposites and of different things that are forms of one, and synonyms too."""
    forms = {one for one, _other in _OPPOSITE | _DIFFERENT if is_form(word, one)}
    # employment is no opposite of an employer, nor of an employee
    forms -= {one for one, other in _OPPOSITE if {one, other} <= forms and word not in {one, other}}
    alike = {one for one, _other in _OPPOSITE if _groups(word, exactly=True) & _groups(one, exactly=True)}
    return frozenset(forms), frozenset(forms | alike)


@lru_cache(maxsize=8192)
def _groups(word: str, *, exactly: bool = False) -> frozenset[int]:
    """The groups of synonyms that the word is in, by their numbers; ``exactly``: the word itself, inflected or not."""
    forms = bases if exactly else roots
    return frozenset(number for each in forms(word) for number in _groups_of(forms).get(each, ()))


@lru_cache(maxsize=2)
def _groups_of(forms: Callable[[str], frozenset[str]]) -> dict[str, set[int]]:
    groups: dict[str, set[int]] = {}
    for number, group in enumerate(_LISTS["same"]):
        for each in {each for word in group for each in forms(word)}:
            groups.setdefault(each, set()).add(number)
    return groups


def is_negation(word: str) -> bool:
    """Whether the word denies."""
    return word in _NEGATIONS or word.endswith(("n't", "n’t"))


def turned(word: str) -> str:
    """What a word denies: "active" for "underactive"; "" for none."""
    found = next((each for each in _TURNING if word.startswith(each) and len(word) > len(each) + 3), "")
    if found == "under" and not word.endswith(("ed", "ive", "ing")):
        return ""  # "underground" is below the ground
    return word.removeprefix(found) if found else ""
