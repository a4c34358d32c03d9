"""Names of those who do something in a sentence: persons and bodies, no places, months or abbreviations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .irregular_verbs import other_verb_finder, with_forms
from .stemming import STOP_WORDS, stems, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: "patented" in "Who patented a hive?", "may reset" in "Who may reset it?".
_PERSON_DOES = re.compile(
    r"(?:and |but |so )?who ((?:(?:ha[sd]|have|can|may|must|should|will|would) )?"
    r"(?!(?:is|was|are|were|an?|the|this|my|our)\b)[a-z]+)\b",
    re.IGNORECASE,
)
#: Behind a participle by whom it is done: "founded in 1184 by monks", not "made by hand" or "by then".
_BY = re.compile(
    r"[^.;:]{0,60}?\bby (?!(?:hand|means|way|then|now|mistake|law|default|\w+ing)\b)(?:(?:the|an?) )?[a-z][a-z-]{2,}"
)
#: By whom: "the monks", "Ada Reed"; and what stands before a participle.
_AGENT = re.compile(r"\bby (?!\w+ing\b)((?:(?:the|an?|h(?:is|er)|their|its) )?[\w’'-]+(?: [A-Z][\w’'-]*){0,4})")
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|gets?|got)(?: (?:\w+ly|not|also|already|never|once|later))?\W\Z", re.IGNORECASE
)
#: Characters before a name that are looked at.
_BEFORE = 40
#: What stands between a writer and the verb: "I will", "I have already".
_SPEAKER = re.compile(
    r"\b(?:I|we)(?:['’]\w+)?"
    r"(?: (?:will|would|shall|can|could|may|must|have|had|did|do|already|also|always|just|usually))*\W*\Z",
    re.IGNORECASE,
)
#: A pronoun that does something: "she founded it", not "She was the founder."
_PRONOUNS = frozenset(("he", "she", "they"))
_BEGINS_WITH_PRONOUN = re.compile(r"(?:He|She|They)\b( (?:is|was|are|were)\b)?")
#: "Who was the first diver?"
_ASKS_WHO_IS = re.compile(r"(?:and |but |so )?who(?:['’]s| is| was| are| were) the\b", re.IGNORECASE)
#: A capitalized word that is not the first of a sentence, or that begins one and is followed as a name is; one behind
#: "Mr.", whose full stop ends no sentence.
NAME = re.compile(
    r"(?:(?<=[a-z\d,;:()] )[\"'(“‘]?|(?<=\b[DM][rs]\. )|(?<=\bMrs\. )|(?<=\bProf\. )"
    r"|^(?!(?:The|In|On|At|It|He|She|They|We|This|That|These|Those|There|What|Nobody|None) )"
    r"(?=[\w'’-]+(?: \([^()]{1,60}\))?,? (?:[A-Z]|was|were|is|has|had|and)))"
    r"(?![\w’']+-[a-z])([A-Z][\w'’-]+)"  # not "German-born"
)
#: One or more capitalized words, and what precedes the name of a place or of a thing.
_PROPER = re.compile(r"\b[A-Z][\w’'-]*(?:\.? (?:(?:of|de|van|von|the|and|&) )?[A-Z][\w’'-]*)*")
_BEFORE_PLACE = re.compile(
    r"\b(?:in|at|on|from|near|across|off|within|throughout|to|into|of|called|named|as) (?:the |an? )?(?:[a-z]+ )?$"
)
#: Before the first word of a sentence: nothing, the end of another one, or "(a)".
_BEGINS = re.compile(r"^$|[.!?:\"“]\s*$|^\(?\w{1,2}\)\s*$")
_ABBREVIATION = re.compile(r"[A-Z\d-]{2,}s?")
#: Behind the name of an author who is only cited: "et al.", "(2004)".
_CITED = re.compile(r"(?: et al\b| and [A-Z][\w’'-]+)?\.?,? [(\[]?(?:1[89]|20)\d\d[a-z]?[)\]]|,? et al\b")
_ARTICLE = re.compile(r"\b(?:the|an?) (?:[a-z]+ )?$", re.IGNORECASE)
#: Capitalized words that name nobody, and no place.
NOBODY = frozenset(
    words(
        "january february march april may june july august september october november december monday tuesday wednesday"
        " thursday friday saturday sunday figure fig table section chapter"
        " dr doctor mr mister mrs ms miss prof professor"
    )
)

#: Who brought something about for the first time, and words that say so.
ASKS_ORIGIN = re.compile(
    r"^(?:and |but |so )?(?:who|(?:which|what) (?!is|are|was|were)\w+) (?:\w+ly |first )?(?:invented|discovered|founded"
    r"|created|designed|developed|established|coined|devised|pioneered)\b",
    re.IGNORECASE,
)
ORIGIN = re.compile(
    r"\b(?:invent|discover|found(?=[ei])|creat|design|develop(?!ment)|establish|coin|devis|pioneer|originat|initiat"
    r"|introduc|launch|start|beg[au]n|buil[dt]|made|mak(?:e|ing)|wr(?:ote|itten)|author|father|formulat|propos"
    r"|publish(?!ed (?:as|in|on)\b)|patent|produc|idea (?:of|for)\b|conceiv|set up)|\bby (?-i:[A-Z])",
    re.IGNORECASE,
)
#: What is made, by the verb of "Who wrote X?".
_MADE = {
    "wrote": r"novel\w*|novels?|books?|plays?|poems?|essays?|stor(?:y|ies)|epics?|tales?|treatises?|satires?|tragedy"
    r"|comedy|dramas?|memoirs?|dialogues?|trilogy|series|songs?|hymns?|textbooks?|works?",
    "directed": r"films?|movies?|documentar\w+|pictures?|series",
    "painted": r"paintings?|portraits?|frescos?|frescoes|murals?|landscapes?|triptych|altarpiece|pictures?|works?",
    "composed": r"operas?|symphon\w+|concertos?|ballets?|suites?|sonatas?|oratorios?|musicals?|songs?|hymns?|works?",
}
#: What else says who did it.
_SAYS_MADE = {
    "wrote": r"wr(?:ote|it)|author|penned|publish",
    "directed": r"direct|filmmaker",
    "painted": r"paint|artist",
    "composed": r"compos|music|scored?\b",
}
_ASKS_MAKER = re.compile(
    rf"(?:and |but |so )?who ({'|'.join(_MADE)}) "
    r"(?:the (?:book|novel|play|poem|essay|film|movie|song|opera|painting) )?"
    r"(?!(?:about|to|this|that|these|those|it|them|me|us|my|your)\b)(.{2,80}?)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Work:
    """A book, film, painting or piece of music whose maker is asked for."""

    #: The stems of its title.
    title: tuple[str, ...]
    #: Its kind with a maker: "novella by Anna Berg", "Berg's second novel".
    made_by: re.Pattern[str]
    #: What else says that it is made.
    made: re.Pattern[str]


def work_asked(question: str) -> Work | None:
    """X in "Who wrote X?", directed, painted or composed; ``None`` for another question."""
    asked = _ASKS_MAKER.match(question)
    if asked is None:
        return None
    kind = rf"\b(?:{_MADE[asked[1].lower()]})\b"
    by = r"(?<!published )(?<!produced )(?<!released )(?<!performed )(?<!edited )\bby "
    of = rf"\b[A-Z][\w-]*(?:['’]s|(?<=s)['’]) (?:[\w-]+ ){{0,3}}{kind}"
    made = rf"{kind}(?:(?!based|adapted|inspired)[^.;]){{0,90}}?{by}(?:the )?(?:[a-z-]+ ){{0,4}}[A-Z]|{of}"
    other = rf"(?i:{re.escape(asked[2])}) [A-Z\d]"  # "Salt Quay Two is a novel by"
    return Work(
        tuple(stems(asked[2])),
        re.compile(rf"^(?!.{{0,40}}{other}).*?(?:{made})", re.DOTALL),
        re.compile(rf"\b(?:{_SAYS_MADE[asked[1].lower()]})", re.IGNORECASE),
    )


def doers_in(sentence: str, known: frozenset[str], *, is_done: bool) -> Iterator[str]:
    """The names in the sentence, beside the words of the question, that can be those of persons or bodies: not of a
    place or a month, no abbreviation, no word that only begins a sentence. ``is_done``: whether it says that what is
    asked for is done; a name may then have an article or be an author's who is cited."""
    for found in _PROPER.finditer(sentence):
        before, rest = sentence[max(0, found.start() - _BEFORE) : found.start()], sentence[found.end() :]
        begins = bool(_BEGINS.search(before))
        name = found[0].split()
        while begins and len(name) > 1 and STOP_WORDS.issuperset(words(name[0])):
            name = name[1:]
        parts = words(" ".join(name))
        is_subject = len(known.intersection(parts) - STOP_WORDS) > 1  # "The Debug Module Manual" made no debug module
        if is_subject or not any(len(part) > 1 and part not in {*known, *STOP_WORDS, *NOBODY} for part in parts):
            continue
        if begins and (rest.startswith(":") or (len(name) == 1 and not NAME.match(name[0] + rest))):
            continue
        if not is_done and _CITED.match(rest):
            continue
        has_article = found[0].startswith("The ") or _ARTICLE.search(before)
        if has_article and not known.isdisjoint(parts):  # "the Python Package Index" did not create Python
            continue
        is_abbreviation = len(name) == 1 and bool(_ABBREVIATION.fullmatch(name[0]))
        if not (is_abbreviation or _BEFORE_PLACE.search(before) or (has_article and not is_done)):
            yield " ".join(name)


