"""The verbs by which a sentence tells how one thing stands to another, and the questions for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

#: Verbs of a relation: of several, of one, in the past; "-" for a form that is mostly a noun.
_ACTIVES = """
    consist of, consists of, consisted of; contain, contains, contained; comprise, comprises, comprised;
    -, causes, caused; -, results in, resulted in; -, results from, resulted from; lead to, leads to, led to;
    depend on, depends on, depended on; -, refers to, -; -, means, -; -, measures, -; -, produces, produced;
    require, requires, required; describe, describes, -; convert, converts, -; prevent, prevents, prevented;
    deal with, deals with, -; represent, represents, -; feed on, feeds on, -;
    derive from, derives from, -; belong to, belongs to, -; -, enables, -; eat, eats, -; live in, lives in, -
"""
PASSIVES = (
    "composed of|made of|made up of|caused by|derived from|named after|based on|used for|used to|used as"
    "|divided into|defined as|classified as|classified into|known as|known for|called|characterized by|characterised by"
    "|formed by|formed from|produced by|created by|invented by|discovered by|developed by|introduced by|written by"
    "|founded by|proposed by|designed by|painted by|composed by|directed by|located in|found in|measured in"
    "|measured by|determined by|surrounded by|bordered by|governed by|related to|concerned with|responsible for"
    "|capable of|covered with|covered by|powered by|controlled by|required for|needed for|associated with"
)


def _asked_by() -> dict[str, str]:
    """For each form of a verb: "does", "do" or "did", and its base."""
    found: dict[str, str] = {}
    for forms in _ACTIVES.split(";"):
        several, one, past = (" ".join(form.split()) for form in forms.split(","))
        base = several if several != "-" else _base(one)
        found |= {several: f"do {base}", one: f"does {base}", past: f"did {base}"}
    found.pop("-", None)
    return found


def _base(one: str) -> str:
    verb, space, rest = one.partition(" ")
    return f"{verb.removesuffix('s')}{space}{rest}"


ASKED_BY = _asked_by()
#: Of a place, as far as their object is one.
_WHERE = frozenset({"live in", "located in"})


def question_around(match: re.Match[str]) -> tuple[str, str]:
    """What stands before and behind the subject in the question for a relation's object.

    ``match``: with the group ``verb``, and in the passive ``be``.
    """
    verb = match["verb"]
    if "be" in match.groupdict():
        if verb in _WHERE:
            return f"Where {match['be']}", f"{verb.removesuffix(' in')}?"
        by_somebody = verb.endswith(" by") and not verb.startswith(("character", "surrounded", "bordered", "covered"))
        behind = f"{verb} do?" if verb == "used to" else f"{verb}?"
        return f"{'Who or what' if by_somebody else 'What'} {match['be']}", behind
    does, _, base = ASKED_BY[verb].partition(" ")
    if base in _WHERE:
        return f"Where {does}", f"{base.removesuffix(' in')}?"
    return f"What {does}", f"{base}?"
