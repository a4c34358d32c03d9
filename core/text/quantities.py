"""Quantities: which questions ask for one, in which unit, and which sentences have one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .formulas import is_formula
from .irregular_verbs import with_forms
from .stemming import stems
from .times import MONTHS, NUMBER_WORDS
from .versions import NAMED_NUMBER

_ASKS_AMOUNT = (
    r"\b(?:price|cost) of\b|\bin (?:dollars|euros|pounds)\b|^\W*what (?:do|does|did) [^?]{1,60} cost\W*$"
    r"|^\W*what (?:is|are|was|were) [^?]{1,60} paid\W*$"
)
_ASKS_QUANTITY = re.compile(
    r"\bhow (?:many|much|old|long|far|tall|large|big|high|often|fast|deep|wide|heavy|frequently)\b"
    r"|\b(?:what|which) (?:\w+ )?(?:percent|percentage|number|amount|proportion|fraction|share)\b"
    r"|\b(?:maximum|minimum|average|total|exact|highest|lowest|top) (?:\w+ )?(?:number|amount|frequency|speed|length"
    r"|height|weight|size|cost|price|temperature|distance|age|rate|duration|depth|power|voltage|capacity|population)\b"
    rf"|{_ASKS_AMOUNT}"
    r"|^\W*what(?:['’]s| is| was) the (?:\w+ ){0,2}(?:(?:boiling|melting|freezing) point|height|weight|length|depth"
    r"|width|diameter|age|speed|temperature|population|life ?span|distance|capacity|density|mass|pressure|voltage"
    r"|frequency|volume|area|size|fee|fine|number) (?:of|for)\b",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    r"(?<![\w.])\d[\d,.]*|\b(?:no(?! (?:wise|more|longer|doubt|means|matter|way)\b)|zero|one(?! (?:of|or|another)\b)"
    rf"|{NUMBER_WORDS}|hundred|thousand|million|billion|half|third|quarter|dozen|percent|once|twice|thrice|daily"
    r"|weekly|monthly|annually|yearly|every)\b",
    re.IGNORECASE,
)
#: Numbers that count nothing: of figures, chapters and list items, hexadecimal ones, dates, times of day, years, the
#: years of references and lives, and what something is defined to be equal to.
_REFERENCE_NUMBER = re.compile(
    r"^[^\S\n]*(?:\d+[.)]|\d+(?:\.\d+)+\.?(?= (?-i:[A-Z])))\s"
    r"|\b0x[\da-f]+|\b\d{4}-\d\d-\d\d\b|\b\d{1,2}:\d\d\b|= ?-?\d[\d.,]*|(?<!\S)\S+-year-old\b"
    rf"|\bas (?:early|late) as \d{{4}}\b|\b(?:{MONTHS}) \d+(?:, \d{{4}})?|"
    r"\b(?:figures?|figs?\.?|tables?|listings?|sections?|chapters?|equations?|eqs?\.|appendix|pages?|pp?\.|versions?|lines?)"
    r"\s\d[\d.–-]*|\([^()]{2,60},? (?:1[89]|20)\d\d[a-z]?\)"
    r"|\([^()]{0,40}\b(?:1\d|20)\d\d\b[^()]{0,40}\b(?:1\d|20)\d\d\)|\b(?:in|since|by|until|of|from) (?:1[5-9]|20)\d\d\b"
    r"|\bin the (?:1[89]|20)\d\d (?!\w+s\b)",
    re.IGNORECASE | re.MULTILINE,
)
#: How often, which is not how many.
_HOW_OFTEN = re.compile(r"\b(?:once|twice|thrice|daily|weekly|monthly|annually|yearly|every)\b", re.IGNORECASE)
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
#: A sum, which does not say how many.
_MONEY = re.compile(r"[$€£¥] ?\d[\d,.]*(?: ?[mb]illion)?\b")
_COUNTED = re.compile(r"\bhow (?:many|much) ((?:[\w'’-]+ ?){1,4})", re.IGNORECASE)
#: Whom a text may count where people are asked for.
_PEOPLE = frozenset(
    stems(
        "people person men women children workers soldiers members inhabitants residents citizens students passengers"
        " employees players participants peasants troops"
    )
)
_CHILDREN = frozenset(stems("child children sons daughters kids boys girls babies brothers sisters siblings twins"))
_HOW_MANY = re.compile(
    r"\bhow (?:many (\w+(?:['’-]\w+)?(?: \w+(?:['’-]\w+)?)?)"
    r"|much (?!money|time|space|room|more|\w+er\b)(\w{3,}) (?:is|are|was|were|do|does|did|has|have|had|can|must)\b)",
    re.IGNORECASE,
)
#: What a text counts without the word: "twice", "250 km", "three kinds" for "how many types".
_UNNAMED = frozenset(
    stems(
        "time type kind sort form way percent percentage degree people person mile kilometer kilometre meter metre km"
        " foot feet inch yard ton tonne pound kilogram kgs gram liter litre gallon acre hectare square cubic second"
        " minute hour day week month year dollar euro main different"
    )
)
#: Score of an answer that is one of another kind.
OTHER_ANSWER = 0.5
#: Characters after a number among which the things are named.
_BEHIND = 40
_LENGTH = (
    r"\b(?:miles?|(?:kilo|centi|milli)?met(?:er|re)s?|feet|foot|inch(?:es)?|yards?|leagues?|fathoms?|light[- ]years?"
    r"|parsecs?|stor(?:ies|eys)|floors?|degrees?(?! celsius| fahrenheit)"
    r"|pages?|[kcm]?m|ft)\b|[′″%]|°(?! ?[CFK]\b)"
)
#: A side of a thing that is asked for, and one with its measure: "25 m long", "a height of 3 m".
_ASKS_SIDE = re.compile(
    r"\bhow (deep|high|tall|wide|thick|long)\b|\b(depth|height|width|thickness|length) (?:of|does|do)\b", re.IGNORECASE
)
_SIDE = re.compile(
    rf"(?:{_LENGTH}) (deep|high|tall|wide|thick|long)\b"
    r"|\b(depth|height|width|thickness|length) (?:of|is|was) (?:\w+ ){0,2}\d",
    re.IGNORECASE,
)
#: Time that passes, whose end may be a year: "until 1796", "for a month".
_SPAN = re.compile(
    r"\b(?:un?till?|since) (?:\w+ ){0,2}?(?:1\d|20)\d\d\b"
    r"|\ban? (?:second|minute|hour|day|week|month|year|decade|century)\b",
    re.IGNORECASE,
)
#: Time that passes from one occasion to the next: "every 2 years", "once a day".
_INTERVAL = re.compile(
    rf"\b(?:(?:every|each|per)(?: (?:\d[\d,.]*|{NUMBER_WORDS}|other|few|second|third))?|(?:once|twice|times) an?)"
    r" \w+",
    re.IGNORECASE,
)
#: A price is asked for, and what has one.
_NO_PRICE = (
    r"known|left|needed|used|of|in|for|to|by|from|than|rain\w*|snow\w*|water|weight|load|share|amount|increase|decrease|rise|cut|fall"
    r"|difference|loss|gain|growth|discount|interest|tax|energy|power|area|time|volume|capacity|dose|space|subsidy"
)
ASKS_PRICE = (
    r"\bhow (?:high|much) (?:is|are|was|were) (?:the |our |my |an? )?(?:\w+ )?(?:rent|deposit|fees?|price|costs?|bill"
    r"|premium|salary|invoice|dues|fine|tickets?|entry|admission|subscription|membership)\b"
    # "How much is the rope?", not "the rainfall"
    r"|^\W*how much (?:is|are|was|were) (?:the|our|my|your|an?|[\w.-]+['’]s) "
    rf"(?![^?]*\b(?:{_NO_PRICE})\b)[^?]{{2,60}}\W*$"
    r"|\bhow much\b.*\b(?:cost|pay|paid|worth|spen[dt]|sell|sold|price|money|earn|charge)"
    rf"|{_ASKS_AMOUNT}"
)
MONEY = (
    r"[$€£¥₹]|\b(?:dollars?|cents?|euros?|pounds?|pence|shillings?|francs?|marks|lira|yen|yuan|rupees?|rubles?"
    r"|roubles?|pesos?|crowns?|kron\w+|kr|usd|eur|gbp|sek|nok|dkk|chf|cad|aud|jpy|cny|pln|free|coins?|guineas?|shekels?|florins?|ducats?"
    r"|pieces? of (?:gold|silver)|(?:gold|silver) pieces?)\b"
)
#: How warm something is, is asked for, and what says so, with a number or without.
ASKS_TEMPERATURE = (
    r"\b(?:at|to|below|above|under|over|beyond) (?:what|which) temperatures?\b"
    r"|\bhow (?:hot|cold|warm)\b|\bwhat (?:is|was) the (?:\w+ )?temperature\b"
)
TEMPERATURE = (
    r"°|\b(?:degrees?|celsius|fahrenheit|kelvins?|(?:room|body|ambient) temperature|(?:freezing|boiling|melting) point"
    # Neither "to warm the hall" nor "it gets too hot".
    r"|(?<!\bto )(?<!\btoo )(?<!\bvery )(?<!\blet it )(?:(?:luke)?warm|hot|cool|cold|freezing|boiling))\b"
    r"|(?-i:\d ?[CFK]\b)|\btemperature\b[^.\d]{1,20}\d"
)
#: What a quantity is measured in, by how the question asks for it: without it nothing says how much, old, long, far …
_UNITS = (
    (ASKS_PRICE, MONEY),
    # How many live there, not the share of one kind or a rate: "85,000", "8.5 million", "4000 inhabitants".
    (
        r"\bwhat(?:['’]s| is| was) the (?:total |current )?population of\b",
        (
            r"\b\d{1,3}(?:[,.' ]\d{3})+\b(?!%)|\b\d{5,}\b|\b\d[\d.,]* (?:thousand|million|billion)\b"
            r"|\b\d+ (?:\w+ )?(?:inhabitants|residents|people|persons|souls)\b"
            r"|\bpopulation\b[^.;]{0,40}? (?:of|was|is|at|to) (?:about |around |over |only )?\d+\b(?!\.\d| ?%| per)"
        ),
    ),
    (r"\bpercent", r"%|\bper ?cent|\b(?:half|third|quarter)\b"),
    (
        r"\bhow old\b",
        (
            r"\b(?:old|age[ds]?|ago|since|born|\d+ years|(?:is|are|was|were|lived?) .{0,40}\byears)\b"
            # "is eleven", "at eighteen"
            rf"|\b(?:is|was|turn(?:s|ed)|at) (?:only |just |about )?(?:\d{{1,3}}|{NUMBER_WORDS})"
            r"(?= and\b|\W*$|[.,;!?]\s)"
        ),
    ),
    (
        r"\bhow long (?:did|does|do|will|would|has|have|had|can|should|must|may)\b",
        (
            r"\b(?:(?:milli)?seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|centur\w+"
            r"|generations?|un?till?|since|during|throughout|forever|permanent\w*|always|life\w*|long(?:er)?|short\w*"
            r"|brief\w*|quick\w*|immediate\w*|overnight|instant\w*|from\b.*\bto|between)\b|\d ?(?:m?s|h|min)\b"
        ),
    ),
    (
        r"\bhow long\b",
        (
            r"\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur\w+|un?till?|since"
            rf"|from\b.*\bto)\b|{_LENGTH}"
        ),
    ),
    (
        r"\bhow high\b(?! d)",
        rf"{_LENGTH}|\bper ?cent\b|\d ?(?:m?bar|[hkM]?Pa|psi|dB|rpm|[kMG]?Hz|[kMG]?[VW]|[kMG]Wh|[kMGT]B)\b|°",
    ),
    (r"\bhow (?:far|tall|deep|wide)\b", _LENGTH),
    (r"\bhow heavy\b|\bhow (?:much|many)\b.* weigh\W*$", r"(?:\b|\d)(?:[mk]?g|lbs?|oz|tons?|stone)\b|gram|pound|tonne"),
)


def asks_for_quantity(question: str) -> bool:
    """Whether the question asks how many, how much, how long …"""
    return bool(_ASKS_QUANTITY.search(question))


def things_counted(question: str) -> frozenset[str]:
    """The stems of the things whose number is asked for, and of others of their kind for people and children, of which
    a sentence that counts them has one; empty where it may have none, and for another question."""
    asked = _HOW_MANY.search(question)
    things = frozenset(stem for stem in stems(asked[1] or asked[2]) if stem.isalpha()) if asked else frozenset[str]()
    kind = next((kind for kind in (_CHILDREN, _PEOPLE) if not things.isdisjoint(kind)), frozenset[str]())
    return things | kind if things.isdisjoint(_UNNAMED) else frozenset()


def lacks_unit(question: str, sentences: Sequence[str]) -> bool:
    """Whether the question asks for a price, an age, a length …, and no sentence has a unit of it, or the first one has
    another side of a thing: its length for "how deep"."""
    unit = _unit_of(question)
    if any(_is_other_side(question, each) for each in sentences[:1]):
        return True
    return unit is not None and not any(
        re.search(unit, _without_intervals(question, each), re.I) for each in sentences[:2]
    )


def _is_other_side(question: str, sentence: str) -> bool:
    """Whether the question asks for one side of a thing, and the sentence says how large another side is alone."""
    asked = _ASKS_SIDE.search(question)
    own = frozenset[str]().union(*map(with_forms, stems(asked[0]))) if asked else frozenset[str]()
    return bool(own) and _SIDE.search(sentence) is not None and own.isdisjoint(stems(sentence))


def _without_intervals(question: str, sentence: str) -> str:
    """The sentence; where it is asked how long something is, without what says how often."""
    return _INTERVAL.sub(" ", sentence) if "how long" in question.casefold() else sentence


def quantity_scorer(question: str, known: set[str]) -> Callable[[str], float]:
    """Scores 1 for a quantity in the unit, or of the things, that the question asks for; another one less."""
    unit = _unit_of(question)
    counted = _COUNTED.search(question)
    things = frozenset(stems(counted[1])) if counted else frozenset()
    things = things if things.isdisjoint(stems("people persons")) else _PEOPLE
    counts, is_time = bool(things) and "time" not in things, "how long" in question.casefold()
    known = known if counted else known | {"no"}  # "How large?" is not answered by "no smoking"

    def score(sentence: str) -> float:
        # The numbers of a formula count nothing either, nor those of code.
        sentence = _without_intervals(question, sentence)
        sentence = _MONEY.sub(" ", sentence) if counted and unit is None else sentence
        sentence = _HOW_OFTEN.sub(" ", sentence) if counts or unit is not None else sentence
        lines = (line for line in _CODE.sub("", sentence).split("\n") if not is_formula(line))
        sentence = NAMED_NUMBER.sub(" ", "\n".join(lines))
        if is_time and _SPAN.search(sentence):
            return 1.0
        sentence = _REFERENCE_NUMBER.sub(" ", sentence)
        found = [number for number in _QUANTITY.finditer(sentence) if number[0].casefold() not in known]
        if not found or (unit is None and not things):
            return float(bool(found))
        if unit is not None:
            return 1.0 if re.search(unit, sentence, re.IGNORECASE) else OTHER_ANSWER
        behind = (stems(sentence[number.end() : number.end() + _BEHIND]) for number in found)
        return 1.0 if any(not things.isdisjoint(each) for each in behind) else OTHER_ANSWER

    return score


def _unit_of(question: str) -> str | None:
    return next((unit for asked, unit in _UNITS if re.search(asked, question, re.IGNORECASE)), None)
