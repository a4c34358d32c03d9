"""HTML, reStructuredText, AsciiDoc and plain text: the same kinds of text and the same places as in Markdown."""

from __future__ import annotations

import os
import re
from io import BytesIO
from pathlib import Path

import pytest
from llama_index.core.schema import Document

from ragstone.core import Host, SourceError
from ragstone.plugins.book_chat import PlainTextReader, Shelf, UnreadableFile
from ragstone.plugins.book_chat.markdown.html.text import read_html
from tests.plugins.book_chat.reading import kinds, read, read_bytes
from tests.support.patience import grows_linearly
from tests.support.third_party_fakes import write_pages

SAME = """\
# Wheels

## Casters

A caster is a wheel that `swivels`.

- one
  - two
- three

1. first
2. second

```python
turn(left)
```

> [!WARNING]
> Hot.

| Tyre | Grip |
| --- | --- |
| nylon | low |

Figure: A drawing of the caster with its fork

Caster: A wheel.

What is a caster?
""".replace("`swivels`", "swivels")
KINDS = [("caption", "Figure"), ("definition", "Caster"), ("question", "What")]
HTML = b"""<!DOCTYPE html><html><head><title>Casters | Robot parts</title></head><body>
<header>Robot parts</header><nav><a href="x.html">Menu</a></nav><main>
<h1>Wheels<a class="headerlink" href="#w">\xc2\xb6</a></h1><h2>Casters</h2><p>A caster is a <em>wheel</em>
that <code>swivels</code>.</p><ul><li>one<ul><li>two</li></ul></li><li>three</li></ul>
<ol><li>first</li><li><p>second</p></li></ol><div class="highlight-python"><div class="highlight"><pre>turn(left)
</pre></div></div><div class="admonition warning"><p class="admonition-title">Warning</p><p>Hot.</p></div>
<table><thead><tr><th>Tyre</th><th>Grip</th></tr></thead><tr><td>nylon</td><td>low</td></tr></table>
<p><img src="a.png" alt="A drawing of the caster with its fork"></p><dl><dt>Caster</dt><dd>A wheel.</dd></dl>
<section class="exercise"><p>What is a caster?</p></section></main><footer>Made by a tool</footer>
<script>alert(1)</script></body></html>"""
RST = b"""\
Wheels
======

Casters
-------

A caster is a *wheel* that ``swivels``.

- one

  - two

- three

#. first
#. second

.. code-block:: python

   turn(left)

.. warning::

   Hot.

=====  ====
Tyre   Grip
=====  ====
nylon  low
=====  ====

.. image:: a.png
   :alt: A drawing of the caster with its fork

Caster
   A wheel.

.. exercise::

   What is a caster?
"""
ADOC = """\
= Wheels
Ann Author <ann@example.org>
:thing: wheel

== Casters

A caster is a *{thing}* that `swivels`. // no comment
// a comment

* one
** two
* three

. first
. second

[source,python]
----
turn(left)
----

WARNING: Hot.

|===
|Tyre |Grip

|nylon |low
|===

image::a.png[A drawing of the caster with its fork]

Caster:: A wheel.

[.exercise]
====
What is a caster?
====

include::/etc/passwd[]
""".replace(" // no comment", "")


def first_words(document: Document) -> list[tuple[str, str]]:
    return [(kind, text.split(maxsplit=1)[0].rstrip(":")) for kind, text in kinds(document)]


@pytest.mark.parametrize(("content", "suffix"), [(HTML, ".html"), (RST, ".rst")])
def test_html_and_restructuredtext(reading_host: Host, content: bytes, suffix: str) -> None:
    found = read_bytes(reading_host, content, suffix)
    assert (found.text, found.metadata["title"]) == (SAME, "Wheels")
    assert first_words(found) == KINDS


def test_what_a_file_of_asciidoc_includes_is_named(fast_host: Host, tmp_path: Path) -> None:
    page = "= Pumps\n\ninclude::ch1/valves.adoc[leveloffset=+1]\n\nText. include::no[]\n"
    book = write_pages(tmp_path / "pumps", {"book.adoc": page, "ch1/valves.adoc": "= Valves\n\nWords.\n"})
    shelf = Shelf(fast_host)
    assert [left.relative for left in shelf.plan(book / "book.adoc").left_out] == ["ch1/valves.adoc"]
    assert not shelf.plan(book).left_out


