"""MDX pages through their reader: what is JavaScript is gone, what is Markdown inside of it stays."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plugins.book_chat.reading import normalized, read
from tests.support.patience import grows_linearly

CASES = {
    "imports and exports": (
        """\
import Tabs from '@theme/Tabs';
import {
  A,
} from 'a';

export const b = ({c}) => {
  d();

  return <p>{c}</p>;
};

import duties rise.
""",
        """\
import duties rise.
""",
    ),
    "elements": (
        """\
<Tabs
  values={[
    {label: 'A', value: '>'},
  ]}
  onClick={() => go()}>
  <TabItem value='a'>

    # Not {1} code

    - one *x*
      two

  </TabItem>
  <TabItem value='b'>In a line.</TabItem>
</Tabs>
""",
        """\
# Not code

- one x two

In a line.
""",
    ),
    "admonitions": (
        """\
<Admonition type="warning" title="Hot *iron*">

  Do **not** touch.

</Admonition>

<Admonition type="tip">One.</Admonition>

<Admonition>Two.</Admonition>

:::note Three
Four.
:::
""",
        """\
> [!WARNING] Hot iron
>
>
> Do not touch.

> [!TIP]
> One.

> [!NOTE]
> Two.

> [!NOTE] Three
> Four.
""",
    ),
    "comments and expressions": (
        """\
# Title {/* don't { say */}

a {b.c({d: '}'})} e{' '}f {'{'}g{"}"} \\{h\\}

{/*
many

lines */}

{i.map(j => (
  <li>{j}</li>
))}
k
""",
        """\
# Title

a e f {g} {h}

k
""",
    ),
    "code": (
        """\
Use `{a}` and `` <B c={d}> ` ``.

```jsx title="x"
import a from 'b';
<C d={e}>{/* f */}</C>
```

<Box>
  ~~~
  {g}
    <h>
  ~~~
</Box>
""",
        """\
Use {a} and <B c={d}> `.

```jsx title="x"
import a from 'b';
<C d={e}>{/* f */}</C>
```

~~~
{g}
  <h>
~~~
""",
    ),
    "formulas": (
        """\
A ratio $\\frac{a}{b}$ for $5 {c} and $6, then

$$
\\sum_{i < n} x_{i}
$$
""",
        """\
A ratio $\\frac{a}{b}$ for $5 and $6, then

$$
\\sum_{i < n} x_{i}
$$
""",
    ),
    "tags in a line": (
        """\
Press <Kbd>Ctrl</Kbd>, <b style={{color: 'red'}}>then</b> <Icon name={x} /> stop. 3 < 4 <https://e.org>
""",
        """\
Press Ctrl , then stop. 3 < 4 https://e.org
""",
    ),
    "images": (
        """\
<img src={require('./a.png').default} alt="A cat" />
""",
        """\
Figure: A cat
""",
    ),
    "what is no MDX": (
        """\
a { b

`code {` <c d

<e f={g
""",
        """\
a { b

code { <c d

<e f={g
""",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_an_mdx_page(case: str) -> None:
    source, clean = CASES[case]
    document = read(f"---\ntitle: T\n---\n{source}", ".mdx")
    assert document.text == clean
    assert document.metadata["title"] == "T"


def test_braces_are_text_in_markdown() -> None:
    assert normalized("The set {1, 2}.\n") == "The set {1, 2}.\n"


UNITS = [
    *("{", "}", "{'", "{`", "{/*", "<a ", "<a {", "<a {}", "<a>\n", "  <A>\n", "</a>", "<a b='c' "),
    *("` `` ```", "`\n\n", "$", "$a ", "$$a ", "$a{", "```\n", "~~~ a\n", "import a from 'b'\n"),
    *("export const a = {\n", "export const a = {}\n{", ":::a\n", "\\", '"'),
]


@pytest.mark.parametrize("unit", UNITS)
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    assert grows_linearly(lambda size: read(unit * (size // len(unit)), ".mdx"), 10_000)


PARTS = [*UNITS, " ", "\n", "\n\n", "    ", "a", "'", "<Admonition title='", ">", "/>", "`", "*/", "=", "</Admonition>"]


@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join))
def test_reading_never_raises(text: str) -> None:
    assert not re.search(r"[\x00-\x08]", read(text, ".mdx").text)
