"""Who does what to whom: whether an answer exchanges two of a key's words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from itertools import combinations, pairwise

from .comparison import Comparison
from .turns import BE, CAUSING, FROM, RELATIVES, Text
from .word_forms import PARTICIPLES
from .wording import ARTICLES, Word, is_light

_PREPOSITIONS = frozenset(
    """to into from by of with between over than against for in on at per upon onto behind before after without toward
    towards through as""".split()  # noqa: SIM905
)
_SAME = {"into": "to", "upon": "on", "onto": "on", "out": "from"}
_BEFORE_VERB = frozenset(
    {"it", "they", "that", "which", "who", "can", "could", "may", "might", "must", "will", "would", "should"}
)
_OPPOSITES = {
    one: other
    for pair in ("before after", "with without", "over under", "above below", "from to")
    for one, other in (pair.split(), pair.split()[::-1])
}
_DIRECTED = frozenset({"to", "from", "by", "than", "over"})
_DOING_TO = frozenset({"against", "to", "on", "from", "for", "of", "under"})
_OBJECTS = frozenset({"it", "them", "him", "her", "us"})
_ASKING_CAUSE = frozenset({"why", "due", "because", "reason", "reasons", "cause", "causes"})


def are_swapped(found: Comparison) -> bool:
    """Whether two words of the key have each other's place in the answer."""
    if _is_another_head(found) or _are_paired_otherwise(found) or _is_done_to(found) or _is_other_agent(found):
        return True
    mine = _roles(found.key)
    verbs = {verb for roles in mine.values() for kind, verb in roles if kind == "behind"}
    theirs = _roles(found.answer, verbs)
    stems = {at: word.stem for at, word in enumerate(found.key) if word.stem}
    if _is_patient_active(found, stems, {place: stems[at] for at, place in found.matches.items()}):
        return True
    both = [stem for stem in mine if stem in theirs]
    lost, gained = (
        {stem: mine[stem] - theirs[stem] for stem in both},
        {stem: theirs[stem] - mine[stem] for stem in both},
    )
    if any((kind, _OPPOSITES.get(word)) in gained[stem] for stem in both for kind, word in lost[stem]):
        return True
    for one, other in combinations(both, 2):
        there, back_again = lost[one] & gained[other], lost[other] & gained[one]
        exchanged = there | back_again
        is_directed = any(word in _DIRECTED for _kind, word in exchanged)
        is_object = any(kind == "behind" and ("before", word) in exchanged for kind, word in exchanged)
        if there and back_again and (is_directed or is_object or all(kind != "start" for kind, _word in exchanged)):
            return True
    return False


def is_cause_exchanged(question: list[Word], found: Comparison) -> bool:
    """Whether the answer makes an effect of the cause that is asked for, or a cause of the effect."""
    following = [*(word.low for word in found.answer), ""][1:]
    # "is caused by" is the other way round
    causing = [word.low in CAUSING and then != "by" for word, then in zip(found.answer, following, strict=True)]
    verbs = [place for place, is_causing in enumerate(causing) if is_causing]
    if len(verbs) != 1:
        return False
    stems = {word.stem for word in found.key if word.stem}
    topic = {word.stem for word in question if word.stem and not is_light(word)} - stems
    asked = [place for place, word in enumerate(found.answer) if word.stem in topic]
    given = [place for at, place in found.matches.items() if found.weights[at] == 1]
    first, then = (asked, given) if any(word.low in _ASKING_CAUSE for word in question) else (given, asked)
    return bool(first and then) and max(first) < verbs[0] < min(then)


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
    before = next((word.low for word in reversed(found.answer[other + 1 : at]) if word.low not in ARTICLES), "")
    # a "cluster of cells" may be cells in a cluster
    return found.key[one + 1].low != "of" or before in {"of", "from", "by"}


def _is_done_to(found: Comparison) -> bool:
    """Whether the answer's first noun stands behind a preposition where the key's does something: "the man against whom
    it is brought" for "the man who brings it"."""
    at = next((at for at, word in enumerate(found.key) if word.low in RELATIVES), 0)
    place = next((place for place, word in enumerate(found.answer) if word.low in RELATIVES), 0)
    if not at or not place or found.key[at - 1].low in _PREPOSITIONS or found.answer[place - 1].low not in _DOING_TO:
        return False
    does = found.matches.get(at + 1, -1)
    return does > place and found.matches.get(at - 1, place - 2) == place - 2


def _is_other_agent(found: Comparison) -> bool:
    """Whether what a verb of the key is done to, or what is named behind that, does it in the answer: to a pronoun, "B
    feeds it" for "A feeds B", or to what does it in the key, "C feeds B to A" for "A feeds B to C"."""
    key, answer = Text(found.key), Text(found.answer)
    back = {place: at for at, place in found.matches.items()}
    for at, place in found.matches.items():
        if not (_is_active(key, at) and _is_active(answer, place)):
            continue
        agent, other = _agent(found.key, at), back.get(_agent(found.answer, place), -1)
        if other <= at:
            continue
        done_to = next((near for near in range(at + 1, len(found.key)) if near in found.weights), -1)
        if other == done_to and answer.low(place + 1) in _OBJECTS:
            return True
        end = next(
            (near for near in range(place + 1, len(found.answer)) if _is_active(answer, near)), len(found.answer)
        )
        if place < found.matches.get(agent, -1) < end:
            return True
    return False


