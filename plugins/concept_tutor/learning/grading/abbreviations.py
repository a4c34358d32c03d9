"""Abbreviations that a source introduces itself: "polymerase chain reaction (PCR)"."""

from __future__ import annotations

import re

_SHORT = re.compile(r"\s\(([A-Z][A-Za-z]{1,7})\)")
#: Characters of a long form at most.
_LONGEST = 120


def as_in_key(answer: str, key: str, source: str) -> str:
    """The answer with the form that the key has of each abbreviation of the source, the long or the short one."""
    for found in _SHORT.finditer(source):
        short = found[1]
        initials = r"[\w']*[\s-]+".join(short.removesuffix("s"))
        long_form = re.compile(rf"(?<![\w'-]){initials}[\w']*$", re.IGNORECASE)
        long = long_form.search(source, max(0, found.start() - _LONGEST), found.start())
        if long is None:
            continue
        written, wanted = (re.compile(rf"\b{re.escape(form)}\b", re.IGNORECASE) for form in (short, long[0]))
        if wanted.search(key):
            whole = f"{long[0]} ({short})" if written.search(key) else long[0]
            answer = answer if wanted.search(answer) else written.sub(whole, answer)
        elif written.search(key):
            answer = wanted.sub(short, answer)
    return answer
