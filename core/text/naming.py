"""Questions for a term ("What is the stalk of a leaf called?"), and sentences that name one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .stemming import stems

if TYPE_CHECKING:
    from collections.abc import Collection

_CALLED = r"(?:called|named|known as|termed|referred to as)"
_ASKS_FOR_TERM = re.compile(
    # "What do you call …?", "What is … called?", "… is known as what?", "The … is called:"
    rf"^\W*what (?:do|does|would|can|is|are|was|were)\b.{{0,300}}\b(?:call|{_CALLED})\b"
    rf"|\b{_CALLED}(?: (?:an?|the))?(?: what)?\W*$"
    r"|\bwhat(?:['’]s| is| are| was) the (?:\w+ )?(?:(?:term|word)s?\b|names? (?:for|given to)\b)"
    r"|^\W*(?:what|which) (?:term|word|name) (?:is|do|does|describes?|refers?|means?|denotes?|applies|stands)\b",
    re.IGNORECASE,
)
_WORDS = r"[\w'’-]+(?: [\w'’-]+){0,2}"
_NAMES = re.compile(
    rf"\b(?:{_CALLED}|terms?)\s(?:(?:an?|the)\s)?[\"“'‘*_]{{0,3}}({_WORDS})"
    rf"|^\W{{0,4}}(?:(?:an?|the)\s)?({_WORDS}|[^:.\n]{{2,60}}(?=:\s))[\"”'’*_]{{0,3}}(?: \([^()]{{1,60}}\))?"
    r"(?::\s|\s(?:(?:is|are)\s(?:an?|any)|refers? to|means?)\s)",
    re.IGNORECASE,
)


def asks_for_term(question: str) -> bool:
    """Whether the question describes something and asks what it is called."""
    return bool(_ASKS_FOR_TERM.search(question))


def names_term(sentence: str, known: Collection[str]) -> bool:
    """Whether the sentence calls something by a name with a stem that is none of the ``known``."""
    found = (set(stems(match[1] or match[2])) for match in _NAMES.finditer(sentence))
    return any(each and not each.issubset(known) for each in found)
