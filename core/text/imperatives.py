"""Detects sentences that begin with a command, by lists of verbs and by the words that follow the verb."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from .irregular_verbs import PAST_FORMS

#: Characters at a sentence's beginning that are examined.
_BEGINNING = 120
#: Commands that any text gives its reader.
DISCOURSE = frozenset(
    """see note consider recall let suppose assume imagine think remember look notice observe refer compare keep
    wait feel be""".split()  # noqa: SIM905 - a list of quoted words is harder to read
)
#: Words that can come before the verb of a command, or after a verb that is also a noun.
_BEFORE_VERB = frozenset(
    """please kindly now also then instead next first finally just simply always never only and or but so do not
    don't afterwards lastly secondly immediately quickly carefully briefly ,""".split()  # noqa: SIM905 - a list of quoted words is harder to read
)
_OBJECT = frozenset(
    """a an the this these those my your our their its his her all any some each every both one two three several
    many next me us him them it how what why where which whom whose whether yourself every everything everyone
    back""".split()  # noqa: SIM905 - a list of quoted words is harder to read
)
_NUMERALS = frozenset({"one", "two", "three"})
_PARTICLES = frozenset(
    """out up down off over back away in on for at into through about with""".split()  # noqa: SIM905 - a list of quoted words is harder to read
)
#: What may follow a verb in the past: no noun.
_BEHIND_FINITE = _PARTICLES | {
    "",
    ".",
    ",",
    "and",
    "to",
    "by",
    "from",
    "after",
    "before",
    "during",
    "when",
    "again",
    "twice",
}
_QUOTES = frozenset("\"'")
_FINITE = frozenset(
    """is are was were has have had can could will would may might must should does did""".split()  # noqa: SIM905 - a list of quoted words is harder to read
)
#: A word that may be a verb in its base form although it is in no list.
_BASE_FORM = re.compile(
    r"(?!(?:a|an|the|in|on|at|of|for|to|by|with|from|as|if|when|while|where|because|since|until|unless|although|though"
    r"|after|before|during|like|unlike|despite|within|without|about|above|below|under|over|between|among|through|against|across"
    r"|along|around|behind|beyond|beside|besides|into|onto|upon|near|per|via|is|are|was|were|be|been|has|have|had|do|does"
    r"|did|can|could|will|would|may|might|must|shall|should|i|you|he|she|it|we|they|this|that|these|those|who|what|which"
    r"|how|why|whose|whom|whether|and|or|but|nor|so|yet|not|no|all|any|some|each|every|both|either|neither|half|most|many"
    r"|much|more|few|several|such|only|even|just|also|then|thus|hence|here|there|now|today|often|once|twice|perhaps|maybe"
    r"|instead|rather|quite|almost|indeed|except|given|than|inside|outside|amid|throughout|again|still|first|next|toward"
    r"|towards|later|earlier|alongside|amongst|amidst|underneath|atop|circa|apart"
    r"|yes|well|too|very|my|your|his|her|its|our|their|one|two|three|up|down|out|off|plus|minus|times|versus|let|whatever"
    r"|wherever|whenever|however|whoever)$)(?!\w*(?:s|ed|ing|ly|ion|ness|ity|ism|ment|ance|ence)$)[a-z]{2,14}"
)
#: What the reader has to do: "How do I …?", not "How do whales …?".
HOW_TO = r"\bhow (?:to|(?:do|can|could|should|would|must) (?:i|we|you|one))\b"
#: A procedure is asked for: also "What should I do if …?", "How must it be stored?".
ASKS_FOR_STEPS = re.compile(
    rf"{HOW_TO}|\b(?:steps?|procedures?|instructions)\b|\bwhat (?:do|should|must|shall|can) (?:i|we|you|one) do\b"
    r"|\bhow (?:should|must) (?!(?:i|we|you|one)\b)[^?]{2,60} be \w+",
    re.IGNORECASE,
)
#: Headings whose last one says or asks what the reader does: "Cleaning the drum", "How do I open the car?", or in which
#: case: "If the boiler fails".
HEADS_PROCEDURE = re.compile(
    rf"(?:^|\n|› )[\d.\s]*(?:{HOW_TO}|(?:when|if) (?:an?|the|your|you|no|some(?:one|body|thing))\b|in case of\b"
    r"|(?!(?:during|following|according|including)\b)[a-z]{2,}ing (?:the|an?|your|my|up)\b)[^›\n]*\Z",
    re.IGNORECASE,
)
#: When, how often, for how long, under which condition or why something is done: a command that says so is one to the
#: text's reader, as an assistant is asked for something once and at once.
FOR_READER = re.compile(
    r"^\W*with(?:out)? (?!(?:your|my|this|that|the next)\b)\w+(?: \w+){0,2}, "
    r"|\b(?:each|every|once an?|twice an?|per) (?:\w+ )?(?:use|time|wash|meal|minute|hour|day|night|morning|evening"
    r"|week|month|season|spring|summer|autumn|winter|year)s?\b"
    r"|\b(?:daily|weekly|monthly|yearly|annually|beforehand|because|otherwise|so that|to avoid|to prevent)\b"
    r"|\bfor (?:about |at least |up to )?\w+ (?:(?:and|or|to) \w+ )?(?:seconds|minutes|hours|days|weeks)\b"
    r"|\b(?:before|after|until) (?:noon|midnight|dark|dusk|dawn|sunset|sunrise|one|two|three|four|five|six|seven|eight"
    r"|nine|ten|eleven|twelve|\d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?)(?=[.,;!]|\Z| (?:in the|on|or|and|o['’]clock)\b)"
    r"|, since [a-z]|,? (?:as|or|and) (?:it|they|there|you|we|he|she) \w",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"^[\W_\d]+|^(?:(?:very )?important|urgent|attention|notice|note|warning|p\.?s\.?|update|task|request|step \d+|q"
    r"|todo|instructions?|reminder|tip|hint|bonus|action(?: required)?|final step|new task) ?[:!-]+ ?(?=\S)"
)
_SUBORDINATE = re.compile(r"^(?:if|when|before|after|to|in|for|with|as|using|while|once|given|based)\b[^,.;:]{1,80}, ")
_REQUEST = re.compile(r"^(?:can|could|would|will) you\b|^(?:i|we) (?:want|need|would like|'d like|wish)\b")
_ME, _PLEASE = re.compile(r"\bme\b", re.IGNORECASE), re.compile(r"\b(?:please|kindly)\b,? ?", re.IGNORECASE)
_TOKEN = re.compile(r"\w+(?:['-]\w+)*|[^\w\s]")


