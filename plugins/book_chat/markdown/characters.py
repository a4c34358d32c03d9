"""Characters that normalized text does not have, and those that it escapes."""

from __future__ import annotations

import re

#: Joins the titles of a section's path.
SEPARATOR = " \u203a "

# C0 and C1 but for tabs and newlines, DEL, and what turns the direction of text around.
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069]")
_BLOCK_START = re.compile(r"(#{1,6})(?=\s|$)|(>)|([-+*])(?=\s|$)|(\d{1,9})[.)](?=\s|$)|(`{3})|(~{3})|([|:-][\s|:-]*$)")
_BREAKS = re.compile(r"[\x0b\x0c\x85\u2028\u2029]")


def without_controls(text: str) -> str:
    """``text`` without control characters and without those that change the direction of text.

    Line breaks other than newlines, such as form feeds, become spaces.
    """
    return _BREAKS.sub(" ", _UNSEEN.sub("", text))


def escape_block(line: str) -> str:
    """``line`` with a backslash where it would begin a block of Markdown."""
    found = _BLOCK_START.match(line)
    if found is None:
        return line
    at = found.end(4) if found[4] else 0
    return f"{line[:at]}\\{line[at:]}"
