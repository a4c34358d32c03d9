"""True and false sentences about chunks, made by rules from the chunks' own sentences. Deterministic by a seed.

None of these rules uses the product's own lists: what is swapped, denied or reordered is found here by other means.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence

from .alterations import alterations
from .chunks import SHORTEST, Chunk, sentences

_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w%]|[.,]\d)")
_UNITS = (
    ("metres", "kilometres", "centimetres", "feet", "miles"),
    ("meters", "kilometers", "millimeters", "inches", "miles"),
    ("km", "m", "mi", "ft", "cm"),
    ("kilometers", "meters", "miles"),
    ("miles", "kilometers", "feet"),
    ("feet", "inches", "meters", "yards"),
    ("kg", "g", "mg", "tons"),
    ("seconds", "minutes", "milliseconds", "hours"),
    ("hours", "minutes", "days"),
    ("days", "weeks", "months", "years"),
    ("years", "months", "days", "centuries"),
    ("percent", "years", "million"),
    ("%", " km", " kg"),
    ("million", "billion", "thousand"),
    ("billion", "million", "trillion"),
    ("Hz", "kHz", "MHz", "GHz"),
    ("°C", "°F", "K"),
    ("degrees", "percent", "metres"),
    ("V", "mV", "kV"),
    ("W", "kW", "MW"),
    ("N", "kN", "mN"),
)
_UNIT = re.compile(
    r"(?<=\d)(?P<gap>[\s-]?)(?P<unit>"
    + "|".join(sorted({re.escape(unit) for family in _UNITS for unit in family if unit.strip() == unit}, key=len)[::-1])
    + r")(?![\w])"
)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*")
_VERB = re.compile(r"\b(is|are|was|were|has|have|had|can|could|will|would|should|must|may|does|did)\b(?! not\b|n't)")
_DENIED = re.compile(r"\b(?:is|are|was|were|has|have|had|can|could|will|would|should|must|may|does|did|do)( not)\b")
_DENIALS = (
    (re.compile(r" (?:not|never)\b"), ""),
    (re.compile(r"\bcannot\b"), "can"),
    (re.compile(r"\bwithout\b"), "with"),
    (re.compile(r"\bno (?=[a-z])"), ""),
)


# True ones


def trimmed(sentence: str, rng: random.Random) -> str | None:
    """Without a parenthesis or the clause behind its last comma."""
    if "(" in sentence:
        short = re.sub(r"\s*\([^()]*\)", "", sentence)
    else:
        head, comma, tail = sentence.rpartition(", ")
        if not comma or len(head) < 60 or not re.match(r"(?:which|who|where|whose|including|such as|with)\b", tail):
            return None
        short = f"{head}."
    return short if short != sentence and len(short) > SHORTEST else None


def reordered(sentence: str, rng: random.Random) -> str | None:
    """ "In 1990, it opened." as "It opened in 1990." """
    match = re.fullmatch(
        r"((?:In|On|At|After|When|If|Because|Since|During|By|For|While|Although|With)\b[^,]{3,60}), ([^:;]*)\.",
        sentence,
    )
    if match is None:
        return None
    first, rest = match.group(1), match.group(2)
    return f"{rest[0].upper()}{rest[1:]} {first[0].lower()}{first[1:]}."


def joined(sentence: str, other: str, rng: random.Random) -> str | None:
    """Two sentences in one."""
    if not re.match(
        r"(?:The|A|An|It|In|This|These|They|He|She|There|Its|Their|When|If|At|On|After|Most|Many)\b", other
    ):
        return None  # a name or not: nobody can tell by its capital
    return f"{sentence[:-1]}, and {other[0].lower()}{other[1:]}"


def respelled(sentence: str, rng: random.Random) -> str | None:
    """The same numbers, units and contractions in another spelling."""
    result = sentence
    words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    result = re.sub(
        r"(?<=[a-z] )(two|three|four|five|six|seven|eight|nine|ten)(?= [a-z])", lambda m: str(words.index(m[1])), result
    )
    result = re.sub(r"(?<![\d,.])(\d{1,3}),(\d{3})(?![\d,])", r"\1\2", result)
    result = re.sub(r"(?<=\d)%", " percent", result) if "%" in result else re.sub(r"(?<=\d) percent\b", "%", result)
    result = re.sub(r"\b(is|are|was|were|does|did|do|could|would|should) not\b", r"\1n't", result)
    for word, symbol in (("kilometers", "km"), ("kilometres", "km"), ("meters", "m"), ("metres", "m"), ("feet", "ft")):
        result = re.sub(rf"(?<=\d )({word})\b", symbol, result)
    return result if result != sentence else None


# False ones


def other_number(sentence: str, rng: random.Random) -> str | None:
    """One number is another one, of about as many digits."""
    found = list(_NUMBER.finditer(sentence))
    if not found:
        return None
    match = rng.choice(found)
    digits = match.group()
    while (result := re.sub(r"\d", lambda _: str(rng.randint(1, 9)), digits)) == digits:
        pass
    return sentence[: match.start()] + result + sentence[match.end() :]


def number_of_neighbour(sentence: str, chunk: Chunk, rng: random.Random) -> str | None:
    """One number is another one of the same chunk: harder."""
    found = list(_NUMBER.finditer(sentence))
    others: list[str] = sorted(set(_NUMBER.findall(chunk.text)) - set(_NUMBER.findall(sentence)))
    if not found or not others:
        return None
    match = rng.choice(found)
    return sentence[: match.start()] + rng.choice(others) + sentence[match.end() :]


def other_unit(sentence: str, rng: random.Random) -> str | None:
    """A number has another unit."""
    found = list(_UNIT.finditer(sentence))
    if not found:
        return None
    match = rng.choice(found)
    families = [family for family in _UNITS if family[0] == match["unit"]] or [f for f in _UNITS if match["unit"] in f]
    unit = rng.choice([unit for unit in families[0] if unit != match["unit"]])
    return sentence[: match.start()] + match["gap"] + unit + sentence[match.end() :]


def other_name(sentence: str, names: Sequence[str], rng: random.Random) -> str | None:
    """A name in the sentence is one of ``names``."""
    found = list(_NAME.finditer(sentence))
    others = [name for name in names if name not in sentence]
    if not found or not others:
        return None
    match = rng.choice(found)
    if (name := rng.choice(others)) == match.group() or set(name.split()) & set(match.group().split()):
        return None
    return sentence[: match.start()] + name + sentence[match.end() :]


def denied(sentence: str, rng: random.Random) -> str | None:
    """The sentence negated."""
    found = list(_VERB.finditer(sentence))
    if not found:
        return None
    match = found[0]
    return f"{sentence[: match.end()]} {rng.choice(('not', 'never'))}{sentence[match.end() :]}"


def undenied(sentence: str, rng: random.Random) -> str | None:
    """It no longer denies what it denied."""
    for pattern, instead in _DENIALS:
        result, count = pattern.subn(instead, sentence, count=1)
        if count and len(pattern.findall(sentence)) == 1:
            return result
    return None


def names_of(chunks: Sequence[Chunk]) -> list[str]:
    """The names in the chunks."""
    return sorted({match.group() for chunk in chunks for match in _NAME.finditer(chunk.text)})


def claims(chunks: Sequence[Chunk], rng: random.Random) -> Iterator[tuple[str, str, Chunk]]:
    """``(kind, sentence, chunk)``; the kinds that begin with "true" are supported, the others are not."""
    everywhere = names_of(chunks)
    simple: dict[str, Callable[[str, random.Random], str | None]] = {
        "true: trimmed": trimmed,
        "true: reordered": reordered,
        "true: respelled": respelled,
        "false: number": other_number,
        "false: unit": other_unit,
        "false: denied": denied,
        "false: not denied": undenied,
    }
    for index, chunk in enumerate(chunks):
        own = sentences(chunk)
        here = names_of([chunk])
        for number, sentence in enumerate(own):
            yield "true: word for word", sentence, chunk
            for kind, change in simple.items():
                if (result := change(sentence, rng)) is not None:
                    yield kind, result, chunk
            for kind, altered in alterations(sentence, own, rng):
                yield kind, altered, chunk
            following = own[number + 1] if number + 1 < len(own) else ""
            if f"{sentence} {following}" not in " ".join(chunk.text.split()):
                following = ""  # another one stands between them, and "it" would mean something else
            for kind, made in (
                ("true: joined", joined(sentence, following, rng)),
                ("false: name", other_name(sentence, [name for name in everywhere if name not in here], rng)),
                ("false: name of the same passage", other_name(sentence, here, rng)),
                ("false: number of the same passage", number_of_neighbour(sentence, chunk, rng)),
            ):
                if made is not None:
                    yield kind, made, chunk
        near = [other for other in chunks[max(0, index - 3) : index + 4] if other is not chunk]
        for kind, others in (("false: of a neighbouring passage", near), ("false: of another passage", chunks)):
            other = rng.choice(others)
            if other is not chunk and (theirs := sentences(other)):
                result = rng.choice(theirs)
                if result not in chunk.text:
                    yield kind, result, chunk
