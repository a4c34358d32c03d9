"""The names in a text and what kind of thing each of them is, by what stands around it anywhere in the sources.

No list of names is kept: a name is a person's where somebody of that name wrote, was born or has a title, a place's
where things happen in it. A name for which nothing or too little speaks has no kind and is not asked for.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .spelling import word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PART = r"[A-ZÀ-Þ][^\W\d_]*(?:['’-][^\W\d_]+)*"
_INITIAL = r"[A-Z]\.(?:\s?[A-Z]\.)*"
_NAME = re.compile(
    rf"(?<![\w'’-])(?:{_INITIAL}\s)?{_PART}"
    r"(?:\s(?:(?:of(?: the)?|de|del|della|di|du|da|van(?: de[rn]?)?|von|la|le|al|el|bin|ibn)\s)?"
    rf"(?:{_INITIAL}|{_PART}))*"
)
_TITLES = """
    president king queen emperor prince princess pope sir lord lady saint st dr professor general colonel captain
    major admiral senator governor philosopher psychologist physicist mathematician chemist biologist economist
    historian author writer poet novelist composer director actor actress engineer scientist astronomer astronaut
    pilot anthropologist linguist sociologist critic journalist painter artist architect inventor explorer lawyer
    judge justice minister chancellor secretary ambassador commander theologian activist anarchist singer coach
    player mr mrs ms brother sister wife husband father mother son daughter friend biographer scholar statesman
"""
_TITLE_WORDS = word_set(_TITLES)
_DOES = """
    wrote writes argued argues said says stated believed believes published proposed developed invented discovered
    founded coined married died born suggested claimed thought observed described replied criticized criticised
    explained concluded rejected composed painted taught studied defended introduced maintained declared noted
    asked told demonstrated showed formulated advocated thinks insisted attended recalled resigned graduated
    emigrated
