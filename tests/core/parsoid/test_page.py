"""The text of a page comes out as words under its headings, and what is beside it does not."""

from __future__ import annotations

import pytest

from ragstone.core.parsoid import TooDeep, read_page
from tests.support.needs import needed

from .pages import html, read, texts

needed("lxml")

NESTED = """
<section data-mw-section-id="0"><p>Lead.</p></section>
<section data-mw-section-id="1"><h2 id="Biology">Biology</h2><p>Of all.</p>
  <section data-mw-section-id="2"><div class="mw-heading"><h3 id="The_senses">The <i>senses</i><span
    class="mw-editsection">[<a href="#">edit</a>]</span></h3></div><p>Smell.</p></section>
  <p>Of all again.</p>
</section>
<section data-mw-section-id="3"><h2 id="mwAb"><span id="Uses_of_it">Uses</span></h2><p>Guarding.</p></section>
"""
FLAT = "<p>Lead.</p><h2 id=B>Biology</h2><p>Of all.</p><h3 id=S>Senses</h3><p>Smell.</p><h2 id=U>Uses</h2><p>Guard.</p>"


def test_sections_are_nested_as_parsoid_nests_them() -> None:
    found = [(each.path, each.anchor, each.blocks[0].text) for each in read(NESTED).sections]
    assert found == [
        ((), "", "Lead."),
        (("Biology",), "Biology", "Of all."),
        (("Biology", "The senses"), "The_senses", "Smell."),
        (("Biology",), "Biology", "Of all again."),
        (("Uses",), "Uses_of_it", "Guarding."),
    ]


@pytest.mark.parametrize("sections", [False, True], ids=["without sections", "sections side by side"])
def test_headings_make_the_path_where_nothing_is_nested(sections: bool) -> None:
    body = FLAT
    if sections:
        body = "<section data-mw-section-id=0>" + FLAT.replace("<h", "</section><section data-mw-section-id=1><h")
        body += "</section>"
    found = [(each.path, each.anchor, each.blocks[0].text) for each in read(body).sections]
    assert found == [
        ((), "", "Lead."),
        (("Biology",), "B", "Of all."),
        (("Biology", "Senses"), "S", "Smell."),
        (("Uses",), "U", "Guard."),
    ]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>one<br>two<br/>three</p>", "one\ntwo\nthree"),
        ("<p>in<b>visib</b>le, <i>a</i> <b>b</b></p>", "invisible, a b"),
        ("<p>caf&eacute;&nbsp;&amp;&#160;t&#x65;a &lt;b&gt;</p>", "café & tea <b>"),
        ("<p>soft&shy;ly&#8203; __NOTOC__ said</p>", "softly said"),
        (
            "<p>E = mc<sup>2</sup>, H<sub>2</sub>O, the 19<sup>th</sup>, V<sub>GS</sub></p>",
            "E = mc², H₂O, the 19th, V_GS",
        ),
        ('<p>It ends.<sup class="mw-ref"><a href="#n">[1]</a></sup>It goes on.</p>', "It ends. It goes on."),
        ("<p>One<sup>[12]</sup>, two<sup>[note 3]</sup>.</p>", "One, two."),
        ("<p>a\n  b\t c</p>", "a b c"),
        ("loose words", "loose words"),
        ("<p>שלום <bdo dir=rtl>abc</bdo> &rlm;(x)&#x202E;y</p>", "שלום abc (x)y"),
        ("<p>می\u200cروم</p>", "می\u200cروم"),
        ("<p><ruby>漢<rp>(</rp><rt>kan</rt></ruby></p>", "漢 kan"),
        ("<div>one<div>two</div>three</div>", "one two three"),
    ],
)
def test_words_come_out_as_words(body: str, text: str) -> None:
    assert " ".join(texts(body)) == text


