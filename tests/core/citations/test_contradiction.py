"""What one text says against another."""

from __future__ import annotations

import pytest

from ragstone.core.citations import contradictions

SOURCE = "Water boils at 100 °C at sea level and expands when it freezes; it does not conduct electricity when pure."


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Water boils at 100 °C.", []),
        ("Water boils at 90 °C.", ["number"]),
        ("It boils at 100 °C after 5 minutes.", []),  # the source has no minutes
        ("Water contracts when it freezes.", ["opposite"]),
        ("Water does not boil at sea level.", ["negation"]),
        ("Pure water conducts electricity.", ["negation"]),
        ("Pure water does not conduct electricity.", []),
        ("No fish live in it.", []),
        ("One of the things that it does: it boils.", []),
        ("It turns to ice.", []),
        ("", []),
    ],
)
def test_only_what_is_against_the_other_text_is_found(text: str, kinds: list[str]) -> None:
    assert [found.kind for found in contradictions(text, SOURCE)] == kinds


def test_both_sides_are_named() -> None:
    (number,) = contradictions("Water boils at 90 °C.", SOURCE)
    assert (number.stated, number.source) == ("90 °C", "100 °C")


def test_a_word_of_two_letters_is_no_opposite_of_a_longer_one() -> None:
    assert contradictions("Current is measured in it.", "The ampere is the unit of current.") == []
