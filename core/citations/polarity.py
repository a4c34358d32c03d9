"""Negations of a sentence, and pairs of words with opposite meanings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .words import stem_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .words import Token

_NEGATIONS = frozenset(
    [
        "no",
        "not",
        "never",
        "none",
        "nobody",
        "nothing",
        "nowhere",
        "cannot",
        "without",
        "neither",
        "nor",
        "hardly",
        "scarcely",
        "barely",
        "rarely",
        "seldom",
        "unable",
        "lack",
        "lacks",
        "lacked",
        "lacking",
        "fail",
        "fails",
        "failed",
        "except",
    ]
)
#: Stems that a negation reaches over.
_REACH = 3
#: Words on either side among which they are looked for.
_FARTHEST = 64

#: Words that turn a sentence around when one stands for the other. Both directions count.
_OPPOSITES = """
    increase decrease; increases decreases; increased decreased; increasing decreasing; rise fall; rises falls; rose
    fell; raise lower; raises lowers; raised lowered; grow shrink; grows shrinks; more less; more fewer; most least;
    higher lower; high low; highest lowest; greater smaller; greater less; larger smaller; large small; largest
    smallest; big small; bigger smaller; longer shorter; long short; longest shortest; faster slower; fast slow;
    fastest slowest; quickly slowly; heavier lighter; heavy light; stronger weaker; strong weak; hot cold; hotter
    colder; warm cool; warmer cooler; wet dry; thick thin; thicker thinner; wide narrow; deep shallow; hard soft;
    rough smooth; rich poor; above below; over under; before after; inside outside; inner outer; internal external;
    front back; left right; top bottom; upper lower; up down; upward downward; first last; early late; earlier
    later; earliest latest; begin end; begins ends; began ended; start stop; starts stops; started stopped; start
    end; open close; opens closes; opened closed; open closed; on off; enable disable; enables disables; enabled
    disabled; allow forbid; allows forbids; allowed forbidden; permit prohibit; permitted prohibited; accept reject;
    accepted rejected; include exclude; includes excludes; included excluded; always never; always sometimes; all
    none; all some; every no; everybody nobody; everything nothing; must may; must might; must could; may cannot;
    can cannot; with without; positive negative; true false; right wrong; correct incorrect; good bad; better worse;
    best worst; safe unsafe; safe dangerous; win lose; wins loses; won lost; success failure; succeed fail;
    succeeded failed; gain loss; buy sell; bought sold; attack defend; attacked defended; love hate; loved hated;
    push pull; pushes pulls; add remove; adds removes; added removed; insert remove; attach detach; connect
    disconnect; connected disconnected; maximum minimum; maximize minimize; maximal minimal; major minor; majority
    minority; many few; north south; northern southern; east west; eastern western; male female; men women; man
    woman; father mother; son daughter; husband wife; king queen; brother sister; ancient modern; old new; older
    newer; old young; older younger; oldest youngest; public private; rural urban; local global; direct indirect;
    active passive; static dynamic; clockwise counterclockwise; clockwise anticlockwise; parallel serial; parallel
    perpendicular; horizontal vertical; horizontally vertically; constant variable; linear nonlinear; input output;
    inputs outputs; sender receiver; source sink; transmit receive; transmits receives; upload download; import
    export; necessary optional; required optional; simple complex; easy difficult; easily hardly; rarely often; rare
    common; seldom often; usually rarely; only also; absent present; presence absence; alive dead; life death; day
    night; summer winter; acid base; acidic basic; absorb emit; absorbs emits; contract expand; contracts expands;
    imports exports; arrive leave; arrived left; guilty innocent; victory defeat; agree disagree; agreed disagreed;
    approve disapprove; support oppose; supported opposed; supports opposes; before since; half double; same
    different; similar different; together apart; near far; nearest farthest; sink float; melt freeze; melts
    freezes; empty full; loose tight; loosen tighten; lock unlock; locked unlocked; powered unpowered; even odd;
    north east; south west; forward backward; forwards backwards; advance retreat; advanced retreated; create
    destroy; created destroyed; build demolish; built demolished; remember forget; found lost; visible invisible;
    should need; strengthened weakened; strengthen weaken; advocate oppose; advocates opposes; advocated opposed; favour
    oppose; favours opposes; affirm deny; affirms denies; speed slow;
    speeds slows; improve worsen; improved worsened; accelerate decelerate
"""
_PREFIXES = ("un", "in", "im", "non", "dis", "ir", "il", "anti", "mis", "de")


def _table() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _OPPOSITES.split(";"):
        one, other = pair.split()
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


_OPPOSITE = _table()


def denies(word: str) -> bool:
    """Whether the word is a negation."""
    return word in _NEGATIONS or word.endswith(("n't", "n'")) or (word.endswith("nt") and word in _BARE)


_BARE = frozenset(
    [
        "dont",
        "doesnt",
        "didnt",
        "isnt",
        "arent",
        "wasnt",
        "werent",
        "cant",
        "couldnt",
        "wont",
        "wouldnt",
        "shouldnt",
        "hasnt",
        "havent",
        "hadnt",
    ]
)


def denials(tokens: Sequence[Token]) -> list[frozenset[str]]:
    """The stems that each negation reaches: the next ones of its clause, else those before it."""
    found: list[frozenset[str]] = []
    for index, token in enumerate(tokens):
        if not denies(token.word):
            continue
        own = stem_of(token.word)
        before = tokens[max(0, index - _FARTHEST) : index][::-1]
        reached = (
            _stems(tokens[index + 1 : index + 1 + _FARTHEST], token.clause, own)
            or _stems(before, token.clause, own)
            or _stems(before, None, own)  # "for some but not for all"
        )
        found.append(frozenset(reached))
    return found


def _stems(following: Sequence[Token], clause: int | None, own: str) -> list[str]:
    found: list[str] = []
    for token in following:
        if (clause is not None and token.clause != clause) or len(found) == _REACH:
            break
        if token.stem and token.stem != own:
            found.append(token.stem)
    return found


def opposite(told: Collection[str], held: Collection[str]) -> tuple[str, str] | None:
    """A word that is told in the place of its opposite, and that one; both texts as their words."""
    for word in told:
        if word in held:
            continue
        for other in _OPPOSITE.get(word, ()):
            if other in held and other not in told:
                return word, other
        for prefix in _PREFIXES:
            if f"{prefix}{word}" in held and f"{prefix}{word}" not in told:
                return word, f"{prefix}{word}"
            bare = word.removeprefix(prefix)
            if bare != word and len(bare) > 2 and bare in held and bare not in told:
                return word, bare
    return None
