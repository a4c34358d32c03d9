"""What a question about a person requires of the sentences that answer it: their place among
several, office, deed or relative."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from ..text.answer_types import answer_type_scorer
from ..text.chunk_terms import headings_of
from ..text.doers import ASKS_ORIGIN, ORIGIN, is_done_by, work_asked
from ..text.irregular_verbs import with_forms
from ..text.persons import UNSAID, life_event_asked
from ..text.stemming import STOP_WORDS, name_stems, question_stems, stem_hashes, stems, words
from .answerability import PRONOUN, dated_text, names_in, stems_near, stems_near_any
from .models import Retrieval
from .sentence_scores import ScoredSentence

_ORDINALS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
#: "The third king", not "the Second World War", nor "the second one", which a text may call the other.
_NTH = re.compile(rf"\bthe ({'|'.join(_ORDINALS)}) (?!one\b)(?=[a-z])")
#: "Who was the first captain of …?", and who did what, which a word of the sentence says.
_ASKS_OFFICE = re.compile(
    r"(?:and |but |so )?who(?:['’]s| is| was| are| were) (?:the (?:\w+ ){0,2}?(\w+)(?: (?:of|for|in|at)\b|\W*$)"
    # "Who was Anna Berg's teacher?"
    r"|(?:[\w.-]{1,30} ){0,3}[\w.-]{1,30}(?:['’]s|(?<=s)['’]) (?:\w+ )?(\w+)\W*$)",
    re.IGNORECASE,
)
#: Offices that one person has at a time, and those of whom someone learned.
_TITLES = re.compile(
    r"president|premier|chancellor|minister|governor|mayor|king|queen|emperor|empress|pope|bishop|chairman|chair|ceo"
    r"|secretary|commissioner|speaker|captain|teacher|tutor|mentor",
    re.IGNORECASE,
)
_NOW = re.compile(r"(?:and |but |so )?who(?:['’]s| is| are)\b", re.IGNORECASE)
_FORMER = re.compile(r"\b(?:former|previous|late|ex|then)[ -]$", re.IGNORECASE)
_FOREIGN = re.compile(r"\b([A-Z][a-z]+(?:an|ese|ish|nch|tch|iss|eek)) (?:[Vv]ice |[Pp]rime )?$")
_WORD = re.compile(r"[^\W\d_]+")
#: Capitalized words in a row, and those of which none is a person's name.
_CAPITALIZED = re.compile(r"[A-Z](?:\.|[\w’'-]*)(?: (?:(?:de|van|von|al) )?[A-Z](?:\.|[\w’'-]*))*")
_BODY = frozenset(
    words(
        "assembly council court republic state states ministers minister government parliament congress bank senate"
        " house party union department office ministry"
    )
)
_NO_NAME = STOP_WORDS.union(("vice", "prime", "deputy", "chief", "first", "former", "new", "current"))
#: Characters between an office and a name of several words that is its holder's; one word is beside it, or has one of
#: these verbs between.
_CLOSE = 40
_LINKS = re.compile(
    r"\W{0,2}|(?: (?:is|was|were|be(?:en|ing)?|ha[sd]|have|became|elected|named|appointed|crowned|made|called|ruled"
    r"|served|acted|as|the|our|an?))* "
)
#: "Anna's mother", "Anna's old mother": of whom, and who.
_RELATIVE = (
    r"(?:(?:grand)?(?:mother|father|parent|son|daughter|child|brother|sister)s?|children|wife|wives|husbands?|uncles?"
    r"|aunts?|nephews?|nieces?|cousins?|widows?)\b"
)
_KIN = re.compile(rf"\b(\w+)(?:['’]s|(?<=s)['’]) (?:\w+ )?({_RELATIVE})", re.IGNORECASE)
#: What says of someone whose relative it is: "Anna, born to", "the daughter of".
_SAYS_KIN = re.compile(
    rf"\b(?:{_RELATIVE}|step\w+|marri\w+|wed(?:ded)?\b|born\b|brides?\b|\w+-in-law\b)", re.IGNORECASE
)
_SAYS_SPOUSE = re.compile(r"\b(?:wife|wives|husbands?|widow\w*|marri\w+|wed(?:ded)?\b|brides?\b)", re.IGNORECASE)
_ASKS_MARRIAGE = re.compile(r"\b(?:marry|married|wed)\b", re.IGNORECASE)
_ASKS_KIN = re.compile(rf"^\W*(?:what|who)\b.*{_KIN.pattern}\W*$", re.IGNORECASE)
_ASKS_WHAT_DONE = re.compile(r"(?i:what (?:do|does|did)) ((?:[A-Z][\w.-]*|I|we)(?: [A-Z][\w-]*){0,2}) ([a-z]+)\W*$")
_ASKS_WHO_DID = re.compile(r"(?:and |but |so )?who (?!(?:is|are|was|were)\b)\w+", re.IGNORECASE)

#: "Who was the conductor before Anna Berg?", and what says who was.
_ASKS_NEIGHBOUR = re.compile(
    r"(?:and |but |so )?who(?:['’]s| is| was| were) (?:\w+ ){1,4}?(?:before|after) "
    r"(?!(?:the|an?|it|this|that)\b)([a-z][\w.-]*(?: [a-z][\w.-]*){0,3})\W*$",
    re.IGNORECASE,
)
_SAYS_NEIGHBOUR = r"succe(?:ed|ss)|predecess|follow|replac|previous|former|until|t(?:ook|ake) over|hand(?:ed)? over"

#: What stands for a thing that was named before: "it", "the company was …", "Aurora was …".
_POINTS = re.compile(
    rf"{PRONOUN.pattern}|(?-i:^(?:The \w+|(?!The\b)[A-Z][\w’'-]*(?: [A-Z][\w’'-]*)*) (?:was|were)\b)", re.IGNORECASE
)


def lacks_nth(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks for the third of several, and the sentences are near no "third" and no "3rd"."""
    for word in _NTH.findall(asked):
        number = _ORDINALS.index(word) + 2
        forms = (*stems(word), *(f"{number}{ending}" for ending in ("", "nd", "rd", "th")))
        if stems_near_any(retrieval, sentences).isdisjoint(retrieval.spelling.hashes(forms)):
            return True
    return False


