from __future__ import annotations

import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragstone.web.formulas import LONGEST, MOST, formula, mathml
from tests.support.needs import needed

needed("latex2mathml")


def test_tex_becomes_mathml() -> None:
    assert formula(r"$\frac{a}{b^2}$") == (
        "<math><mrow><mfrac><mrow><mi>a</mi></mrow><mrow><msup><mi>b</mi><mn>2</mn></msup></mrow></mfrac></mrow></math>"
    )
    assert formula("$$a<b$$").startswith('<math display="block"><mrow><mi>a</mi><mo>&lt;</mo>')


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\text{<script>alert(1)</script>}",
        r"\text{&lt;img src=x onerror=alert(1)&gt;}",
        r"\text{&#60;img src=x onerror=alert(1)&#62;}",
        r"\class{a\" onclick=\"alert(1)}{x}",
        r"\style{color:red;background:url(//evil)}{x}",
        r"\mathbb{<b>}",
        r"\hspace{9999em}x",
        r"\hspace{-90em}x",
        r'\begin{array}{c" onclick="alert(1)}x\end{array}',
        r"\color{url(//evil)}{x}",
        "<img src=x onerror=alert(1)>",
    ],
)
def test_a_formula_brings_nothing_but_its_elements(tex: str) -> None:
    drawn = str(formula(f"${tex}$"))
    assert not re.search(r"<(?!/?(m[a-z]+|none|span)\b)", drawn)
    assert not re.search(r"<[^>]*\b(on\w+|href|style|id|src|mathcolor)=", drawn)
    assert set(re.findall(r'class="([^"]*)"', drawn)) <= {"tex"}
    assert not re.search(r'="-?\d{2,}em', drawn)


@pytest.mark.parametrize(
    "tex",
    [
        "{" * 5_000,
        r"\frac" * 300,
        "^" * 9,
        r"\nothing{x}",
        "x" * (LONGEST + 1),
        r"\newcommand{\a}{xx}\newcommand{\b}{\a\a}\b",
        r"\def\a{\a\a}\a",
        r"\left(" * 300,
        "",
    ],
)
def test_what_cannot_be_read_stays_as_it_is_written(tex: str) -> None:
    assert mathml(f"${tex}$") is None
    assert str(formula(f"${tex}$")) == f'<span class="tex">${tex}$</span>'


def test_what_stays_as_it_is_written_is_text() -> None:
    assert str(formula(r"$\nothing<b>$")) == r'<span class="tex">$\nothing&lt;b&gt;$</span>'


def test_a_page_s_script_gets_trees(client: FlaskClient) -> None:
    result: Any = client.post("/formulas", json={"formulas": ["$x$", r"$\nothing$"]}).get_json()
    assert result == {"mathml": [["math", {}, [["mrow", {}, [["mi", {}, ["x"]]]]]], None]}


@pytest.mark.parametrize("body", [3, [], {}, {"formulas": "x"}, {"formulas": [1]}, {"formulas": ["x"] * (MOST + 1)}])
def test_anything_else_is_refused(client: FlaskClient, body: object) -> None:
    assert client.post("/formulas", json=body).status_code == 400


def test_formulas_are_bounded_together(client: FlaskClient) -> None:
    long = f"${'a+b=' * 480}$"
    assert client.post("/formulas", json={"formulas": [long] * 12}).status_code == 200
    assert client.post("/formulas", json={"formulas": [long] * 13}).status_code == 413
