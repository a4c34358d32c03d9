from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plugins.book_chat.reading import normalized

FORMULAS = [
    "$a_1 * b_2 * c$",
    "$x*y*$",
    "the $n$-th of $k_1*$ and $k_2*$",
    "$$a * b * c$$",
    "$$\na_1 \\\\ *b*\n\\{x\\} < y > z\n$$",
    "$E[X](t)$",
    "$\\$5 * 2 * 3$",
    "# The $x_1 * y * z$ law",
]


@pytest.mark.parametrize("source", FORMULAS)
def test_a_formula_stays_as_it_is(source: str) -> None:
    assert normalized(source) == source + "\n"


@pytest.mark.parametrize(
    ("source", "clean"),
    [
        ("*the $a * b$ rule*, **$c*d*e$**", "the $a * b$ rule, $c*d*e$"),
        ("| $a*b*c$ | *x* |\n|--|--|\n| $\\|y\\|$ | z |", "| $a*b*c$ | x |\n|--|--|\n| $\\|y\\|$ | z |"),
        ("![$a*b*c$](x.png)", "Figure: $a*b*c$"),
        ("`$a` *b* `$c`", "$a b $c"),
    ],
)
def test_markup_around_a_formula_is_taken_away(source: str, clean: str) -> None:
    assert normalized(source) == clean + "\n"


@pytest.mark.parametrize(
    ("source", "clean"),
    [
        ("$5 and $6", "$5 and $6"),
        ("from $5, *mostly*, to $6", "from $5, mostly, to $6"),
        ("**$20,000** and **$30,000**", "$20,000 and $30,000"),
        ("$5 *and* 6$.", "$5 and 6$."),
        ("*$5*\u2013*$10*", "$5\u2013$10"),
        ("[for $5](a) or [US$](b)", "for $5 or US$"),
        ("US$5 *or* CA$", "US$5 or CA$"),
        ("\\$5 *or* \\$6", "$5 or $6"),
        ("$HOME and *not* $PATH", "$HOME and not $PATH"),
    ],
)
def test_prices_are_no_formulas(source: str, clean: str) -> None:
    assert normalized(source) == clean + "\n"


@given(st.text(alphabet="ab12_*`~[]()<>&;{}^+-=|. ", min_size=1, max_size=40))
def test_nothing_of_a_formula_is_lost(inner: str) -> None:
    formula = f"$x{inner}y$"
    assert normalized(f"so {formula} is") == f"so {formula} is\n"
