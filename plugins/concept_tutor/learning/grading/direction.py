"""Directed relations that a text states: who acts on whom, what comes from what, before what, is more than what."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import product
from typing import NamedTuple

from .comparison import Comparison
from .turns import BREAKS, CAUSING, DETERMINERS, JOINING, JOINING_CLAUSES, PREPOSITIONS, RELATIVES, SUBJECTS, Text, Turn
from .word_forms import is_form
from .wording import Word, is_light

_Names = frozenset[str]


class _Relation(NamedTuple):
    """The names before a turn and those behind it."""

    turn: Turn
    left: _Names
    right: _Names


class _Reader:
    """Reads the relations of a text, word by word."""

    def __init__(self, text: Text, names: dict[int, str], topic: _Names, objects: _Names) -> None:
        """``names``: of the words that count, by their places. ``topic``: what the text goes on from; ``objects``: what
        a pronoun behind a verb stands for."""
        self._text = text
        self._names = names
        self._objects = objects
        self._found: list[_Relation] = []
        #: The names before the last turn, that turn, and the names since.
        self._left = topic
        self._turn: Turn | None = None
        self._right = set(topic)
        #: What is done to, where it stands before: "bones that cartilage connects".
        self._fronted: set[str] | None = None
        #: Whether the words say where, when or how, so that their names take no part.
        self._is_beside = False

    def read(self) -> list[_Relation]:
        """The relations in their order."""
        for at in range(len(self._text.words)):
            turn = self._text.turn(at)
            if turn is None:
                self._take(at)
            else:
                self._take_turn(at, turn)
        self._add(self._turn, self._left, self._right)
        return self._found

    def _take(self, at: int) -> None:
        """A word that is no turn: a name, or one that says what the names around it are."""
        word, before = self._text.words[at], self._text.low(at - 1)
        low, is_relative = word.low, word.low in RELATIVES
        is_subject = bool(at) and low in SUBJECTS and before not in PREPOSITIONS
        begins = low in BREAKS or is_subject or (bool(at) and any(sign in word.before for sign in ",;:("))
        if begins and self._right:
            # "code, which is read by a cell": the code is
            self._end_clause(frozenset(self._right) if is_relative else _Names())
        if low == "by" and self._right:  # "makes A by taking B": what makes A takes B
            self._end_clause(self._left)
        elif is_relative and before in PREPOSITIONS:
            self._end_clause()
        elif is_relative and at and self._text.is_object(at):
            self._fronted = set(self._right)
            self._end_clause()
        is_free = self._turn is not None and not self._right and not self._is_beside
        if low in {"it", "them"} and is_free and before not in RELATIVES:
            self._right |= self._objects
        elif begins or is_relative or (low in DETERMINERS and at and self._text.words[at - 1].stem):
            self._is_beside = False
        elif low in PREPOSITIONS:
            self._is_beside = self._is_beside or low != "of"
        elif at in self._names and not self._is_beside:
            self._right.add(self._names[at])

    def _take_turn(self, at: int, turn: Turn) -> None:
        """The last turn has all its names; those since are what this one leads from."""
        is_joined = self._text.low(at - 1) in JOINING
        if self._is_beside and not self._right and not is_joined:
            self._left = frozenset()  # "the sand that water flows through cleans it": not the water
        self._is_beside = False
        if turn.word == "by" and self._turn is not None and self._turn.leads_back is None:
            # "is broken down in the liver by": what is done is behind; "is caused by" is of the verb's kind
            turn = turn._replace(kind=self._turn.kind)
        else:
            if self._fronted is not None and turn.leads_back is not None and turn.kind in {"act", "cause"}:
                self._add(turn, frozenset(self._right), self._fronted)
                self._fronted = None
            self._add(self._turn, self._left, self._right)
            if self._right and not is_joined:
                self._left = frozenset(self._right)
        self._turn, self._right = turn, set()

    def _end_clause(self, names: _Names = frozenset()) -> None:
        """Let the next words belong to no turn; ``names``: of what they go on from."""
        self._add(self._turn, self._left, self._right)
        self._turn, self._right = None, set(names)

    def _add(self, turn: Turn | None, left: _Names, right: set[str]) -> None:
        if turn is not None and turn.leads_back is not None and left and right:
            self._found.append(_Relation(turn, left - right, frozenset(right) - left))


def leads_alike(question: list[Word], found: Comparison) -> bool | None:
    """Whether the answer states a relation of the key from its other side: "B is eaten by A" for "A eats B".

    ``False`` where it states the converse of one, "A is eaten by B"; ``None`` where it does neither.
    """
    key, answer = Text(found.key), Text(found.answer)
    answer.verbs = frozenset(place for at, place in found.matches.items() if key.is_verb(at))
    key.verbs = frozenset(at for at, place in found.matches.items() if answer.is_verb(place))
    own = {word.stem for word in found.key}
    asked = [word for word in question if word.stem and not is_light(word) and word.stem not in own]
    topic, nothing = frozenset(word.stem for word in asked), _Names()
    counts = Counter(word.stem for word in found.key)
    # of "a higher tank" and "a lower tank" the tank stands on both sides
    names = {at: word.stem for at, word in enumerate(found.key) if counts[word.stem] == 1}
    # "Why …? They were …": what they are is not what is so
    asks_why = Text(question).low(0) == "why"
    goes_on = answer.low(0) in SUBJECTS and not asks_why
    in_answer = (topic, nothing) if goes_on else (nothing, topic)
    mine = _Reader(key, names, topic, topic if asks_why else nothing).read()
    theirs = _Reader(answer, _names_in_answer(found, asked), *in_answer).read()
    #: Of each pair of names whether one leads to the other in both texts, or in the other direction.
    votes: dict[tuple[str, str], set[bool]] = defaultdict(set)
    is_turned = False
    for one, other in ((one, other) for one, other in product(mine, theirs) if _are_comparable(one.turn, other.turn)):
        turned = one.turn.leads_back != other.turn.leads_back
        for a, b in product(one.left, one.right):
            if a in other.left and b in other.right:
                votes[a, b].add(not turned)
            elif a in other.right and b in other.left:
                votes[a, b].add(turned)
                is_turned |= turned
    return False if any(vote == {False} for vote in votes.values()) else is_turned or None


def are_clauses_exchanged(found: Comparison) -> bool:
    """Whether the answer has first what comes later in the key, in time or as an effect, and later what comes first.

    Both are joined by one word alone: "it restores them after a crash", "it crashes after it has restored them".
    """
    mine = _clauses(found.key, {at: word.stem for at, word in enumerate(found.key) if word.stem})
    theirs = _clauses(found.answer, _names_in_answer(found, []))
    if mine is None or theirs is None:
        return False
    (cause, effect), (first, then) = mine, theirs
    return bool(cause & then and effect & first) and not (cause & first or effect & then)


def _clauses(words: list[Word], names: dict[int, str]) -> tuple[_Names, _Names] | None:
    """The names of the clause that is first in time, or the cause, and of the other; ``None`` but for two clauses."""
    joints = [at for at, word in enumerate(words) if at and word.low in JOINING_CLAUSES]
    if len(joints) != 1:
        return None
    start = max((at for at in range(joints[0]) if words[at].low in RELATIVES or "," in words[at].before), default=0)
    before, behind = (
        frozenset(names[at] for at in places if at in names)
        for places in (range(start, joints[0]), range(joints[0] + 1, len(words)))
    )
    sides = before - behind, behind - before
    return sides[::-1] if JOINING_CLAUSES[words[joints[0]].low] else sides


def _names_in_answer(found: Comparison, asked: list[Word]) -> dict[int, str]:
    """The stems of the key, and of what is asked, that the answer's words stand for, by their places."""
    names = {place: found.key[at].stem for at, place in found.matches.items()}
    for place, word in enumerate(found.answer):
        if place not in names and word.stem:
            name = next((each.stem for each in [*found.key, *asked] if each.stem and is_form(each.low, word.low)), "")
            names |= {place: name} if name else {}
    return names


def _are_comparable(one: Turn, other: Turn) -> bool:
    """Whether they are of one kind, or both verbs, one of them of causing."""
    verbs = [turn.kind == "act" or turn.word in CAUSING or (turn.word == "by") for turn in (one, other)]
    return one.kind == other.kind or all(verbs)
