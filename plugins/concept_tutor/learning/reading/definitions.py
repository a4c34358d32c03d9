"""Definitions in sentences and glossaries: the term, its genus and the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragstone.core.text import section_kind, sentence_spans

from ...plans.records import SourceChunk
from .sentences import NICKNAMED, Sentence, bare_title, name_at_beginning
from .sorts import sort_of
from .spelling import hidden, stem_set, without_parentheses, word_set

#: Stands in for what is in parentheses, so that places in the text stay what they are.
_HIDDEN = "\x01"
#: "In chemistry and physics, …".
_OPENING = r"(?:(?:In|Within)\s(?:the\s)?[^\W\d_][^,.;:]{2,60}(?:,\s(?:and\s)?[a-z][a-z ]{2,30}){0,2},\s)?"
#: "Ray Charles' second album".
_WHOSE = r"(?:[A-ZÀ-Þ][\w’'-]*\s){0,3}[A-ZÀ-Þ]\w*(?:['’]s|s['’])"
_DEFINITION = re.compile(
    rf"^{_OPENING}(?:(?P<det>[Aa]n?|[Tt]he)\s)?[“\"]?(?P<subject>[^,;:“”\"{_HIDDEN}]{{2,70}}?)[”\"]?{_HIDDEN}*"
    rf"(?:,?\s[JS]r\.{_HIDDEN}*)?(?:\sor\s[“\"][^“”\"]{{2,60}}[”\"]{_HIDDEN}*)?"
    rf"(?:(?:,\s[^;:.]{{2,160}}?,|,\salso (?:known as|called)\s[\w -]{{2,30}}?){_HIDDEN}*)?\s"
    r"(?:(?P<be>is|are|was|were)(?:\s(?:usually|generally|typically))?\s"
    rf"(?P<meaning>(?:an?|the|any|one of the|{_WHOSE})\s[^:]+?|(?<=are )(?!(?:also|all|both)\b)[a-z][^:]+?"
    r"|(?<=were )(?!(?:also|all|both)\b)[a-z][^:]+?)"
    r"|(?P<verb>refers? to|(?:is|are) defined as|constitutes?)\s(?P<meant>[^:]+?))\.$"
)
_ASIDE_BEFORE = re.compile(r"\([^()]*\)[,;]?\s+")
#: Ends before its end: what followed was a formula or a picture.
_CUT_OFF = re.compile(r"\b(?:called|named|termed|an?|the|of|to|in|as|by|with|from|and|or|is|are)\s*$")
_ENTRY = re.compile(r"^(?P<subject>\w[^:.;|]{1,60}): (?P<meaning>(?!see )\S.{10,400})$")
#: A verb at the beginning of an entry: what follows may say what the term means, or only when it is so.
_TELLING = re.compile(r"(?:describes|refers to|denotes|means)\s(?=(?:an?|the|any)\s)")
_NO_MEANING = re.compile(
    r"(?:occurs?|happens?|describes?|refers?|denotes?|means|is|are|was|were|has|have|had|can|may|when|where|because|if"
    r"|produces|contains|consists|lacks|lies|grows|lives|makes|uses|gives|shows|determines|initiates|states that"
    r"|(?:composed|comprised|consisting|made|located|found|used)\s(?:of|up|in|on|at|by|to|for))\b"
)
#: Begin no name of a thing, or are a clause of their own.
_NO_SUBJECT = word_set(
    """
    one most many some each every several few all none any another other its his her their our such there part
    much half two three four five six seven eight nine ten among between in on at by from with for of as after
    before during to above below inside outside both either neither no not if when while although since because what
    who which that this these those he she it they according additionally also however unlike like first second
    third last main major important notable nice useful interesting early modern later example examples result
    results aim goal purpose reason effect name names term word total various numerous
    """
)
_VERB_WITHIN = re.compile(
    r"\b(?:is|are|was|were|has|have|had|that|which|who|whose|where|when|if|can|may|will|would|could|should|must|does|do"
    r"|did|be|been|said|says|states|argues|argued|called|known|because|while|than|to|with|by|from)\b"
)
_GENUS_ENDS = re.compile(
    r"(?<!-)\b(?:of|that|which|who|whose|in|for|from|with|used|where|by|to|on|at|and|or|as|whereby|when|based|located|made"
    r"|containing|consisting|concerned|written|between|whereas|having|capable|found|known|involving|held|set|born"
    r"|along|towards?|across|around|behind|beneath|above|below|beyond|beside|inside|outside"
    r"|concerning|covering|living|native|among|under|near|about|over|during|after|before|against|through|within|into"
    r"|has|is|are|was|were|[a-z]{3,}ed|[a-z]{3,}ing(?= (?:from|to|the|an?|with)\b))\b|,|\("
)
_ONE_OF = re.compile(r"(?:one|some|part|any|most|member) of ")
_KIND_OF = re.compile(
    r"^\w+ (?:[\w-]+ ){0,3}?(?:type|kind|form|sort|variety|class|group|set|series|collection|variation) of (?:an? )?"
    r"|^\w+ (?:[a-z]+ )?term (?:(?:used )?for|that (?:includes|covers|describes|refers to)) (?:an? |the )?"
)
#: Says little of a thing: nearly everything is one of these.
_EMPTY_GENUS = word_set(
    """
    one way part example result reason time place thing something kind type form lot subject topic matter issue
    problem question fact name list most first second last best largest main major only same other term word
    cause staple component source product application key feature theme aspect center centre beginning end start idea
    basis home site member case son daughter brother sister wife husband
    majority minority category concept challenge
    """
)
#: But not what is said to be this one.
_DELIMITED = re.compile(r"the (?:time|place|point) (?:that|it takes|where|between|(?:at|with(?:in)?|in) which)\b")
#: What follows is about something else.
_ELSEWHERE = re.compile(
    r",?\s(?:but|although|though|while|whereas|however|because|since)\s|,?\sand\s(?:is|was|are|were|has|have|had|it|he|she"
    r"|they|contains|includes)\s|,\sand\s(?:its|his|her|their)\s|;\s|,\sand\s(?:the|an?)\s\w+\s(?:is|was|are|were)\s"
    r"|,\s(?:having|making|which is why|currently|although|as well as)\s"
)
#: Praises or ranks a thing instead of saying what it is.
_PRAISE = re.compile(
    r"^(?:one of the (?:more|most|\w+est)|(?:(?:an?|the|any)\s)?(?:\w+ly\s)?(?:important|key|major|main|common"
    r"|popular(?! (?:music|song))|famous|notable|significant|powerful|member|site|birthplace|home|essential|good|great"
    r"|leading|well-known|successful|official|most|best|original|regional|established|increasing))\b"
)
#: Endings of adjectives: "a philosophical and protoscientific tradition" is a tradition.
QUALITY = re.compile(
    r"(?:[^mn]al|ical|ic|ive|ous|ful|less|able|ible|ary|most|more|least|very|early|ed)$"
    r"|^(?:larg|old|small|high|long|tall|great|young|wide|deep|near|fast|earli|lat)est$|^(?:small|large|big|short|long|old|young|new|high|low|free|rare|hard|soft|warm|cold|single|modern|diverse|broad"
    r"|simple|complex|western|eastern|northern|southern|red|white|black|green|blue|fast|slow|light|heavy|wild|round|flat)$"
)
#: Behind "are" without an article they say what happens to things: "Homes are sold less often than stocks".
_NO_NOUN = re.compile(r"(?:thus|always|sold|bought|kept|built|given|taken|seen|done|shown|grown|lost|sent|paid|led)\b")
#: A category of people.
_PERSON = re.compile(r"^\d{3,4}s? (?:BC )?(?:births|deaths)$|^Living people$")
_LONGEST_SUBJECT = 7
#: Stems of what an entry says before a semicolon, where that is taken alone.
_ENOUGH_STEMS = 5


@dataclass(frozen=True)
class Definition:
    """A sentence or an entry that says what ``subject`` is: ``meaning``, which is ``text[start:end]`` of it."""

    sentence: Sentence
    determiner: str
    subject: str
    #: Between the two: "is", "refers to"; empty in a glossary's entry.
    verb: str
    meaning: str
    start: int
    end: int
    #: The noun that names the sort of thing; empty where none is found.
    genus: str

    @property
    def is_entry(self) -> bool:
        """Whether it is of a glossary."""
        return not self.verb

    @property
    def sentence_alone(self) -> Sentence:
        """The definition without asides, as a sentence of its own; its place is not the text's."""
        subject = f"{self.determiner} {self.subject}".strip()
        text = f"{subject[0].upper()}{subject[1:]} {self.verb} {without_parentheses(self.meaning)}."
        return Sentence(self.sentence.chunk, 0, 0, text)

    @property
    def plural(self) -> bool:
        """Whether it speaks of several."""
        return self.verb in {"are", "were", "refer to", "are defined as", "constitute"}

    @property
    def past(self) -> bool:
        """Whether it speaks of what was."""
        return self.verb in {"was", "were"}

    @property
    def sort(self) -> str:
        """What sort of thing it is, in a word; "" where neither its page's categories nor its genus show it."""
        is_person = any(map(_PERSON.search, self.sentence.chunk.categories)) or NICKNAMED.match(self.subject)
        return "person" if is_person and not self.determiner else sort_of(self.genus)


