"""Items that an answer lists, of which a question names one by its place: "And the second one?"."""

from __future__ import annotations

import re

#: A question that things of a kind may answer.
_ASKS_WHAT = re.compile(
    r"(?:and |but |so )?(?:(?:in |into |by |from |of )?(?:what|which)|how|name|list|give)\b", re.IGNORECASE
)
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
_THINGS = r"(?:ones?|item|type|kind|part|step|stage|phase|point|form|method|option|way|reason)"
_ORDINAL = re.compile(
    rf"\b(?:the|number) ((?a:{'|'.join(_PLACES)}))(?: {_THINGS})?(?=\W*$|\s+(?:mean|work|do)\b)", re.I
)
#: A line of a list, and its term: "- Assets: what you own".
_LINE = re.compile(r"^[ \t]{0,8}(?:[-*+•]|\d{1,2}[.)])[ \t]{1,4}([^\n:.–—]{2,60})", re.MULTILINE)
#: Of "three types: hinges, sliders and screws" or "are hinges, sliders and screws" the enumeration.
_ENUMERATION = re.compile(
    r"(?:[:(]|\b(?:are|is|into|including|includes|as))\s([^,.;:()\n]{2,50}(?:,\s[^,.;:()\n]{2,50}){1,8},?\s(?:and|or)"
    r"\s[^,.;:()\n]{2,50})"
)
_BETWEEN = re.compile(r",\s(?:and|or)\s|,\s|\s(?:and|or)\s")


def resolve_ordinal(question: str, earlier: str, answer: str) -> str | None:
    """The question with the item of the earlier answer that it names by its place, "And hinges?" for "And the first
    one?"; ``None`` where it names none, or the answer's first quote has no list."""
    asked = _ORDINAL.search(question)
    items = _items_of(answer.partition(" [")[0]) if asked and _ASKS_WHAT.match(earlier) else []
    place = _PLACES[asked[1].casefold()] if asked else 0
    if asked is None or not -len(items) <= place < len(items):
        return None
    return question[: asked.start()] + items[place] + question[asked.end() :]


def _items_of(answer: str) -> list[str]:
    """The items of the first list of the answer, or of its first enumeration."""
    if len(lines := _LINE.findall(answer)) > 1:
        return [line.strip() for line in lines]
    found = _ENUMERATION.search(answer)
    return [item.strip() for item in _BETWEEN.split(found[1])] if found else []