def test_asciidoc() -> None:
    found = read(ADOC, ".adoc")
    assert found.text == SAME
    # the form of a figure says so by itself
    assert first_words(found) == KINDS[1:]


def test_nothing_that_a_page_names_is_read(reading_host: Host, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the secret")
    page = f".. include:: {tmp_path}/secret.txt\n\n.. raw:: html\n   :file: {tmp_path}/secret.txt\n\n"
    page += f".. csv-table::\n   :file: {tmp_path}/secret.txt\n\n.. literalinclude:: {tmp_path}/secret.txt\n\nWords.\n"
    assert "the secret" not in read_bytes(reading_host, page.encode(), ".rst").text
    assert "the secret" not in read(f"include::{tmp_path}/secret.txt[]\n", ".adoc").text


def test_what_only_sphinx_knows_is_read_as_words(reading_host: Host) -> None:
    page = b"""\
See :ref:`the wheels <wheels>`, :py:func:`~robot.turn` and :term:`caster`.

.. versionadded:: 3.2
   It turns.

.. py:function:: turn(angle)

   Turns the robot.

.. toctree::

   a
   b

.. unheard-of:: x
   :y: z

   Words in it.
"""
    assert read_bytes(reading_host, page, ".rst").text == (
        "See the wheels, turn and caster.\n\n> [!NOTE] Added in 3.2\n> It turns.\n\nturn(angle)\n\nTurns the robot.\n\n"
        "x\n\nWords in it.\n"
    )


def test_footnotes_stand_after_their_sentence(reading_host: Host) -> None:
    found = read_bytes(reading_host, b"A caster [1]_ swivels.\n\nIt rolls.\n\n.. [1] A wheel.\n", ".rst")
    assert found.text == "A caster swivels.\n\nA wheel.\n\nIt rolls.\n"
    assert first_words(found) == [("reference", "A")]


@pytest.mark.parametrize(
    ("note", "is_reference"),
    [
        ("A caster that is locked holds a cart on a slope of five degrees.", False),
        ("Casters are treated by A. Smith, Wheels, London 1901, where they are drawn.", True),
        ("The drawings of the casters are at https://casters.example/drawings.", True),
        ("See above.", True),
    ],
)
def test_a_footnote_that_explains_is_no_reference(reading_host: Host, note: str, is_reference: bool) -> None:
    found = read_bytes(reading_host, f"A caster [1]_ swivels.\n\n.. [1] {note}\n".encode(), ".rst")
    assert [kind for kind, _ in first_words(found)] == ["reference"] * is_reference


@pytest.mark.parametrize("element", ["div", "b"])
def test_a_page_of_many_levels_is_read_or_refused_and_never_cut(reading_host: Host, element: str) -> None:
    def page(levels: int) -> bytes:
        deep = f"{f'<{element}>' * levels}deep{f'</{element}>' * levels}"
        return f"<html><body><p>First words.</p>{deep}<p>Last words.</p></body></html>".encode()

    assert re.search(r"deep\s+Last words\.", read_bytes(reading_host, page(1000), ".html").text)
    with pytest.raises(UnreadableFile, match="2,048 levels"):
        read_bytes(reading_host, page(4000), ".html")


def test_a_table_of_links_alone_and_a_pages_footer_are_no_text(reading_host: Host) -> None:
    page = b"""<body><table><tr><td>[<a href="a.html"> Wheels </a>]</td><td>[<a href="b.html">Up : Top</a>]</td></tr>
        </table>
        <h1>Legs</h1><p>Legs walk.</p>
        <table><tr><td><a href="#x">Feet</a></td><td>two</td></tr><tr><td>Toes</td><td>ten</td></tr></table>
        <div><a href="a.html">Wheels</a> <b><a href="c.html">Arms</a></b></div>
        <div id="tocframe"><p><a href="a.html">Back to all</a></p><h4><a href="b.html">Robots</a></h4></div>
        <div id="footer"><p>This page is for version 2.</p></div></body>"""
    assert (
        read_bytes(reading_host, page, ".html").text
        == "# Legs\n\nLegs walk.\n\n| Feet | two |\n| --- | --- |\n| Toes | ten |\n"
    )


def test_no_space_stays_where_the_sign_of_a_footnote_was(reading_host: Host) -> None:
    found = read_bytes(reading_host, b"A caster swivels [#f]_.\n\n.. [#f] A wheel.\n", ".rst")
    assert found.text == "A caster swivels.\n\nA wheel.\n"


def test_a_line_that_docutils_would_drop_is_refused(reading_host: Host) -> None:
    with pytest.raises(UnreadableFile, match="a line of more than 100,000 characters"):
        read_bytes(reading_host, b"A caster swivels.\n\n" + b"x " * 50_001, ".rst")


@pytest.mark.parametrize(
    ("name", "heading"), [("index.rst", "Beehive notes\n============="), ("README.adoc", "= Beehive notes")]
)
def test_a_folder_has_the_title_of_its_front_page(fast_host: Host, tmp_path: Path, name: str, heading: str) -> None:
    other = f"swarm{name[name.index('.') :]}"
    folder = write_pages(tmp_path / "rst", {name: f"{heading}\n\nWords.\n", other: "Words.\n"})
    shelf = Shelf(fast_host)
    assert shelf.add(shelf.plan(folder)).book == "beehive-notes"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("<p>Kühlung</p>".encode("cp1252"), "Kühlung"),
        ('<meta charset="utf-8"><p>Kühlung</p>'.encode(), "Kühlung"),
        ("<p>Kühlung</p>".encode("utf-16"), "Kühlung"),
        (b"<p>x<sup>2</sup> and the 2<sup>nd</sup> and 10<sup>-3</sup></p>", "x^2 and the 2nd and 10^{-3}"),
        (b"<p>a &lt; b &amp; c</p>", "a < b & c"),
        (b"<p># no heading</p>", "\\# no heading"),
        (b"<dl><dt>Axle:</dt><dd>A rod.</dd></dl>", "Axle: A rod."),
        (b"<p>a\x07b\xe2\x80\xaec</p>", "abc"),
        (b"<div>one<div>two</div>three</div>", "one\n\ntwo\n\nthree"),
        (b"<p>seen</p><p hidden>no</p><p style='display: none'>no</p><p aria-hidden=true>no</p>", "seen"),
        (b"<table><tr><td rowspan=2>a<td>b<tr><td>c|d</table>", "| a | b |\n| --- | --- |\n| a | c\\|d |"),
        (
            b"<table><tr><td rowspan=2 colspan=2>a<td>b<tr><td>c</table>",
            "| a |  | b |\n| --- | --- | --- |\n| a |  | c |",
        ),
        (
            b"<table><tr><th colspan=2>Grip of tyres<tr><th>Tyre<th>Grip<tr><td>nylon<td>low</table>",
            "Table: Grip of tyres\n\n| Tyre | Grip |\n| --- | --- |\n| nylon | low |",
        ),
        (b'<math alttext="\\frac{1}{2}"><mn>1</mn></math>', "$\\frac{1}{2}$"),
        (b"<p>one<br>two</p>", "one\ntwo"),
        (b"<pre>```</pre>", "````\n```\n````"),
    ],
)
def test_what_becomes_of_a_page(reading_host: Host, data: bytes, words: str) -> None:
    assert read_bytes(reading_host, data, ".html").text == f"{words}\n"


