"""Splits chunks into windows, the parts of equal length that fit an embedding model, and holds their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from llama_index.core.base.embeddings.base import BaseEmbedding

#: Maximum share of a window for the headings.
_HEADING_SHARE = 0.25


@dataclass(frozen=True)
class ChunkVectors:
    """The vectors of one chunk."""

    #: float32 [windows, dimension], unit rows.
    windows: npt.NDArray[np.float32]
    #: Of its units by ``analyze_chunk``, in order: float32 [units, dimension], unit rows; zero for one without a token.
    sentences: npt.NDArray[np.float32]


class Window(NamedTuple):
    """A part of a chunk's text that fits the model's window, behind the chunk's headings."""

    head: str
    chunk: str
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.head + self.chunk[self.start : self.end]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A span of the chunk's text, as far as it is in the window, as a span of the window's."""
        shift = len(self.head) - self.start
        return min(max(start, self.start), self.end) + shift, min(max(end, self.start), self.end) + shift


class WindowSplitter:
    """Splits chunks by the tokens of a model."""

    def __init__(self, tokenizer: Any | None, window: int | None) -> None:
        """``window``: tokens that the model reads; without it, or a tokenizer, nothing is split."""
        self.tokenizer = tokenizer
        self._window = window

    def count_tokens(self, text: str) -> int:
        """The text's tokens by the tokenizer; without one, an estimate from its words."""
        if self.tokenizer is None:
            return len(text.split()) * 3 // 2
        return len(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def split(self, chunks: Sequence[tuple[str, str]]) -> list[list[Window]]:
        """The windows of each ``(headings, text)``."""
        if self.tokenizer is None or self._window is None:
            return [[Window(f"{headings}\n" if headings else "", text, 0, len(text))] for headings, text in chunks]
        limit = self._window - 2
        encodings = self.tokenizer.encode_batch([text for _, text in chunks], add_special_tokens=False)
        heads = {headings: self._head(headings, int(limit * _HEADING_SHARE)) for headings, _ in chunks}
        taken = {headings: self.count_tokens(head) if head else 0 for headings, head in heads.items()}
        return [
            _split(heads[headings], text, encoding.offsets, limit - taken[headings])
            for (headings, text), encoding in zip(chunks, encodings, strict=True)
        ]

    def _head(self, headings: str, limit: int) -> str:
        """The headings and a line break; headings of more than ``limit`` tokens lose their beginning."""
        if not headings or self.tokenizer is None:
            return ""
        offsets = self.tokenizer.encode(headings, add_special_tokens=False).offsets
        start = offsets[-limit][0] if len(offsets) > limit else 0
        return f"{headings[start:]}\n"


def _split(head: str, text: str, offsets: Sequence[tuple[int, int]], limit: int) -> list[Window]:
    """The text in as few parts of equal length as possible, of at most ``limit`` tokens, each after the head."""
    count = max(1, -(-len(offsets) // limit))
    if count == 1:
        return [Window(head, text, 0, len(text))]
    size = -(-len(offsets) // count)
    starts = [offsets[first][0] for first in range(0, len(offsets), size)]
    starts[0] = 0
    return [Window(head, text, start, end) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def tokenizer_of(model: BaseEmbedding) -> Any | None:
    """The model's fast tokenizer, if it has one: ``tokenizer``, or that of an inner sentence-transformers model."""
    own = getattr(model, "tokenizer", None)
    if own is None:
        inner = getattr(getattr(model, "_model", None), "tokenizer", None)
        own = getattr(inner, "backend_tokenizer", None)
        if own is not None:
            own = type(own).from_str(own.to_str())  # a copy: the model's own must truncate and pad
            own.no_truncation()
            own.no_padding()
    return own
