"""Words of an answer beside words of a source: forms, synonyms and slips of one word, and words that tell little."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from pathlib import Path

from ragstone.core.citations import AnalyzedText
from ragstone.core.text import IRREGULAR_VERBS, stems

from ..reading.spelling import is_slip

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
_POSSESSIVE = re.compile(r"['’]s?$")
_COUNTRY = re.compile(r"\bU\.?\s?S\.?(?:\s?A\b\.?)?(?!\w)")
ARTICLES = frozenset({"a", "an", "the", "its", "their", "his", "her"})
_RANKS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split()  # noqa: SIM905 - easily read
_NUMBERS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_RANK = re.compile(r"(\d+)(?:st|nd|rd|th)")
#: Ends of words that come of one another ("conversion", "converted"): what is left must be equal.
_ENDINGS = sorted(
    """s es ed ing ment ments ion ions ation ations ition itions ition al ally ial ic ical ically y ity ities ive ively
    ant ent or ors er ers ist ists ize izes ized izing ise ises ised ising ization ous ful ness ian an n e ly ary ate
    ates ated ating acy ies ied ify th""".split(),  # noqa: SIM905
    key=len,
    reverse=True,
)
_LEAST_ROOT = 4
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
#: The base of each form of an irregular verb, but of "left", which is a side, and "meant": a "mean" is an average.
_BASES = {form: base for base, forms in IRREGULAR_VERBS.items() if base not in {"leave", "mean"} for form in forms}
PARTICIPLES = frozenset(participle for _past, participle in IRREGULAR_VERBS.values())
#: Words that matter little; pairs that say the opposite, and pairs of different things.
_LIGHT = frozenset(_LISTS["light"][0])
_OPPOSITE, _DIFFERENT = (
    frozenset(pair for group in _LISTS[name] for pair in permutations(group, 2)) for name in ("opposite", "different")
)


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
    plain = _COUNTRY.sub("United States", _THOUSANDS.sub("", _KEEPING.sub("prevent", text).replace("i.e.", "ie")))
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


@lru_cache(maxsize=8192)
def stem_of(word: str) -> str:
    """The stem of one word; "" for a stop word."""
    return word if word.startswith("-") else "".join(stems(word))


def is_light(word: Word) -> bool:
    """Whether it tells little: an answer may leave it out or add it."""
    return word.low in _LIGHT or word.stem in _LIGHT or not word.stem


@lru_cache(maxsize=16384)
def same(one: str, other: str) -> bool:
    """Whether two words in small letters are forms, synonyms or slips of one."""
    return is_form(one, other) or bool(_groups(one) & _groups(other))


def is_form(one: str, other: str) -> bool:
    """Whether two words in small letters are forms or slips of one: "conversion", "converted", "convertd"."""
    return bool(_roots(one) & _roots(other)) or is_slip(one, other)


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
    forms = frozenset(one for one, _other in _OPPOSITE | _DIFFERENT if is_form(word, one))
    return forms, forms | {one for one, _other in _OPPOSITE if _groups(word) & _groups(one)}


@lru_cache(maxsize=8192)
def _groups(word: str) -> frozenset[int]:
    """The groups of synonyms that the word is in, by their numbers."""
    return frozenset(number for root in _roots(word) for number in _groups_of_roots().get(root, ()))


@lru_cache(maxsize=1)
def _groups_of_roots() -> dict[str, set[int]]:
    groups: dict[str, set[int]] = {}
    for number, group in enumerate(_LISTS["same"]):
        for root in {root for word in group for root in _roots(word)}:
            groups.setdefault(root, set()).add(number)
    return groups


@lru_cache(maxsize=8192)
def _roots(word: str) -> frozenset[str]:
    if word.startswith("-"):
        return frozenset({word})
    found = {word, stem_of(word) or word, _BASES.get(word, word)}
    for ending in _ENDINGS:
        root = word.removesuffix(ending)
        if root != word and len(root) >= _LEAST_ROOT:
            # "decided" and "decision", "running" and "run"
            found.add(re.sub(r"(.)\1$", r"\1", re.sub(r"[dst]$", "t", root)) if len(root) > _LEAST_ROOT else root)
    return frozenset(found)


def is_negation(word: str) -> bool:
    """Whether the word denies."""
    return word in _NEGATIONS or word.endswith(("n't", "n’t"))


def turned(word: str) -> str:
    """What a word denies: "active" for "underactive"; "" for none."""
    found = next((each for each in _TURNING if word.startswith(each) and len(word) > len(each) + 3), "")
    if found == "under" and not word.endswith(("ed", "ive", "ing")):
        return ""  # "underground" is below the ground
    return word.removeprefix(found) if found else ""
