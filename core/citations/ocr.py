"""Words of passages that OCR has read: compared without the signs that it mixes up."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+")
#: What looks alike on paper, as one sign; longer ones first.
_ALIKE = (("rn", "m"), ("ii", "u"), ("vv", "w"), ("cl", "d"), ("li", "h"))
_SIGNS = str.maketrans("01l|5386", "oiiissbb")
#: Letters of the words that are compared so: shorter ones would be taken for others.
_SHORTEST = 5


def as_recognised(sentence: str, texts: Iterable[str]) -> str:
    """The sentence with the words of the passages that look like its own on paper, where a passage has not its own.

    A word with a digit in the sentence stays: a number must be that of the passage.
    """
    words: set[str] = {word for text in texts for word in _WORD.findall(text)}
    known = {word.casefold() for word in words}
    alike: dict[str, str] = {folded(word): word for word in sorted(words) if len(word) >= _SHORTEST - 1}

    def recognised(found: re.Match[str]) -> str:
        word: str = found[0]
        if len(word) < _SHORTEST or word.casefold() in known or any(sign.isdigit() for sign in word):
            return word
        return alike.get(folded(word), word)

    return _WORD.sub(recognised, sentence)


def folded(word: str) -> str:
    """The word with one sign for all that look alike: ``modern``, ``modem`` and ``rn0dem`` are the same."""
    word = word.casefold()
    for pair, sign in _ALIKE:
        word = word.replace(pair, sign)
    return word.translate(_SIGNS)
