"""The few templates that stand for words in a sentence. All others are boxes, references or calls, and are dropped."""

from __future__ import annotations

from calendar import month_name
from collections.abc import Callable
from typing import Any

_FIRST_NAMES = """
    nowrap nobr j small smaller larger big resize abbr tooltip hover ill interlanguage_link em strong strongbad var mvar
    math code tt kbd samp mono val flag flagcountry visible_anchor vanchor not_a_typo sic bdi fact_text iw red green
    blue color_box gr angbr angle_bracket langr linktext wikt-lang url us_patent nihongo sup sub noitalic normal пренос
    ce chem2 nq sc smallcaps vr railgauge track_gauge
"""
_QUOTED_NAMES = "quote cquote blockquote quotation bquote quote_box цитат цитата"
_QUOTED = frozenset(_QUOTED_NAMES.split())
_FIRST = frozenset(_FIRST_NAMES.split()) | _QUOTED
#: Positional parameter with the words.
_OTHER = {
    "lang": 2, "color": 2, "font_color": 2, "transl": 2, "transliteration": 2, "script": 2, "rtl-lang": 2,
    "gregorian": 1,
}  # fmt: skip
_LITERAL = {
    "ndash": "–", "endash": "–", "mdash": "—", "emdash": "—", "spaced_ndash": " – ", "snd": " – ", "spnd": " – ",
    "spndash": " – ", "snds": " – ", "spaced_en_dash": " – ", "spaced_mdash": " — ", "'": "'", "'s": "'s", "!": "|",
    "=": "=", "nbsp": " ", "space": " ", "sp": " ", "spaces": " ", "dot": " · ", "·": " · ", "•": " • ", "bull": " • ",
    "minus": "−", "times": "×", "hyphen": "-", "shy": "", "zwj": "", "ellipsis": "…", "pi": "π", "-": "",
    "mdashb": "—", "eqm": "⇌", "'_\"": "' \"", "-\"": "'\"", "carbon": "C", "hydrogen": "H", "oxygen": "O",
    "bc": "BC", "bce": "BCE", "ad": "AD", "ce": "CE",
}  # fmt: skip
_BEFORE = {"circa": "c. ", "c.": "c. ", "ca": "c. ", "ca.": "c. ", "us$": "$", "usd": "$", "us_dollar": "$", "gbp": "£",
           "£": "£", "eur": "€", "euro": "€", "inr": "₹", "uss": "USS ", "hms": "HMS ", "ss": "SS ", "rms": "RMS ",
           "floruit": "fl. ", "fl.": "fl. ", "reign": "r. ", "r.": "r. ", "iss": "ISS "}  # fmt: skip
_CONVERT = frozenset({"convert", "cvt", "conv"})
#: Units that are given with a smaller one: 6 ft 4 in.
_SMALLER = {"ft": "in", "lb": "oz", "st": "lb", "mi": "yd", "yd": "ft", "foot": "in"}
_RANGES = {"to": " to ", "-": "–", "–": "–", "and": " and ", "or": " or ", "by": " by ", "x": " × ", "×": " × ",
           "+/-": " ± ", "±": " ± ", "to(-)": " to "}  # fmt: skip
_DATES = frozenset({"start_date", "end_date", "date", "birth_date", "death_date", "film_date", "birth_date_and_age"})
_SHORT = 24


def words_of(template: Any, shown: Callable[[Any], str]) -> str:
    """The words that the template puts into a sentence, or nothing. ``shown`` gives the text of a parameter."""
    name = "_".join(str(template.name).split()).casefold()
    if name in _LITERAL:
        return _LITERAL[name]
    given = [shown(parameter.value).strip() for parameter in template.params if not parameter.showkey]
    if name in _FIRST or name in _OTHER or name.startswith("lang-"):
        text = _parameter(template, shown, given, _OTHER.get(name, 1))
        return f"\n\n{text}\n\n" if name in _QUOTED else text
    if name in _CONVERT:
        return _measure(given)
    if name == "chem":
        return "".join(given)
    if name.startswith("formatnum:"):
        return name.partition(":")[2].strip("_")
    if name == "oldstyledate":
        return " ".join(given[:2])
    if name in _BEFORE and given:
        return _BEFORE[name] + given[0]
    if name in {"as_of", "asof"}:
        return f"As of {_date(given)}"
    if name in _DATES:
        return _date(given)
    if name in {"frac", "sfrac", "fraction"} and given:
        return {1: f"1/{given[0]}", 2: "/".join(given[:2])}.get(len(given), f"{given[0]} {'/'.join(given[1:3])}")
    if name == "sortname":
        return " ".join(given[:2])
    return ""


def _parameter(template: Any, shown: Callable[[Any], str], given: list[str], number: int) -> str:
    if len(given) >= number:
        return given[-1] if number > 1 and len(given) > number else given[number - 1]
    for named in ("text", "quote", str(number)):
        if template.has(named):
            return shown(template.get(named).value).strip()
    return given[-1] if given and number > 1 else ""


def _measure(given: list[str]) -> str:
    """``{{convert|5|to|10|km|mi}}``: the figures and their unit; what it would convert to is for the template."""
    words = ""
    for at, part in enumerate(given):
        if part in _RANGES:
            words += _RANGES[part]
        elif part[:1].isdigit() or part[:1] in "-−+.":
            words += part
        elif not words or len(part) > _SHORT:
            return words
        elif len(given) > at + 2 and given[at + 2] == _SMALLER.get(part):
            return f"{words} {part} {' '.join(given[at + 1 : at + 3])}"
        else:
            return f"{words} {part}"
    return words


def _date(given: list[str]) -> str:
    year, month, day = (*given, "", "", "")[:3]
    if month.isdecimal() and len(month) <= 2 and 1 <= int(month) <= 12:
        month = month_name[int(month)]
    return " ".join(part for part in (day, month, year) if part and part.casefold() != "df=yes")
