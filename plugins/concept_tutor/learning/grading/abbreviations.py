"""Abbreviations that a source introduces itself: "polymerase chain reaction (PCR)"."""

from __future__ import annotations

import re

#: The words before a short form in parentheses.
_INTRODUCED = re.compile(r"((?:[\w'-]+\s+){1,8})\(([A-Z][A-Za-z]{1,7})\)")
_INITIALS = re.compile(r"\b\w")


def as_in_key(answer: str, key: str, source: str) -> str:
    """The answer with the form that the key has of each abbreviation of the source, the long or the short one."""
    for found in _INTRODUCED.finditer(source):
        short = found[2]
        long = _long_form(found[1], short)
        if not long:
            continue
        written, wanted = (re.compile(rf"\b{re.escape(form)}\b", re.IGNORECASE) for form in (short, long))
        if wanted.search(key):
            whole = f"{long} ({short})" if written.search(key) else long
            answer = answer if wanted.search(answer) else written.sub(whole, answer)
        elif written.search(key):
            answer = wanted.sub(short, answer)
    return answer


def _long_form(before: str, short: str) -> str:
    """The last words whose initials are the short form's letters; "" for none."""
    letters = short.removesuffix("s").casefold()
    starts = [match.start() for match in _INITIALS.finditer(before)]
    return next(
        (
            before[start:].strip()
            for start in reversed(starts)
            if "".join(_INITIALS.findall(before[start:])).casefold() == letters
        ),
        "",
    )