SITE = {
    "index.html": "<title>Welcome | Robot parts</title><h1>Welcome</h1><p>All about parts.</p>"
    '<a href="zeta.html">Zeta</a> <a href="sub/">Sub</a> <a href="https://example.org/x.html">no</a>',
    "alpha.html": "<title>Alpha | Robot parts</title><h1>Alpha</h1><p>Alpha is last.</p>",
    "zeta.html": "<title>Zeta | Robot parts</title><h1>Zeta</h1><p>Zeta is a wheel that swivels.</p>",
    "sub/index.html": "<title>Sub | Robot parts</title><h1>Sub</h1><p>Sub is below.</p>",
    "search.html": "<title>Search | Robot parts</title>",
    "_static/x.html": "x",
    "robots.txt": "x",
    "_sources/zeta.rst.txt": "x",
}


def test_a_saved_site_is_one_book_in_the_order_of_its_links(fast_host: Host, tmp_path: Path) -> None:
    shelf = Shelf(fast_host)
    layout = shelf.plan(write_pages(tmp_path / "site", SITE))
    assert layout.title == "Robot parts"
    assert [file.relative for file in layout.files] == ["index.html", "zeta.html", "sub/index.html", "alpha.html"]
    reasons = {left.relative: left.reason for left in layout.left_out}
    assert reasons["search.html"] == reasons["_static/x.html"] == "a page that a tool added"
    assert reasons["robots.txt"] == "no text of a book"
    report = shelf.add(layout)
    (node,) = shelf.corpus.contents.document_nodes(f"{report.book}:zeta.html")
    assert (node.metadata["chapter"], node.get_content()) == ("Zeta", "Zeta is a wheel that swivels.")


