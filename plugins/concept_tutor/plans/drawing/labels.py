"""Names as lines that fit into a box."""

from __future__ import annotations

import unicodedata

#: Shares of an em, of a usual sans-serif; a little too wide is better than words over the box's edge.
_NARROW = frozenset("iljtfrI.,:;'’|!()[] -/")
_BROAD = frozenset("mwMWQO@%—…")
_ELLIPSIS = "…"


def width_of(text: str) -> float:
    """About how wide the text is, in em."""
    return sum(map(_width, text))


def _width(sign: str) -> float:
    if sign in _NARROW:
        return 0.36
    if sign in _BROAD:
        return 0.92
    if unicodedata.combining(sign):
        return 0.0
    if unicodedata.east_asian_width(sign) in "WF":
        return 1.02
    return 0.69 if sign.isupper() else 0.57


def wrapped(name: str, widest: float, most: int) -> tuple[str, ...]:
    """The name in at most ``most`` lines of ``widest`` em; what does not fit ends in an ellipsis."""
    lines: list[str] = []
    for word in name.split():
        for part in _parts(word, widest):
            if lines and width_of(f"{lines[-1]} {part}") <= widest:
                lines[-1] = f"{lines[-1]} {part}"
            else:
                lines.append(part)
    if len(lines) > most:
        last = lines[most - 1]
        while last and width_of(last + _ELLIPSIS) > widest:
            last = last[:-1]
        lines = [*lines[: most - 1], last.rstrip() + _ELLIPSIS]
    return tuple(lines)


def _parts(word: str, widest: float) -> list[str]:
    """A word that is wider than a line, in pieces that are not."""
    parts, now, used = [], "", 0.0
    for sign in word:
        wide = _width(sign)
        if now and used + wide > widest:
            parts.append(now)
            now, used = "", 0.0
        now += sign
        used += wide
    return [*parts, now]
