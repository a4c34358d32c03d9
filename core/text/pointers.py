"""Sentences that say nothing of their subject, but where it is said, what a part of a text covers, how well something
is known, or that something follows; and what goes on with a sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .definitions import subject_of
from .imperatives import ASKS_FOR_STEPS, command_verb
from .stemming import stems
from .times import asks_for_time, names_time

if TYPE_CHECKING:
    from collections.abc import Callable

_POINTS = re.compile(
    r"\b(?:is|are|be|been)\s(?:described|found|explained|discussed|covered|listed|documented|detailed|given|presented)\s"
    r"(?:\w+\s){0,2}?(?:in|on|at)\s[^.]{0,80}\b(?:chapters?|sections?|pages?|documentation|guides?|tutorials?"
    r"|appendix|appendices|articles?|repository|website)\b[^.,;]{0,40}\W*$"
    r"|\b(?:appears?|(?:is|are) (?:also )?(?:shown|given|listed|illustrated|described|discussed|reproduced))"
    r" (?:below|above)\W*$",
    re.IGNORECASE,
)
#: Beginnings of what is said or shown elsewhere.
_POINTS_ON = re.compile(
    r"\W*(?:\w+ )?(?:we|i)(?: will| shall|['’]ll) (?:\w+ ){0,3}?"
    r"(?:see|discuss|learn|look|explore|return|describe|explain|come back|proceed|turn to|move on|go on to"
    r"|begin with)\b"
    r"|\W*th(?:is|e|ese) (?:animation|video|simulation|website|site|link|applet|podcast|interactive)s? (?:\w+ )?"
    r"(?:describe|show|explain|illustrate|demonstrate|discuss|explore|provide|give|offer|review)(?:s|es)?\b"
    r"|\W*(?:\w+, )?let(?:['’]s| us) (?:\w+ ){0,2}?"
    r"(?:look|see|say|begin|start|talk|discuss|explore|imagine|assume|suppose)\b"
    r"|\W*(?:see|refer to|check out|consult|for (?:more|further) (?:information|details?|reading)"
    r"|for (?:more|an? (?:full(?:er)?|longer|further|(?:more )?detailed) \w+) (?:on|of|about))\b",
    re.IGNORECASE,
)
#: An entry of a summary that names its subject: "Model Creation: Creating models for robots".
_NAMES = re.compile(r"\W*[A-Z][^:.!?]{2,50}:\s(?:[A-Z]\w+ing|Overview of|Introduction to)\b")
_COVERS = re.compile(
    r"\W*(?:in )?(?:this|our|the (?:previous|next|following|present)) (?:[\w-]+ )?"
    r"(?:chapter|section|book|textbook|module|unit|lesson|course|guide|tutorial|appendix|manual|essay|paper)s?,?\s"
    r"(?:(?:we|you|also|has|have|is|are|was|were|will|first|then|briefly)\s|(?:we|you)(?:['’]ll|['’]ve)\s){0,4}"
    r"(?:introduc|cover|explor|discuss|describ|examin|outlin|review|summari[sz]|learn|organi[sz]|structur|divid|design"
    r"|intend|meant|aim|present(?:s|ed)?\b|looks?\b|looked\b)"
    r"|\W*welcome to (?:this|the|our)\b|\W*the content (?:of this \w+ )?is (?:organi[sz]ed|structured|divided)\b",
    re.IGNORECASE,
)
#: "The causes of this extinction are poorly understood."
_UNKNOWN = re.compile(
    r"\b(?:is|are|was|were|be|been|remains?)\s"
    r"(?:(?:very|quite|still|largely|yet|not|poorly|well|fully|completely|less)\s){0,3}"
    r"(?:understood|known|documented|studied|unclear|unknown|debated|complex|complicated)\W*$",
    re.IGNORECASE,
)
#: What is to be found out, and is not said: "We wanted to know why it squeaks."
_ASKS = re.compile(
    r"\b(?:(?:want|wish|need|lik|tr[iy]|hop|set out)\w* to (?:know|find out|learn|see|understand|explain|discover)"
    r"|wonder(?:s|ed|ing)?|ask(?:s|ed|ing)?(?: \w+)?|curious|the question (?:is|was)) "
    r"(why|how|who|what|which|where|when)\b(?![^.]{0,200}\b(?:because|since|due to)\b)",
    re.IGNORECASE,
)
_WHAT_IF = re.compile(r"\W*(?:(?:and|but) )?what if\b", re.IGNORECASE)
_ASKS_WHY = re.compile(r"\W*(?:(?:and|but|so) )?why\b", re.IGNORECASE)
_IS_NOT = re.compile(r"\b(?:is|are) (?:not|no)\b[^,;:]{1,80}$")
_IT_IS = re.compile(r"\W*(?:it is|they are)\b", re.IGNORECASE)
#: Characters at the end of a sentence in which that stands.
_LONGEST_UNKNOWN = 80
#: That something follows, and not what: "They differ in several ways."
_ANNOUNCES = re.compile(
    r"\b(?:some|several|many|various|different|following|two|three|four|five|a (?:few|number of)|main|key)\s"
    r"(?:[\w-]+\s){0,2}?"
    r"(?:ways?|steps?|parts?|types?|kinds?|forms?|phases?|stages?|reasons?|benefits|advantages|differences|purposes|uses"
    r"|use cases|methods?|approaches|problems|process|categories|groups|components|functions|limitations|examples"
    r"|factors|challenges|rules|causes|effects|features|principles|options|drawbacks)\b[^.:]{0,60}[.:]?$"
    r"|\bthere (?:are|is) (?:\w+ ){0,2}(?:(?:dis)?advantages?|drawbacks|benefits|pros|cons)\b[^.:]{0,80}[.:]?$"
    r"|\b(?:as follows|we distinguish between|differ in)\b",
    re.IGNORECASE,
)


def says_nothing(sentence: str) -> bool:
    """Whether the sentence says where something is said or shown ("See chapter 3."), what a part covers ("This chapter
    introduces the basics of control."), is an entry of its summary ("Control: Understanding its basics"), says how well
    something is known ("Its causes are poorly understood.") or only asks; nothing of the subject itself."""
    begins = any(pattern.match(sentence) for pattern in (_POINTS_ON, _COVERS, _NAMES))
    unknown = _UNKNOWN.search(sentence, max(0, len(sentence) - _LONGEST_UNKNOWN))
    return begins or unknown is not None or any(pattern.search(sentence) for pattern in (_POINTS, _ASKS))


def asks_same(question: str, sentence: str) -> bool:
    """Whether the sentence only says that what the question asks is to be found out."""
    found = _ASKS.search(sentence)
    return found is not None and question.lstrip("'\"( ").casefold().startswith(found[1].casefold())


def announces(sentence: str) -> bool:
    """Whether the sentence says that something follows, and not what: "They differ in several ways."."""
    return bool(_ANNOUNCES.search(sentence))


def continuation_finder(question: str, sentence: str, *, takes_command: bool) -> Callable[[str], bool]:
    """A function that tells whether a text goes on with a sentence of no words but those of a question that asks why;
    tells its reader to do something, where the question asks how that is done and ``takes_command`` is true; names a
    time, however vague, where the question asks when and the sentence has none: "The mast can be lowered. Pull it
    down."; or says what it is where the question asks that, and the sentence says what it is not: "Ballast is not
    cargo. It is"."""
    is_procedure = takes_command and bool(ASKS_FOR_STEPS.search(question) or _WHAT_IF.match(question))
    is_time = asks_for_time(question) and not names_time(sentence)
    is_asked = _ASKS_WHY.match(question) is not None and frozenset(stems(sentence)) <= frozenset(stems(question))
    is_denied = bool(subject_of(question)) and _IS_NOT.search(sentence) is not None
    return lambda text: (
        is_asked
        or (is_procedure and command_verb(text.casefold()) is not None)
        or (is_time and names_time(text))
        or (is_denied and _IT_IS.match(text) is not None)
    )
