"""HTML of wiki pages: what a reader reads, with Parsoid's pages as the real thing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragstone.core.runtime import Unanswered
from ragstone.plugins.wiki_edge.readers.zim import license_in, text_of_html
from tests.support.needs import needed
from tests.support.patience import grows_linearly

needed("lxml")


def prose(html: str) -> str:
    return "\n\n".join(block.text for block in text_of_html(html.encode()).blocks)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>A <b>bold</b> <a href='x'>link</a>.<sup class='reference'>[1]</sup></p>", "A bold link."),
        ("<p>Fact<sup>[citation needed]</sup>, 5 km<sup>2</sup>.</p>", "Fact, 5 km²."),
        ("<div class='hatnote'>See also X.</div><p>Text.</p>", "Text."),
        ("<table class='infobox'><tr><td>Born</td></tr></table><p>Text.</p>", "Text."),
        ("<p>Text.</p><div role='navigation' class='navbox'>A B C</div>", "Text."),
        ("<p>One</p><ul><li>two</li><li>three<ul><li>four</li></ul></li></ul>", "One\n\n- two\n- three\n  - four"),
        ("<p>One<br>two</p><script>x()</script><style>p{}</style>", "One\ntwo"),
        ("<p style='display: none'>Hidden</p><p>Shown</p>", "Shown"),
        ("<p>(<span class='noexcerpt'>x</span>; born 1900) He.</p>", "(born 1900) He."),
        ("<table class='wikitable'><tr><th>Of</th><th>Age</th><tr><td>A</td><td>5</td></table>",
         "| Of | Age |\n| --- | --- |\n| A | 5 |"),
        ("<table><tr><td>bere</td><td>to</td></tr><tr><td>fare</td><td>do</td></table>",
         "|  |  |\n| --- | --- |\n| bere | to |\n| fare | do |"),
        ("<table><tr><td><a href='a'>A</a> <a href='b'>B</a></td></tr></table><p>Text.</p>", "Text."),
        ("<table><tr><td><p>Left.</p></td><td><p>Right.</p></td></tr></table>", "Left.\n\nRight."),
        ("<math alttext='E=mc^2'><mi>E</mi></math>", "$E=mc^2$"),
        ("", ""),
        ("<!-- nothing -->", ""),
    ],
)  # fmt: skip
def test_boxes_go_and_words_stay(html: str, expected: str) -> None:
    assert prose(html) == expected


def test_sections() -> None:
    html = (
        "<h1>Title</h1><p>Lead.</p><h2 id='mwAb'>History <span class='mw-editsection'>[edit]</span></h2><p>Old.</p>"
        "<h3><span class='mw-headline' id='Early_years'>Early years</span></h3><p>Older.</p>"
        "<h2>References</h2><ol><li>A book</li></ol><h3>Sub</h3><p>x</p><h2>Legacy</h2><p>New.</p>"
    )
    assert [(block.text, block.heading, block.anchor) for block in text_of_html(html.encode()).blocks] == [
        ("Lead.", "", ""),
        ("Old.", "History", "History"),
        ("Older.", "History › Early years", "Early_years"),
        ("New.", "Legacy", "Legacy"),
    ]


def test_the_colophon_tells_where_it_stands() -> None:
    colophon = (
        "<div>This article is issued from <a href='https://en.wikipedia.org/wiki/A_b?oldid=42'>Wikipedia</a>. "
        "The text is under <a href='http://creativecommons.org/licenses/by-sa/4.0/'>CC</a>.</div>"
    )
    text = text_of_html(f"<p>Text.</p>{colophon}".encode())
    assert (text.url, text.revision, [block.text for block in text.blocks]) == (
        "https://en.wikipedia.org/wiki/A_b",
        "42",
        ["Text."],
    )
    assert license_in(colophon.encode()) == "CC-BY-SA-4.0"
    assert "issued" not in prose(f"<div id=content><p>Text.</p>{colophon}</div>")
    odd = text_of_html(b"<p>Text.</p><div><a href='javascript:x?oldid=1'>a</a></div>")
    assert odd.url is None


@pytest.mark.data
@pytest.mark.parametrize("name", ["Dog.html", "ar-Mathematics.html", "en.December_1.html"])
def test_real_pages_of_parsoid(data: Path, name: str) -> None:
    blocks = text_of_html((data / "mediawiki" / "parsoid" / name).read_bytes()).blocks
    text = "\n\n".join(block.text for block in blocks)
    assert len(text) > 5000
    assert not [mark for mark in ("[edit]", "[1]", "[23]", "^ ", "<", "{{", ".mw-parser") if mark in text]
    assert any(block.heading for block in blocks)


def test_deep_and_wide_pages_end() -> None:
    for page in (_marked, _table, _bytes):
        assert grows_linearly(lambda size, page=page: text_of_html(page(size)), 1000)  # type: ignore[misc]
    for raw in (b"<div>" * 2_000 + b"x", b"<table><tr><td>" * 2_000 + b"x", _spanned()):
        with pytest.raises(Unanswered):
            text_of_html(raw)
    text_of_html(b"<a " + b" ".join(b"a%d=1" % at for at in range(5_000)) + b">x</a>")


def _spanned() -> bytes:
    """A table whose first cell is in each of its rows."""
    cell = b"<td rowspan=1000>" + b"word " * 2_000 + b"</td>"
    return b"<table class=wikitable><tr>" + cell + b"</tr>" + b"<tr><td>other</td></tr>" * 999 + b"</table>"


def _marked(size: int) -> bytes:
    return b"<p>" + b"<b>word</b> " * size


def _table(size: int) -> bytes:
    return b"<table>" + b"<tr><td>a word</td><td>another</td></tr>" * size + b"</table>"


def _bytes(size: int) -> bytes:
    return bytes(range(256)) * (size // 16)
