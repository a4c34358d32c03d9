"""The levels of headings by a table of contents."""

from __future__ import annotations

import pytest

from ragstone.plugins.book_chat.markdown.sections import outline_levels


@pytest.mark.parametrize(
    ("entries", "levels"),
    [
        ([(1, "Preface"), (1, "Legs"), (2, "Feet"), (1, "Arms")], [1, 1, 2, 1]),
        ([(1, "Preface"), (1, "Part I. Limbs"), (2, "Legs"), (3, "Feet"), (2, "Arms")], [1, 1, 1, 2, 1]),
        ([(1, "A Book of Limbs"), (2, "Legs"), (3, "Feet"), (2, "Arms")], [1, 1, 2, 1]),
        ([(1, "A Book of Limbs"), (2, "Part I"), (3, "Legs"), (4, "Feet"), (2, "Index")], [1, 1, 1, 2, 1]),
        ([(1, "Part of the body")], [1]),
        ([(1, "Legs")], [1]),
        ([], []),
    ],
)
def test_chapters_are_on_the_level_of_their_part_and_of_the_lone_title(
    entries: list[tuple[int, str]], levels: list[int]
) -> None:
    assert outline_levels(entries) == levels
