"""Negations of a sentence, and pairs of words with opposite meanings."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .words import Token, stem_of

_NEGATIONS = frozenset(
    """no not never none nobody nothing nowhere cannot without neither nor hardly scarcely barely rarely seldom unable
    lack lacks lacked lacking fail fails failed except dont doesnt didnt isnt arent wasnt werent cant couldnt wont
    wouldnt shouldnt hasnt havent hadnt""".split()  # noqa: SIM905 - as in contradiction.py
)
#: Stems in the scope of a negation.
_SCOPE = 3
#: Words on either side of the negation among which these stems are looked for.
_WINDOW = 64

#: Pairs of words that reverse a sentence's meaning when one replaces the other, in either direction.
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


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _OPPOSITES.split(";"):
        one, other = pair.split()
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


_OPPOSITES_OF = _opposites()


def is_negation(word: str) -> bool:
    """Whether the word is a negation, such as "not", "lacks" or "doesn't"."""
    return word in _NEGATIONS or word.endswith(("n't", "n'"))


def negation_scopes(tokens: Sequence[Token]) -> list[frozenset[str]]:
    """The stems in the scope of each negation: the next ones of its clause, else those before it."""
    found: list[frozenset[str]] = []
    for index, token in enumerate(tokens):
        if not is_negation(token.word):
            continue
        own = stem_of(token.word)
        before = tokens[max(0, index - _WINDOW) : index][::-1]
        scope = (
            _stems(tokens[index + 1 : index + 1 + _WINDOW], token.clause, own)
            or _stems(before, token.clause, own)
            or _stems(before, None, own)  # "for some but not for all"
        )
        found.append(frozenset(scope))
    return found


def _stems(following: Sequence[Token], clause: int | None, own: str) -> list[str]:
    found: list[str] = []
    for token in following:
        if (clause is not None and token.clause != clause) or len(found) == _SCOPE:
            break
        if token.stem and token.stem != own:
            found.append(token.stem)
    return found


def opposites_of(word: str) -> frozenset[str]:
    """The words that mean the opposite."""
    return _OPPOSITES_OF.get(word, frozenset())


def find_opposite(words: Collection[str], source: Collection[str]) -> tuple[str, str] | None:
    """A word of the first text and its opposite in the source, where each text has only one of the two.

    Of several the first in the alphabet, so that messages do not depend on the order of sets.
    """
    for word in sorted(words):
        if word in source:
            continue
        for other in sorted(opposites_of(word)):
            if other in source and other not in words:
                return word, other
        for prefix in _PREFIXES:
            if len(word) > 2 and f"{prefix}{word}" in source and f"{prefix}{word}" not in words:
                return word, f"{prefix}{word}"
            bare = word.removeprefix(prefix)
            if bare != word and len(bare) > 2 and bare in source and bare not in words:
                return word, bare
    return None
