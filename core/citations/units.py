"""Units of quantities and their normal forms: "kilonewtons" is "kN"."""

from __future__ import annotations

import re

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
    found |= {"Nm": "N·m", "kNm": "kN·m", "mNm": "mN·m", "kph": "km/h", "kmh": "km/h"}
    found |= {f"{prefix}l": f"{prefix}L" for prefix in ("", "m", "d", "c", "h")}
    found |= {"At": "At"}  # mostly the English word behind a number
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


def symbol_of(name: str) -> str | None:
    """A unit's normal form by its symbol or its word; ``None`` for other words."""
    squeezed = name.replace(" ", "")
    if squeezed in _SYMBOLS:
        return _SYMBOLS[squeezed]
    return _UNIT_WORDS.get(squeezed.lower()) if len(squeezed) > 2 or squeezed in {"hr", "°C", "°F"} else None


def find_units(text: str) -> frozenset[str]:
    """The units anywhere in a text, as in "Force (N)"; for tables, whose header rows have the units."""
    return frozenset(unit for word in re.findall(r"[A-Za-zμΩ°%$€£]+(?:/[a-z]+)?", text) if (unit := symbol_of(word)))
