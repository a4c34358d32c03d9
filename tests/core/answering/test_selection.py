"""A selection costs the encoder no more than so many windows, whatever it is made of."""

from __future__ import annotations

import numpy as np
import pytest
from llama_index.core.schema import TextNode

from ragstone.core.answering import LONGEST_SELECTION
from ragstone.core.answering.selection import from_selection


class CountingEncoder:
    """An encoder with a window of 254 characters that remembers which texts it has embedded."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def windows(self, headings: str, text: str) -> list[str]:
        return [headings + text[start : start + 254] for start in range(0, len(text), 254)]

    def embed_texts(self, texts: list[str]) -> np.ndarray:
        self.texts = texts
        return np.ones((len(texts), 1), np.float32)

    def embed_query(self, question: str) -> np.ndarray:
        return np.ones(1, np.float32)


@pytest.mark.parametrize(("length", "windows"), [(LONGEST_SELECTION, 24), (2_540, 10), (10, 1)])
def test_a_selection_is_embedded_in_a_bounded_number_of_windows(length: int, windows: int) -> None:
    encoder = CountingEncoder()
    text = "".join(f"({number}" for number in range(length))[:length]
    from_selection(encoder, "What turns?", TextNode(text=text))  # type: ignore[arg-type]
    assert len(encoder.texts) == windows
    places = [text.index(each) for each in encoder.texts]
    assert places == sorted(set(places))
    assert places[0] == 0
    assert places[-1] > 0.9 * length - 254
