"""Who does what to whom: whether an answer exchanges two of a key's words."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from ..reading.spelling import word_set
from .wording import ARTICLES, Word, is_light, same

if TYPE_CHECKING:
    from .comparison import Comparison

_PREPOSITIONS = frozenset(
    """to into from by of with between over than against for in on at per upon onto behind before after without toward
    towards through as""".split()  # noqa: SIM905
)
_SAME = {"into": "to", "upon": "on", "onto": "on", "out": "from"}
#: They belong to the next word alone: "each point".
_BINDING = frozenset({"each", "every", "no"})
#: What is from one thing to another is from that one to it.
_BETWEEN = ("distance", "difference", "deviation", "separate")
_BEFORE_VERB = frozenset(
    {"it", "they", "that", "which", "who", "can", "could", "may", "might", "must", "will", "would", "should"}
)
_OPPOSITES = {
    one: other
    for pair in ("before after", "with without", "over under", "above below", "from to")
    for one, other in (pair.split(), pair.split()[::-1])
}
_DIRECTED = frozenset({"to", "from", "by", "than", "over"})
_BE = frozenset({"is", "are", "was", "were", "be", "being", "been", "gets"})
_NEW_CLAUSE = frozenset({"so", "because", "where", "when", "while", "but"})
_RELATIVE = frozenset({"that", "which", "who", "whose", "where", "in", "inside"})
#: Verbs with which a part comes before the whole.
_FORMING = ("form", "constitute", "up", "be", "called")
_BECOMES = frozenset({"becomes", "become", "became", "becoming"})
_CAUSING = word_set(
    "cause causes caused lead leads led make makes made change changes changed create creates created trigger triggers"
    " triggered produce produces produced"
)
_ASKING_CAUSE = frozenset({"why", "due", "because", "reason", "reasons", "cause", "causes"})


def are_swapped(found: Comparison) -> bool:
    """Whether two words of the key have each other's place in the answer."""
    if _is_another_head(found) or _are_paired_otherwise(found):
        return True
    mine, theirs = _roles(found.key, found), _roles(found.answer, found)
    both = [stem for stem in mine if stem in theirs]
    names = {word.stem for word in found.key if word.is_name}
    stems = {at: word.stem for at, word in enumerate(found.key) if word.stem}
    back = {place: stems[at] for at, place in found.matches.items()}
    for words, verbs, roles in ((found.answer, back, mine), (found.key, stems, theirs)):
        if any(agent in roles and ("behind", verb) in roles[agent] for verb, agent in _agents(words, verbs)):
            return True
    converts = any(same(word.low, "convert") for word in found.key)
    between = any(same(word.low, each) for word in found.key for each in _BETWEEN)
    for stem in both:
        for kind, word in mine[stem] - theirs[stem]:
            if between and word in {"from", "to"}:
                continue
            if word in _OPPOSITES and (kind, _OPPOSITES[word]) in theirs[stem] - mine[stem]:
                return True
    for one in both:
        lost = mine[one] - theirs[one]
        for other in both:
            gained = (theirs[other] - mine[other]) & lost
            if any(
                (role[0] == "bound" or (role[1] == "to" and converts))
                and not any(role in mine[each] & theirs[each] for each in both)
                for role in gained
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
            gained = {role for role in theirs[one] - mine[one] if role[0] != "start"}
            if taken and any(mine[found.key[at].stem] & gained for at in found.missing):
                return True
    return False


def is_cause_exchanged(question: list[Word], found: Comparison) -> bool:
    """Whether the answer makes an effect of the cause that is asked for, or a cause of the effect."""
    verbs = [place for place, word in enumerate(found.answer) if word.low in _CAUSING]
    if len(verbs) != 1 or verbs[0] in found.matches.values() or _is_passive(found.answer, verbs[0]):
        return False
    stems = {word.stem for word in found.key if word.stem}
    topic = {word.stem for word in question if word.stem and not is_light(word)} - stems
    asked = [place for place, word in enumerate(found.answer) if word.stem in topic]
    given = [place for at, place in found.matches.items() if found.weights[at] == 1]
    first, then = (asked, given) if any(word.low in _ASKING_CAUSE for word in question) else (given, asked)
    return bool(first and then) and max(first) < verbs[0] < min(then)


def _is_passive(words: list[Word], place: int) -> bool:
    return any(word.low == "by" for word in words[place + 1 : place + 2])


def _is_another_head(found: Comparison) -> bool:
    """Whether the answer defines one of the key's other nouns by its head: "bacteria that eat viruses"."""
    one, other = _head(found.key), _head(found.answer)
    if one < 0 or other < 0:
        return False
    back = {place: at for at, place in found.matches.items()}
    heads = [at for at in range(one + 1) if found.weights.get(at) and not is_light(found.key[at])]
    at = max((found.matches.get(head, -1) for head in heads), default=-1)
    if at <= other or back.get(other, -1) <= one or any(back.get(place) in heads for place in range(other)):
        return False
    before = next((word for word in reversed(found.answer[other + 1 : at]) if word.low not in ARTICLES), None)
    if found.key[one + 1].low == "of":  # a "cluster of cells" may be cells in a cluster
        return before is not None and before.low in {"of", "from"}
    return before is None or not any(same(before.low, each) for each in _FORMING)


def _head(words: list[Word]) -> int:
    """The place of the noun that a phrase says more about behind it; -1 for none."""
    for at, (word, following) in enumerate(pairwise(words)):
        behind = words[at + 2 : at + 3]
        adjective = following.low.endswith("ed") and behind and behind[0].stem  # "liquid unsaturated fats"
        verbal = following.is_verbal and following.before == " " and not adjective
        if word.stem and (verbal or following.low in _PREPOSITIONS | _RELATIVE):
            return at
        if not word.stem and word.low not in ARTICLES:
            break
    return -1


def _are_paired_otherwise(found: Comparison) -> bool:
    """Whether two pairs of neighbours have exchanged partners: "makes blood and filters urine"."""
    stems = {at: word.stem for at, word in enumerate(found.key)}
    mine = _adjacent(found.key, stems)
    theirs = _adjacent(found.answer, {place: stems[at] for at, place in found.matches.items()})
    names = {word.stem for word in found.key if word.is_name}
    numbers = {word.stem for word in found.key if word.is_number}
    return any(
        (another, two) in theirs - mine
        and (
            (one, other) in theirs
            or ({one, another} <= names and two not in names)
            or ({one, another} <= numbers and not {(one, two), (another, other)} & theirs)
        )
        for one, two in mine
        for another, other in mine
        if one != another
    )


def _adjacent(words: list[Word], stems: dict[int, str]) -> set[tuple[str, str]]:
    """Which stems stand before which."""
    places = [at for at, word in enumerate(words) if word.low not in ARTICLES]
    return {(stems[one], stems[other]) for one, other in pairwise(places) if stems.get(one) and stems.get(other)}


def _agents(words: list[Word], stems: dict[int, str]) -> list[tuple[str, str]]:
    """Of the passive verbs, by their stems, with those who do it: "is eaten by animals"."""
    agents = []
    for place, verb in stems.items():
        # "Eaten by animals" begins as "it is eaten by animals" does.
        begins = not any(word.stem for word in words[:place])
        passive = begins or any(word.low in _BE for word in words[max(0, place - 3) : place])
        following = words[place + 1 : place + 7]
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
        if word.low in _PREPOSITIONS or (
            word.low == "out" and [each.low for each in words[number + 1 : number + 2]] == ["of"]
        ):
            if word.low != "of" or governor[1] != "from":
                governor = ("preposition", _SAME.get(word.low, word.low))
            continue
        if word.low in _BINDING:
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
        earlier = words[number - 2].low if number > 1 else ""
        # "used to build" has a verb, "in which sugars" has none.
        before_verb = earlier == "used" if previous == "to" else previous in _BEFORE_VERB
        verbal = (before_verb and not (previous == "which" and earlier in _PREPOSITIONS)) or (
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