def is_done_by(sentence: str, done: frozenset[str]) -> bool:
    """Whether the sentence says by whom it is done, without a name; ``done``: the verb's stem."""
    return any(
        not done.isdisjoint(stems(word[0])) and _BY.match(sentence, word.end())
        for word in re.finditer(r"\w+(?:ed|[nt])\b", sentence)
    )


def undone_finder(question: str) -> Callable[[str], bool] | None:
    """A function that tells whether a sentence says only that something is done, or that one whom the question names
    does it: "Bo was shot.", "Ada was shot by Bo." for "Who shot Bo?"; ``None`` for another question."""
    asked = _PERSON_DOES.match(question)
    forms = frozenset().union(*map(with_forms, stems(asked[1].rpartition(" ")[2]))) if asked else frozenset()
    known = STOP_WORDS.union(words(question))
    # Few words begin as a form does: the others need no stem.
    begins = re.compile(rf"\b(?:{'|'.join(sorted({re.escape(form[:3]) for form in forms}))})\w*", re.IGNORECASE)

    def is_undone(sentence: str) -> bool:
        found = (word.start() for word in begins.finditer(sentence) if not forms.isdisjoint(stems(word[0])))
        passive = [_PASSIVE.search(sentence[max(0, start - _BEFORE) : start]) is not None for start in found]
        return bool(passive) and all(passive) and all(known.issuperset(words(by)) for by in _AGENT.findall(sentence))

    return is_undone if forms else None


