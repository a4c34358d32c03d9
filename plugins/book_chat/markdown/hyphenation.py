"""Words that were split at a line's end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_HYPHENATED = re.compile(r"(?<![^\W\d_])([^\W\d_]+(?:-[^\W\d_]+){0,9})[-\xad]\n([^\W\d_]+)")
_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?:-[^\W\d_]++)*(?!-?\n)(?=\W|$)")


def vocabulary(texts: Iterable[str]) -> Counter[str]:
    """How often the texts have each word, without those at a line's end."""
    words: Counter[str] = Counter()
    for text in texts:
        words.update(_WORD.findall(text.casefold()))
    return words


def join_halves(text: str, known: Counter[str]) -> str:
    """The text with the split words joined; a hyphen stays where the book writes the word with one elsewhere.

    ``known``: the book's ``vocabulary``.
    """

    def joined(found: re.Match[str]) -> str:
        before, after = found[1], found[2]
        last = before.rpartition("-")[2]
        if "\xad" in found[0]:
            return before + after
        as_one, hyphenated = known[(last + after).casefold()], known[f"{before}-{after}".casefold()]
        both = len(after) > 3 and known[last.casefold()] and known[after.casefold()]
        if hyphenated > as_one or (
            not as_one and (after[:1].isupper() or last.isupper() or "-" in before or (both and len(last) > 3))
        ):
            return f"{before}-{after}"
        return before + after

    return _HYPHENATED.sub(joined, text)
