from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.plugins.book_chat.reading import kinds, normalized, read
from tests.support.patience import grows_linearly

CASES = {
    "inline markup": (
        'Use *a*, **b**, `x*y*z`, [t](u "q"), <https://e.org>, ![p](q), a<br>b, &lt;i&gt; \\*s\\* r_d_m.\n',
        "Use a, b, x*y*z, t, https://e.org, p, a b, <i> *s* r_d_m.\n",
    ),
    "headings": ("Title\n=====\n\n## Sub *x* {#id}\n### K\n{: .y}\n", "# Title\n\n## Sub x\n### K\n"),
    "words that would be structure": (
        "1\\. May\n\n\\# hash\n\n&gt; more\n",
        "1\\. May\n\n\\# hash\n\n\\> more\n",
    ),
    "lists and quotes keep their marks": (
        "- one *x*\n  two\n\n      code *x*\n- > quote `a`\n  > more\n\n3. [x](y)\n   - b **c**\n",
        "- one x two\n\n      code *x*\n- > quote a more\n\n3. x\n   - b c\n",
    ),
    "soft line breaks are joined, hard ones stay": (
        "One line\nof prose.  \nAnother\\\nand one.\n",
        "One line of prose.\nAnother\nand one.\n",
    ),
    "code is untouched": (
        "```md\n*x*  \n\n\n<b>\n```\n\n    *y*\n",
        "```md\n*x*  \n\n\n<b>\n```\n\n    *y*\n",
    ),
    "tables": (
        "a | b\n--|:-:\n`x` | **z**\nu\\|v | w<br>y\n",
        "| a | b |\n|--|:-:|\n| x | z |\n| u\\|v | w y |\n",
    ),
    "lists in cells": (
        "a | b\n--- | ---\nx | <ul><li>walk</li><li>turn</li></ul>\n",
        "| a | b |\n|--- | ---|\n| x | walk; turn |\n",
    ),
    "titles within a paragraph": (
        '<div>\n<span data-type="title">Gait</span>A gait is a pattern.\n</div>\n\nA <span class="title">B</span> c.\n',
        "Gait\n\nA gait is a pattern.\n\nA B c.\n",
    ),
    "ellipses": ("Type “if . . . then . . . .” or `a . . . b`.\n", "Type “if … then ….” or a . . . b.\n"),
    "links without words before an exercise": (
        "1. [\\[link\\]](#fig-1) In the example, walk.\n2. As [\\[link\\]](#fig-1) shows.\n",
        "1. In the example, walk.\n2. As the figure shows.\n",
    ),
    "images that describe, and those that say nothing": (
        "![QR Code representing a URL](a) Watch it.\n\nThe leg ![A photo of a leg that bends](b) bends.\n",
        "Watch it.\n\nThe leg bends.\n\nFigure: A photo of a leg that bends\n",
    ),
    "kramdown": (
        '**Term**{: data-type="term"} a ([\\[link\\]](#f)), as in [[link]](#g).\n\n1. a\n{: type="a"}\n',
        "Term a, as in.\n\n1. a\n",
    ),
    "links without a text": (
        "Small ([\\[link\\]](#fig-a)), as in [\\[link\\]](#fig-b) and [\\[link\\]](#tab-c).\n",
        "Small, as in the figure and the table.\n",
    ),
    "links without a text that begin a sentence": (
        "An edge. [\\[link\\]](#fig-a) shows it, [\\[link\\]](#fig-b) too.\n\n[\\[link\\]](#tab-c) lists more.\n",
        "An edge. The figure shows it, the figure too.\n\nThe table lists more.\n",
    ),
    "definitions": ("purine\n: a *base*\n^\n\nDNA\n: acid\n", "purine: a base\n\nDNA: acid\n"),
    "mdbook": ("{{#title X}}\nText {{#include a.rs}} here.\n", "Text here.\n"),
    "mdx": (
        "import T from '@t';\nexport const x = {\n};\n\n<Tabs>\n<Item a=\"b\">\n\nHi\n\n</Item>\n</Tabs>\n",
        "Hi\n",
    ),
    "a translation inside a tag": ("<Button content={`# other\n\nwords\n`} />\n\nafter\n", "after\n"),
    "prose that looks like mdx": ("import duties rise.\n\nexport goods fell.\n",) * 2,
    "docusaurus admonition": (
        ":::note[My *Title*]\nBody.\n\n```py\nx  \n```\n:::\nafter\n",
        "> [!NOTE] My Title\n> Body.\n>\n> ```py\n> x  \n> ```\n\nafter\n",
    ),
    "nested admonitions": (
        "::::note\nouter\n:::tip\ninner\n:::\n::::\n",
        "> [!NOTE]\n> outer\n>\n> > [!TIP]\n> > inner\n",
    ),
    "myst admonition": (
        "```{note} Take *care*\n:class: dropdown\nOne.\n```\n\n:::{tip}\nTwo.\n:::\n\n````md\n```{note}\n```\n````\n",
        "> [!NOTE] Take care\n> One.\n\n> [!TIP]\n> Two.\n\n````md\n```{note}\n```\n````\n",
    ),
    "myst items that begin with a directive": (
        "1. ```{note} Gap\n   Mind it.\n\n   - a\n   ```\n2. :::{admonition} Care\n   Two.\n   :::\n",
        "1. > [!NOTE] Gap\n   > Mind it.\n   >\n   > - a\n\n2. > [!NOTE] Care\n   > Two.\n",
    ),
    "myst options and an item of code": (
        "- ```py\n  x\n  ```\n\n```{tip}\n---\nclass: x\n---\nLast.\n```\n",
        "- ```py\n  x\n  ```\n\n> [!TIP]\n> Last.\n",
    ),
    "myst within an item": (
        "10. A\n\n    ````{note}\n    Out\n    ```{tip}\n    In\n    ```\n    ````\n11. - :::{a}\n      B\n      :::\n",
        "10. A\n\n    > [!NOTE]\n    > Out\n    >\n    > > [!TIP]\n    > > In\n\n11. - B\n",
    ),
    "myst containers": ("::::{grid} 2\n:gutter: 1\n:::{tab-item} {icon}`x` T\n:sync: a\nOne.\n:::\n::::\n", "One.\n"),
    "myst toctree": ("a\n\n```{toctree}\n:maxdepth: 2\n\nb\nc\n```\n\n:::{toctree}\nd\n:::\ne\n", "a\n\ne\n"),
    "quarto callout": (
        '::: {.callout-warning collapse="true" title="Hot"}\nOne.\n:::\n\n::: {.panel-tabset}\nTwo.\n:::\n',
        "> [!WARNING] Hot\n> One.\n\nTwo.\n",
    ),
    "quarto code": ("```{python}\n#| label: a\n{x}\n```\n",) * 2,
    "mkdocs admonition": (
        '!!! warning "Take care"\n    One.\n\n    Two.\n\nafter\n',
        "> [!WARNING] Take care\n> One.\n>\n> Two.\n\nafter\n",
    ),
    "github admonition": ("> [!warning]\n> Be *quick*.\n", "> [!WARNING]\n> Be quick.\n"),
    "bold admonition": ("> **Note:**\n> Be *quick*.\n", "> [!NOTE]\n> Be quick.\n"),
    "html blocks": (
        '<div markdown="1">\nSay:\n* a\n\n</div>\n<details><summary>More</summary>\n\nHid.\n</details>\n',
        "Say:\n* a\n\nMore\n\nHid.\n",
    ),
    "code in a div": ("<div>\n```\n<div>*x*</div>\n```\n</div>\n", "```\n<div>*x*</div>\n```\n"),
    "html table": (
        "<table><tr><th>A</th><th>B</th></tr>\n  <tr><td>1 | 2</td><td/></tr></table>\n",
        "| A | B |\n| --- | --- |\n| 1 \\| 2 |  |\n",
    ),
    "unread elements": ("<script>\nalert(1)\n</script>\na <!-- no --> b\n\n<!-- x\n\ny -->c\n", "a b\n\nc\n"),
    "an unclosed comment": ("<!-- open\n\nstays\n", "open\n\nstays\n"),
    "figures": (
        '![Alt](x.png)\n\n![Alt](y.png "Its title")\n\n<img alt="Zed">\n\n![](n.png)\n\nIn ![an icon](i).\n',
        "Figure: Alt\n\nFigure: Its title\n\nFigure: Zed\n\nIn an icon.\n",
    ),
    "powers": ("10<sup>3</sup> m, H<sub>2</sub>O, Na<sup>+</sup>\n", "10^3 m, H2O, Na+\n"),
    "link definitions": ("[a]: http://x\n\nsee [a] and [b][a].\n", "see a and b.\n"),
    "blank lines and rules": ("a\n\n\n\n***\n\nb\n\n\n", "a\n\nb\n"),
    "windows lines": ("a\r\n\r\n*b*\r\n", "a\n\nb\n"),
    "terminal commands and turned text": (
        "a\x1b[31mb\x07\x7f\x9bc\td\x0ce\u202ef\u2066g\n\n    code\x1b\u202d\n",
        "a[31mbc\td efg\n\n    code\n",
    ),
    "control characters by another name": (
        "&#x202e;# a &#12; `b` <http://c%1b%01%0ad>\n\n![e&#x202e;](f)\n\n<pre>g&#x202e;</pre>\n",
        "\\# a b http://c d\n\nFigure: e\n\n```\ng\n```\n",
    ),
    "nothing": ("", ""),
}


