"""Directed relations that a text states: who acts on whom, what comes from what, before what, is more than what."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Literal

from ragstone.core.text import is_verb

from ..reading.spelling import word_set
from .wording import ARTICLES, are_opposite, is_form, is_light, participles

if TYPE_CHECKING:
    from .comparison import Comparison
    from .wording import Word

    Names = frozenset[str]

_Kind = Literal["act", "path", "cause", "time", "degree"]
_Turn = tuple[_Kind, str, bool | None]
#: What a word leads to or, where it leads back, comes from.
_WORDS: dict[str, tuple[_Kind, bool]] = {
    **dict.fromkeys(("to", "into", "toward", "towards", "onto"), ("path", False)),
    "from": ("path", True),
    "by": ("act", True),
    "so": ("cause", False),
    **dict.fromkeys(("because", "given"), ("cause", True)),
    **dict.fromkeys(("before", "until"), ("time", False)),
    "after": ("time", True),
}
#: "Due to" and "because of" say from what something comes.
_FROM = frozenset({"due", "owing", "thanks"})
_LESS = word_set("less fewer lower smaller shorter")
_MORE = word_set("more greater higher larger bigger longer")
_BE = word_set("is are was were be being been gets get got")
_SUBJECTS = word_set("it they he she we you")
_DETERMINERS = ARTICLES | word_set("this these each every some any other")
_BEFORE_VERB = _SUBJECTS | word_set(
    "that which who can could may might must will would should to not does do did cannot"
)
_RELATIVES = frozenset({"that", "which", "who", "whom"})
_BEHIND_VERB = _DETERMINERS | word_set("them it themselves itself")
_BREAKS = word_set("while whereas but when where if although though whose as since")
_PREPOSITIONS = word_set(
    """of in on at with for between among within through along across around during about over under outside inside
    without against beyond below above beneath behind beside near despite per except like unlike upon throughout"""
)
#: "A needs B" leads nowhere, "A leaves B" from B.
_NEEDING, _LEAVING = ("receiv", "requir", "need", "depend"), ("leave", "leaving", "escap", "exit")
_JOINING = frozenset({"and", "or", "nor", "but", "then"})
_COMPASS = word_set("north south east west left right")


@dataclass(frozen=True)
class Relation:
    """A word that relates the words before it to those behind it, by their names; ``backward``: these to those."""

    kind: _Kind
    word: str
    left: Names
    right: Names
    backward: bool


@dataclass
class _Reader:
    """Reads the relations of one text, word by word."""

    words: list[Word]
    names: dict[int, str]
    #: Places of words that are verbs in the text that it is compared with.
    verbs: frozenset[int]
    topic: Names = frozenset()
    #: What a pronoun behind a verb stands for.
    objects: Names = frozenset()
    found: list[Relation] = field(default_factory=list)

    def read(self) -> list[Relation]:
        """Its relations, in their order."""
        left, segment = self.topic, set(self.topic)
        pivot: _Turn | None = None
        fronted: set[str] | None = None
        beside = False
        for at, word in enumerate(self.words):
            low = word.low
            turn = self._turn(at)
            if turn is None:
                is_subject = low in _SUBJECTS and at and self._low(at - 1) not in _PREPOSITIONS
                begins = low in _BREAKS or is_subject or (at and any(sign in word.before for sign in ",;:("))
                if begins and segment:
                    self._add(pivot, left, segment)
                    pivot, segment = None, set()
                if low == "by" and segment:  # "makes A by taking B": what makes A takes B
                    self._add(pivot, left, segment)
                    pivot, segment = None, set(left)
                elif low in _RELATIVES and self._low(at - 1) in _PREPOSITIONS:
                    self._add(pivot, left, segment)
                    pivot, segment = None, set()
                elif low in _RELATIVES and at and self._is_object(at):
                    self._add(pivot, left, segment)
                    fronted, pivot, segment = set(segment), None, set()
                if low in {"it", "them"} and pivot is not None and not segment and not beside:
                    segment |= self.objects
                elif begins or low in _RELATIVES or (low in _DETERMINERS and at and self.words[at - 1].stem):
                    beside = False
                elif low in _PREPOSITIONS:
                    beside = beside or low != "of"
                elif at in self.names and not beside:
                    segment.add(self.names[at])
                continue
            if beside and not segment and self._low(at - 1) not in _JOINING:
                left = frozenset()  # "the sand that water flows through cleans it": not the water
            beside = False
            if turn[1] == "by" and pivot is not None and pivot[2] is None:
                pivot, segment = turn, set()  # "is broken down in the liver by": what is done is behind
                continue
            if fronted is not None and turn[2] is not None and turn[0] == "act":
                self._add(turn, frozenset(segment), fronted)
                fronted = None
            self._add(pivot, left, segment)
            if segment and self._low(at - 1) not in _JOINING:
                left = frozenset(segment)
            pivot, segment = turn, set()
        self._add(pivot, left, segment)
        return self.found

    def _add(self, pivot: _Turn | None, left: Names, right: set[str]) -> None:
        if pivot is not None and pivot[2] is not None and left and right:
            self.found.append(Relation(pivot[0], pivot[1], left - right, frozenset(right) - left, pivot[2]))

    def _turn(self, at: int) -> _Turn | None:
        """The relation that a word makes: its kind, the word, whether it is backward; ``None`` for a passive verb whose
        agent has not been read."""
        low, before = self._low(at), self._low(at - 1)
        if low == "than":
            degree = next((each.low for each in reversed(self.words[max(0, at - 5) : at]) if self._is_degree(each)), "")
            return ("degree", degree, degree in _LESS) if degree else None
        if low == "to" and before in _FROM:
            return "cause", low, True
        if low == "by" and self._low(at + 1).endswith("ing"):
            return None
        if low == "to" and (self.is_verb_at(at + 1) or self._low(at + 2) in _COMPASS):
            return None
        if low in _WORDS:
            kind, backward = _WORDS[low]
            return kind, low, backward
        if not self.is_verb_at(at):
            return None
        if low.startswith(_NEEDING) or self._is_passive(at):
            return "act", low, None
        return "act", low, low.startswith(_LEAVING)

    def _low(self, at: int) -> str:
        return self.words[at].low if 0 <= at < len(self.words) else ""

    def is_verb_at(self, at: int) -> bool:
        """Whether the word at this place is a verb, by its form and its neighbours."""
        if not self._low(at) or not self.words[at].stem or self.words[at].is_number:
            return False
        if self._low(at) in _PREPOSITIONS | {"ie"}:
            return False
        word, before = self.words[at], self._low(at - 1)
        following = self.words[at + 1] if at + 1 < len(self.words) else None
        between = following.before if following else ""
        if before in _DETERMINERS | _PREPOSITIONS or "-" in {word.before, between} or "(" in word.before:
            return False
        if word.low.endswith("ed") and not self._is_passive(at):
            # "stored food" behind no noun, and "rounded, fleshy", are no verbs
            return not ("," in between or (following is not None and following.stem and not self._is_noun(at - 1)))
        if at in self.verbs or before in _BEFORE_VERB - _RELATIVES:
            return True
        if before in _RELATIVES:
            is_form = word.low.endswith(("s", "ed", "ing")) or self._low(at + 1) in _BEHIND_VERB
            return (is_form or is_verb(word.low)) and not self._is_object(at - 1)
        if word.low in participles() or word.low.endswith("ed"):
            return self._is_passive(at)
        if word.low.endswith("ing") or is_verb(word.low):
            return True
        return self._low(at + 1) in _BEHIND_VERB and between == " "

    def _is_noun(self, at: int) -> bool:
        return at >= 0 and bool(self.words[at].stem) and not (self.words[at].is_verbal or is_verb(self._low(at)))

    def _is_passive(self, at: int) -> bool:
        regular = self._low(at).endswith("ed")
        if not regular and self._low(at) not in participles():
            return False
        near = {each.low for each in self.words[max(0, at - 3) : at]}
        behind = _WORDS.keys() | (_PREPOSITIONS if regular else frozenset())
        return bool(near & _BE) or (self._low(at + 1) in behind and not near & {"has", "have", "had"})

    def _is_object(self, at: int) -> bool:
        """Whether a relative pronoun stands for what is done to: "bones that cartilage connects"."""
        first = self.words[at + 1] if at + 1 < len(self.words) else None
        if first is None or (first.low not in ARTICLES and not first.stem):
            return False
        last = next((near for near in range(at + 1, min(len(self.words), at + 8)) if near in self.verbs), -1)
        return last > at + 1 and (last + 1 == len(self.words) or not self.words[last + 1].stem)

    def _is_degree(self, word: Word) -> bool:
        return word.low in _LESS | _MORE or (word.low.endswith("er") and len(word.low) > 4)


def leads_alike(question: list[Word], found: Comparison) -> bool | None:
    """Whether the answer states a relation of the key from its other side: "B is eaten by A" for "A eats B".

    ``False`` where it states the converse of one, "A is eaten by B"; ``None`` where it does neither.
    """
    first = [words[0].low if words else "" for words in (found.answer, question)]
    own = {word.stem for word in found.key}
    asked = [word for word in question if word.stem and not is_light(word) and word.stem not in own]
    topic = frozenset(word.stem for word in asked)
    back = {place: found.key[at].stem for at, place in found.matches.items()}
    for place, word in enumerate(found.answer):
        if place not in back and word.stem:
            name = next((each.stem for each in [*found.key, *asked] if each.stem and is_form(each.low, word.low)), "")
            back |= {place: name} if name else {}
    # "Why …? They were …": what they are is not what is so
    begins = first[0] in _SUBJECTS and first[1] != "why"
    counts = Counter(word.stem for word in found.key)
    # of "a higher tank" and "a lower tank" the tank stands on both sides
    names = {at: word.stem for at, word in enumerate(found.key) if counts[word.stem] == 1}
    in_key = _Reader(found.key, names, frozenset(), topic)
    verbs = frozenset(place for at, place in found.matches.items() if in_key.is_verb_at(at))
    in_answer = _Reader(found.answer, back, verbs, topic if begins else frozenset(), frozenset() if begins else topic)
    in_key.verbs = frozenset(at for at, place in found.matches.items() if in_answer.is_verb_at(place))
    votes: dict[tuple[str, str], set[bool]] = defaultdict(set)
    is_turned = False
    theirs = in_answer.read()
    for one, other in ((one, other) for one in in_key.read() for other in theirs if one.kind == other.kind):
        turned = (one.backward != other.backward) != _are_converse(one.word, other.word)
        for a, b in product(one.left, one.right):
            if a in other.left and b in other.right:
                votes[a, b].add(not turned)
            elif a in other.right and b in other.left:
                votes[a, b].add(turned)
                is_turned |= turned
    return False if any(vote == {False} for vote in votes.values()) else is_turned or None


def _are_converse(one: str, other: str) -> bool:
    if one in _LESS | _MORE or other in _LESS | _MORE:
        return False
    return one != other and are_opposite(one, other)