@cache
def _verbs() -> tuple[frozenset[str], frozenset[str]]:
    """Words that are nearly always verbs at a sentence's beginning, and verbs that are also nouns."""
    text = Path(__file__).with_name("verbs.txt").read_text("utf-8")
    first, second = (part.partition("\n")[2] for part in text.split("\n\n"))
    return frozenset(first.split()), frozenset(second.split())


def is_verb(word: str) -> bool:
    """Whether a word in small letters is a form in the present of what is nearly always a verb: "absorbs", "carry"."""
    bases = {word, word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word)}
    return not bases.isdisjoint(_verbs()[0])


def as_between_people(sentence: str) -> str:
    """The sentence without "please", and with "us" for "me": with these words people who write to each other ask for
    things as one asks an assistant. What names anything else that only an assistant has is addressed all the same."""
    return _ME.sub("us", _PLEASE.sub("", sentence))


def command_verb(text: str) -> str | None:
    """The verb of the command that a normalized sentence begins with; ``None`` if it is no command."""
    in_brackets = text.startswith(("(", "["))
    text = _MARK.sub("", _MARK.sub("", text))
    found = _command(text, in_brackets)
    if found is None and (opened := _SUBORDINATE.match(text)):
        found = _command(text[opened.end() :], in_brackets)
    return found


def _command(text: str, in_brackets: bool) -> str | None:
    if _REQUEST.match(text):
        return "request"
    tokens: list[str] = _TOKEN.findall(text[:_BEGINNING])
    start = next((at for at, word in enumerate(tokens) if word not in _BEFORE_VERB), len(tokens))
    verb, following, third, fourth = [*tokens[start : start + 4], "", "", "", ""][:4]
    if following in _FINITE or following in {"of", "and", "or", ","} or (third in _FINITE and following not in _QUOTES):
        return None
    only_verbs, nouns_too = _verbs()
    if (
        verb in DISCOURSE
        or verb in only_verbs
        or (verb in nouns_too and (following in _OBJECT or following in _QUOTES))
    ):
        return verb
    after_verb = third if following in _PARTICLES else following
    if following in _NUMERALS and third.endswith("ed") and fourth in _BEHIND_FINITE:  # "Battery three failed."
        return None
    # A noun is hardly ever followed by an article; "Bought a rope." and "Sent it to Ann." say what was done.
    is_base = verb not in PAST_FORMS and _BASE_FORM.fullmatch(verb)
    return verb if after_verb in _OBJECT and not in_brackets and is_base else None