def _is_active(text: Text, at: int) -> bool:
    """Whether the word at this place is a verb of what stands before it."""
    turn = text.turn(at)
    is_verb = turn is not None and turn.kind in {"act", "cause"} and turn.leads_back is False and turn.word != "by"
    return is_verb and text.low(at - 1) not in BE


def _agent(words: list[Word], at: int) -> int:
    """The place of the last word before a verb within its clause; -1 for none."""
    for place in range(at - 1, -1, -1):
        if any(sign in words[place + 1].before for sign in ",;:("):
            break
        if words[place].stem:
            return place
    return -1


def _head(words: list[Word]) -> int:
    """The place of the noun that a phrase says more about behind it; -1 for none."""
    for at, (word, following) in enumerate(pairwise(words)):
        behind = words[at + 2 : at + 3]
        adjective = following.low.endswith("ed") and behind and behind[0].stem  # "liquid unsaturated fats"
        verbal = following.is_verbal and following.before == " " and not adjective
        if word.stem and (verbal or following.low in _PREPOSITIONS | RELATIVES):
            return at
        if not word.stem and word.low not in ARTICLES:
            break
    return -1


def _are_paired_otherwise(found: Comparison) -> bool:
    """Whether two pairs of neighbours have exchanged partners: "makes blood and filters urine"."""
    stems = {at: word.stem for at, word in enumerate(found.key)}
    mine = _adjacent(found.key, stems)
    theirs = _adjacent(found.answer, {place: stems[at] for at, place in found.matches.items()})
    numbers = {word.stem for word in found.key if word.is_number}
    return any(
        (another, two) in theirs - mine
        and ((one, other) in theirs or ({one, another} <= numbers and not {(one, two), (another, other)} & theirs))
        for one, two in mine
        for another, other in mine
        if one != another
    )


def _adjacent(words: list[Word], stems: dict[int, str]) -> set[tuple[str, str]]:
    """Which stems stand before which."""
    places = [at for at, word in enumerate(words) if word.low not in ARTICLES]
    return {(stems[one], stems[other]) for one, other in pairwise(places) if stems.get(one) and stems.get(other)}


def _is_patient_active(found: Comparison, stems: dict[int, str], back: dict[int, str]) -> bool:
    """Whether what something is done to in the key does it in the answer: "bones connect the cartilages"."""
    for at, place in found.matches.items():
        verb, said = found.key[at].low, found.answer[place].low
        is_passive = verb.endswith("ed") and any(each.low in BE for each in found.key[max(0, at - 3) : at])
        if not is_passive or said.endswith(("ed", "ing")) or said in PARTICIPLES or place not in back:
            continue
        patient = [stem for near, stem in stems.items() if near < at and not is_light(found.key[near])][-1:]
        subject = [back[near] for near in sorted(back) if near < place][-1:]
        behind = [near for near in range(place + 1, len(found.answer)) if found.answer[near].low not in ARTICLES][:1]
        if patient and subject == patient and any(back.get(near, patient[0]) != patient[0] for near in behind):
            return True
    return False


def _roles(words: list[Word], verbs: Collection[str] = ()) -> dict[str, set[tuple[str, str]]]:
    """For each stem what governs it: a preposition, or a verb that it stands before or behind."""
    roles: dict[str, set[tuple[str, str]]] = defaultdict(set)
    governor, subjects = ("start", ""), list[str]()
    is_fronted = any(word.low in _PREPOSITIONS for word in words[:1])
    for number, word in enumerate(words):
        if is_fronted and "," in word.before:
            governor, is_fronted = ("start", ""), False  # "before B, A": A is before B
        following = [each.low for each in words[number + 1 : number + 2]]
        if (word.low == "because" and number) or (word.low == "to" and number and words[number - 1].low in FROM):
            governor = ("preposition", "from")
            continue
        if word.low in _PREPOSITIONS or (word.low == "out" and following == ["of"]):
            # "with any type of hair": with hair
            is_kind = number > 0 and is_light(words[number - 1]) and governor[0] == "preposition"
            if word.low != "of" or not (governor[1] == "from" or is_kind):
                is_without = word.low == "with" and following in (["no"], ["neither"])
                governor = ("preposition", "without" if is_without else _SAME.get(word.low, word.low))
            continue
        if not word.stem:
            continue
        previous = words[number - 1].low if number else ""
        is_form = (word.low.endswith("ing") or word.stem in verbs) and previous not in ARTICLES
        if is_form or previous in _BEFORE_VERB:
            for each in subjects:
                roles[each].add(("before", word.stem))
            governor = ("behind", word.stem)
        else:
            roles[word.stem].add(governor)
            subjects.append(word.stem)
    return roles
