"""What kind of answer an English question asks for: reasons, steps, parts, tasks, code, a comparison."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .imperatives import ASKS_FOR_STEPS, HOW_TO
from .pointers import announces
from .sentence_kinds import NO_ANSWER, Kind
from .stemming import LIGHT_STEMS, stems

_ASKS_REASON = re.compile(r"\bwhy\b|\bhow come\b|\bwhat (?:for|is the reason)\b", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because|since|due to|owing to|thanks to|so that|in order to|as a result|therefore|thus|hence|causes?d?"
    r"|reasons?|otherwise|which means|leads? to|prevents?|avoids?|allows?|enables?|makes? (?:it|them))\b"
    r"|^To \w+|, as (?:the|they|it|he|she|we|you|there|no|\w+s (?:are|were))\b",
    re.IGNORECASE,
)
#: What a question demands of an answer's form; "example" also misspelt, "exmaple".
_DEMANDED = (
    (_ASKS_REASON, _REASON),
    (
        re.compile(r"\b(?:e[xamp]{3,5}(?:le|el)s?|instances?)\b", re.IGNORECASE),
        re.compile(r"\b(?:for instance|examples?|such as|e\.g\.|including|(?:most )?common is|imagine|suppose)", re.I),
    ),
    (re.compile(r"\bwhat happens (?:if|when)\b", re.I), re.compile(rf"\b(?:if|when|will)\b|{_REASON.pattern}", re.I)),
)
#: "Which questions has chapter 3?", not "How are tasks assigned?".
_ASKS_FOR_TASKS = re.compile(
    r"\b(?:exercises?|quiz(?:zes)?|homework|assignments?|objectives?|references?|bibliography|checklists?"
    r"|further reading|(?:review|practice|assessment|discussion|study|learning) (?:question|problem|task|outcome)s?"
    r"|(?:problems|questions|tasks|outcomes|literature|sources)\b.{0,40}\b(?:chapter|section|book|unit|lesson))\b",
    re.IGNORECASE,
)
#: What the header of a message answers: who wrote what to whom, and when.
_ASKS_FOR_METADATA = re.compile(
    r"\b(?:who|whom|whose|when)\b.{0,90}\b(?:wr(?:ite|ites|ote|itten)|sen[dt]|sends|e-?mails?|mails?|messages?|letters?"
    r"|attach\w*|repl(?:y|ies|ied)|forwarded|cop(?:y|ied))\b"
    r"|\b(?:sender|recipients?|subject|attachments?|\w*phone number|(?:e-?)?mail address(?:es)?)\b|['’]s? e-?mail\W*$",
    re.IGNORECASE,
)
_ASKS_FOR_CODE = re.compile(
    r"\b(?:code|snippets?|scripts?|listings?|implement\w*|program(?:med|ming|s)?|functions?|class(?:es)?|methods?|APIs?"
    r"|commands?|syntax|examples?)\b",
    re.IGNORECASE,
)
_ASKS_MANNER = re.compile(
    r"\bwhy\b|\bhow (?:to|do|does|did|is|are|was|were|can|could|should|would|must|might)\b|\bwhat happen(?:s|ed)\b",
    re.IGNORECASE,
)
_ASKS_WHETHER = re.compile(
    r"(?i)(?:and |but |so )?(?:do|does|did|is|are|was|were|can|could|will|would|has|have|had|should|may|must)\b"
)
#: "Which ship …?", "In which ship …?"
_ASKS_WHICH = re.compile(
    r"^\W*(?:(?:in|on|at|by|with|for|from|of) )?(?:which|what) ((?!\w+s\b)\w{3,})\b", re.IGNORECASE
)
#: What is done, and not only said or thought: "How do you pronounce X?", "How do you become X?".
_ACTION = re.compile(
    rf"{HOW_TO} (?!(?:describe|define|explain|pronounce|spell|say|call|become|know|tell|understand|think)\b)(\w+)",
    re.IGNORECASE,
)
#: A command, and what leads in to it.
_COMMAND = re.compile(r"\b(?:run|type|enter|execute|issue|invoke|commands?|scripts?)\b[^`]*\n```", re.IGNORECASE)
_ASKS_FOR_SEVERAL = re.compile(
    r"^\W*(?:(?:in |into |by |from |of )?(?:what|which)(?: are| were)?(?: the)?(?: \w+){0,2}"
    r" (?:types|kinds|parts|components|stages|phases|steps|layers|forms|classes|categories|examples|functions|causes"
    r"|reasons|advantages|disadvantages|benefits|challenges|properties|characteristics|elements|features|members"
    r"|differences|methods|ways)\b|(?:name|list)\b"
    # "Which tasks does it do?", "Which towns border it?"
    r"|(?:in |into |by |from |of )?(?:(?:what|which) (?:\w+ )?\w{3,}(?<![su])s (?:do|does|did|are|were|can|have)"
    r"|which (?!does\b|this\b)\w{3,}(?<![su])s)\b)",
    re.IGNORECASE,
)
#: What speaks for a thing, and what against it.
_ASKS_DRAWBACKS = re.compile(
    r"\b(?:disadvantages?|drawbacks?|limitations?|downsides?|weakness(?:es)?|shortcomings?|problems? (?:with|of)"
    r"|cons)\b",
    re.IGNORECASE,
)
_DRAWBACK = re.compile(
    r"\b(?:but|however|although|suffer\w*|disadvantages?|drawbacks?|limit\w*|downsides?|weakness(?:es)?|shortcomings?"
    r"|problems?|difficult\w*|lacks?|fails?|cannot|expensive|costly|prone|vulnerable|inefficient|slow\w*|poor\w*"
    r"|only if|not)\b",
    re.IGNORECASE,
)
_ASKS_BENEFITS = re.compile(r"\b(?<!dis)(?:advantages?|benefits?|strengths?|merits|upsides?|pros)\b", re.IGNORECASE)
_BENEFIT = re.compile(
    r"\b(?:advantages?|benefits?|strengths?|allow\w*|enabl\w*|provid\w*|offer\w*|improv\w*|reduc\w*|avoid\w*|eas(?:y|ier|ily)"
    r"|simpl\w*|fast\w*|quick\w*|robust|efficient\w*|cheap\w*|safe\w*|better|without having)\b",
    re.IGNORECASE,
)
_ASKS_PURPOSE = re.compile(
    r"\bwhat(?:['’]s| is| are) the (?:\w+ )?(?:functions?|roles?|purpose) of\b"
    r"|^\W*what (?:is|are|was|were) [^?]{2,60} used for\W*$",
    re.IGNORECASE,
)
_PURPOSE = re.compile(
    r"\b(?:functions?|roles?|purpose|responsible for|serv(?:es?|ing) (?:to|as)|used (?:to|for|as)|acts? as|helps?"
    r"|allows?|enables?|in order to|so that|provides?|needed (?:to|for))\b",
    re.IGNORECASE,
)
#: How a word is used, and not what it names.
_USES_WORD = re.compile(
    r"\b(?:terms?|words?|names?|synonym\w*)\b[^.;]{0,60}\bused\b"
    r"|\bused (?:\w+ )?(?:to (?:refer|denote|describe|mean)\b|as an? (?:\w+ )?(?:form|synonym|name|term|abbreviation)\b"
    r"|interchangeably\b)",
    re.IGNORECASE,
)
#: "What are the four kinds of X?"
_ASKS_NUMBER_OF = re.compile(
    r"\b(?:the|which|what|name|list) (two|three|four|five|six|seven|eight|nine|ten|[2-9]|10)\b", re.IGNORECASE
)
_NUMBERS = dict(zip(("three", "four", "five", "six", "seven", "eight", "nine", "ten"), range(3, 11), strict=True))
_ASKS_FOR_ITEMS = re.compile(
    rf"^\W*(?:(?:what|which) (?:are|were)|name|list|give)(?: me)? the ({'|'.join(_NUMBERS)})"
    r" (?!.*\b(?:called|named)\W*$)",
    re.IGNORECASE,
)
_BETWEEN_ITEMS = re.compile(r"[,;]|\b(?:and|or)\b|\n")
_ENUMERATION = re.compile(r"[^,.;:]{2,60},\s[^,.;:]{2,60},?\s(?:and|or|as well as)\s")
#: "layers", of "What are the layers of X?".
_THINGS = re.compile(
    r"^\W*(?:what|which|name|list)(?: (?:are|were))?(?: all| some)?(?: of)?(?: the)?(?: \w+){0,2}? (\w{2,}[^\Wsu]s)\b",
    re.IGNORECASE,
)


def asks_for_several(question: str) -> bool:
    """Whether the question asks for the parts, kinds, causes … of something."""
    return bool(_ASKS_FOR_SEVERAL.search(question))


def lacks_items(question: str, sentences: Sequence[str]) -> bool:
    """Whether the question asks what the three or more things of a kind are, and no sentence has so many items."""
    asked = _ASKS_FOR_ITEMS.match(question)
    number = _NUMBERS.get(asked[1].casefold(), 0) if asked else 0
    return number > 0 and not any(len(_BETWEEN_ITEMS.findall(each)) >= number - 1 for each in sentences)


def asks_for_code(question: str) -> bool:
    """Whether code may answer it."""
    return bool(_ASKS_FOR_CODE.search(question))


def asks_for_manner(question: str) -> bool:
    """Whether the question asks how or why something is or is done: one sentence seldom says it all."""
    return bool(_ASKS_MANNER.search(question))


def asks_for_events(question: str) -> bool:
    """Whether the question asks what happened; its answer keeps the order of the text."""
    return "what happened" in question.casefold()


def asks_whether(question: str) -> bool:
    """Whether the answer is yes or no."""
    return bool(_ASKS_WHETHER.match(question))


def points_to_asked(question: str) -> re.Pattern[str] | None:
    """A pattern of "this ship" for "Which ship …?", as the name is in a sentence before; ``None`` for others."""
    asked = _ASKS_WHICH.match(question)
    return re.compile(rf"\bthis {asked[1]}\b", re.IGNORECASE) if asked and stems(asked[1]) else None


def asks_for_steps(question: str) -> bool:
    """Whether the question asks for a procedure."""
    return bool(ASKS_FOR_STEPS.search(question))


def action_of(question: str) -> str | None:
    """The stem of the verb in "How do I …?", empty where it says nothing ("use", "make"); ``None`` elsewhere."""
    found = _ACTION.search(question)
    return next((stem for stem in stems(found[1]) if stem not in LIGHT_STEMS), "") if found else None


def asks_for_tasks(question: str) -> bool:
    """Whether the question asks for exercises, objectives or references, which otherwise answer nothing."""
    return bool(_ASKS_FOR_TASKS.search(question))


def kinds_left_out(question: str) -> frozenset[Kind]:
    """Kinds of sentences that do not answer the question."""
    if asks_for_tasks(question):
        return frozenset()
    return NO_ANSWER - {"metadata"} if _ASKS_FOR_METADATA.search(question) else NO_ANSWER


def form_required(question: str) -> Callable[[str], bool]:
    """A function that tells whether a sentence has the form that the question demands, as words of its own say nothing
    more: a reason for "And why?", an example for "Give me an example.", a condition for "What happens if …?"."""
    forms = [form for asks, form in _DEMANDED if asks.search(question)]
    return lambda sentence: all(form.search(sentence) for form in forms)


def gives_a_reason(sentence: str) -> bool:
    """Whether the sentence gives a reason."""
    return bool(_REASON.search(sentence))


def form_scorer(question: str) -> Callable[[str], float]:
    """A function that tells, by 1 or 2, whether a sentence enumerates three things or more or leads in to a list, or
    says which there are, where the question asks for parts, kinds, causes …; whether it speaks for or against
    something, where it asks for advantages or drawbacks; whether it gives a reason, where it asks why, or a command,
    where it asks how to do something; else 0."""
    pairs = ((_ASKS_DRAWBACKS, _DRAWBACK), (_ASKS_BENEFITS, _BENEFIT))
    sides = [holds for asked, holds in pairs if asked.search(question)]
    if sides:
        return lambda sentence: any(holds.search(sentence) for holds in sides) and not announces(sentence)
    if _ASKS_PURPOSE.search(question):
        return lambda sentence: bool(_PURPOSE.search(sentence) and not _USES_WORD.search(sentence))
    if number := _ASKS_NUMBER_OF.search(question):
        words = number[1].casefold()
        counted = re.compile(rf"\b(?:{words}|{_NUMBERS.get(words, words)})\b", re.IGNORECASE)
        # "There are five parts." may lead in to them; "five parts: a drum, …" has them.
        of_items = _ASKS_FOR_ITEMS.match(question) is not None
        return lambda sentence: (
            bool(counted.search(sentence)) * (1 + (of_items and not lacks_items(question, [sentence])))
        )
    if asks_for_several(question):
        says_which = _enumeration_finder(question)
        return lambda sentence: 2 * says_which(sentence) or "\n" in sentence or bool(_ENUMERATION.search(sentence))
    if action := action_of(question):
        return lambda sentence: _says_how_to(sentence, action)
    return gives_a_reason if _ASKS_REASON.search(question) else lambda _sentence: 0


def _enumeration_finder(question: str) -> Callable[[str], bool]:
    """A function that tells whether a sentence says which things of the kind that is asked for there are: "has two
    layers: a skin and a core", "The layers are …"."""
    asked = _THINGS.match(question)
    if asked is None:
        return lambda _sentence: False
    found = re.compile(
        rf"\b{asked[1]}\b"
        r"(?:[^.:;,]{0,50}:\s|[^.:;,]{0,40}?\b(?:are|were)\s(?!\w{1,30}(?:ed|en|ing)\b)|,\s(?:including|namely)\s"
        r"|[^.:;,]{0,40}?\b(?:include|including|such as|known as)\s)[^.;]{2,200}?(?:,|\band\b)",
        re.IGNORECASE,
    )
    return lambda sentence: found.search(sentence) is not None


def _says_how_to(sentence: str, action: str) -> bool:
    """Whether the sentence begins with what is done ("To remove it, …"), or comes with a command."""
    purpose = re.match(r"\W*to (\w+)\b", sentence, re.IGNORECASE)
    return action in stems(purpose[1]) if purpose else bool(_COMMAND.search(sentence))
