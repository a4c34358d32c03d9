"""Who does what to whom: whether an answer exchanges two of a key's words, or has them in no order at all."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from .wording import ARTICLES, Word

if TYPE_CHECKING:
    from .comparison import Comparison

_PREPOSITIONS = frozenset(
    """to into from by of with between over than against for in on at per upon onto behind before after without toward
    towards through as""".split()  # noqa: SIM905
)
#: They belong to the next word alone: "each point".
_BINDING = frozenset({"each", "every", "all", "no"})
_BEFORE_VERB = frozenset(
    {"that", "which", "who", "can", "could", "may", "might", "must", "will", "would", "should"}
)
_OPPOSITES = {
    one: other
    for pair in ("before after", "with without", "over under", "above below", "from to", "into from")
    for one, other in (pair.split(), pair.split()[::-1])
}
_BECOMES = frozenset({"becomes", "become", "became", "becoming"})
_LEAST_SHUFFLED, _FAR, _MOST_JUMPS, _CERTAIN_JUMPS = 4, 3, 0.4, 0.7


def is_shuffled(found: Comparison) -> bool:
    """Whether the answer has the key's words without their order and without sentences of its own."""
    places = [at for at, word in enumerate(found.key) if word.stem]
    order = {at: number for number, at in enumerate(places)}
    seen: list[int] = []
    for word in found.answer:
        options = [order[at] for at in places if found.key[at].stem == word.stem]
        if options:
            last = seen[-1] + 1 if seen else 0
            seen.append(min(options, key=lambda one: abs(one - last)))
    if len(seen) < _LEAST_SHUFFLED:
        return False
    jumps = sum(not 0 <= after - before <= _FAR for before, after in zip(seen, seen[1:], strict=False))
    share = jumps / (len(seen) - 1)
    broken = _broken(found.answer)
    return share > _CERTAIN_JUMPS or (share >= _MOST_JUMPS and broken > 0) or (share > 0 and broken > 1)


def _broken(words: list[Word]) -> int:
    """How many articles and prepositions stand where no sentence has them."""
    lows = [word.low for word in words]
    ends = lows[-1] in ARTICLES | _PREPOSITIONS - {"in", "on", "up", "by", "through", "after", "before"}
    return ends + sum(
        one in ARTICLES and (other in ARTICLES or other in _PREPOSITIONS or other in _BEFORE_VERB)
        or one == other
        for one, other in zip(lows, lows[1:], strict=False)
    )  # fmt: skip


def are_swapped(found: Comparison) -> bool:
    """Whether two words of the key have each other's place in the answer."""
    mine, theirs = _roles(found.key, found), _roles(found.answer, found)
    both = [stem for stem in mine if stem in theirs]
    for stem in both:
        for kind, word in mine[stem] - theirs[stem]:
            if (kind, _OPPOSITES.get(word, "")) in theirs[stem] - mine[stem]:
                return True
    for one in both:
        lost = mine[one] - theirs[one]
        for other in both:
            gained = (theirs[other] - mine[other]) & lost
            if any(kind == "bound" for kind, _word in gained):
                return True
            if gained and (mine[other] - theirs[other]) & (theirs[one] - mine[one]):
                return True
            if ("start", "") in gained and any(kind == "preposition" and word != "by" for kind, word in theirs[one]):
                return True  # what the key is about is a part of it in the answer
        for place in found.foreign:
            # Another word has its place, and it has that of a word that is missing.
            taken = theirs[found.answer[place].stem] & lost
            if taken and any(mine[found.key[at].stem] & (theirs[one] - mine[one]) for at in found.missing):
                return True
    return False


def _roles(words: list[Word], found: Comparison) -> dict[str, set[tuple[str, str]]]:
    """For each stem of the key what governs it: a preposition, a verb that it stands before or behind, "each"."""
    roles: dict[str, set[tuple[str, str]]] = defaultdict(set)
    canon = {word.stem: word.stem for word in found.key if word.stem}
    for at, place in found.matches.items():
        canon.setdefault(found.answer[place].stem, found.key[at].stem)
    governor, bound, subjects = ("start", ""), "", list[str]()
    for number, word in enumerate(words):
        if word.low in _BECOMES or "->" in word.before or "→" in word.before:
            for each in subjects:
                roles[each].add(("preposition", "of"))
            governor = ("preposition", "to")
        if any(mark in word.before for mark in ",;:.") :
            governor = ("start", "")
        if word.low in _PREPOSITIONS:
            governor = ("preposition", {"into": "to", "upon": "on", "onto": "on"}.get(word.low, word.low))
            continue
        if word.low in _BINDING or word.is_number:
            bound = "each" if word.low in {"each", "every"} else word.low
            continue
        if not word.stem:
            continue
        stem = canon.get(word.stem, word.stem)
        previous = words[number - 1].low if number else ""
        verbal = previous in _BEFORE_VERB or (word.low.endswith("ing") and previous and previous not in ARTICLES)
        if verbal:
            if governor[1] in _OPPOSITES:
                roles[stem].add(governor)
            for each in subjects:
                roles[each].add(("before", stem))
            governor = ("behind", stem)
            continue
        roles[stem].add(governor)
        if bound:
            roles[stem].add(("bound", bound))
            bound = ""
        subjects.append(stem)
    return roles
