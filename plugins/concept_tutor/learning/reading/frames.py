"""Sentences that say what a thing is, or how it stands to another, taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .genera import sort_of
from .spelling import stem_set, word_set
from .verbs import ASKED_BY, PASSIVES, question_around

if TYPE_CHECKING:
    from .sentences import Sentence

_SUBJECT = r"(?:(?P<det>A|An|The)\s)?(?P<subject>[^,;:()“”\"]{2,70}?)"
_ASIDE = r"(?:\s\((?P<aside>[^()]{1,80})\))?(?:,\s[^,;:.]{2,80},)?"
_DEFINITION = re.compile(rf"^{_SUBJECT}{_ASIDE}\s(?P<be>is|are|was|were)\s(?P<tells>(?:an?|the|any)\s[^:]+?)\.$")
#: Begin no name of a thing, or are a clause of their own.
_NO_SUBJECT = word_set(
    """
    one most many some each every several few all none any another other its his her their our such there part
    much half two three four five six seven eight nine ten among between in on at by from with for of as after
    before during both either neither no not if when while although since because what who which this that these
    those he she it they according additionally also however unlike like first second third last main major
    important notable early modern later example examples result results aim goal purpose reason effect name names
    term word number total
    """
)
_VERB_WITHIN = re.compile(
    r"\b(?:is|are|was|were|has|have|had|that|which|who|whose|where|when|if|can|may|will|would|could|should|must|does|do"
    r"|did|be|been|said|says|states|argues|argued|called|known|because|while|than|to|with|by|from)\b"
)
_GENUS_ENDS = re.compile(
    r"\b(?:of|that|which|who|whose|in|for|from|with|used|where|by|to|on|at|and|or|as|whereby|when|based|located|made"
    r"|containing|consisting|concerned|written|directed|published|between|whereas|having|capable|found|known|developed"
    r"|characterized|characterised|devoted|involving|composed|created|formed|held|set|born|designed|situated"
    r"|concerning|covering|living|native|among|under|near|about"
    r"|over|during|after|before|against|through|within|into|has|is|are|was|were|[a-z]{3,}ed)\b|,|\("
)
_ONE_OF = re.compile(r"(?:one|some|part|any|most|group|member|type|kind|form|sort|variety|class|set|series|number) of ")
#: Says little of a thing: nearly everything is one of these.
_EMPTY_GENUS = word_set(
    """
    one way part example result reason time place thing something kind type form lot subject topic matter issue
    problem question fact name list most first second last best largest main major only same other term word man
    woman person cause key feature theme aspect center centre beginning end start idea basis
    """
)
_ACTIVE = re.compile(
    rf"^{_SUBJECT}{_ASIDE}\s(?P<verb>{'|'.join(sorted(ASKED_BY, key=len, reverse=True))})\s(?P<object>[^;:]+?)\.$"
)
_PASSIVE = re.compile(
    rf"^{_SUBJECT}{_ASIDE}\s(?P<be>is|are|was|were)\s(?:also\s|mainly\s|primarily\s|often\s|usually\s|generally\s)?"
    rf"(?P<verb>{PASSIVES})\s(?P<object>[^;:]+?)\.$"
)
#: Where what is asked for is over and something else begins.
_NEW_CLAUSE = re.compile(
    r",?\sand\s(?:appears?|does|do|is|are|was|were|has|have|had|can|may|will|presumably|so|thus|often|then)\s|"
    r",?\sand\s(?:the|an?|its|their|his|her)\s\w+\s(?:is|are|was|were|has|have|had)\s|"
    r",?\s(?:but|although|though|while|whereas|because|since|which means|so that|unless|however)\s"
    r"|,\s(?:which|who|where|when|as|with|making|including|such as|if|the|a|an|it|he|she|they|leading|resulting)\s"
)
#: Of a definition: what follows tells of something else.
_ELSEWHERE = re.compile(
    r",?\s(?:but|although|though|while|whereas|however|because|since)\s|,?\sand\s(?:is|was|are|were|has|have|had|it|he|she|they|its"
    r"|his|her|their)\s|;\s|,?\sand\s(?:the|an?)\s\w+\s(?:is|was|are|were)\s"
)
_LAST_ASIDE = re.compile(r",?\s\([^()]*\)$")
#: Begin with something that the sentence before has told.
_LEANING_SUBJECT = re.compile(
    r"\b(?:each|both|such|same|other|others|actual|resulting|resultant|corresponding|respective|remaining|latter|former"
    r"|rest|film|book|country|company|city|author|term|word|\w+ly)\b$|\b(?:each|both|such|same|resulting|resultant"
    r"|corresponding|respective|remaining|latter|former|rest)\b",
    re.IGNORECASE,
)
#: Praises or ranks a thing instead of saying what it is.
PRAISE = re.compile(
    r"^(?:(?:an?|the|any)\s)?(?:\w+ly\s)?(?:important|key|major|main|common|popular|famous|notable|significant|powerful"
    r"|member|site|birthplace|home|essential|central|good|great|leading|well-known|successful|primary|principal|official|most|first|last|second"
    r"|third|only|best|oldest|original|increasing|(?!west|east|for|harv|fore|inter|mod|hon|pr)\w+est)\b"
)
_NO_OBJECT = re.compile(r"(?:of|is|are|was|were|out|and|or|which|that|to|by|has|have|many|several|some|this|it)\b")
_PLURALS = frozenset({"people", "men", "women", "children", "bacteria", "data", "fungi", "algae", "media", "mice"})


#: Endings of adjectives: "a philosophical and protoscientific tradition" is a tradition.
_QUALITY = re.compile(
    r"(?:[^mn]al|ical|ic|ive|ous|ful|less|able|ible|ary|most|more|least|very|early|ed)$"
    r"|^(?:small|large|big|short|long|old|young|new|high|low|free|rare|hard|soft|warm|cold|single|modern|diverse|broad"
    r"|simple|complex|western|eastern|northern|southern|red|white|black|green|blue|fast|slow|light|heavy|wild|round|flat)$"
)


@dataclass(frozen=True)
class Definition:
    """A sentence that says what a thing is: ``text[key_start:key_end]`` is the thing's name.

    ``tells``: what it is said to be, an article first; its place is ``text[tells_start:tells_end]``.
    """

    sentence: Sentence
    determiner: str
    subject: str
    subject_start: int
    subject_end: int
    be: str
    tells: str
    tells_start: int
    tells_end: int
    genus: str

    @property
    def plural(self) -> bool:
        """Whether it speaks of several."""
        return self.be in {"are", "were"}

    @property
    def names_a_term(self) -> bool:
        """Whether the subject is a name of a sort of things: "A z-score is …", not "The oldest text of it is …"."""
        words = self.subject.split()
        return self.determiner in {"A", "An"} and len(words) <= 3 and not {"of", "or", "and", "in"} & set(words)

    @property
    def sort(self) -> str:
        """What sort of thing it is, in a word; "" where its genus does not tell."""
        return sort_of(self.genus)

    @property
    def of_person(self) -> bool:
        """Whether the thing is somebody."""
        return self.sort == "person"


@dataclass(frozen=True)
class Relation:
    """A sentence that says how a thing stands to another: what ``text[start:end]`` tells of the subject."""

    sentence: Sentence
    #: With its article.
    subject: str
    verb: str
    #: The question for it, around the subject.
    before: str
    behind: str
    start: int
    end: int


def definition_of(sentence: Sentence) -> Definition | None:
    """The sentence as a definition; ``None`` where it is none."""
    match = _DEFINITION.match(sentence.text)
    if match is None or not _is_subject(match["subject"], match["det"]):
        return None
    start, end = match.span("tells")
    cut = _ELSEWHERE.search(sentence.text, start, end)
    tells = sentence.text[start : cut.start() if cut else end]
    if _ONE_OF.match(tells.partition(" ")[2]):
        return None
    if PRAISE.match(match["subject"]):
        return None
    genus = _genus(tells)
    if genus is None or genus in _EMPTY_GENUS:
        return None
    return Definition(
        sentence, match["det"] or "", match["subject"], *match.span("subject"), match["be"], tells,
        start, start + len(tells), genus,
    )  # fmt: skip


def relation_of(sentence: Sentence) -> Relation | None:
    """The sentence as a relation of its subject; ``None`` where it is none."""
    match = _PASSIVE.match(sentence.text) or _ACTIVE.match(sentence.text)
    if match is None or not _is_subject(match["subject"], match["det"]):
        return None
    start, end = match.span("object")
    cut = _NEW_CLAUSE.search(sentence.text, start, end)
    end = cut.start() if cut else end
    aside = _LAST_ASIDE.search(sentence.text, start, end)
    end = aside.start() if aside else end
    told = sentence.text[start:end]
    if len(stem_set(told)) < 1 or len(told.split()) > 22 or told.count("(") != told.count(")"):
        return None
    if _LEANING_SUBJECT.search(match["subject"]) or _NO_OBJECT.match(told) or not _agrees(match):
        return None
    before, behind = question_around(match)
    subject = f"{match['det']} {match['subject']}" if match["det"] else match["subject"]
    return Relation(sentence, subject, match["verb"], before, behind, start, end)


def _agrees(match: re.Match[str]) -> bool:
    """Whether the verb fits to its subject's number: else it was a noun, and the verb comes later."""
    head = re.split(r"\s(?:of|in|for|from|with|and)\s", match["subject"])[0]
    joined = " and " in match["subject"]
    several = joined or (head.endswith("s") and not head.endswith(("ss", "us", "is", "ics"))) or head in _PLURALS
    be = match.groupdict().get("be")
    if be is not None:
        return several or be in {"is", "was"}
    does = ASKED_BY[match["verb"]].partition(" ")[0]
    return does == "did" or several == (does == "do")


def _is_subject(subject: str, determiner: str | None) -> bool:
    words = subject.split()
    if not 1 <= len(words) <= 7 or words[0].casefold() in _NO_SUBJECT:
        return False
    if _VERB_WITHIN.search(subject) or not words[-1][0].isalpha():
        return False
    return bool(determiner) or words[0][0].isupper()


def _genus(tells: str) -> str | None:
    """The noun that says of what sort the thing is: the last word before what tells it from others."""
    rest = tells.partition(" ")[2]
    for end in (*_GENUS_ENDS.finditer(rest), None):
        words = (rest[: end.start()] if end else rest).split()
        if words and not _QUALITY.search(words[-1]):
            return words[-1] if words[-1].isalpha() and words[-1].islower() else None
    return None