def test_pages_that_say_which_is_next_are_in_that_order(fast_host: Host, tmp_path: Path) -> None:
    page = '<link rel="next" href="{}"><h1>A</h1><p>Words.</p>'
    site = {"index.html": page.format("c.html"), "a.html": page.format(""), "c.html": page.format("a.html")}
    layout = Shelf(fast_host).plan(write_pages(tmp_path / "site", site))
    assert [file.relative for file in layout.files] == ["index.html", "c.html", "a.html"]


def test_pages_below_others_are_sections_of_their_chapters(fast_host: Host, tmp_path: Path) -> None:
    """As DocBook's and Texinfo's tools write a book, a page for each section; its front page has any name."""

    def page(title: str, up: str, text: str, following: str = "") -> str:
        links = f'<link rel="home" href="front.html"><link rel="up" href="{up}"><link rel="next" href="{following}">'
        return f"<title>{title}</title>{links}<h2>{title}</h2><p>{text}</p>"

    authors = '<h3 class="author"><span>Ada</span> <span>Byron</span></h3><div class="author"><p>x</p></div>'
    layout = Shelf(fast_host).plan(
        write_pages(
            tmp_path / "site",
            {
                "ch1.html": page("Chapter 1. Wheels", "p1.html", "Wheels are round.", "s2.html"),
                "front.html": f'<title>Robots</title><link rel="next" href="p1.html"><h1>Robots</h1>{authors}',
                "p1.html": page("Part I. Parts", "front.html", "Of all parts.", "ch1.html"),
                "s2.html": page("1.1. Castors", "ch1.html", "Castors swivel.", "s3.html"),
                "s3.html": page("1.1.1. Small ones", "s2.html", "Small castors rattle."),
                "loop.html": page("Loop", "loop.html", "Goes round."),
            },
        )
    )
    assert (layout.title, layout.authors) == ("Robots", ("Ada Byron",))
    assert {file.relative: (file.chapter, file.within) for file in layout.files} == {
        "front.html": (None, ()),
        "p1.html": ("Part I. Parts", ()),
        "ch1.html": ("Chapter 1. Wheels", ()),
        "s2.html": ("Chapter 1. Wheels", ("1.1. Castors",)),
        "s3.html": ("Chapter 1. Wheels", ("1.1. Castors", "1.1.1. Small ones")),
        "loop.html": ("Loop", ()),
    }
    assert next(iter(layout.files)).relative == "front.html"


def test_the_front_pages_lists_say_which_page_is_below_which(fast_host: Host, tmp_path: Path) -> None:
    """As mdBook writes a site; old addresses and other editions lie in its folder too."""
    below = "<ol><li><a href='c.html'>Castors</a></li></ol>"
    menu = f"<nav><ol><li><a href='w.html'>Wheels</a></li><li>{below}</li><li><a href='l.html'>Legs</a></li></ol></nav>"
    menu += "<h1>Robots</h1><main><h1>{0}</h1>{1}</main>"

    def page(title: str, following: str = "", head: str = "") -> str:
        return (
            f"<title>Robots: {title}</title>{head}<link rel='next' href='{following}'>{menu.format(title, '<p>x.</p>')}"
        )

    site = {
        "index.html": page("Robots", "w.html"),
        "w.html": page("Wheels", "c.html"),
        "c.html": page("Castors", "l.html"),
        "l.html": page("Legs"),
        "old.html": page("Old wheels", head="<meta name='robots' content='noindex'>"),
        "extra.html": page("Extra"),
        "first/index.html": page("First edition", "a.html"),
        "first/a.html": page("A"),
    }
    layout = Shelf(fast_host).plan(write_pages(tmp_path / "site", site))
    assert {file.relative: (file.chapter, file.within) for file in layout.files} == {
        "index.html": (None, ()),
        "w.html": ("Wheels", ()),
        "c.html": ("Wheels", ("Castors",)),
        "l.html": ("Legs", ()),
        "extra.html": (None, ()),
    }
    assert {left.relative: left.reason for left in layout.left_out} == {
        "old.html": "an old address",
        "first/index.html": "another site: no page of the book leads to it",
        "first/a.html": "another site: no page of the book leads to it",
    }
    (document,) = fast_host.hooks.read(".html", tmp_path / "site" / "c.html")
    assert (document.text, document.metadata["title"]) == ("# Castors\n\nx.\n", "Castors")