def definitions_of(chunk: SourceChunk) -> Iterator[Definition]:
    """The entries of a chunk that is a glossary."""
    titles = reversed([chunk.page_title, *chunk.section.split(" › ")])
    if next(filter(None, map(section_kind, titles)), None) != "definition":
        return
    at = 0
    for line in chunk.content.splitlines(keepends=True):
        text = line.strip().removeprefix("- ")
        start = at + line.find(text)
        at += len(line)
        match = _ENTRY.match(text)
        if match and not _VERB_WITHIN.search(match["subject"]) and len(match["subject"].split()) <= _LONGEST_SUBJECT:
            meaning, _, rest = match["meaning"].partition("; ")
            if rest and len(stem_set(meaning)) < _ENOUGH_STEMS:
                meaning = match["meaning"]
            sentence = Sentence(chunk, start, start + len(text), text)
            begin, end = match.start("meaning"), match.start("meaning") + len(meaning)
            for before in (_ASIDE_BEFORE, _ASIDE_BEFORE, _TELLING):
                begin = found.end() if (found := before.match(text, begin)) else begin
            _, end = next(sentence_spans(text, begin, end), (begin, end))
            meaning = text[begin:end].removesuffix(".")
            if _CUT_OFF.search(meaning) or _NO_MEANING.match(meaning):
                continue
            subject = re.sub(r" \([^()]*\)$", "", match["subject"])
            yield Definition(sentence, "", subject, "", meaning, begin, begin + len(meaning), _genus(f"a {meaning}"))


