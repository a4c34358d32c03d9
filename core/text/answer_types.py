"""The time, quantity or name that an English question asks for, and whether a sentence holds one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .doers import ASKS_ORIGIN, NAME, NOBODY, ORIGIN, doers_in, is_done_by, undone_finder, word_before
from .irregular_verbs import IRREGULAR_VERBS
from .quantities import (
    ASKS_PRICE,
    ASKS_TEMPERATURE,
    MONEY,
    OTHER_ANSWER,
    TEMPERATURE,
    asks_for_quantity,
    lacks_unit,
    quantity_scorer,
)
from .stemming import stems, words
from .times import (
    ASKS_FREQUENCY,
    FREQUENCY,
    YEAR,
    asks_for_date,
    asks_for_time,
    is_habit_for_event,
    names_time,
    time_scorer,
)

#: "Who is the first king?", not "Who is Tesla?", which is answered by what he did.
_ASKS_PERSON = re.compile(r"(?:and |but |so )?who(?:m|se)?\b(?! (?:is|was|are|were) (?!the\b))", re.IGNORECASE)
_ASKS_NAME_OF = re.compile(
    r"\b(?:what|which) (?:\w+ )?(?:city|country|state|person|company|man|woman|river|team|band|king|queen|president"
    r"|actor|author|school|university|hospital|organization|newspaper|island|region|town|street|building|place)\b",
    re.IGNORECASE,
)
#: Who did something once, which a particular person or body did; "Who opens the doors?" has an answer without a name.
_ASKS_DOER = re.compile(
    r"^(?:and |but |so )?who(?:m|se)?\b(?: \w+ly| first)? ((?!need\b)\w+ed|(?:was|were) the"
    rf"|{'|'.join(sorted(past for past, _ in IRREGULAR_VERBS.values()))})\b"
    r"|^\W*(?:what|which) (?:\w+ )?(?:person|company|man|woman|scientist|engineer|president|king|queen|actor|author"
    r"|school|university|organi[sz]ation|institute|team)\b(?: (\w+))?",
    re.IGNORECASE,
)
_ASKS_NAME = re.compile(rf"\b(?:who|whom|whose|where)\b|{_ASKS_NAME_OF.pattern}", re.IGNORECASE)
#: Where something was or happened, and a place: a file's path, the room "B 1.03", "in the town of Lund", "at Lund".
_ASKS_PLACE = re.compile(r"^(?:and |but |so )?where (?:was|were|did|is|are|do|does)\b", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w/.])(?:~[/\\]|(?:\.{1,2}|[A-Z]:)?[/\\][\w.-]+[/\\.])\w|\b[A-Z] ?\d{1,2}\.\d\d\b")
_PLACE = re.compile(
    r"\b(?:in|at|near|from|to|on|outside|around|across|within|into|of|for|through|off) (?:the |a |an )?"
    r"(?:[a-z][\w-]* ){0,4}([A-Z][\w'’-]+)"
)
#: What may say where without a name: "behind the door", "in the hall", "B 1.03", not "on Tuesday" or "in 1970".
_ANYWHERE = re.compile(
    r"\b(?:in|at|near|from|to|on|outside|inside|around|across|within|into|through|off|under|below|above|over|behind"
    r"|beside|between|among|opposite|by|along|towards?|against|next to|(?-i:of (?:the )?(?=[A-Z])))\b"
    r"(?! (?:\d|[a-z]+days?\b|time\b))|\b(?:here|there|home|abroad|everywhere|nowhere|up|down)(?:stairs)?\b|\|",
    re.IGNORECASE,
)
#: Also "How much flour is in it?", not "How much does it cost?".
_HOW_MANY = re.compile(
    r"\bhow (?:many\b|much \w{3,} (?:is|are|was|were|do|does|did|has|have|had|should|can|goes|went)\b)", re.IGNORECASE
)
#: Why something has its name.
_ASKS_NAMING = re.compile(r"^\W*why (?:is|are|was|were|do|does) .*\b(?:called|named|call)\b", re.IGNORECASE)
_NAMING = re.compile(
    r"\bnam(?:e|es|ed|ing)\b|\bcall|\bknown as\b|\bterm|\bderive|\bmeaning\b|\bGreek\b|\bLatin\b", re.I
)
#: The most of its kind is asked for, and a sentence that says which one is.
_SUPERLATIVE = (
    r"(?-i:(?!(?:inter|re?qu|bequ|sugg|mod|hon|for|rainfor|prot|harv|cont|conqu|arr|temp|inv|dig|att|det|unr|manif|inf"
    r"|pri|beh|(?:north|south|mid)w)est\b)[a-z]{3,}est\b)"
)
_ASKS_EXTREME = re.compile(rf"\bthe (?:most|least|fewest)\b|\b{_SUPERLATIVE}", re.IGNORECASE)
_EXTREME = re.compile(
    r"\b(?:most|least|fewest|only|first|last|main|majority|m(?:ax|in)imum|record|chief|primary|principal"
    rf"|predominant\w*|exceed\w*|surpass\w*|percent)\b|\b{_SUPERLATIVE}"
    r"|%|\bmore than any\b",
    re.IGNORECASE,
)
#: The best is asked for, and a sentence that prefers something.
_ASKS_BEST = re.compile(r"\b(?:which|what|who)\b.*\bbest\b(?! practices?)", re.IGNORECASE)
_BEST = re.compile(
    r"\b(?:best|better|good|well|prefer\w*|recommend\w*|ideal\w*|optimal\w*|optimum|superior|advantage\w*|suit\w*|most"
    r"|excellent|outperform\w*|should|favou?rite|leading|top|effective\w*|choos\w*|right)\b",
    re.IGNORECASE,
)
#: A phone number, or an address of someone or something is asked for, not what such a thing is.
_ASKS_PHONE = re.compile(r"(?<!\ba )(?<!\bthe )\b(?:tele)?phone number\b|phone number (?:of|for)\b", re.IGNORECASE)
_ASKS_IP = re.compile(r"(?<!\ban )\bIP address(?= (?:of|for)\b)|['’]s IP(?: address)?\W*$", re.IGNORECASE)
_ASKS_EMAIL = re.compile(
    r"(?<!an )(?<!a )(?<!the )\b(?:e-?)?mail address\b|\b(?:e-?)?mail address (?:of|for)\b"
    r"|['’]s? e-?mail\W*$",
    re.IGNORECASE,
)
#: Who someone's wife is, and a name where she is named: "his wife, Ada Reed", "Ada Reed, who was his wife".
_ASKS_SPOUSE = re.compile(
    r"^\W*who(?:['’]s| is| was| were) (?:[\w.’' -]{1,80}(?:['’]s|s['’]) (?:\w+ )?(?:wife|husband|spouse)"
    r"|the (?:\w+ )?(?:wife|husband|spouse) of .{1,80}|[\w.’' -]{1,80} married to)\W*$"
    r"|^\W*who did .{1,80} marry\W*$",
    re.IGNORECASE,
)
_NAMED = r"[A-Z][\w-]{1,40}"
_SPOUSE = re.compile(
    rf"\b(?:wife|husband|spouse|widow|bride)(?:,| was| is| named| called)*(?: the(?: [a-z]+){{0,3}})? {_NAMED}"
    r"|(?<!father )(?<!mother )(?<!brother )(?<!sister )(?<!son )(?<!daughter )\bmarri(?:ed|es)(?: to)? "
    rf"(?:(?!(?:in|at|on|by|after|before|during)\b)[a-z]+ ){{0,4}}{_NAMED}"
    rf"|\b{_NAMED}(?=,? (?:who )?(?:(?:is|was|became) (?:his|her|the) (?:\w+ )?(?:wife|husband|spouse|widow|bride)"
    r"|(?:(?:had|has|have|was|were|got) )?marri(?:ed|es))\b)"
)
_COLOUR = re.compile(
    r"\b(?:(?:red|orange|yellow|green|blue|purple|violet|pink|brown|black|white|gr[ae]y)(?:dish|ish)?|gold(?:en)?"
    r"|silver\w*|beige|cream|crimson|scarlet|maroon|turquoise|navy|teal|magenta|cyan|indigo|amber|ivory|tan|khaki|bronze"
    r"|purplish|bluish|colou?rless|transparent|colou?red|colou?rs? (?:is|are|was|were|of)|dark|pale)\b",
    re.IGNORECASE,
)
#: How a question asks for something that has a form of its own, and that form.
_FORMS = (
    # Seven digits or more, no date and no address of a machine; or an extension.
    (
        _ASKS_PHONE,
        re.compile(
            r"(?<![\d.-])(?!\d{4}-\d\d-\d\d|\d{1,3}(?:\.\d{1,3}){1,3}(?![\d.]))\d(?:[ ()/.-]{0,3}\d){6,}"
            r"|\bext(?:\.|ension)(?: number)?(?: is| was)? \d{2,6}\b",
            re.IGNORECASE,
        ),
    ),
    (_ASKS_IP, re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|[\da-f]{1,4}::?[\da-f:]*:[\da-f]{1,4}", re.IGNORECASE)),
    (_ASKS_EMAIL, re.compile(r"@")),
    (re.compile(ASKS_PRICE, re.IGNORECASE), re.compile(MONEY, re.IGNORECASE)),
    (re.compile(ASKS_FREQUENCY, re.IGNORECASE), re.compile(FREQUENCY, re.IGNORECASE)),
    (re.compile(ASKS_TEMPERATURE, re.IGNORECASE), re.compile(TEMPERATURE, re.IGNORECASE)),
    (_ASKS_SPOUSE, _SPOUSE),
    (re.compile(r"\b(?:what|which) colou?rs? (?:is|are|was|were|do|does|did)\b", re.IGNORECASE), _COLOUR),
)
#: "In pounds" at the end of a question, which a value may have too.
_IN_UNIT = re.compile(r"\bin (?:\w+ )?\w+\W*$", re.IGNORECASE)
#: How a question asks, and what a sentence has that answers it.
_REQUIRED = (
    (_ASKS_EXTREME, _EXTREME),
    (_ASKS_BEST, _BEST),
    (_ASKS_NAMING, _NAMING),
    (ASKS_ORIGIN, ORIGIN),
    # "Which year?", not "Which year of his reign?"
    (re.compile(r"\b(?:what|which) year\b(?! of\b)", re.IGNORECASE), YEAR),
)


def asks_for_value(question: str) -> bool:
    """Whether the question asks for a time, a quantity or a name."""
    return asks_for_time(question) or asks_for_quantity(question) or bool(_ASKS_NAME.search(question))


def value_finder(question: str) -> Callable[[str], int] | None:
    """A function that tells, by 2 or 0, whether a sentence has the phone number, address, price, frequency,
    temperature, spouse or colour that the question asks for, in words that it has not; ``None`` where it asks for
    none."""
    form, known = (
        next((form for asks, form in _FORMS if asks.search(question)), None),
        set(words(_IN_UNIT.sub("", question))),
    )
    return form and (
        lambda sentence: 2 * any(not known.issuperset(words(found[0]) or [""]) for found in form.finditer(sentence))
    )


def answer_type_scorer(question: str) -> Callable[[str], float]:
    """A function that scores sentences: 1 for one with the time, quantity or name that the question asks for, 0 for one
    without; 0.5 for every sentence if it asks for nothing of the kind. What stands in the question is no answer."""
    known = set(words(question))
    if has_value := value_finder(question):
        return lambda sentence: float(has_value(sentence) > 0)
    if asks_for_time(question):
        return time_scorer(known)
    if asks_for_quantity(question):
        return quantity_scorer(question, known)
    if _ASKS_NAME.search(question):
        return _name_scorer(question, known)
    return lambda _sentence: 0.5


def number_scorer(question: str) -> Callable[[str], float]:
    """As ``answer_type_scorer`` where the question asks for a time, a quantity or another value but a name, else 0."""
    takes_any = asks_for_time(question) or asks_for_quantity(question)
    return (answer_type_scorer if takes_any else value_finder)(question) or (lambda _sentence: 0)


def _name_scorer(question: str, known: set[str]) -> Callable[[str], float]:
    """Scores 1 for a name; less for another word that does what is asked: "the operator resets" for "Who resets …?"."""
    before = word_before(question)
    if _ASKS_PLACE.match(question):
        return lambda sentence: float(
            any((known | NOBODY).isdisjoint(words(found)) for found in _PLACE.findall(sentence))
            or _PATH.search(sentence) is not None
        )

    def score(sentence: str) -> float:
        if any((known | NOBODY).isdisjoint(words(name)) for name in NAME.findall(sentence)):
            return 1.0
        doers = before.findall(sentence) if before else ()
        return OTHER_ANSWER if any(stems(each) and not known & set(words(each)) for each in doers) else 0.0

    return score


def is_lacking(question: str, sentences: Sequence[str]) -> bool:
    """Whether the question asks for a date, a quantity, an amount of money, a name or the most of its kind, and no
    sentence has one.

    Of 1,998 answerable questions of SQuAD's development articles it is so for 13, of CLAP NQ's 150 for five."""
    has_value = value_finder(question)
    if has_value and not any(map(has_value, sentences[:2])):  # a third one has the number of another
        return True
    for form, answer in _REQUIRED:
        if form.search(question) and not any(map(answer.search, sentences)):
            return True
    if _ASKS_PLACE.match(question) and not any(_ANYWHERE.search(each) or _PATH.search(each) for each in sentences[:2]):
        return True
    if asks_for_date(question):
        return not any(names_time(each) and not is_habit_for_event(question, each) for each in sentences)
    if asked := _ASKS_DOER.search(question):
        # "The Kerr Works built it" is who built it, "the Red Sea" is not where the text says nothing of building.
        done = frozenset(stems(asked[1] or asked[2] or ""))
        saying = [each for each in sentences if not done.isdisjoint(stems(each))] if done else sentences
        is_undone = undone_finder(question)
        if is_undone and saying and all(map(is_undone, saying)):
            return True
        is_said, known = bool(saying), frozenset(words(question))
        before = word_before(question)
        # A sentence's first word has a capital anyway; before what is asked it is a name: "Langstroth patented it".
        found = (word[1] for each in sentences if before for word in before.finditer(each))
        first = (word for word in found if word[0].isupper() and stems(word))
        doers = (name for each in saying or sentences for name in doers_in(each, known, is_done=is_said))
        if asked[1] and any(is_done_by(each, done) for each in saying):
            return False
        if not any(doers) and not any(first):
            return True
    if not (asks_for_quantity(question) or _ASKS_PERSON.match(question) or _ASKS_NAME_OF.search(question)):
        return False
    scores = list(map(answer_type_scorer(question), sentences))
    # Another number counts only in the best sentence.
    if not any(scores[:1]) and (max(scores, default=0.0) < 1 if _HOW_MANY.search(question) else not any(scores)):
        return True
    return lacks_unit(question, sentences)  # another number is no length, and says nothing of how long
