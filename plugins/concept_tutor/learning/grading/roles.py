"""Who does what to whom: whether an answer exchanges two of a key's words."""

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
_BEFORE_VERB = frozenset({"that", "which", "who", "can", "could", "may", "might", "must", "will", "would", "should"})
_OPPOSITES = {
    one: other
    for pair in ("before after", "with without", "over under", "above below", "from to")
    for one, other in (pair.split(), pair.split()[::-1])
}
_DIRECTED = frozenset({"to", "from", "by", "than", "over"})
_BE = frozenset({"is", "are", "was", "were", "be", "being", "been", "gets"})
_NEW_CLAUSE = frozenset({"so", "because", "where", "when", "while", "but"})
_BECOMES = frozenset({"becomes", "become", "became", "becoming"})


def are_swapped(found: Comparison) -> bool:
    """Whether two words of the key have each other's place in the answer."""
    mine, theirs = _roles(found.key, found), _roles(found.answer, found)
    both = [stem for stem in mine if stem in theirs]
    names = {word.stem for word in found.key if word.is_name}
    if any(("behind", verb) in mine[agent] for verb, agent in _agents(found) if agent in mine):
        return True
    for stem in both:
        for kind, word in mine[stem] - theirs[stem]:
            if word in _OPPOSITES and (kind, _OPPOSITES[word]) in theirs[stem] - mine[stem]:
                return True
    for one in both:
        lost = mine[one] - theirs[one]
        for other in both:
            gained = (theirs[other] - mine[other]) & lost
            if any(
                role[0] == "bound" and not any(role in mine[each] & theirs[each] for each in both) for role in gained
            ):
                return True
            returned = (mine[other] - theirs[other]) & (theirs[one] - mine[one])
            if (
                gained
                and returned
                and (
                    names >= {one, other}
                    or any(word in _DIRECTED for _kind, word in gained | returned)
                    or all(kind != "start" for kind, _word in gained | returned)
                )
            ):
                return True
        for place in found.foreign:
            # Another word has its place, and it has that of a word that is missing.
            taken = {
                role for role in theirs[found.answer[place].stem] & lost if role[0] != "start" and role[1] != "with"
            }
            if taken and any(mine[found.key[at].stem] & (theirs[one] - mine[one]) for at in found.missing):
                return True
    return False


def _agents(found: Comparison) -> list[tuple[str, str]]:
    """Of the answer's passive verbs, as the key has them, with those who do it: "is eaten by animals"."""
    back = {place: found.key[at].stem for at, place in found.matches.items()}
    agents = []
    for place, verb in back.items():
        passive = any(word.low in _BE for word in found.answer[max(0, place - 3) : place])
        following = found.answer[place + 1 : place + 7]
        at = next((number for number, word in enumerate(following) if word.low == "by"), None)
        if passive and at is not None:
            agents += [(verb, word.stem) for word in following[at:] if word.stem]
    return agents


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
            if word.low in _BECOMES:
                continue
        if any(mark in word.before for mark in ",;:."):
            governor, bound = ("start", ""), ""
        if word.low in _PREPOSITIONS:
            governor = ("preposition", {"into": "to", "upon": "on", "onto": "on"}.get(word.low, word.low))
            continue
        if word.low in _BINDING or word.is_number:
            bound = "each" if word.low in {"each", "every"} else word.low
            continue
        if word.low in _NEW_CLAUSE or (word.low in {"and", "or"} and governor[1] in _OPPOSITES):
            governor = ("start", "and")
        if not word.stem and bound and number and words[number - 1].stem:
            bound = ""  # the phrase with "each" is over
        if not word.stem:
            continue
        stem = canon.get(word.stem, word.stem)
        previous = words[number - 1].low if number else ""
        verbal = previous in _BEFORE_VERB or (
            word.low.endswith("ing") and previous and previous not in ARTICLES and word.before != "-"
        )
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
        subjects.append(stem)
    return roles