TABLE = """<table class=wikitable><caption>Sizes</caption><tr><th>A</th><th>B|C</th></tr>
<tr><td rowspan=2>1<sup class=mw-ref>[1]</sup></td><td>2</td></tr><tr><td>3<br>4</td></tr></table>"""


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<ol><li>Run:<pre>a\n  b</pre>then</li></ol>", "1. Run:\n  ```\n  a\n    b\n  ```\n  then"),
        ("<dl><dd><pre>a\n b</pre></dd></dl>", "```\na\n b\n```"),
        ("<dl><dd><table><tr><td>a</td><td>b</td></tr></table></dd></dl>", "a b"),
        (
            "<ul><li>See<table class=wikitable><tr><th>A</th></tr><tr><td>b</td></tr></table></li></ul>",
            "- See\n  | A |\n  | --- |\n  | b |",
        ),
        ("<ul><li>a<ul><li>b</li></ul>c<ul><li>d</li></ul></li></ul>", "- a\n  - b\n  c\n  - d"),
        ("<ul><li>a<ul><li>b<br>c</li></ul></li><li>d</li></ul>", "- a\n  - b c\n- d"),
        ("<ol><li>a</li><li><p>b</p><p>c</p></li></ol>", "1. a\n2. b c"),
        ("<dl><dt>Sire</dt><dd>the father</dd><dt>Dam</dt></dl>", "- Sire: the father\n- Dam"),
        ("<dl><dd>only indented</dd></dl>", "only indented"),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
        ("<pre>if a:\n    b  = 1\n\n    c</pre>", "```\nif a:\n    b  = 1\n\n    c\n```"),
        ("<div class=mw-highlight><pre><span>x</span> = `1`\n```\n</pre></div>", "````\nx = `1`\n```\n````"),
        ("<blockquote><p>One.</p><p>Two.</p></blockquote>", "> One.\n>\n> Two."),
        (
            TABLE,
            "Sizes | A | B\\|C |\n| --- | --- |\n| 1 | 2 |\n| 1 | 3 4 |",
        ),
        (
            "<table><tr><td colspan=2>a</td><td>b</td></tr><tr><td>c</td><td>d</td><td>e</td></tr></table>",
            "|  |  |  |\n| --- | --- | --- |\n| a |  | b |\n| c | d | e |",
        ),
        ("<table role=presentation><tr><td><p>Left.</p></td><td><p>Right.</p></td></tr></table>", "Left. Right."),
        ("<figure><img><figcaption>Wolves hunt in packs of five to ten animals.</figcaption></figure>",
         "Wolves hunt in packs of five to ten animals."),
        ("<figure><img><figcaption>A wolf</figcaption></figure><p>Text.</p>", "Text."),
    ],
)  # fmt: skip
def test_blocks_keep_their_form(body: str, text: str) -> None:
    assert " ".join(texts(body)) == text


ANNOTATED = """<p>Where <span class="mwe-math-element" typeof="mw:Extension/math"><span class="mwe-math-mathml-a11y"
style="display: none;"><math alttext="wrong"><semantics><mi>x</mi><annotation encoding="application/x-tex"
>{\\displaystyle x^{2}}</annotation></semantics></math></span><img class="mwe-math-fallback-image-inline" alt="x"
></span> is.</p>"""


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (ANNOTATED, "Where $x^{2}$ is."),
        ("<p>So <math alttext='a &lt; b'><mi>a</mi></math>.</p>", "So $a < b$."),
        ("<p><img class='mwe-math-fallback-image-inline tex' alt='\\frac{1}{2}'></p>", "$\\frac{1}{2}$"),
        ("<p><math display=block alttext='E=1'></math></p>", "$$E=1$$"),
    ],
)
def test_formulas_stay_tex(body: str, text: str) -> None:
    assert texts(body) == [text]


@pytest.mark.parametrize(
    "body",
    [
        '<div role="note" class="x">Gone</div>', '<div class="hatnote">Gone</div>',
        '<table class="infobox"><tr><td>Gone</table>',
        '<div class="navbox-styles">Gone</div>', '<table class="metadata ambox"><tr><td>Gone</table>',
        '<ol class="mw-references"><li>Gone</ol>', '<div typeof="mw:Extension/references mw:Transclusion">Gone</div>',
        '<span typeof="mw:Transclusion mw:Extension/ref">Gone</span>',
        '<sup class="noprint Inline-Template">[Gone]</sup>',
        '<span id="coordinates">Gone</span>', "<style>.gone{}</style>", "<script>gone()</script>",
        "<div hidden>Gone</div>",
        '<p style="DISPLAY : none">Gone</p>', '<a href="javascript:gone()"></a>', "<!-- gone -->", "<h2>Empty</h2>",
        '<table class="navbox"><tr><td>Gone</table>', '<h2 id="R">References</h2><p>Gone</p><h3>Web</h3><p>Gone</p>',
        '<table><tr><td><a>Gone</a></td><td><a>gone</a></td></tr></table>', "<ul class=gallery><li>Gone</ul>",
    ],
)  # fmt: skip
def test_what_is_beside_the_text_is_dropped(body: str) -> None:
    assert texts(f"<p>Kept.</p>{body}<h2>Next</h2><p>Also kept.</p>") == ["Kept.", "Also kept."]