def lacks_office(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks who is the X of Y, or Y's X, and none of the sentences is near X, or has a
    name close to X where that is an office."""
    office = _ASKS_OFFICE.match(asked)
    if office is None or _ASKS_KIN.match(asked):
        return False
    word = office[1] or office[2]
    # "Anna taught Bo" says who was Bo's teacher.
    forms = {*stems(word), *(form for stem in stems(re.sub("(?<=...)[eo]r$", "", word)) for form in with_forms(stem))}
    if stems_near_any(retrieval, sentences).isdisjoint(retrieval.spelling.hashes(forms)):
        return True
    known = frozenset(words(asked))
    return _TITLES.fullmatch(word) is not None and not any(
        _names_holder(each.text, forms, known, is_now=bool(_NOW.match(asked))) for each in sentences
    )


def _names_holder(text: str, office: Set[str], known: frozenset[str], *, is_now: bool) -> bool:
    """Whether the text has a name, none of ``known``, close to the office, and this is not a former or a foreign one:
    "the first American president" for the president of Kenya."""
    names = list(_names_in(text, known, office))
    for found in _WORD.finditer(text):
        before = text[: found.start()]
        foreign = _FOREIGN.search(before)
        is_other = foreign is not None and not any(foreign[1].casefold().startswith(each[:4]) for each in known)
        if office.isdisjoint(stems(found[0])) or is_other or (is_now and _FORMER.search(before)):
            continue
        if any(
            len(between) <= _CLOSE
            and " and the " not in between  # "Ada Reed and the president"
            and (" " in text[start:end] or _LINKS.fullmatch(between))
            for start, end in names
            for between in [text[min(end, found.end()) : max(start, found.start())]]
        ):
            return True
    return False


def _names_in(text: str, known: Set[str], office: Set[str]) -> Iterator[tuple[int, int]]:
    """Where names that can be those of persons begin and end, without words of the question or of the office."""
    for run in _CAPITALIZED.finditer(text):
        if not _BODY.isdisjoint(words(run[0])):
            continue
        kept = [
            each
            for each in re.finditer(r"\S+", run[0])
            if (known | _NO_NAME).isdisjoint(words(each[0])) and office.isdisjoint(stems(each[0]))
        ]
        if kept:
            yield run.start() + kept[0].start(), run.start() + kept[-1].end()


def lacks_neighbour(_: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks who held an office before or after someone, and no sentence says who came next to
    whom."""
    found = _ASKS_NEIGHBOUR.match(asked)
    if found is None:
        return False
    named = "|".join(re.escape(name) for name in (*found[1].split(), "him", "her", "them"))
    says = re.compile(rf"\b(?:{_SAYS_NEIGHBOUR}|(?:before|after) (?:{named})\b)", re.IGNORECASE)
    return not any(says.search(each.text) for each in sentences)


def lacks_deed(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks who did something, and the sentences are near none of its names, or near nothing of it
    but names.

    Of SQuAD's 1,998 answerable questions this, or one of the two above, is so for none, of CLAP NQ's 150 for one.
    """
    if not _ASKS_WHO_DID.match(asked):
        return False
    if (work := work_asked(asked)) and not any(
        made.search(each.text) for each in sentences for made in (work.made_by, work.made)
    ):
        return True
    near, hashes = stems_near_any(retrieval, sentences), retrieval.spelling.hashes
    common = [stem for stem in question_stems(asked) if stem not in name_stems(asked)]
    needed = [each for each in (hashes(names_in(asked)), hashes(common) if len(common) > 1 else set()) if each]
    return any(map(near.isdisjoint, needed))


def has_names_alone(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the best sentence has neither the time, quantity or name that is asked for, nor a word of the question
    but names near: "Karin says yes." for "Where does Karin live?"."""
    named = name_stems(asked)
    common = set(question_stems(asked)) - named if named else set()
    forms = frozenset().union(*map(with_forms, common))
    is_away = bool(common) and stems_near(retrieval, sentences[0]).isdisjoint(retrieval.spelling.hashes(forms))
    return is_away and answer_type_scorer(asked)(dated_text(retrieval, sentences[0])) == 0


def lacks_agent(_: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks what someone does, did or likes, and the best sentence says it of another one alone."""
    does = _ASKS_WHAT_DONE.match(asked)
    if does is None:
        return False
    verb = "|".join(sorted(map(re.escape, with_forms(next(iter(stems(does[2])), does[2])))))
    who, text = frozenset(words(does[1])), sentences[0].text
    says_it = rf"\b(?!(?:I|We|He|She|It|They|You|This|That)\b)[A-Z]\w* (?:\w+ly )?(?:{verb})"
    return re.search(says_it, text) is not None and who.isdisjoint(words(text))


def lacks_origin(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks who invented, discovered or founded X, and no sentence both says of something that it
    was and has a word of X, or points to one close by: "the vacuum flask was invented by Dewar" is not who invented the
    thermometer."""
    origin = ASKS_ORIGIN.match(asked)
    thing = retrieval.spelling.hashes(stems(asked[origin.end() :])) if origin else set()
    if origin is None or not thing:
        return False
    has_type, done = answer_type_scorer(asked), frozenset(stems(origin[0]))
    return not any(
        ORIGIN.search(each.text)
        and (has_type(dated_text(retrieval, each)) > 0 or is_done_by(each.text, done))
        and not thing.isdisjoint(stems_near(retrieval, each) if _POINTS.search(each.text) else stem_hashes(each.text))
        for each in sentences
    )


def lacks_event(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks for someone's birth or death, and the sentences have only another's, or none."""
    life = life_event_asked(asked)
    places = ((each.text, headings_of(retrieval.nodes[each.chunk].node)) for each in sentences)
    return life is not None and not any(
        life.is_dated_in(text) or life.fault_of(text, above) < UNSAID for text, above in places
    )


def lacks_kin(_: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks who X's mother, son … is, and the sentences have no relative or only another's; or it
    asks about a marriage, of which none speaks."""
    found, text = _ASKS_KIN.search(asked), " ".join(each.text for each in sentences)
    if _ASKS_MARRIAGE.search(asked) and not _SAYS_SPOUSE.search(text):
        return True
    if found is None:
        return False
    if not (_SAYS_SPOUSE if _SAYS_SPOUSE.match(found[2]) else _SAYS_KIN).search(text):
        return True
    known = [(frozenset(stems(owner)), kin.casefold()) for owner, kin in _KIN.findall(text)]
    of_nobody = _KIN.sub(" ", text).casefold()
    for of, kin in _KIN.findall(asked):
        owners = [owner for owner, each in known if each == kin.casefold()]
        if owners and kin.casefold() not in of_nobody and not any(owner.issuperset(stems(of)) for owner in owners):
            return True
    return False
