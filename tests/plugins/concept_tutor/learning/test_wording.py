"""Words beside words: forms of one, opposites, verbs of two words, and those that tell little."""

from __future__ import annotations

import pytest

from ragstone.plugins.concept_tutor.learning.grading.word_forms import is_form
from ragstone.plugins.concept_tutor.learning.grading.wording import are_opposite, is_light, same, words_of

#: Of the verb or noun, and of what comes of it in Latin.
DERIVED = """absorb absorption; apply application; consume consumption; describe description; destroy destruction;
    emit emission; erode erosion; expand expansion; explain explanation; extend extension; hydrolyze hydrolysis;
    maintain maintenance; produce production; publish publication; receive reception; reduce reduction; repel repulsion;
    retain retention; stable stability; molecule molecular; virus viral; press pressure; frequent frequency"""


@pytest.mark.parametrize("pair", [tuple(pair.split()) for pair in DERIVED.split(";")])
def test_a_verb_and_its_noun_are_forms_of_one_word(pair: tuple[str, str]) -> None:
    one, other = pair
    assert is_form(one, other)


@pytest.mark.parametrize(("one", "other"), [("emission", "permission"), ("production", "reduction")])
def test_other_words_of_one_ending_are_none(one: str, other: str) -> None:
    assert not is_form(one, other)


def test_a_form_of_both_of_two_opposites_is_none_of_either() -> None:
    assert are_opposite("employer", "employee")
    assert not are_opposite("employment", "working")
    assert not are_opposite("divide", "several")  # "multiple", which is nearly "multiply"


@pytest.mark.parametrize(
    ("phrase", "verb"),
    [
        ("gets rid of", "remove"),
        ("took them away", "remove"),
        ("broken down", "decompose"),
        ("giving off", "emit"),
        ("carries out", "perform"),
    ],
)
def test_a_verb_of_two_words_is_the_one_that_says_the_same(phrase: str, verb: str) -> None:
    assert words_of(f"The pond {phrase} mud")[2].low == verb
    assert [word.low for word in words_of(f"The pond {phrase} mud")][-1] == "mud"


def test_what_comes_of_a_word_that_tells_little_may_tell_much() -> None:
    words = {word.low: is_light(word) for word in words_of("sets forming a majority, e.g. a performance")}
    assert words == {"sets": True, "forming": True, "a": True, "majority": False, "eg": True, "performance": False}


def test_other_words_for_one_thing() -> None:
    assert same("masks", "hidden")
    assert not same("masks", "reveals")
