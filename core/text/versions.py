"""Versions in questions and texts: numbers with a point, and names with a number."""

from __future__ import annotations

import re
from collections.abc import Callable

from .times import MONTHS

#: A number with a point, such as that of a version.
VERSION = re.compile(r"(?<![\w.])\d+(?:\.\d+)+(?!\w)")
#: "Debian 12", not "In 12", "March 12" or "Chapter 12".
_NAMED = re.compile(
    rf"(?<=\s)(?!(?:In|On|At|By|Since|Until|Chapter|Section|Part|Figure|Table|Exercise|Page|Appendix|{MONTHS})\b)"
    r"([A-Z][a-z]{2,}) (\d{1,3})(?![\d.%])\b"
)


def version_finder(question: str) -> Callable[[str], bool] | None:
    """A function that tells whether a text has one of the numbers with a point, such as those of versions, or of the
    names with a number ("Debian 12") that the question has; ``None`` where it has none."""
    named = (f"{name} {number}" for name, number in _NAMED.findall(question))
    asked = [re.compile(rf"(?<![\w.]){re.escape(each)}(?!\.?\d)") for each in (*VERSION.findall(question), *named)]
    return (lambda text: any(each.search(text) for each in asked)) if asked else None