"""
_DOES_WORDS = word_set(_DOES)
#: What one can be in without its being a place.
_ABSTRACT = re.compile(r"(?:ism|ship|ity|ics|tion|ness|logy|graphy|ment)$")
_IN_PLACE = word_set("in near throughout across outside into around toward towards")
_AT_PLACE = _IN_PLACE | frozenset({"to", "from", "of", "at", "between"})
_PLACE_BEFORE = word_set(
    """
    southern northern eastern western central southeastern southwestern northeastern northwestern southeast
    southwest northeast northwest
    """
)
_NOT_IN = re.compile(
    r"\b(?:interest(?:ed)?|belie(?:f|ve[sd]?)|written|published|spoken|faith|as|appears?|depicted)\s+in\s$"
)
_LIFE = re.compile(r"\s?\((?:born|b\.|[^()]{0,60}?\d{3,4}\s?[–-]\s?(?:c\.\s)?\d{2,4}|died|d\.)")
_NO_NAMES = word_set(
    """
    January February March April May June July August September October November December Monday Tuesday Wednesday
    Thursday Friday Saturday Sunday Christmas Easter East West North South I Internet God Earth Bible
    """
)
#: What a name's last word, or the one before its "of", says of its kind.
_HEADS = {
    "company": "company corporation",
    "school": "university college institute institution academy school museum laboratory observatory",
    "body": "committee council department ministry bureau commission agency court congress parliament",
    "society": """association society league union federation foundation club party church group organization
        organisation""",
    "army": "army navy",
    "event": """war revolution battle siege treaty conference election olympics campaign rebellion massacre crisis
        accord""",
    "water": "river sea ocean lake bay gulf strait canal",
    "place": """mountains mountain island islands valley desert peninsula county province city republic kingdom coast
        plateau region hills""",
    "": "act prize award awards medal theorem law century empire dynasty age era period bridge palace hall press",
}
_HEAD_KIND = {head: kind or f"the {head}" for kind, heads in _HEADS.items() for head in heads.split()}
#: "Jewish", "American": of a name, and mostly no name itself.
DEMONYM = re.compile(r"(?:ish|ese|ian|ean|can|ic|man|ench|utch|ek|wan)s?$")
#: Of all that speaks for a kind, so much must speak for this one, and so often.
_SHARE, _LEAST = 0.75, 1.0
#: What speaks against every kind that is asked for.
_NO_KIND = frozenset({"adjective", "thing"})


@dataclass(frozen=True)
class Name:
    """A name at ``text[start:end]``."""

    start: int
    end: int
    text: str


#: Behind a name that is whole: "the South American anteater" has only a part of one.
_WHOLE = re.compile(
    r"[,.;:)”?!]|(?:['’]s)?\s+(?:and|or|in|of|to|for|by|at|on|with|as|from|who|which|that|when|after|before|during|under"
    r"|over|into|near|while|where|because|but|until|since|against|between|through|[a-z]+ed|is|was|are|were|has|had|have"
    r"|will|would|can|could|may|became|began|came|went|took|made|gave|won|lost|" + "|".join(_DOES_WORDS) + r")\b"
)
_LISTED_BEFORE = re.compile(r"[A-Z][\w'’-]*(?:,|,? (?:and|or)|,? &) $")
_LISTED_BEHIND = re.compile(r",? (?:and |or |& )?(?:the )?[A-Z]")


def stands_whole(text: str, end: int) -> bool:
    """Whether what ends there is no part of a longer phrase."""
    return _WHOLE.match(text[end:]) is not None


def is_whole(text: str, name: Name) -> bool:
    """Whether a name stands for itself: no part of a longer one, nor quoted, nor one of several in a row."""
    before, behind = text[: name.start], text[name.end :]
    if not _WHOLE.match(behind) or before.endswith(("“", '"', "‘", "(", "-", "/")) or behind.startswith(("”", '"')):
        return False
    return not _LISTED_BEFORE.search(before) and not _LISTED_BEHIND.match(behind)


def stands_as(text: str, name: Name, kind: str) -> bool:
    """Whether what stands before a name fits to its kind; "Washington" is a place and a president."""
    if kind != "place":
        return True
    words = re.findall(r"[^\W_]+", text[max(0, name.start - 30) : name.start])
    words = [word for word in words if word != "the"]
    return bool(words) and words[-1].casefold() in _AT_PLACE


def names_in(text: str, small: frozenset[str] = frozenset()) -> Iterator[Name]:
    """The names within a sentence; its first word only where the name goes on behind it.

    ``small``: words that also stand in small letters, so that at a sentence's beginning they are of no name.
    """
    for match in _NAME.finditer(text):
        start, end = match.span()
        words = match[0].split()
        if start == 0 or text[:start].rstrip().endswith((":", '"', "“", "(")):
            if len(words) == 1:
                continue
            if words[0].casefold() in small:
                start += len(words[0]) + 1
                words = words[1:]
        if words[0] in {"The", "A", "An"}:
            start += len(words[0]) + 1
            words = words[1:]
        if len(words) > 2 and DEMONYM.search(words[0]) and words[-1].casefold() not in _HEAD_KIND:
            start += len(words[0]) + 1  # "German Heinrich Agrippa"
            words = words[1:]
        if (
            not words
            or words[0] in {"of", "de"}
            or any(word in _NO_NAMES for word in words)
            or (len(words) == 1 and len(words[0]) < 4)
        ):
            continue
        owner = re.search(r"['’]s(?=\s|$)", text[start:end])
        end = start + owner.start() if owner else end  # of "Angela Heywood's The Word" her name alone
        yield Name(start, end, text[start:end])


class Kinds:
    """What kind of thing each name in the sources is: ``person``, ``place``, ``school``, ``event``, … or none."""

    def __init__(self, sentences: Iterable[str], small: frozenset[str] = frozenset()) -> None:
        """``small``: see ``names_in``."""
        self._small = small
        self._cues: dict[str, dict[str, float]] = {}
        self._seen: Counter[str] = Counter()
        for text in sentences:
            self._read(text)

    def __call__(self, name: str) -> str | None:
        """The kind of the name; ``None`` where nobody can tell."""
        words = name.split()
        head = words[words.index("of") - 1] if "of" in words[1:] else words[-1]
        by_head = _HEAD_KIND.get(head.casefold())
        if by_head is not None and len(words) > 1:
            return by_head
        if len(words) == 1 and name.casefold() in self._small:
            return None  # "Anatomy, which considers the body" is no place
        cues = self._cues.get(name)
        if not cues:
            return None
        kind, weight = max(cues.items(), key=lambda each: (each[1], each[0]))
        if weight < _LEAST or weight < _SHARE * sum(cues.values()) or kind in _NO_KIND:
            return None
        if kind == "person" and not 2 <= len(words) <= 4:
            return None
        return kind

    def of_kind(self, kind: str) -> tuple[str, ...]:
        """All names of that kind, those first for which most speaks."""
        return self._by_kind.get(kind, ())

    @cached_property
    def _by_kind(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for name in self._seen:
            kind = self(name)
            if kind is not None:
                found.setdefault(kind, []).append(name)
        return {
            kind: tuple(sorted(names, key=lambda name: (-self._weight(name), name))) for kind, names in found.items()
        }

    def _weight(self, name: str) -> float:
        return sum(self._cues[name].values()) + 0.1 * self._seen[name]

    def _read(self, text: str) -> None:
        for name in names_in(text, self._small):
            self._seen[name.text] += 1
            cues = self._cues.setdefault(name.text, defaultdict(float))
            before = re.findall(r"[^\W_]+", text[max(0, name.start - 40) : name.start])
            behind = re.match(r"\s+(?:was |were |had |is |has )?([a-z]+)", text[name.end :])
            first = before[-1].casefold() if before else ""
            if _LIFE.match(text[name.end :]):
                cues["person"] += 2
            if first in _TITLE_WORDS or (behind and behind[1] in _DOES_WORDS):
                cues["person"] += 1
            if first == "by" and len(name.text.split()) > 1:
                cues["person"] += 0.3
            if first in {"the", "a", "an"}:  # nobody is called "the Ayn Rand"
                cues["thing"] += 1
            may_be_place = not _NOT_IN.search(text[: name.start]) and not _ABSTRACT.search(name.text)
            if (first in _IN_PLACE and may_be_place) or first in _PLACE_BEFORE:
                cues["place"] += 1
            if re.match(r",\s(?:[A-Z]\w+)[,.]", text[name.end :]) and first in {"in", "at", "from", "to", "of", "near"}:
                cues["place"] += 1
            if len(name.text.split()) == 1 and DEMONYM.search(name.text):
                cues["adjective"] += 1
            elif (
                behind
                and len(name.text.split()) == 1
                and text[name.end : name.end + 1] == " "
                and not re.match(
                    r"\s+(?:was|were|had|is|has|and|or|in|of|to|for|by|at|on|with|as|from|who|which)\b",
                    text[name.end :],
                )
                and behind[1] not in _DOES_WORDS
            ):
                cues["adjective"] += 0.4
