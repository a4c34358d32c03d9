"""Forms of one word: inflection ("ran"), and derivation ("absorption", "absorbed")."""

from __future__ import annotations

import re
from functools import lru_cache

from ragstone.core.text import IRREGULAR_VERBS, stems

from ..reading.spelling import is_slip

#: Ends of words that come of one another ("conversion", "converted"): what is left must be equal.
_ENDINGS = sorted(
    """s es ed ing ment ments ion ions ation ations ition itions ition al ally ial ic ical ically y ity ities ive ively
    ant ent or ors er ers ist ists ize izes ized izing ise ises ised ising ization ous ful ness ian an n e ly ary ate
    ates ated ating acy ies ied ify th ance ances ence ences ency ancy ure ures age ages""".split(),  # noqa: SIM905
    key=len,
    reverse=True,
)
_LEAST_ROOT = 4
#: Ends of nouns and adjectives from Latin beside those of the verbs and nouns that they come of.
_DERIVED = [
    (noun, verb)
    for noun, verb in map(
        str.split,
        """
        uction uce; struction stroy; sorption sorb; ription ribe; eption eive; umption ume; emption eem; mission
        mit; ension end; ansion and; etention etain; enance ain; lanation lain; unciation ounce; ysis yse; ysis
        yze; esis esize; ulsion el; osion ode; ication y; ication ish; ability able; ibility ible; elief elieve;
        proof prove; isition ire; etition eat; ucture uct; etical y; ergetic ergy; ematic em; matic m; minal me;
        erous er; atial ace; lecular lecule; ircular ircle; scular scle; icular icle; uclear ucleus; iral irus;
        ungal ungus; ense ence; iage y; rial ry
        """.split(";"),  # noqa: SIM905 - easily read
    )
]
#: Endings of one word's forms in the place of which its base has another one or none.
_INFLECTIONS = (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("d", ""), ("ied", "y"), ("ing", ""), ("ing", "e"))
#: The base of each form of an irregular verb, but of "left", which is a side, and "meant": a "mean" is an average.
BASES = {form: base for base, forms in IRREGULAR_VERBS.items() if base not in {"leave", "mean"} for form in forms}
PARTICIPLES = frozenset(participle for _past, participle in IRREGULAR_VERBS.values())


@lru_cache(maxsize=8192)
def stem_of(word: str) -> str:
    """The stem of one word; "" for a stop word."""
    return word if word.startswith("-") else "".join(stems(word))


def is_form(one: str, other: str) -> bool:
    """Whether two words in small letters are forms or slips of one: "conversion", "converted", "convertd"."""
    return bool(roots(one) & roots(other)) or is_slip(one, other)


@lru_cache(maxsize=8192)
def bases(word: str) -> frozenset[str]:
    """The word itself, and each word that it may be an inflected form of: "ruling" of "rul" and "rule"."""
    found = {word.removesuffix(ending) + base for ending, base in _INFLECTIONS if word.endswith(ending)}
    return frozenset({word, BASES.get(word, word)} | found | {re.sub(r"(.)\1$", r"\1", each) for each in found})


@lru_cache(maxsize=8192)
def roots(word: str) -> frozenset[str]:
    """What is left of a word without its ending, in each way that it may have one."""
    if word.startswith("-"):
        return frozenset({word})
    found = {word, stem_of(word) or word, BASES.get(word, word)}
    for each in {word, word.removesuffix("s")}:
        for noun, verb in _DERIVED:
            if each.endswith(noun) and len(each) > len(noun):
                found |= _cut(each.removesuffix(noun) + verb)
    return frozenset(found | _cut(word))


def _cut(word: str) -> set[str]:
    """The word, and what is left of it without each ending."""
    found = {word}
    for ending in _ENDINGS:
        root = word.removesuffix(ending)
        if root != word and len(root) >= _LEAST_ROOT:
            found.add(root)
        if root != word and len(root) > _LEAST_ROOT:  # "decided" and "decision", "running" and "run"
            found.add(re.sub(r"(.)\1$", r"\1", re.sub(r"[dst]$", "t", root)))
    return found
