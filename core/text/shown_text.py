"""How a quote is shown: in lines as long as the reader's, without the addresses of links."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .segmentation import Unit

#: Characters of the longest line of a paragraph that is broken into full lines.
_NARROWEST = 40
_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\[\]]*\]\([^()\s]*\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]+(?:\([^()\s]*\)[^()\s]*)?(?:\s\"[^\"\n]*\")?\)")


def join_lines(text: str, start: int, end: int, units: Sequence[Unit]) -> str:
    """``text[start:end]`` with a space for each line break within a sentence or an item that stands where the next word
    would not have fitted into the line. ``units``: of the text."""
    if text.find("\n", start, end) < 0:
        return text[start:end]
    joined, at = [], start
    for unit in units:
        if unit.kind not in {"sentence", "item"} or unit.end <= start or unit.start >= end:
            continue
        first = text.rfind("\n", 0, unit.start) + 1
        last = text.find("\n", unit.end)
        lines = text[first : len(text) if last < 0 else last].split("\n")
        widest, here = max(map(len, lines)), first
        for line, following in pairwise(lines):
            here += len(line)
            more = following.lstrip("> \t")
            words = more.split(None, 1)
            is_full = widest >= _NARROWEST and bool(words) and len(line) + 1 + len(words[0]) > widest
            if is_full and max(at, unit.start) <= here < min(end, unit.end):
                joined.append(text[at:here].rstrip())
                at = here + 1 + len(following) - len(more)
            here += 1
    return " ".join([*joined, text[at:end]])


def without_addresses(quote: str) -> str:
    """The quote's links by their words alone, and without images, as Markdown writes both; code as it is. The quote
    itself, where nothing else is in it."""
    if "](" not in quote:
        return quote
    parts = _CODE.split(quote)
    parts[::2] = [_LINK.sub(r"\1", _IMAGE.sub("", part)) for part in parts[::2]]
    found = "".join(parts)
    return found.strip() or quote