def no_doer_finder(question: str) -> Callable[[str], bool] | None:
    """A function that tells whether a sentence has only another verb than the question, "found" for "founded", or does
    not say who does it; ``None`` where that cannot be."""
    found = [finder for finder in (other_verb_finder(question), undone_finder(question)) if finder is not None]
    return (lambda sentence: any(finder(sentence) for finder in found)) if found else None


def word_before(question: str) -> re.Pattern[str] | None:
    """A pattern of the word before the question's verb, "Kerr" in "Kerr patented it" for "Who patented it?", "members"
    in "members pay half" for "Who pays half?"; ``None`` where the question does not ask who does something."""
    asked = _PERSON_DOES.match(question)
    verb = asked and re.sub(r"(?<=[a-z]{2})(?<!s)s$", "s?", asked[1])
    return re.compile(rf"(?<![\w'’-])['’-]*+(\w[\w'’-]*+) {verb}\b", re.IGNORECASE) if verb else None


def is_by_pronoun(question: str, sentence: str) -> bool:
    """Whether the question asks who does something, and the sentence says "she did it", or begins with "She", or who
    someone is, and the sentence begins with "She was"."""
    before, pronoun = word_before(question), _BEGINS_WITH_PRONOUN.match(sentence)
    if before is None:
        return pronoun is not None and bool(pronoun[1]) and _ASKS_WHO_IS.match(question) is not None
    is_doer = pronoun is not None and not pronoun[1]
    return is_doer or bool(_PRONOUNS.intersection(map(str.casefold, before.findall(sentence))))


def is_by_speaker(question: str, sentence: str) -> bool:
    """Whether the question asks who does something, and the sentence says it of its writer, "I will water it", or
    begins with the verb, as below a heading with a name: "Waters it."."""
    asked = _PERSON_DOES.match(question)
    if asked is None:
        return False
    verb = asked[1].casefold().rpartition(" ")[2]
    forms = frozenset().union(*map(with_forms, stems(verb)))
    said = (word for word in re.finditer(r"\w+", sentence) if word[0].casefold() == verb or forms & set(stems(word[0])))
    found = next(said, None)
    if found is None:
        return False
    before = sentence[: found.start()]
    # "Water it." is for its reader.
    return bool(_SPEAKER.search(before[-_BEFORE:]) if words(before) else found[0].casefold() == asked[1].casefold())
