"""Lists in plain text: lines that begin with a dash or star, or with numbers or letters one after the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .characters import escape_block

_ITEM = re.compile(r"( *)(?:([-*+•])|(\d{1,3})[.)]|\(?([a-z])\)) +(?=\S)")
_LEAST_ITEMS = 2
_SENTENCES = re.compile(r"[.!?][)\"”]? [A-Z]")
#: Spaces before an item for each level above it.
_INDENT = 4


def list_in(lines: Sequence[str], joined: Callable[[Sequence[str]], str]) -> str:
    """The lines of a block as a paragraph and the list behind it, in Markdown, or a paragraph for each item where one
    has several sentences; empty where they hold no list, or lines that are neither of an item, further in, nor before
    the first one, such as those of a table.

    ``joined``: a paragraph's or an item's lines as one.
    """
    margins: list[int] = []  # of the open items, the outer ones first
    last: dict[int, str] = {}  # the sign of the last item with each margin
    items: list[tuple[int, str, list[str]]] = []  # level, number or bullet, lines
    lead: list[str] = []
    for line in lines:
        found = _ITEM.match(line)
        sign = next(filter(None, found.groups()[1:])) if found else ""
        margin = len(found[1]) if found else 0
        inner = [each for each in margins if each > margin]
        if found is None or not _goes_on(sign, "" if margin not in margins else last[margin]):
            if margins and len(line) - len(line.lstrip()) <= margins[-1]:
                return ""
            (items[-1][2] if items else lead).append(line.strip())
            continue
        margins = [each for each in margins if each not in inner and each != margin] + [margin]
        last[margin] = sign
        items.append((len(margins) - 1, found[0].strip(), [line[found.end() :].strip()]))
    if sum(level == 0 for level, *_ in items) < _LEAST_ITEMS:
        return ""
    above = [escape_block(joined(lead))] if lead else []
    whole = [(level, number, joined(own)) for level, number, own in items]
    if any(_SENTENCES.search(text) for *_, text in whole):  # they are quoted one by one, where items are whole
        numbered = (f"{number} {text}" if number[-1] in ".)" else text for _, number, text in whole)
        return "\n\n".join([*above, *map(escape_block, numbered)])
    listed = (f"{' ' * _INDENT * level}{_marker(number)}{escape_block(text)}" for level, number, text in whole)
    return "\n\n".join([*above, "\n".join(listed)])


def _goes_on(sign: str, before: str) -> bool:
    """Whether an item with the sign can be the first one, or the next one behind that ``before``."""
    if not before:
        return sign in ("1", "a") or not sign.isalnum()
    if sign.isdigit() and before.isdigit():
        return int(sign) == int(before) + 1
    return sign == before if not sign.isalnum() else before.isalpha() and ord(sign) == ord(before) + 1


def _marker(number: str) -> str:
    """How Markdown marks the item: it has no letters for numbers."""
    bare = number.strip("(.)")
    return f"{bare}. " if bare.isdigit() else f"- {number} " if bare.isalpha() else "- "
