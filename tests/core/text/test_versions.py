"""Numbers of rulers and of world wars, written in two ways."""

from __future__ import annotations

import pytest

from ragstone.core.text.versions import with_other_numerals


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("Who was Magnus the Ninth?", "Who was Magnus IX?"),
        ("What did Magnus the Ninth want?", "What did Magnus IX want?"),
        ("Who was Magnus the 9th?", "Who was Magnus IX?"),
        ("Who was Magnus IX?", "Who was Magnus the Ninth?"),
        ("What happened in the Second World War?", "What happened in World War II?"),
        ("lund in world war two", "lund in World War II"),
        ("Lund in WW2", "Lund in World War II"),
        ("Lund in wwi", "Lund in World War I"),
        ("Was it in World War I?", "Was it in First World War?"),
        ("Is Ada the third queen?", "Is Ada the third queen?"),
        ("Who was the second king?", "Who was the second king?"),
        ("Who was Magnus the 99th?", "Who was Magnus XVIII?"),
    ],
)
def test_the_number_is_written_the_other_way(question: str, other: str) -> None:
    assert with_other_numerals(question) == other
