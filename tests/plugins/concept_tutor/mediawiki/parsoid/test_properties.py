"""Whatever the HTML: words stay words and in order, what is dropped is gone, chunks keep their promises."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.support.needs import needed

from .pages import chunks, read, read_page

needed("lxml")

_WORDS = st.integers(0, 9999).map(lambda number: f"w{number:04d}")
_GONE = st.sampled_from(
    [
        '<sup class="mw-ref reference">[<a href="#x">GONE</a>]</sup>',
        '<span class="mw-editsection">[GONE]</span>',
        '<span style="display:none">GONE</span>',
        "<style>GONE</style>",
        "<!-- GONE -->",
    ]
)


def _around(*names: str) -> st.SearchStrategy[tuple[str, str]]:
    return st.sampled_from([(f"<{name}>", f"</{re.split('[ >]', name)[0]}>") for name in names])


_INLINE = st.recursive(
    st.one_of(_WORDS.map(lambda word: f" {word} "), _GONE, st.just("<br>"), st.just("&nbsp;")),
    lambda inner: st.builds(
        lambda around, parts: around[0] + "".join(parts) + around[1],
        _around("b", "i", "span class=nowrap", "small", "bdi"),
        st.lists(inner, max_size=4),
    ),
    max_leaves=8,
)
_NESTING = st.sampled_from(
    [
        ("<div>", "</div>"),
        ("<ul><li>", "</li></ul>"),
        ("<center>", "</center>"),
        ("<section data-mw-section-id=1>", "</section>"),
        ("<table><tr><td>", "</td></tr></table>"),
    ]
)
_LEAF = _around("p", "div", "blockquote", "dl><dd")
_TEXT = st.lists(_INLINE, min_size=1, max_size=6).map("".join)
_BLOCK = st.recursive(
    st.one_of(
        st.builds(lambda around, text: around[0] + text + around[1], _LEAF, _TEXT),
        st.just('<div role="navigation">GONE</div>'),
        st.just('<div class="hatnote navigation">GONE<p>GONE</p></div>'),
        _TEXT,
    ),
    lambda inner: st.builds(
        lambda around, parts: around[0] + "".join(parts) + around[1], _NESTING, st.lists(inner, max_size=4)
    ),
    max_leaves=12,
)
_PAGE = st.lists(st.one_of(_BLOCK, _WORDS.map(lambda word: f"<h2 id={word}>{word}</h2>")), max_size=12).map("".join)


@given(_PAGE)
def test_words_stay_whole_and_what_is_dropped_is_gone(body: str) -> None:
    page = read(body)
    text = "\n".join(block.text for each in page.sections for block in each.blocks)
    assert "GONE" not in text
    expected = re.findall(r"w\d{4}", re.sub(r"<h2.*?</h2>", " ", body))
    assert re.findall(r"w\d{4}", text) == expected
    assert all(re.fullmatch(r"w\d{4}|[->|]+", word) for word in text.split())
    assert not re.search(r"[ \t]\n|\n{3}|\xa0|[^\n |] {2}", text)


@given(st.binary(max_size=400))
def test_any_bytes_are_read(raw: bytes) -> None:
    for each in read_page(raw).sections:
        assert all(block.text.strip() for block in each.blocks)


@given(st.lists(st.lists(st.integers(1, 400), min_size=1, max_size=6), max_size=4), st.integers(0, 3))
def test_chunks_keep_their_promises(shape: list[list[int]], dots: int) -> None:
    number = 0
    body = ""
    for section, lengths in enumerate(shape):
        body += f"<h2 id=s{section}>Part {section}</h2>"
        for length in lengths:
            words = []
            for _ in range(length):
                number += 1
                words.append(f"W{number}" + ("." if dots and number % (7 * dots) == 0 else ""))
            body += f"<p>{' '.join(words)}</p>"
    nodes = chunks(read(body))
    seen = [int(found) for node in nodes for found in re.findall(r"W(\d+)", node.get_content())]
    assert seen == sorted(set(seen))
    for node in nodes:
        assert 30 <= len(node.get_content().split()) <= 250
    for section, lengths in enumerate(shape):
        mine = [node for node in nodes if node.metadata["heading"] == f"Part {section}"]
        assert bool(mine) == (sum(lengths) >= 30)
