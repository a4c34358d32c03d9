"""Finds addresses, markup and quotations in a sentence, and recognizes instructions to a language model."""

from __future__ import annotations

import re

from ..text.instructions import is_addressed

#: May be an address, a file or a path: words joined without a space by dots, slashes, at signs, colons.
_RUN = re.compile(r"[^\s<>\"'`()\[\]{}|*]+")
#: A joining sign between two letters or digits.
_JOINED = re.compile(r"[^\W_][@/\\:.].*?[^\W_]")
_TAG = re.compile(r"<\s*[A-Za-z/!?][^<>]*>?|&(?:[a-z]{2,8}|#\d{1,7}|#x[0-9a-f]{1,6});", re.IGNORECASE)
_MARKDOWN = re.compile(r"!?\[[^\[\]]*\]\s?(?:\([^()]*\)?|\[[^\[\]]*\]|:\s?\S+)")
_QUOTED = re.compile(r"\"([^\"]{2,300})\"|(?<!\w)'([^']{2,300})'(?!\w)")
_POINT = re.compile(r"(?<=\d)[.,:/](?=\d)")
_HARMLESS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]?|[A-Za-z]+/[A-Za-z]+")
_TRIMMED = ".,;:!?…"

#: Exercises, and instructions in their form: they assert nothing.
_EXERCISES = re.compile(
    r"(?:\[[^\[\]]{0,40}\]|<[^<>]{0,80}>|\W)*+(?:\w+:\s*)?(?:please\s+)?"
    r"(?:(?:translate|explain|summari[sz]e|draft|compose|break\s+down|describe)\b"
    r"|(?:write|provide|develop|create|generate|tell|give)\b.{0,40}"
    r"\b(?:story|poem|essay|letter|speech|song|joke|equivalent|introduction|headline|article)\b)",
    re.IGNORECASE | re.DOTALL,
)


def addresses(text: str) -> list[str]:
    """Addresses and paths in lower case, without numbers, abbreviations and "and/or"."""
    found = []
    for run in _RUN.findall(text):
        piece = run.strip(_TRIMMED)
        # Without the points within numbers: numbers are compared as quantities.
        if _JOINED.search(_POINT.sub("", piece)) and not _HARMLESS.fullmatch(piece):
            found.append(piece.casefold())
    return found


def markup(text: str) -> list[str]:
    """HTML tags, entities and Markdown links and images, in lower case."""
    return [match.group().casefold() for pattern in (_TAG, _MARKDOWN) for match in pattern.finditer(text)]


def quotations(text: str) -> list[str]:
    """The texts between quotation marks."""
    return [match[1] or match[2] for match in _QUOTED.finditer(text)]


def is_instruction(sentence: str) -> bool:
    """Whether the sentence is an instruction to the model that answers, or an exercise."""
    return _EXERCISES.match(sentence) is not None or is_addressed(sentence)
