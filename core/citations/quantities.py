"""Quantities, numbers with their units, in normal form: 40 newtons and 40 N are equal, 40 kN is not.

Units are not converted: a length in metres equals only lengths in metres.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from .units import symbol_of


@dataclass(frozen=True)
class Quantity:
    """A number in a text, ``text[start:end]`` with its unit."""

    start: int
    end: int
    #: In normal form: "1000" for "1,000" and "one thousand"; as written where it is no number (a version).
    value: str
    #: In normal form: "kN" for "kilonewtons"; "" without a unit.
    unit: str = ""


_ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen""".split()  # noqa: SIM905 - shorter than a list
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_WORD_VALUES = {word: value for value, word in enumerate(_ONES)} | {"dozen": 12}
_WORD_VALUES |= {word: 10 * value for value, word in enumerate(_TENS, start=2)}
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ORDINALS = {
    word: value
    for value, word in enumerate(
        """third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
        sixteenth seventeenth eighteenth nineteenth twentieth""".split(),  # noqa: SIM905 - shorter than a list
        start=3,  # "first" and "second" are mostly no count
    )
}
_ONE = "|".join(sorted(_WORD_VALUES, key=len, reverse=True))
_BELOW_100 = rf"(?:\w+ty[- ])?(?:{_ONE})(?: dozen)?"
_BELOW_1000 = rf"(?:(?:{_BELOW_100} )?hundred(?: (?:and )?{_BELOW_100})?|{_BELOW_100})"
_SCALED = "(?:thousand|million|billion|trillion)"
_SPELLED = rf"(?:{_BELOW_1000}(?: {_SCALED}(?: (?:and )?{_BELOW_1000})?)*|{_SCALED}|{'|'.join(_ORDINALS)})"
_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[-+](?=\d))?(?:(?P<currency>US\$|[$€£])\s?)?"
    r"(?P<digits>\d{1,3}(?:(?:,\d{3})+|(?: \d{3})+)(?:\.\d+)?(?![\d]|,\d)|\d+(?:[.,/]\d+)*)"
    r"(?P<glued>[A-Za-zμΩ°%]+)?"
    rf"|(?<![\w.])(?P<words>(?a:{_SPELLED}))(?!\w)",
    re.IGNORECASE,
)
#: Digits of a number that is calculated with.
_LONGEST = 40
_SCALE = re.compile(rf"[ -]?((?a:{'|'.join(_SCALES)}))\b", re.IGNORECASE)
_UNIT = re.compile(
    r"(?P<gap>[ -]?)(?P<power>square|cubic)?(?(power) )"
    r"(?P<name>°\s?[CF]\b|[%°$€£]|[A-Za-zμΩ]+)(?P<more>\^?-?[23](?!\d))?"
)
_CONNECTOR = re.compile(r"\s?(?:/|[·⋅*])\s?| per (?=[a-z])|(?<=[a-z])-(?=[a-z]{4})")
#: Between the numbers of a range or list, of which only the last one has the unit.
_SHARED = re.compile(r"\s?(?:-|,|,?\s(?:to|and|or|by|x)|x|×)\s?", re.IGNORECASE)


def quantities(text: str) -> list[Quantity]:
    """The quantities of a text in order; ``text`` is normalized (``words.normalize``)."""
    found = list(_quantities(text))
    for index in range(len(found) - 2, -1, -1):
        here, after = found[index], found[index + 1]
        if not here.unit and after.unit and _SHARED.fullmatch(text, here.end, after.start):
            found[index] = Quantity(here.start, here.end, here.value, after.unit)
    return found


def _quantities(text: str) -> Iterator[Quantity]:
    done = 0
    for match in _NUMBER.finditer(text):
        if match.start() < done:
            continue  # "million" of "3 million"
        end = match.end("digits") if match["digits"] else match.end()
        unit = match["currency"] or ""
        unit = "$" if unit == "US$" else unit
        if match["words"]:
            value = _value_of_words(match["words"])
            if match["words"].lower() in _ORDINALS:
                yield Quantity(match.start(), end, value, "th")
                continue
        else:
            value = _normalize_digits(match["digits"], match["sign"] or "")
            glued = match["glued"]
            if glued:
                if glued.lower() in {"st", "nd", "rd", "th"}:
                    yield Quantity(match.start(), match.end(), value, "th")
                    continue
                if glued == "s" and len(match["digits"]) == 4:  # the 1990s
                    yield Quantity(match.start(), match.end(), value)
                    continue
                if symbol_of(glued) is None:
                    continue  # 3D, 2x: a name
        while len(value) <= _LONGEST and (scale := _SCALE.match(text, end)):
            value = _multiply(value, _SCALES[scale[1].lower()])
            end = scale.end()
        spelled, unit_end = _unit_at(text, end)
        if unit and spelled not in {"", "$", "€", "£"}:
            spelled, unit_end = "", end  # "$40 an hour": the currency is its unit
        done = unit_end
        yield Quantity(match.start(), unit_end, value, unit or spelled)


def _normalize_digits(digits: str, sign: str) -> str:
    whole = digits.replace(" ", "")
    if len(whole) > _LONGEST:
        return whole
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", whole):
        whole = whole.replace(",", "")
    elif re.fullmatch(r"\d+,\d+", whole):
        whole = whole.replace(",", ".")
    try:
        value = Decimal(whole)
    except InvalidOperation:
        return whole  # 1.2.3
    return f"{'-' if sign == '-' and value else ''}{_decimal_text(value)}"


def _decimal_text(value: Decimal) -> str:
    return f"{value.normalize():f}"


def _multiply(value: str, scale: int) -> str:
    try:
        return _decimal_text(Decimal(value) * scale)
    except InvalidOperation:
        return value


def _value_of_words(words: str) -> str:
    """The number in words as digits: "two hundred and fifty" is 250."""
    total = current = 0
    for word in re.split(r"[- ]", words.lower()):
        if word in _ORDINALS:
            current += _ORDINALS[word]
        elif word == "dozen":
            current = (current or 1) * 12
        elif word in _WORD_VALUES:
            current += _WORD_VALUES[word]
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in _SCALES:
            total, current = total + (current or 1) * _SCALES[word], 0
    return str(total + current)


def _unit_at(text: str, start: int) -> tuple[str, int]:
    """The unit at ``start`` in normal form ("" for none), and its end."""
    parts: list[str] = []
    end = start
    while match := _UNIT.match(text, end):
        if parts and match["gap"]:
            break
        name = symbol_of(match["name"])
        if name is None:
            break
        power = {"square": "2", "cubic": "3"}.get((match["power"] or "").lower(), (match["more"] or "").lstrip("^"))
        parts.append(f"{name}{power}")
        end = match.end()
        if name == "°" and (
            scale := re.compile(r"\s(celsius|centigrade|fahrenheit)\b", re.IGNORECASE).match(text, end)
        ):
            parts[-1], end = f"°{scale[1][0].upper()}", scale.end()
            break
        per = _CONNECTOR.match(text, end)
        following = _UNIT.match(text, per.end()) if per else None
        if per is None or following is None or following["gap"] or symbol_of(following["name"]) is None:
            break
        parts.append("/" if per[0].strip() in {"/", "per"} else "·")
        end = per.end()
    return "".join(parts), end


def matches(quantity: Quantity, source: Quantity, units: frozenset[str]) -> bool:
    """Whether a quantity is the source's. ``units``: the units elsewhere in the source's segment and table header.

    The unit may be left out, but not replaced.
    """
    if quantity.value != source.value:
        return False
    if not quantity.unit or quantity.unit == source.unit:
        return True
    return not source.unit and quantity.unit in units
