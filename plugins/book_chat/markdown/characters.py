"""Characters that no reader sees and no clean text holds."""

from __future__ import annotations

import re

# C0 and C1 but for tabs and newlines, DEL, and what turns the direction of text around.
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069]")
_BREAKS = re.compile(r"[\x0b\x0c\x85\u2028\u2029]")


def without_controls(text: str) -> str:
    """``text`` without characters that command a terminal or reorder what is shown.

    Breaks other than newlines, such as form feeds, part words: they become spaces.
    """
    return _BREAKS.sub(" ", _UNSEEN.sub("", text))
