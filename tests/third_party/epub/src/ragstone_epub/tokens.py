"""A page's tags and texts in order, in time linear in the page whatever stands in it.

In Python 3.11.7 ``html.parser`` takes time quadratic in pages of one thing over and over, and strict XML refuses too
many real books. Attributes are passed over: nothing here needs them.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

# No value of an attribute may hold "<": a try that fails ends at the next one, and nothing is tried twice.
_TAG = re.compile(r"""<(/?)([A-Za-z][\w:.-]*+)((?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+)>""")
_SUBSET = re.compile(r"\]\s*>")
#: What begins with these ends with those; what does not end goes on to the end of the page.
_ASIDE = (("<!--", "-->"), ("<?", "?>"), ("<!", ">"))
_CDATA = "<![CDATA["


@dataclass(frozen=True)
class Token:
    """The beginning or the end of an element (its name in ``value``), or text."""

    kind: Literal["start", "end", "text"]
    value: str


def tokens(page: str) -> Iterator[Token]:
    """What the page consists of; never raises."""
    at = 0
    while at < len(page):
        opening = page.find("<", at)
        if opening < 0:
            opening = len(page)
        if opening > at:
            yield Token("text", _unescaped(page[at:opening]))
        if page.startswith(_CDATA, opening):
            end = _end_of(page, opening, "]]>")
            yield Token("text", page[opening + len(_CDATA) : end].removesuffix("]]>"))
            at = end
        elif (aside := next((end for begin, end in _ASIDE if page.startswith(begin, opening)), None)) is not None:
            at = _end_of_declaration(page, opening) if aside == ">" else _end_of(page, opening, aside)
        elif found := _TAG.match(page, opening):
            name = found[2].lower().rpartition(":")[2]
            if not found[1]:
                yield Token("start", name)
            if found[1] or found[3].endswith("/"):
                yield Token("end", name)
            at = found.end()
        else:  # less than something
            if opening < len(page):
                yield Token("text", "<")
            at = opening + 1


def _end_of(page: str, at: int, mark: str) -> int:
    end = page.find(mark, at)
    return len(page) if end < 0 else end + len(mark)


def _end_of_declaration(page: str, at: int) -> int:
    """Of a document type with declarations of its own, the end of all of them."""
    end = _end_of(page, at, ">")
    if page.find("[", at, end) < 0:
        return end
    found = _SUBSET.search(page, at)
    return found.end() if found else len(page)


def _unescaped(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:  # a number of more digits than Python reads
        return text
