"""Persons: whom a question asks about by name, for whose birth or death, and whether a sentence says who or when."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from .definitions import defines
from .stemming import STOP_WORDS, stems, words
from .times import MONTHS

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
    r"|carpenter|plumber|builder|owner|head|trainee|apprentice|assistant|advis[eo]r|supervisor|postdoc|colleague|landlord"
    r"|tenant|servant|maid|handmaid|butler|master|mistress|slave|murderer|thief|drunkard|outcast"
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
_ASKS_LIFE_EVENT = re.compile(
    r"^\W*(?:(?:and|but|so) )?(?P<kind>when|where|how(?: old)?|(?:in |at |on )?(?:what|which) \w+) (?:was|did|is) "
    r"(?P<name>(?!the\b)(?:[\w.’'-]{1,30} ){1,5}?)(?:when (?:he|she|they) )?"
    r"(?P<event>born|died?|killed|murdered|assassinated|executed|buried|raised|trained|educated|baptized|crowned)\b",
    re.IGNORECASE,
)
_YEAR = r"\d{3,4}\b(?: (?:BC|AD|BCE|CE)\b)?"
_CAPITALIZED = r"[A-Z]\w*(?:[’'-]\w{2,})*\.?"
_PROPER = rf"{_CAPITALIZED}(?:(?:,(?= [JS]r\b))? (?:(?:of|de|van|von|the) )?{_CAPITALIZED}){{0,4}}"
#: "Ada B. Reed (3 May 1805 – 1877)", "Ada Reed (born 1805)": the name, and what is behind it.
_LIFE = re.compile(
    rf"\b({_PROPER}),? \((?=([^()]*(?:\([^()]*\)[^()]*)?))"
    rf"(?:(?=[^()]*(?:\([^()]*\)[^()]*)?{_YEAR}\s?[–—-]\s?[^()]*\d)|(?=(?:[^()]*\W)?born\b[^()]*{_YEAR}))"
)
_QUOTED = re.compile(r"[\"“”‘]|\([^()]*\)\s?")
_CLAUSE_END = re.compile(r"[;:]\s|(?<=[a-z\d])[.!?]\s(?=[A-Z])")
#: A name, and in a group of its own what makes it no subject before, and the "'s" behind.
_NAME = re.compile(
    rf"(\b(?i:in|at|on|to|from|of|near|by|with|for) (?:the )?)?(?<![\w’'-])({_PROPER})((?<=s)[’'](?!\w)|[’']s\b)?"
)
_MONTH = re.compile(rf"(?:{MONTHS})\b")
_SUBJECT_PRONOUN = re.compile(r"\b(?:[Hh]e|[Ss]he|I)\b")
_RELATIVE = re.compile(rf"\b(?:{KIN}|children|wives)\b", re.IGNORECASE)
_RELATIVE_BEFORE = re.compile(rf"{_RELATIVE.pattern},? $", re.IGNORECASE)
#: How much less a sentence answers that says nothing of the event, or has it of another person.
_BY_PRONOUN, _UNCLEAR, UNSAID, _ANOTHERS = 0.1, 0.25, 0.5, 1.0
#: Mentions of the event in a sentence that are looked at.
_MOST_VERBS = 4
#: What is behind "Ana: ", and how well it says at most who she is.
_SPEAKS = re.compile(r"\W{0,9}(?:\[[ xX]\] )?\W{0,4}([\w.’'-]{0,30}(?: [\w.’'-]{1,30}){0,2}(?=\W{0,4}: |:\W{0,4} ))")
_SAYS = 0.5
_BE = r"(?:was|were|is|be|been|being) (?:\w+ ){0,2}"
#: How an event is worded, if not with "was" alone: "Born in Lund, she …", "She trained in Lund.".
_WORDED = {"born": rf"(?:^|, |{_BE})[Bb]orn", "die": "die[ds]", "trained": "[Tt]rained", "educated": "[Ee]ducated"}


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

    def defined_by(self, sentence: str, stems_of_name: Collection[str]) -> float:
        """The same, or how well the sentence defines the name; less behind "X: ", which may begin what X says or is to
        do."""
        identified = self.identified_by(sentence)
        speaks = _SPEAKS.match(sentence)
        most = _SAYS if speaks and speaks[1].endswith(self._forms) else 1.0
        return max(identified, min(most, defines(sentence, stems_of_name)))

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
    surname = "" if " " in forms[0] else rf"(?: {_CAPITALIZED}){{0,2}}"  # "Anna Berg" of "Anna"
    if short:  # "Anna Maria Berg, Jr." of "Anna Berg"
        first, _, rest = map(re.escape, forms[0].partition(" "))
        whole = rf"{first}(?: [A-Z][\w.’'-]{{0,30}}){{0,3}} {rest}(?:,? (?:[JS]r\.?|I{{2,3}}\b))?"
    parts = [whole, *(rf"{part}(?! [A-Z])" for part in short)]  # "Anna" of "Anna Berg", not "Anna Lund"
    name = rf"(?<![\w-])(?:{'|'.join(parts)}){surname}(?![\w-]|['’]s\b)"
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
        # In a table, "X | …", or a whole name: "Plumber | X"
        (rf"\A(?:(?i:{TITLE}) )?{name} \| | \| (?:(?i:{TITLE}) )?(?=[^|]+ [A-Z]){name}(?: \||\Z)", 0.8),
        # "a boy named X", "his name was X"
        (rf"\b(?:named|called|name (?:of the \w+ )?(?:is|was)) {name}", 0.7),
    )
    return [(re.compile(form), score) for form, score in written]


@dataclass(frozen=True)
class LifeEvent:
    """The birth, death, burial or training of one person, for which a question asks."""

    #: The name as the question writes it.
    name: str
    #: ``born``, ``die``, ``killed`` …
    event: str
    #: Whether its date is asked for.
    asks_date: bool

    def is_dated_in(self, sentence: str) -> bool:
        """Whether the date is asked for and the sentence has it behind the name: "Ada Reed (1805 – 1877)"."""
        if not self.asks_date:
            return False
        spans = _LIFE.finditer(sentence)
        has_died = re.compile(r"\d\W*[–—-]\W*\D{0,40}\d").search
        return any(self._is_same(found[1]) and (self.event == "born" or has_died(found[2])) for found in spans)

    def fault_of(self, sentence: str, headings: str) -> float:
        """0 for a sentence that has the event of the person, 1 for one that has it only of another: of a relative, of
        one with a part of the name, or, where the headings do not have the name, of anyone else; 0.1 for one that
        has it of "he" or "she", 0.25 for one with what may be another name of the person, 0.5 for one without it."""
        is_own_text = self._words <= set(words(headings))
        plain = _QUOTED.sub("", sentence)
        verbs = islice(self._verb.finditer(plain), _MOST_VERBS)
        faults = [self._fault(plain, found.start(), is_own_text) for found in verbs]
        return min(faults, default=UNSAID)

    @property
    def _words(self) -> frozenset[str]:
        return frozenset(words(self.name)) - STOP_WORDS

    @property
    def _verb(self) -> re.Pattern[str]:
        return re.compile(rf"(?:\b|^){_WORDED.get(self.event, _BE + self.event)}\b")

    def _fault(self, text: str, verb: int, is_own_text: bool) -> float:
        """The same of the event whose verb begins there."""
        clause = _CLAUSE_END.split(text[:verb])[-1]
        if _SUBJECT_PRONOUN.search(clause) or not clause.strip():  # "Born in Lund, Reed grew up"
            clause = text[:verb] if clause.strip() else text
        names = [
            found
            for found in _NAME.finditer(clause)
            if not (self._is_beside(found) or _MONTH.match(found[2]) or STOP_WORDS.issuperset(words(found[2])))
        ]
        for name in filter(lambda name: self._is_same(name[2]), names):
            # "Her first son, Otto Ada Reed," is another than Ada Reed, "the eldest daughter, Ada Reed," is not.
            if self._words == set(words(name[2])) or not _RELATIVE_BEFORE.search(clause[: name.start()]):
                return 0.0
        if _RELATIVE.search(clause) or any(not self._words.isdisjoint(words(name[2])) for name in names):
            return _ANOTHERS
        if names and not is_own_text:
            return _ANOTHERS
        if not names and self._words <= set(words(clause)):  # a name in small letters
            return 0.0
        if _SUBJECT_PRONOUN.search(clause):
            return _BY_PRONOUN
        return _UNCLEAR if names else UNSAID  # in the person's own text it may be another name

    def _is_beside(self, name: re.Match[str]) -> bool:
        """Whether it is a place or an owner: "in Lund", "Ada's"; not "in the History of the Danes Ada Reed"."""
        return bool(name[3] or (name[1] and not name[2].endswith(f" {self.name}")))

    def _is_same(self, name: str) -> bool:
        """Whether a name can be that of the person: a part of it, or a longer one."""
        while (first := name.partition(" "))[2] and (
            re.fullmatch(TITLE, first[0], re.IGNORECASE) or first[0].casefold() in STOP_WORDS
        ):
            name = first[2]
        own = {word for word in words(re.sub(r"[’']s\b", "", name)) if word not in STOP_WORDS}
        return bool(own) and (own <= self._words or self._words <= own)


def life_event_asked(question: str) -> LifeEvent | None:
    """The event in "When was X born?", "Where did X die?", where X can be a name; ``None`` for another question."""
    found = _ASKS_LIFE_EVENT.match(" ".join(question.split()))
    if found is None or _RELATIVE.search(found["name"]):
        return None
    name, kind, event = found["name"].strip(), found["kind"].casefold(), found["event"].casefold()
    asks_date = kind == "when" or kind.endswith((" year", " date", " day", " month", " century"))
    asks_date &= event not in {"buried", "raised", "trained", "educated", "baptized", "crowned"}
    is_name = bool(stems(name)) and (name[0].isupper() or " " in name)  # not "jazz"
    return LifeEvent(name, "die" if event.startswith("die") else event, asks_date) if is_name else None