@pytest.mark.parametrize(
    ("heading", "level", "language", "dropped"),
    [
        ("See also", 2, "en", True), ("SEE ALSO:", 4, "en", True), ("Sources", 2, "en", True),
        ("Sources", 3, "en", False),
        ("Literature", 3, "en", False), ("Einzelnachweise", 2, "de", True), ("Einzelnachweise", 2, "en", False),
        ("Voir aussi", 2, "fr", True), ("Notes et références", 2, "fr-CA", True), ("Véase también", 2, "es", True),
        ("انظر أيضا", 2, "ar", True), ("מקורות", 2, "he", True), ("Voir aussi", 2, "", True), ("Dogs", 2, "en", False),
    ],
)  # fmt: skip
def test_boilerplate_is_known_by_name(heading: str, level: int, language: str, dropped: bool) -> None:
    above = "".join(f"<h{each}>Dogs</h{each}>" for each in range(2, level))
    page = read_page(html(f"<p>Lead.</p>{above}<h{level}>{heading}</h{level}><p>Below.</p>", ""), language)
    assert ("Below." not in [block.text for section in page.sections for block in section.blocks]) is dropped


def test_a_caller_may_choose_what_is_left_out() -> None:
    raw = html("<p>Lead.</p><h2>Books</h2><p>Two.</p><h2>Links</h2><p>Three.</p><h3>Deeper</h3><p>Four.</p>")
    kept = [section.path for section in read_page(raw, drops=lambda heading, *_: heading == "Links").sections]
    assert kept == [(), ("Books",)]


def test_a_title_outside_of_the_sections_is_no_heading() -> None:
    title, section = (
        "<h1 id=firstHeading>Dogs</h1>",
        "<section data-mw-section-id=1><h1 id=A>A</h1><p>Two.</p></section>",
    )
    assert [each.path for each in read(f"{title}<p>One.</p>{section}").sections] == [(), ("A",)]
    assert [each.path for each in read(section).sections] == [("A",)]


@pytest.mark.parametrize("depth", [250, 1000, 5000])
def test_text_that_the_parser_would_lose_is_an_error(depth: int) -> None:
    with pytest.raises(TooDeep):
        read_page(html("<div>" * depth + "lost" + "</div>" * depth))


@pytest.mark.parametrize("raw", [b"", b"  ", b"<", b"<html></html>", b"\xff\xfe\x00", b"<!-- only -->"])
def test_nothing_is_nothing(raw: bytes) -> None:
    assert "".join(block.text for each in read_page(raw).sections for block in each.blocks).isalnum() in (False,)


def test_the_direction_is_read() -> None:
    assert read_page(b"<html><body lang=ar dir=rtl>x").direction == "rtl"
    assert read_page(b"<html><body lang=en>x").direction == "ltr"


def missing(name: str) -> str:
    """As Parsoid shows a template that the wiki does not have."""
    return f'<a rel="mw:WikiLink" href="./Template:{name}" title="Template:{name}" class="new">Template:{name}</a>'


def test_a_missing_template_leaves_no_name_behind() -> None:
    body = f"<p>{missing('Redirect2')} {missing('Pp-move')} Andorra ({missing('IPA')}; {missing('Lang')}) is small.</p>"
    found = read(f"{body}<p>The war (1775{missing('Ndash')}1783, {missing('Lang')}) ended.</p>")
    assert [block.text for block in found.sections[0].blocks] == ["Andorra is small.", "The war (1775…1783) ended."]


def test_a_list_of_works_is_no_text() -> None:
    works = "".join(f"<li>A. Writer: <i>A book {number}</i>, ISBN 978-0-00-000000-{number}</li>" for number in range(3))
    found = read(f"<p>Lead.</p><h2>Life</h2><ul>{works}</ul><ul><li>A list of words</li></ul>")
    assert [block.text for section in found.sections for block in section.blocks] == ["Lead.", "- A list of words"]


def test_categories_are_read_without_those_of_upkeep() -> None:
    names = ("Alkali_metals#%20", "Articles_with_dead_links", "Groups_in_the_periodic_table")
    links = "".join(f'<link rel="mw:PageProp/Category" href="./Category:{name}"/>' for name in names)
    assert read(f"<p>Lead.</p>{links}").categories == ("Alkali metals", "Groups in the periodic table")