def test_a_chain_of_pages_is_cut_and_a_folder_of_search_pages_has_none(fast_host: Host, tmp_path: Path) -> None:
    """A hostile site may be a chain of thousands of pages, each above the next one."""
    page = '<title>Page {0}</title><link rel="up" href="p{1}.html"><p>Words of page {0}.</p>'
    chain = {f"p{number}.html": page.format(number, number - 1) for number in range(1, 41)}
    layout = Shelf(fast_host).plan(write_pages(tmp_path / "chain", chain))
    assert max(len(file.within) for file in layout.files) < 12
    with pytest.raises(SourceError, match="names no file that can be read: search"):
        Shelf(fast_host).plan(write_pages(tmp_path / "tools", {"search.html": "<title>Search</title>"}))


def test_html_and_text_beside_markdown_are_no_pages(fast_host: Host, tmp_path: Path) -> None:
    pages = {"a.md": "# A\n\nWords.\n", "b.rst": "B\n=\n", "out/a.html": "<p>x</p>", "notes.txt": "x", "c.pdf": "x"}
    layout = Shelf(fast_host).plan(write_pages(tmp_path / "book", pages))
    assert [file.relative for file in layout.files] == ["a.md", "b.rst", "c.pdf"]
    assert {left.relative: left.reason for left in layout.left_out}["out/a.html"].startswith(".html beside pages")
    alone = Shelf(fast_host).plan(tmp_path / "book", "out")
    assert [file.relative for file in alone.files] == ["out/a.html"]


