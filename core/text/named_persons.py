"""Persons: whom a question asks about by name, and whether a sentence says who that is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

TITLE = (
    r"(?:mr|mrs|ms|miss|dr|doctor|prof|professor|sir|lady|lord|madam|king|queen|prince|princess|saint|st|captain|general"
    r"|colonel|major|judge|president|pope|uncle|aunt|father|mother|brother|sister|master|old|little|young)\.?"
)
_ASKS_WHO = re.compile(
    r"^\W*(?:(?:and|but|so) )?who(?:['’]s| is| was) (?:exactly )?(?!(?:the|an?|this|that|it|he|she|his|her|my|your|our"
    r"|their|in|on|at|to|for)\b)((?:[\w.'’-]{1,30} ){0,4}[\w.'’-]{1,30}?)\W*$",
    re.IGNORECASE,
)
#: Small words within a name: "John the Baptist".
_WITHIN = frozenset(("the", "of", "de", "la", "van", "von", "der", "bin", "ibn", "al"))
KIN = (
    r"(?:(?:grand|step|half[- ]|god|foster[- ]|great-)?(?:father|mother|parent|son|daughter|child|brother|sister)s?"
    r"|wife|husband|uncle|aunt|nephew|niece|cousin|widow(?:er)?|(?:father|mother|son|daughter)[- ]in[- ]law"
    r"|fianc[eé]e?|twin|friend|companion|enemy|rival|lover|sweetheart|neighbou?r|heir|guardian|ward)"
)
_ROLE = (
    r"(?:king|queen|prince(?:ss)?|emperor|empress|pharaoh|duke|duchess|count(?:ess)?|baron(?:ess)?|lord|lady|knight"
    r"|captain|general|colonel|major|officer|soldier|sailor|priest|prophet|bishop|pope|monk|nun|minister|clergyman|curate"
    r"|rector|vicar|apostle|disciple|judge|lawyer|sheriff|governor|mayor|president|chairman|secretary|treasurer|senator"
    r"|leader|founder|director|manager|maintainer|developer|programmer|hacker|engineer|inventor|designer|scientist"
    r"|researcher|student|pupil|scholar|professor|teacher|schoolmaster|tutor|governess|doctor|nurse|surgeon|author|writer"
    r"|poet|editor|publisher|painter|composer|singer|actor|actress|astronaut|explorer|merchant|farmer|shepherd"
    r"|carpenter|servant|maid|handmaid|butler|master|mistress|slave|murderer|thief|drunkard|outcast"
    r"|vagabond|pariah|mate|cook|pilot|guide|boy|girl|man|woman|hero|heroine"
    r"|[a-z]{3,20}(?:m[ae]n|smith|keeper|maker|wright|herd|ologist|ician|emist|icist|ematician|osopher"
    r"|archist|ialist|ographer|orian|nomist))"
)
_WHOSE = r"(?:an?|the|his|her|its|their|my|your|our|one of|[A-Z][\w-]{0,30}(?:['’]s|(?<=s)['’]))"
_WORD = r"(?!(?:and|or|nor|but|who|to|with|as|was|is|had|has|were|that|\w+ing)\b)[\w'’-]{1,30}"
#: Behind "X was a": how much of something, and no person.
_NO_ONE = (
    r"(?!(?:an?|the) (?:little|bit|good|great|moment|few|lot|same|only|last|next|first|other|more|less|one|whole|case"
    r"|day|night|morning|evening|way)\b)"
)


@dataclass(frozen=True)
class Person:
    """Someone whom a question names."""

    #: The name as a text may write it, or a part of it.
    name: str

    def is_in(self, text: str) -> bool:
        """Whether a text has the name, or its part that counts."""
        text = " ".join(text.split())
        return any(form in text for form in self._forms)

    def identified_by(self, sentence: str) -> float:
        """How well a sentence says who it is, 0 to 0.9: "X was a widow", "X, her eldest daughter,", "her friend X"."""
        if not self.is_in(sentence):
            return 0.0
        sentence = " ".join(sentence.split())
        return max((score for form, score in _patterns(self._forms) if form.search(sentence)), default=0.0)

    @property
    def _forms(self) -> tuple[str, ...]:
        first, _, rest = self.name.partition(" ")
        is_whole = not rest or re.fullmatch(TITLE, first, re.IGNORECASE) or not _WITHIN.isdisjoint(rest.split())
        return (self.name,) if is_whole else (self.name, first)


def person_asked(question: str) -> Person | None:
    """X in "Who is X?", where X can be a name; ``None`` for another question."""
    found = _ASKS_WHO.match(" ".join(question.split()))
    if found is None:
        return None
    parts = found[1].split()
    if found[1].islower():  # "who is anna berg": two words at most, as more of them are no name
        parts = [part if part in _WITHIN else part.capitalize() for part in parts] if len(parts) < 3 else []
    is_name = parts and all(part[:1].isupper() or part in _WITHIN for part in parts)
    return Person(" ".join(parts)) if is_name else None


@lru_cache(maxsize=64)
def _patterns(forms: tuple[str, ...]) -> list[tuple[re.Pattern[str], float]]:
    """What says who someone of that name is, and how well."""
    whole, *short = map(re.escape, forms)
    if short:  # "Anna Maria Berg, Jr." of "Anna Berg"
        first, _, rest = map(re.escape, forms[0].partition(" "))
        whole = rf"{first}(?: [A-Z][\w.’'-]{{0,30}}){{0,3}} {rest}(?:,? (?:[JS]r\.?|I{{2,3}}\b))?"
    parts = [whole, *(rf"{part}(?! [A-Z])" for part in short)]  # "Anna" of "Anna Berg", not "Anna Lund"
    name = rf"(?<![\w-])(?:{'|'.join(parts)})(?![\w-]|['’]s\b)"
    aside, said = r"(?: \([^()]{0,60}\))?", rf"(?<!\bof ){name}"  # not "The Voyage of X, a film"
    akin = rf"\b(?:{_WHOSE} )?(?:{_WORD} ){{0,3}}(?:{KIN}|{_ROLE})"
    written = (
        # "X was a widow", "X is her brother", "X, who became the captain of"; not "when X was a girl"
        (rf"(?<!\b[Ww]hen )(?<!\b[Ii]f ){name}{aside},?(?: who)? (?:is|was|became|had been) {_NO_ONE}{_WHOSE} \w", 0.9),
        # "X, her eldest daughter,", "X, son of Y", "X (an old friend)", "X the queen", "X his father"
        (rf"{name}(?:, | \()(?:{_WHOSE} )?(?:{_WORD} ){{0,3}}(?:{KIN}|{_ROLE})\b", 0.8),
        (rf"{name} (?:the|his|her|their) (?:{KIN}|{_ROLE})\b", 0.8),
        (rf"{said}(?:, | \(){_NO_ONE}(?:an?|the) (?![^,.;]{{0,60}}\b(?:and|or) {_WHOSE})[^,.;()]{{3,80}}[,.;)]", 0.7),
        # "her friend X", "Tom's brother (or half-brother) X", "the poet X"
        (rf"{akin}{aside} {name}", 0.8),
        # "The mate, X, left", not "Seeing the mate, X left" nor "You are my mate, X," in a speech
        (rf"{akin}{aside}, {name}(?: [A-Z][\w-]{{1,30}})?[,;.](?![\"”’'])", 0.8),
        # "a boy named X", "his name was X"
        (rf"\b(?:named|called|name (?:of the \w+ )?(?:is|was)) {name}", 0.7),
    )
    return [(re.compile(form), score) for form, score in written]
