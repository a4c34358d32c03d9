"""Irregular English verbs, whose past forms have other stems than their base, "led" and "lead", and words whose noun
has: "deep" and "depth"."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from .stemming import stem_hash, stems

_VERBS = """
arise arose arisen; awake awoke awoken; beat beat beaten; become became become; beget begat begotten; begin began begun;
bend bent bent; bind bound bound; bite bit bitten; bleed bled bled; blow blew blown; break broke broken; breed bred
bred; bring brought brought; build built built; burn burnt burnt; buy bought bought; catch caught caught; choose chose
chosen; cling clung clung; come came come; creep crept crept; cut cut cut; deal dealt dealt; dig dug dug; do did done;
draw drew drawn; dream dreamt dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed
fed; feel felt felt; fight fought fought; find found found; flee fled fled; fling flung flung; fly flew flown; forbid
forbade forbidden; foresee foresaw foreseen; forget forgot forgotten; forgive forgave forgiven; forsake forsook
forsaken; freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown; hang hung hung; hear
heard heard; hide hid hidden; hit hit hit; hold held held; keep kept kept; kneel knelt knelt; know knew known; lay laid
laid; lead led led; learn learnt learnt; leave left left; lend lent lent; light lit lit; lose lost lost; make made made;
mean meant meant; meet met met; mistake mistook mistaken; overcome overcame overcome; overtake overtook overtaken;
overthrow overthrew overthrown; pay paid paid; prove proved proven; put put put; read read read; rebuild rebuilt
rebuilt; ride rode ridden; ring rang rung; rise rose risen; run ran run; say said said; see saw seen; seek sought
sought; sell sold sold; send sent sent; set set set; sew sewed sewn; shake shook shaken; shine shone shone; shoot shot
shot; show showed shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat sat; slay slew slain; sleep slept
slept; slide slid slid; smite smote smitten; sow sowed sown; speak spoke spoken; spend spent spent; spin spun spun;
spread spread spread; spring sprang sprung; stand stood stood; steal stole stolen; stick stuck stuck; sting stung stung;
strike struck struck; strive strove striven; swear swore sworn; sweep swept swept; swell swelled swollen; swim swam
swum; swing swung swung; take took taken; teach taught taught; tear tore torn; tell told told; think thought thought;
throw threw thrown; undergo underwent undergone; understand understood understood; undertake undertook undertaken;
uphold upheld upheld; wake woke woken; wear wore worn; weave wove woven; weep wept wept; win won won; wind wound wound;
withdraw withdrew withdrawn; withhold withheld withheld; withstand withstood withstood; write wrote written
"""

#: Nouns whose stem is not that of their verb or adjective, words for what is allowed ("Cats are not accepted.") or
#: included ("The rent covers water."), and plurals with another stem.
_NOUNS = """
absorb absorption; acquire acquisition; agree agreement; assume assumption; believe belief; bury burial; choose
choice; close closure; collide collision; conclude conclusion; consume consumption; decide decision; deep depth;
define definition; deliver delivery; depart departure; describe description; destroy destruction; die death; discover
discovery; divide division; evolve evolution; expand expansion; explain explanation; explode explosion; expose
exposure; fail failure; fly flight; grow growth; heavy weigh weight; high tall height; hot temperature; include
contain comprise cover; injure injury; introduce introduction; invade invasion; live life; long length; lose loss;
loud noise; maintain maintenance; marry marriage; mix mixture; old age; pay payment; perceive perception; permit
permission allow accept welcome; poor poverty; prove proof; recover recovery; reduce reduction; sell sale; ship
shipment; solve solution; speak speech; strong strength; submit submission; succeed success; transmit transmission;
wide width; child children; foot feet; goose geese; half halves; knife knives; loaf loaves; man men; mouse mice; ox
oxen; person people; shelf shelves; thief thieves; tooth teeth; wife wives; wolf wolves; woman women
"""

#: The past and the participle of a verb, by its base, in lower case.
IRREGULAR_VERBS = {base: (past, participle) for base, past, participle in map(str.split, _VERBS.split(";"))}
#: Past forms that are the base of no verb, as "cut" and "saw" are.
PAST_FORMS = frozenset(past for past, _ in IRREGULAR_VERBS.values()) - IRREGULAR_VERBS.keys() - {"saw"}
#: Forms that are another word as often.
_OTHER_WORDS = frozenset({"bit", "bound", "found", "got", "laid", "rose", "wound"})
_GROUPS = [frozenset(stems(" ".join({base, *forms} - _OTHER_WORDS))) for base, forms in IRREGULAR_VERBS.items()]
#: A past form as another verb's stem: "founded", "grounded", "wounded".
_ENDS_PAST = re.compile(rf"\b({'|'.join(sorted(past for past, _ in IRREGULAR_VERBS.values()))})ed\b", re.IGNORECASE)
#: The stems of all forms of a verb, and of its noun, by each of them.
_ALIKE = {stem: group for group in _GROUPS for stem in group}
for _forms in map(stems, _NOUNS.split(";")):
    _ALIKE |= dict.fromkeys(_forms, frozenset(_forms).union(*(_ALIKE.get(form, ()) for form in _forms)))


def with_forms(stem: str) -> frozenset[str]:
    """The stem, and those of the verb's other forms and noun where they differ: "send" and "sent"."""
    return _ALIKE.get(stem, frozenset()) | {stem}


@lru_cache(maxsize=8192)
def form_hashes(stem: str) -> frozenset[int]:
    """The hashes of ``with_forms``."""
    return frozenset(map(stem_hash, with_forms(stem)))


def other_verb_finder(question: str) -> Callable[[str], bool] | None:
    """A function that tells whether a text has only another verb with the stem of one of the question: "found" for
    "Who founded it?"; ``None`` where the question has no such verb."""
    asked = _ENDS_PAST.search(question)
    if asked is None:
        return None
    own = re.compile(rf"\b{asked[1]}(?:ed|ers?|ing|ations?)\b", re.IGNORECASE)
    other = re.compile(rf"\b{asked[1]}\b", re.IGNORECASE)
    return lambda text: bool(other.search(text)) and not own.search(text)