def definition_of(sentence: Sentence) -> Definition | None:
    """The sentence as a definition; ``None`` where it is none."""
    match, subject = _read(sentence)
    if match is None:
        return None
    text, group = match.string, "meaning" if match["meaning"] else "meant"
    start, end = match.span(group)
    cut = _ELSEWHERE.search(text, start, end)
    end = cut.start() if cut else end
    meaning = sentence.text[start:end]
    if match["meant"] and " as " in match["meant"]:
        return None  # "Scientists refer to disorder as entropy"
    if _PRAISE.match(subject) or _PRAISE.match(meaning):
        return None
    bare = re.match(r"(?:an?|the|any|one of the)\s|[A-ZÀ-Þ]", meaning) is None and group == "meaning"
    genus = _genus(f"{'the ' * bare}{text[start:end].replace(_HIDDEN, ' ')}")
    is_verbal = _GENUS_ENDS.match(meaning) or _NO_NOUN.match(meaning)
    if bare and (not genus.endswith("s") or is_verbal or QUALITY.search(_before_differentia(meaning))):
        return None  # "Algae are used …", "Alkanes are not …", "Sensors are crucial for robots"
    is_empty = bool({genus, genus.removesuffix("s")} & _EMPTY_GENUS) and not _DELIMITED.match(meaning)
    says_what = group == "meaning" or match["verb"].startswith("constitute")  # not "constitute the majority of"
    if says_what and (_ONE_OF.match(meaning.partition(" ")[2]) or not genus or is_empty):
        return None
    verb = match["be"] or match["verb"]
    return Definition(sentence, match["det"] or "", subject, verb, meaning, start, end, genus)


def _read(sentence: Sentence) -> tuple[re.Match[str] | None, str]:
    """The sentence in the form of a definition, and its subject: its page's title may have any words and signs."""
    text, title = hidden(sentence.text, _HIDDEN), bare_title(sentence.chunk.page_title)
    match = _DEFINITION.match(text)
    subject = re.sub(r"\sor\s.*", "", match["subject"]) if match else ""
    if match is not None and is_subject(subject, match["det"]):
        return match, subject
    start, name = name_at_beginning(text, title)
    match = _DEFINITION.match(f"{text[:start]}{'X' * len(name)}{text[start + len(name) :]}")
    return (match, name) if name and match and match["subject"] == "X" * len(name) else (None, "")


def is_subject(subject: str, determiner: str | None) -> bool:
    """Whether it may name a thing, and is no clause and nothing that points back."""
    words = subject.split()
    if not 1 <= len(words) <= _LONGEST_SUBJECT or words[0].casefold() in _NO_SUBJECT or "%" in subject:
        return False
    if _VERB_WITHIN.search(subject) or not words[-1][0].isalnum():
        return False
    return bool(determiner) or words[0][0].isupper()


def _before_differentia(meaning: str) -> str:
    """What is before it; "gigantic, self-gravitating spheres" are spheres."""
    first, comma, rest = meaning.partition(", ")
    if comma and " " not in first and QUALITY.search(first):
        return _before_differentia(rest)
    return _GENUS_ENDS.split(meaning, maxsplit=1)[0].rstrip()


def _genus(meaning: str) -> str:
    """The noun that says of what sort the thing is: the last word before its differentia."""
    rest = _KIND_OF.sub("", meaning) if _KIND_OF.match(meaning) else meaning.partition(" ")[2]
    for end in (*_GENUS_ENDS.finditer(rest), None):
        words = (rest[: end.start()] if end else rest).split()
        last = words[-1].rpartition("-")[2].lower() if words else ""  # a "film-maker" is a maker
        if last.isalpha() and not QUALITY.search(words[-1]):
            return last
    return ""
