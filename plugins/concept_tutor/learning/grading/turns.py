"""Words at which what a text relates changes: "A eats B", "from A to B", "A because of B", "more A than B"."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ragstone.core.text import is_verb

from ..reading.spelling import word_set
from .word_forms import PARTICIPLES
from .wording import ARTICLES, Word

_Kind = Literal["act", "path", "cause", "time", "degree"]
#: Of each word that relates what is before it to what is behind it, whether it leads back: from that to this.
_LEADS_BACK: dict[str, tuple[_Kind, bool]] = {
    **dict.fromkeys(("to", "into", "toward", "towards", "onto"), ("path", False)),
    "from": ("path", True),
    "by": ("act", True),
    "so": ("cause", False),
    **dict.fromkeys(("because", "given"), ("cause", True)),
    **dict.fromkeys(("before", "until"), ("time", False)),
    "after": ("time", True),
}
#: Those of them that join clauses.
JOINING_CLAUSES = {word: back for word, (kind, back) in _LEADS_BACK.items() if kind in {"cause", "time"}} | {
    "when": True,
    "if": True,
}
#: The same of nouns with "of": "A is the cause of B".
_NOUNS: dict[str, tuple[_Kind, bool]] = {
    **dict.fromkeys(("ancestor", "ancestors"), ("path", False)),
    **dict.fromkeys(("descendant", "descendants"), ("path", True)),
    **dict.fromkeys(("cause", "causes"), ("cause", False)),
    **dict.fromkeys(("effect", "effects", "consequence", "consequences", "result", "results"), ("cause", True)),
}
#: "Due to" and "because of" say from what something comes.
FROM = frozenset({"due", "owing", "thanks"})
CAUSING = word_set(
    "cause causes caused lead leads led make makes made change changes changed create creates created trigger triggers"
    " triggered produce produces produced"
)
LESS = word_set("less fewer lower smaller shorter")
MORE = word_set("more greater higher larger bigger longer")
BE = word_set("is are was were be being been gets get got")
SUBJECTS = word_set("it they he she we you")
DETERMINERS = ARTICLES | word_set("this these each every some any other")
_BEFORE_VERB = SUBJECTS | word_set(
    "that which who can could may might must will would should to not does do did cannot"
)
RELATIVES = frozenset({"that", "which", "who", "whom"})
_BEHIND_VERB = DETERMINERS | word_set("them it themselves itself")
BREAKS = word_set("while whereas but when where if although though whose as since")
PREPOSITIONS = word_set(
    """of in on at with for between among within through along across around during about over under outside inside
    without against beyond below above beneath behind beside near despite per except like unlike upon throughout"""
)
#: "A needs B" leads nowhere, "A leaves B" from B.
_NEEDING, _LEAVING = ("receiv", "requir", "need", "depend"), ("leave", "leaving", "escap", "exit")
_ADJECTIVAL = ("tive", "sive", "ous", "ful", "ible", "ical")
JOINING = frozenset({"and", "or", "nor", "but", "then"})
_COMPASS = word_set("north south east west left right")


class Turn(NamedTuple):
    """A word at which what is related changes: a verb, "to", "from", "than"."""

    kind: _Kind
    word: str
    #: Whether it leads from what is behind it to what is before; ``None`` for a verb that leads nowhere by itself: a
    #: passive one whose agent has not been read.
    leads_back: bool | None


class Text:
    """The words of a text, and what each does there, by its form and its neighbours."""

    def __init__(self, words: list[Word]) -> None:
        self.words = words
        #: Places of words that are verbs in the text that it is compared with.
        self.verbs: frozenset[int] = frozenset()

    def low(self, at: int) -> str:
        """The word at this place in small letters; empty beyond both ends."""
        return self.words[at].low if 0 <= at < len(self.words) else ""

    def turn(self, at: int) -> Turn | None:
        """The turn that a word makes; ``None`` for any other word."""
        low, before = self.low(at), self.low(at - 1)
        if low == "than":
            near = reversed(self.words[max(0, at - 5) : at])
            degree = next((each.low for each in near if _is_degree(each.low)), "")
            return Turn("degree", degree, degree in LESS) if degree else None
        if low == "to" and before in FROM:
            return Turn("cause", low, True)
        if low == "by" and self.low(at + 1).endswith("ing"):
            return None
        if low == "to" and (self.is_verb(at + 1) or self.low(at + 2) in _COMPASS):
            return None
        relation = _LEADS_BACK.get(low) or (_NOUNS.get(low) if self.low(at + 1) == "of" else None)
        if relation is not None:
            return Turn(relation[0], low, relation[1])
        if not self.is_verb(at):
            return None
        kind: _Kind = "cause" if low in CAUSING else "act"
        leads_nowhere = low.startswith(_NEEDING) or self._is_passive(at)
        return Turn(kind, low, None if leads_nowhere else low.startswith(_LEAVING))

    def is_verb(self, at: int) -> bool:
        """Whether the word at this place is a verb."""
        low, before, behind = self.low(at), self.low(at - 1), self.low(at + 1)
        if not low or not self.words[at].stem or self.words[at].is_number or low in PREPOSITIONS | {"ie"}:
            return False
        word = self.words[at]
        following = self.words[at + 1] if behind else None
        between = following.before if following else ""
        if before in DETERMINERS | PREPOSITIONS or "-" in {word.before, between} or "(" in word.before:
            return False
        if low.endswith("ed") and not self._is_passive(at):
            # "stored food" behind no noun, and "rounded, fleshy", are no verbs
            return not ("," in between or (following is not None and following.stem and not self._is_noun(at - 1)))
        if low.endswith(_ADJECTIVAL):
            return False  # "a protective layer" for "protects"
        if at in self.verbs or before in _BEFORE_VERB - RELATIVES:
            return True
        if before in RELATIVES:
            is_inflected = low.endswith(("s", "ed", "ing")) or behind in _BEHIND_VERB
            return (is_inflected or is_verb(low)) and not self.is_object(at - 1)
        if low in PARTICIPLES or low.endswith("ed"):
            return self._is_passive(at)
        return low.endswith("ing") or is_verb(low) or (behind in _BEHIND_VERB and between == " ")

    def _is_noun(self, at: int) -> bool:
        return at >= 0 and bool(self.words[at].stem) and not (self.words[at].is_verbal or is_verb(self.low(at)))

    def _is_passive(self, at: int) -> bool:
        regular = self.low(at).endswith("ed")
        if not regular and self.low(at) not in PARTICIPLES:
            return False
        near = {each.low for each in self.words[max(0, at - 3) : at]}
        behind = _LEADS_BACK.keys() | (PREPOSITIONS if regular else frozenset())
        return bool(near & BE) or (self.low(at + 1) in behind and not near & {"has", "have", "had"})

    def is_object(self, at: int) -> bool:
        """Whether the relative pronoun at this place stands for what is done to: "bones that cartilage connects"."""
        first = self.words[at + 1] if at + 1 < len(self.words) else None
        if first is None or (first.low not in ARTICLES and not first.stem):
            return False
        last = next((near for near in range(at + 1, min(len(self.words), at + 8)) if near in self.verbs), -1)
        return last > at + 1 and (last + 1 == len(self.words) or not self.words[last + 1].stem)


def _is_degree(low: str) -> bool:
    return low in LESS | MORE or (low.endswith("er") and len(low) > 4)