def test_a_page_that_a_script_fills_is_named(fast_host: Host, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<div id=app></div><script>x</script>")
    with pytest.raises(UnreadableFile, match="empty: it has no text; a page that a script fills"):
        fast_host.hooks.readers[".html"].load_data(tmp_path / "a.html")


def test_what_is_no_text_is_no_page_and_utf_16_is_one(fast_host: Host, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(bytes(range(256)) * 4)
    with pytest.raises(UnreadableFile, match="broken: it is not text: it has NUL bytes"):
        fast_host.hooks.readers[".html"].load_data(tmp_path / "a.html")
    (tmp_path / "b.html").write_text("<h1>Bees</h1><p>Bees make wax.</p>", "utf-16")
    assert fast_host.hooks.readers[".html"].load_data(tmp_path / "b.html")[0].text == "# Bees\n\nBees make wax.\n"


GUTENBERG = """\
The Project Gutenberg eBook of Robots of the Sea

Title: Robots of the Sea

Author: Ann Author and Bo Writer

*** START OF THE PROJECT GUTENBERG EBOOK ROBOTS OF THE SEA ***

CONTENTS

 CHAPTER I. Down the Harbour
 CHAPTER II. The Caster

CHAPTER I.
Down the Harbour

Alice was _very tired_ of sitting by the bank.

      *      *      *

1. Cut the wire.

CHAPTER II.

The Caster

A caster is a wheel that swivels about a vertical axis.
Part two of this was over.

Part two of this was over.

*** END OF THE PROJECT GUTENBERG EBOOK ROBOTS OF THE SEA ***

A licence.
"""


def test_a_book_of_plain_text() -> None:
    found = read(GUTENBERG, ".txt")
    assert (found.metadata["title"], found.metadata["authors"]) == ("Robots of the Sea", ["Ann Author", "Bo Writer"])
    assert found.text == (
        "# CHAPTER I. Down the Harbour\n\nAlice was very tired of sitting by the bank.\n\n1\\. Cut the wire.\n\n"
        "# CHAPTER II. The Caster\n\nA caster is a wheel that swivels about a vertical axis.\nPart two of this was "
        "over.\n\nPart two of this was over.\n"
    )


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            "PART ONE\n\nI.\n\nWords.\n\nII. THE STORM\n\nMore.",
            "# PART ONE\n\n## I.\n\nWords.\n\n## II. THE STORM\n\nMore.\n",
        ),
        ("Chapter 3\n\nWho Stole the Tarts?\n\nThey did.", "# Chapter 3. Who Stole the Tarts?\n\nThey did.\n"),
        ("Chapter 3\n\n“What is it?” she said.", "# Chapter 3\n\n“What is it?” she said.\n"),
        ("Title\n=====\n\nSub\n---\n\nWords.", "# Title\n\n## Sub\n\nWords.\n"),
        ("Keeping bees\n\nA colony needs honey.", "# Keeping bees\n\nA colony needs honey.\n"),
        ("Keeping bees\n\nCHAPTER I\n\nHoney is food.", "Keeping bees\n\n# CHAPTER I\n\nHoney is food.\n"),
        ("A colony needs honey.\n\nIt has a queen.", "A colony needs honey.\n\nIt has a queen.\n"),
        ("# no heading\n\n- no item", "\\# no heading\n\n\\- no item\n"),
        ("P R E F A C E\n\nWords.", "# PREFACE\n\nWords.\n"),
        ('CHAPTER I\n\n"ANNA!"\n\nNo answer.', '# CHAPTER I\n\n"ANNA!"\n\nNo answer.\n'),
        (
            "1.  Tools\n\nWords.\n\n1.2.  Ropes and winches\n\nMore.\n\n1.3. Pull it.",
            "# 1. Tools\n\nWords.\n\n## 1.2. Ropes and winches\n\nMore.\n\n1.3. Pull it.\n",
        ),
        ("", ""),
    ],
)
def test_headings_of_plain_text(source: str, text: str) -> None:
    found = read(source, ".txt")
    assert found.text == text
    assert found.metadata["title"] == ("Keeping bees" if source.startswith("Keeping") else None)


def test_the_lines_of_a_paragraph_are_joined_and_those_of_verses_and_tables_are_not() -> None:
    prose = (
        "     A  winch  is a drum that a crank turns;  for  instance,  one\nthat  pulls  a  ship ashore has a well-"
        "oiled crank. Of the in-\nstances that are known, most are of iron."
    )
    joined = (
        "A winch is a drum that a crank turns; for instance, one that pulls a ship ashore has a well-oiled crank. "
        "Of the instances that are known, most are of iron."
    )
    term = "Winch\n     A drum that a crank turns; it pulls ships and is seen on\n     each quay."
    verses = "The winch upon the quay is old and grey,\nIt pulled the ships of Anna to the shore,\nAnd pulls no more."
    table = "rope of hemp                             ten crowns\nrope of wire                          twenty crowns"
    assert read(f"{prose}\n\n{term}\n\n{verses}\n\n{table}", ".txt").text == (
        f"{joined}\n\nWinch\nA drum that a crank turns; it pulls ships and is seen on each quay.\n\n{verses}\n\n"
        f"{table}\n"
    )


@pytest.mark.parametrize(
    ("source", "listed"),
    [
        (
            "   They may\n    1. oil the winch,\n       old;\n    2. sleep:\n        a) by day;\n        b) by night\n",
            "They may\n\n1. oil the winch, old;\n2. sleep:\n    - a) by day;\n    - b) by night",
        ),
        ("  * oil\n  * rope,\n    # or two\n", "- oil\n- rope, # or two"),
        ("  1. Oil it. Then\n     sleep.\n  2. Eat.\n", "1\\. Oil it. Then sleep.\n\n2\\. Eat."),
        ("  - Oil it. Then\n    sleep.\n  - Eat.\n", "Oil it. Then sleep.\n\nEat."),
        ("Parts:\n- oil\n- # rope\n", "Parts:\n\n- oil\n- \\# rope"),
    ],
)
def test_a_list_of_plain_text_is_a_list(source: str, listed: str) -> None:
    assert read(source, ".txt").text == f"{listed}\n"


