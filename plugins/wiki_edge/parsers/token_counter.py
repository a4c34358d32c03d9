"""Tokens as the encoder counts them, by its tokenizer alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Characters that are counted at once, and the longest text that is not counted in pieces.
_AT_ONCE = 200_000
#: A token stands for so many characters at most: word pieces take a word of more than a hundred for one.
_CHARACTERS_A_TOKEN = 16


def token_counter(tokenizer_json: str | None) -> Callable[[Sequence[str]], list[int]]:
    """Counts the tokens of texts. Without a tokenizer it guesses from words, as ``Encoder.count_tokens`` does."""
    if tokenizer_json is None:
        return lambda texts: [_bounded(len(text.split()) * 3 // 2, text) for text in texts]
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(tokenizer_json)
    return lambda texts: _counted(tokenizer, texts)


def _counted(tokenizer: Any, texts: Sequence[str]) -> list[int]:
    totals = [0] * len(texts)
    waiting: list[tuple[int, str]] = []
    size = 0
    for number, text in enumerate(texts):
        for start in range(0, max(1, len(text)), _AT_ONCE):
            part = text[start : start + _AT_ONCE]
            if size + len(part) > _AT_ONCE and waiting:
                _add(tokenizer, waiting, totals)
                waiting, size = [], 0
            waiting.append((number, part))
            size += len(part)
    _add(tokenizer, waiting, totals)
    return [_bounded(total, text) for total, text in zip(totals, texts, strict=True)]


def _add(tokenizer: Any, parts: list[tuple[int, str]], totals: list[int]) -> None:
    encodings = tokenizer.encode_batch_fast([text for _, text in parts], add_special_tokens=False)
    for (number, _), encoding in zip(parts, encodings, strict=True):
        totals[number] += len(encoding)


def _bounded(tokens: int, text: str) -> int:
    return max(tokens, -(-len(text) // _CHARACTERS_A_TOKEN))
