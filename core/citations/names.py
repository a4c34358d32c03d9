"""The names of a sentence: what has a capital where no sentence begins, and what mixes letters and digits."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from .words import FILLERS, stem_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .words import Token

_OPENING = re.compile(r"(?:^|[.!?:;\"(\[]\s*|\n\s*)$")
_ALWAYS = frozenset({"i", "i'm", "i've", "i'd", "i'll"})
_QUOTED = re.compile(r"\"([^\"]{2,300})\"|(?<!\w)'([^']{2,300})'(?!\w)")


def names(text: str, tokens: Sequence[Token]) -> list[Token]:
    """The words of a sentence that name something and so must stand in its passage.

    The first word counts as one as well when a name follows it, or when it is of a shape that no common word has.
    """
    found: list[Token] = []
    for index, token in enumerate(tokens):
        if not token.stem or token.stem in FILLERS:
            continue
        if _odd(token.shape) or (
            token.shape[0].isupper() and index and not _OPENING.search(text[max(0, token.start - 3) : token.start])
        ):
            found.append(token)
    return found


def capitalised(text: str, tokens: Sequence[Token]) -> list[Token]:
    """Stop words with a capital in the middle of a sentence: of a title, or somebody's name."""
    return [
        token
        for token in tokens[1:]
        if not token.stem
        and token.shape[0].isupper()
        and token.word not in _ALWAYS
        and not _OPENING.search(text[max(0, token.start - 3) : token.start])
    ]


def opening(tokens: Sequence[Token]) -> Token | None:
    """The sentence's first word where it is no filler: a name or a thing, nobody can tell, so it must stand too."""
    first = tokens[0] if tokens else None
    return first if first is not None and first.stem and stem_of(first.word) not in FILLERS else None


def quoted(text: str) -> list[str]:
    """What stands between quotes."""
    return [match[1] or match[2] for match in _QUOTED.finditer(text)]


@lru_cache(maxsize=4096)
def _odd(shape: str) -> bool:
    """ "ROS2", "iPhone", "NASA": letters with digits, or capitals that open no sentence."""
    has_digit = any(c.isdigit() for c in shape)
    return (has_digit and not shape.isdigit()) or any(c.isupper() for c in shape[1:])
