"""Quantities, numbers with their units, in normal form: 40 newtons and 40 N are equal, 40 kN is not.

Units are not converted: a length in metres equals only lengths in metres.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Quantity:
    """A number in a text, ``text[start:end]`` with its unit."""

    start: int
    end: int
    #: In normal form: "1000" for "1,000" and "one thousand"; as written where it is no number (a version).
    value: str
    #: In normal form: "kN" for "kilonewtons"; "" without a unit.
    unit: str = ""


def _small_numbers() -> dict[str, int]:
    ones = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    named = {word: value for value, word in enumerate([*ones.split(), "seventeen", "eighteen", "nineteen"])}
    tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    return {**named, **{word: 10 * value for value, word in enumerate(tens, start=2)}, "dozen": 12}


_WORD_VALUES = _small_numbers()
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ORDINALS = {
    word: value
    for value, word in enumerate(
        """third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
        sixteenth seventeenth eighteenth nineteenth twentieth""".split(),  # noqa: SIM905 - shorter than a list
        start=3,  # "first" and "second" are mostly no count
    )
}
_BASE_WORDS = {
    "N": "newton", "Pa": "pascal", "J": "joule", "W": "watt", "V": "volt", "Hz": "hertz", "Ω": "ohm",
    "m": "metre meter", "g": "gram gramme",
    "s": "second sec", "A": "ampere amp", "K": "kelvin", "L": "litre liter", "B": "byte",
    "bit": "bit", "eV": "electronvolt", "mol": "mole", "F": "farad", "H": "henry", "T": "tesla", "Wh": "watthour",
    "lm": "lumen", "lx": "lux", "rad": "radian", "bar": "bar", "cal": "calorie", "cd": "candela", "Sv": "sievert",
    "Bq": "becquerel", "C": "coulomb", "pc": "parsec", "Ah": "", "bps": "", "t": "tonne ton", "l": "", "VA": "",
}  # fmt: skip
_PREFIXES = {"k": "kilo", "M": "mega", "G": "giga", "T": "tera", "m": "milli", "μ": "micro", "u": "", "n": "nano",
             "p": "pico", "c": "centi", "d": "deci", "h": "hecto", "P": "peta", "K": ""}  # fmt: skip
_OTHER_WORDS = {
    "min": "minute minutes mins", "h": "hour hours hr hrs", "d": "day days", "week": "weeks", "month": "months",
    "year": "years yr yrs", "decade": "decades", "century": "centuries", "°": "degree degrees deg", "%": "percent",
    "in": "inch inches", "ft": "foot feet", "yd": "yard yards", "mi": "mile miles", "lb": "pound pounds lbs",
    "oz": "ounce ounces", "gal": "gallon gallons", "ha": "hectare hectares", "acre": "acres", "rpm": "", "mph": "",
    "fps": "", "ppm": "", "px": "pixel pixels", "dB": "decibel decibels", "×": "times fold", "am": "", "pm": "",
    "$": "dollar dollars usd", "€": "euro euros eur", "£": "gbp", "¢": "cent cents", "knot": "knots", "psi": "",
    "hp": "horsepower", "point": "points", "°C": "celsius centigrade", "°F": "fahrenheit",
}  # fmt: skip


def _symbols() -> dict[str, str]:
    found = {
        prefix + base: prefix.replace("u", "μ").replace("K", "k") + base for prefix in _PREFIXES for base in _BASE_WORDS
    }
    found |= {base: base for base in [*_BASE_WORDS, *_OTHER_WORDS] if base != "in"}
    found |= {
        "Nm": "N·m",
        "kNm": "kN·m",
        "mNm": "mN·m",
        "kph": "km/h",
        "kmh": "km/h",
        "l": "L",
        "ml": "mL",
        "dl": "dL",
        "cl": "cL",
        "hl": "hL",
        "€": "€",
    }
    # What is mostly an English word, or a month, behind a number
    for word in ("pm", "am", "At", "Pa", "cd"):
        found[word] = word
    return {symbol: unit for symbol, unit in found.items() if symbol not in {"d", "week", "acre", "times", "point"}}


def _words() -> dict[str, str]:
    found: dict[str, str] = {}
    for base, names in _BASE_WORDS.items():
        for name in names.split():
            for form in (name, f"{name}s"):
                found[form] = base
                found.update({f"{word}{form}": f"{symbol}{base}" for symbol, word in _PREFIXES.items() if word})
    for base, names in _OTHER_WORDS.items():
        found.update(dict.fromkeys([*names.split(), base.lower()], base))
    found.pop("in", None)
    found.pop("h", None)
    return found


_SYMBOLS, _UNIT_WORDS = _symbols(), _words()
_ONE = "|".join(sorted(_WORD_VALUES, key=len, reverse=True))
_BELOW_100 = rf"(?:\w+ty[- ])?(?:{_ONE})(?: dozen)?"
_BELOW_1000 = rf"(?:(?:{_BELOW_100} )?hundred(?: (?:and )?{_BELOW_100})?|{_BELOW_100})"
_SCALED = "(?:thousand|million|billion|trillion)"
_SPELLED = rf"(?:{_BELOW_1000}(?: {_SCALED}(?: (?:and )?{_BELOW_1000})?)*|{_SCALED}|{'|'.join(_ORDINALS)})"
_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[-+](?=\d))?(?:(?P<currency>US\$|[$€£])\s?)?"
    r"(?P<digits>\d{1,3}(?:(?:,\d{3})+|(?: \d{3})+)(?:\.\d+)?(?![\d]|,\d)|\d+(?:[.,/]\d+)*)"
    r"(?P<glued>[A-Za-zμΩ°%]+)?"
    rf"|(?<![\w.])(?P<words>{_SPELLED})(?!\w)",
    re.IGNORECASE,
)
_SCALE = re.compile(rf"[ -]?({'|'.join(_SCALES)})\b", re.IGNORECASE)
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
                if _symbol_of(glued) is None:
                    continue  # 3D, 2x: a name
        while scale := _SCALE.match(text, end):
            value = _multiply(value, _SCALES[scale[1].lower()])
            end = scale.end()
        spelled, unit_end = _unit_at(text, end)
        if unit and spelled not in {"", "$", "€", "£"}:
            spelled, unit_end = "", end  # "$40 an hour": the currency is its unit
        done = unit_end
        yield Quantity(match.start(), unit_end, value, unit or spelled)


def _normalize_digits(digits: str, sign: str) -> str:
    whole = digits.replace(" ", "")
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
        name = _symbol_of(match["name"])
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
        if per is None or following is None or following["gap"] or _symbol_of(following["name"]) is None:
            break
        parts.append("/" if per[0].strip() in {"/", "per"} else "·")
        end = per.end()
    return "".join(parts), end


def _symbol_of(name: str) -> str | None:
    """A unit's normal form by its symbol or its word; ``None`` for other words."""
    squeezed = name.replace(" ", "")
    if squeezed in _SYMBOLS:
        return _SYMBOLS[squeezed]
    return _UNIT_WORDS.get(squeezed.lower()) if len(squeezed) > 2 or squeezed in {"hr", "°C", "°F"} else None


def find_units(text: str) -> frozenset[str]:
    """The units anywhere in a text, as in "Force (N)"; for tables, whose header rows have the units."""
    return frozenset(unit for word in re.findall(r"[A-Za-zμΩ°%$€£]+(?:/[a-z]+)?", text) if (unit := _symbol_of(word)))


def matches(quantity: Quantity, source: Quantity, units: frozenset[str]) -> bool:
    """Whether a quantity is the source's. ``units``: the units elsewhere in the source's segment and table header.

    The unit may be left out, but not replaced.
    """
    if quantity.value != source.value:
        return False
    if not quantity.unit or quantity.unit == source.unit:
        return True
    return not source.unit and quantity.unit in units
