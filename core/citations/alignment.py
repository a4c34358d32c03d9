"""A sentence laid beside the one that bears it, word by word: what stands in the place of what."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .sources import Told

#: Words that one name or number may have; a longer piece was written anew.
_LONGEST = 5


def exchanged(claim: Told, held: Told) -> tuple[str, str] | None:
    """A name or number of the sentence, and the other one in whose place it stands, between the same words.

    "Howe defeated Washington" has all the words of "Washington defeated Howe": only their places tell.
    """
    mine, my_marked = _laid_out(claim)
    theirs, their_marked = _laid_out(held)
    steps = SequenceMatcher(None, theirs, mine, autojunk=False).get_opcodes()
    for index, (step, a, b, c, d) in enumerate(steps):
        if step != "replace" or b - a > _LONGEST or d - c > _LONGEST:
            continue
        before = index > 0 and steps[index - 1][0] == "equal"
        after = index + 1 < len(steps) and steps[index + 1][0] == "equal"
        if not ((before and after) or (before and d == len(mine)) or (after and c == 0)):
            continue
        told = {mine[at] for at in range(c, d) if my_marked[at]} - set(theirs[a:b])
        instead = {theirs[at] for at in range(a, b) if their_marked[at]} - set(mine[c:d])
        if told and instead:
            return min(told), min(instead)
    return None


def _laid_out(told: Told) -> tuple[list[str], Sequence[bool]]:
    """Words, numbers in one form among them, and which of them are names or numbers."""
    marked = {token.start for token in told.names}
    starts = {quantity.start: quantity for quantity in told.quantities}
    laid: list[str] = []
    flags: list[bool] = []
    end = 0
    numbers = sorted(starts)
    for token in told.tokens:
        while numbers and numbers[0] < token.end:
            quantity = starts[numbers.pop(0)]
            laid.append(quantity.value)
            flags.append(True)
            end = quantity.end
        if token.start >= end:
            laid.append(token.stem or token.word)
            flags.append(token.start in marked)
    return laid, flags