def test_each_part_of_a_long_listing_has_its_fence_and_of_a_long_table_its_head() -> None:
    code = [f"step_{at} = walk({at})" for at in range(90)]
    rows = [f"| {at} | the joint with the number {at} |" for at in range(90)]
    listing = "\n".join(["```python", *code, "```"])
    clean = normalized("\n".join(["First:", "", listing, "", "| n | joint |", "|--|--|", *rows, "", "Last."]))
    first, *blocks, last = [block.split("\n") for block in clean.strip().split("\n\n")]
    listings = [lines for lines in blocks if lines[0] == "```python" and lines[-1] == "```"]
    tables = [lines for lines in blocks if lines not in listings]
    assert (first, last) == (["First:"], ["Last."])
    assert len(listings) > 1 and [line for lines in listings for line in lines[1:-1]] == code
    assert len(tables) > 1 and {tuple(lines[:2]) for lines in tables} == {("| n | joint |", "|--|--|")}
    assert [row for lines in tables for row in lines[2:]] == rows
    assert normalized(clean) == clean


@pytest.mark.parametrize("case", CASES)
def test_clean_markdown(case: str) -> None:
    source, clean = CASES[case]
    assert normalized(source) == clean


@pytest.mark.parametrize(
    "unit",
    [
        *("*", "<", "`", ">", "> ", "[", "![", "<a ", "<!--", "<div>", "{:", "{: .a ", ":::note\n", "$", "$a ", "$$a "),
        *(
            "- ```{note}\n",
            "1. :::{figure}\n",
            "---\n",
            "```{note}\n",
            ":::{a}\n",
            "```{toctree}\n",
            '::: {.a title="',
            "<div class='quiz'>\n\n",
            "</div>\n\n",
        ),
        *("a\n: b\n", ":::quiz\n", "<dl><dt>", "> <nav>\n"),
    ],
)
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    assert grows_linearly(lambda size: normalized(unit * (size // len(unit))), 20_000)


MARKUP = st.text(alphabet=st.sampled_from("#>-*+`~|:. \n\tab1[]()<!=\\&;{}\"'/_^"), max_size=300)
PARTS = """<div> </div> <!-- --> <T_a={` `}> <table>
    <tr><td> </table> :::note ::: ``` - > 1. *a* {: .x} ^ [a](b) <pre> </pre>
    import{ <sup> <script> # [!NOTE] &#35; \\ !!!_tip | |---| ![c](d_'e') ```{note} :::{tip} {toctree}""".split()  # noqa: SIM905
DIALECTS = st.lists(
    st.sampled_from([*(part.replace("_", " ") for part in PARTS), " ", "\n", "\n\n", "    "]), max_size=40
).map("".join)


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=300)


@given(st.one_of(WORDS, MARKUP, DIALECTS))
def test_cleaning_never_raises(text: str) -> None:
    clean = normalized(text)
    assert clean == "" or (clean.endswith("\n") and clean.strip())
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", clean)


@pytest.mark.parametrize("unit", ["[", "!["])
def test_a_megabyte_of_opening_brackets_is_read(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert normalized(text) == text + "\n"


@given(st.one_of(MARKUP, DIALECTS))
@example(">\n")
def test_a_listing_stays_as_it_is_whatever_it_holds(text: str) -> None:
    listing = f"~~~~~~\nx\n{text}\ny\n~~~~~~\n"
    assert normalized(listing) == listing.replace("\r", "\n")


KINDS = {
    "elements": (
        '<div class="exercise">\n\nWhat.\n\n<div>\n\nMore.\n\n</div>\n\n</div>\n\nProse.\n',
        [("question", "What.\n\nMore.\n\n")],
    ),
    "a type, a role, a name": (
        '<section data-type="glossary">\nA: b\n</section>\n\n<p role="doc-endnotes">\nN\n</p>\n\n<Quiz>\nQ\n</Quiz>\n',
        [("definition", "A: b\n\n"), ("reference", "N\n\n"), ("question", "Q\n")],
    ),
    "what is within an exercise belongs to it": (
        '<div class="exercise">\n\nOne.\n\n<p class="caption">Two.</p>\n\n</div>\n',
        [("question", "One.\n\nTwo.\n")],
    ),
    "what is not closed": ('<div class="exercise">\n\nAll the rest of the book.\n', []),
    "captions and navigation": (
        "<nav><a href='x'>Home</a></nav>\n\n<figure>\n<figcaption>A wheel. It turns.</figcaption>\n</figure>\n",
        [("navigation", "Home\n\n"), ("caption", "A wheel. It turns.\n")],
    ),
    "definitions": (
        "Term\n: what it is\n  goes on\n\nprose\n\n<dl><dt>Tyre</dt><dd>A <b>ring</b>.</dd></dl>\n",
        [("definition", "Term: what it is goes on\n"), ("definition", "Tyre: A ring.\n")],
    ),
    "directives": (
        "```{exercise} Grip\n:label: g\n\nGrip.\n```\n\n::: {#exr-a}\nTurn\n:::\n\n:::objectives\nKnow.\n:::\n\nX\n",
        [("question", "Grip.\n\n"), ("question", "Turn\n\n"), ("objective", "Know.\n\n")],
    ),
    "directives in lists": (
        "1. a\n\n   ```{figure} a.png\n   :name: a\n\n   A pump.\n   ```\n\n2. b\n\n- :::{quiz}\n  Why?\n  :::\n- c\n",
        [("caption", "   A pump.\n\n"), ("question", "- Why?\n\n")],
    ),
    "lists and quotes": (
        "1. a\n\n   <div class=references>\n   Foo.\n   </div>\n2. b\n\n> <div class=quiz>\n> Why.\n> </div>\n>\n> c\n",
        [("reference", "   Foo.\n\n"), ("question", "> Why.\n>\n>\n")],
    ),
    "a source's own control characters are no marks": (
        "\x05div question\n\nText.\n\n\x06div\n\n&#5;div question\n",
        [],
    ),
    "code states nothing": ("```html\n<div class='quiz'>\nx\n</div>\n```\n", []),
}


@pytest.mark.parametrize("name", KINDS)
def test_what_elements_and_directives_state(name: str) -> None:
    source, expected = KINDS[name]
    page = read(source)
    assert kinds(page) == expected
    assert not re.search(r"[\x00-\x08]", page.text)