@pytest.mark.parametrize(
    "source",
    [
        "It was in\n1912. He came\nin\n1914. She left\nin\n1915.\n",
        "It was late - he came\n- as was said - by\nboat.\n",
        "+ S_cross (cross)\n# S_room (room)\n+ S_book (book)\n",
        "1. oil\n3. rope\n",
    ],
)
def test_lines_that_only_begin_like_items_are_no_list(source: str) -> None:
    assert not re.search(r"^ *(?:-|\d+\.) ", read(source, ".txt").text, re.MULTILINE)


def test_the_heads_of_pages_are_left_out_and_a_paragraph_goes_on_behind_them() -> None:
    def page(number: int) -> str:
        return f"\n\nOn Winches                                 Page {number}\n\n\n"

    cut = "".join(f"The rope number {number} is{page(number)}as long as the ship.\n\n" for number in range(1, 6))
    whole = [f"The rope number {number} is\nas long as the ship." for number in range(1, 6)]
    assert read(cut, ".txt").text == "\n\n".join(whole) + "\n"


def test_plain_text_of_windows_is_read_and_other_files_are_not(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Kühlung – kalt".encode("cp1252"))
    (document,) = PlainTextReader().load_data(tmp_path / "a.txt")
    assert document.text == "Kühlung – kalt\n"
    (tmp_path / "a.txt").write_bytes(b"a\0b")
    with pytest.raises(SourceError, match="NUL"):
        PlainTextReader().load_data(tmp_path / "a.txt")
    os.truncate(tmp_path / "a.txt", 20_000_001)
    with pytest.raises(SourceError, match="more than 20"):
        PlainTextReader().load_data(tmp_path / "a.txt")


@pytest.mark.parametrize("part", ["[", "<<", "{a}", "*a ", "((", "image:", "a::", "|", "__", "`", "link:x["])
def test_asciidoc_of_one_thing_over_and_over_takes_linear_time(part: str) -> None:
    assert grows_linearly(lambda size: read(f"{part * size}\n", ".adoc"), 1000)
    assert grows_linearly(lambda size: read(f"{part}\n" * size, ".adoc"), 400)


def test_what_stands_in_a_list_beside_its_items_is_text(reading_host: Host) -> None:
    page = (
        b"<body><h1>Legs</h1><p>Three:</p><ul><p>1) They walk.</p><li>They stand.</li><h2>Feet</h2><p>Two.</p></body>"
    )
    assert (
        read_bytes(reading_host, page, ".html").text
        == "# Legs\n\nThree:\n\n1\\) They walk.\n\nThey stand.\n\n## Feet\n\nTwo.\n"
    )


def test_the_abstract_of_a_title_page_explains(reading_host: Host) -> None:
    page = b"<div class='titlepage'><p>By Ann.</p><div class='abstract'><p>This tells of legs.</p></div></div>"
    found = kinds(read_bytes(reading_host, page, ".html"))
    assert [text.strip() for kind, text in found if kind == "navigation"] == ["By Ann."]


@pytest.mark.parametrize(
    "part", ["<ol>", "<ul>a", "<ol><li>", "<pre><code>", "<div class=note>", "<blockquote>", "<dl><dd>"]
)
def test_elements_within_each_other_are_read_to_the_last_word(reading_host: Host, part: str) -> None:
    nested = f"<body><h1>Ropes</h1><p>A rope is long.</p>{part * 900}The innermost rope.".encode()
    text = read_bytes(reading_host, nested, ".html").text
    assert "A rope is long." in text
    assert "The innermost rope." in text


@pytest.mark.parametrize(
    "part", ["<div>a ", "<div>.", "<div class=note>a ", "<table><tr><td>a ", "<div><a href=b>c</a>"]
)
def test_elements_within_each_other_take_linear_time(part: str) -> None:
    def read_nested(size: int) -> None:
        read_html(BytesIO(f"<body><p>A rope.</p>{part * (size // part.count('<'))}".encode()))

    # the first hundred levels are looked through one by one, so that only many more of them show how it goes on
    assert grows_linearly(read_nested, 160, times=12)
