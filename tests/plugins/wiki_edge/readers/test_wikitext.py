"""Wikitext becomes prose: what is markup goes, what is said stays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ragstone.plugins.wiki_edge.parsers.chunker import sentences_of
from ragstone.plugins.wiki_edge.readers.dump import Dump
from ragstone.plugins.wiki_edge.readers.prose import encyclopedic_blocks, is_boilerplate, plain_blocks
from ragstone.plugins.wiki_edge.readers.wikitext import Site, blocks_of
from tests.support.needs import needed
from tests.support.patience import grows_linearly

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

needed("mwparserfromhell")

SITE = Site(namespaces=frozenset({"file", "image", "category", "media", "datei"}))


def prose(wikitext: str) -> str:
    return "\n\n".join(block.text for block in blocks_of(wikitext, SITE))


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        ("A '''bold''' and ''slanted'' word.", "A bold and slanted word."),
        ("The [[robot]] saw [[Robotic arm|an arm]], [[:Category:Robots]].", "The robot saw an arm, Category:Robots."),
        ("Before [[File:A.jpg|thumb|A [[robot]] arm]] after.", "Before after."),
        ("[[Datei:B.png|mini|Bild]]Text [[de:Roboter]][[Category:Robots]]", "Text"),
        ("A fact.<ref>A source, 2001.</ref> More.<ref name=x /> End.", "A fact. More. End."),
        ("{{Infobox robot|name=R2|weight=5}}\nR2 is a robot.", "R2 is a robot."),
        ("{{convert|5|to|10|km|mi}} away and {{cvt|3.5|kg|lb|abbr=on}} heavy", "5 to 10 km away and 3.5 kg heavy"),
        ("Anarchism ({{lang-el|ἀναρχία}}; {{IPA|en|x}}) is", "Anarchism (ἀναρχία) is"),
        ("Kabul ({{IPAc-en|x}}; {{coord|1|2}}) is a city.", "Kabul is a city."),
        ("{{lang|de|Zeitgeist}}, {{nowrap|not new}}{{ndash}}or {{circa|1800}}.", "Zeitgeist, not new–or c. 1800."),
        ("See <nowiki>[[this]]</nowiki> and 35&nbsp;mm <!-- hidden --> film.", "See this and 35 mm film."),
        ("A [https://example.org link] and [https://example.org] none.", "A link and none."),
        ("Line one\nline two.\n\nNext.", "Line one line two.\n\nNext."),
        ("Items:\n* one\n* two\n** deep\n\nAfter", "Items:\n- one\n- two\n- deep\n\nAfter"),
        ("__NOTOC__\nText {{DISPLAYTITLE:x}} here.", "Text here."),
        ("Energy is <math>E = mc^2</math>.", "Energy is E = mc^2."),
        ("{{unclosed [[also\nText stays.", "unclosed also Text stays."),
        ("<div class=\"navbox\">[[A]] [[B]]</div>Text.", "Text."),
        ("{{quote|Be brief.|Somebody}}", "Be brief."),
    ],
)  # fmt: skip
def test_markup_goes_and_words_stay(wikitext: str, expected: str) -> None:
    assert prose(wikitext) == expected


def test_data_tables_are_lines_and_others_go() -> None:
    table = (
        "{| class='wikitable'\n! Name !! Where it lives\n|-\n| Marten || In the forest\n|-\n"
        "| Otter<ref>x</ref> || River\n|}"
    )
    assert prose(f"Animals.\n{table}\nEnd.") == (
        "Animals.\n\n- Name: Marten; Where it lives: In the forest\n- Name: Otter; Where it lives: River\n\nEnd."
    )
    assert prose("{| class='navbox'\n| [[A]] || [[B]]\n|}\nEnd.") == "End."
    assert prose("{| class='wikitable'\n| 1 || 2\n|-\n| 3 || 4\n|}\nEnd.") == "End."


def test_sections_have_paths_and_anchors_and_boilerplate_goes() -> None:
    text = """Lead.
== History ==
Old.
=== Early ''years'' ===
Older.
== See also ==
* [[Other]]
=== Within ===
* [[More]]
== History ==
Again.
== References ==
{{reflist}}
== External links ==
* [https://example.org x]
"""
    found = [(block.text, block.heading, block.anchor) for block in blocks_of(text, SITE)]
    assert found == [
        ("Lead.", "", ""),
        ("Old.", "History", "History"),
        ("Older.", "History › Early years", "Early_years"),
        ("Again.", "History", "History_2"),
    ]


@pytest.mark.parametrize(
    "heading", ["Литература", "Вижте също", "Einzelnachweise", "Fußnoten", "Voir aussi", "関連項目", "Примітки"]
)
def test_boilerplate_in_other_languages(heading: str) -> None:
    assert prose(f"Text.\n== {heading} ==\n* x y\n") == "Text."


@pytest.mark.parametrize(
    "text",
    [
        lambda size: "a" + ", " * size + "b",
        lambda size: "a" + " " * size + ")b",
        lambda size: "(" + "; " * size,
        lambda size: "a\n" * size,
    ],
    ids=["commas", "spaces", "semicolons", "lines"],
)
@pytest.mark.parametrize("parse", [encyclopedic_blocks, plain_blocks, is_boilerplate, sentences_of])
def test_long_runs_of_marks_take_linear_time(text: Callable[[int], str], parse: Callable[[str], object]) -> None:
    assert grows_linearly(lambda size: parse(text(size)), 4000)


def test_deep_nesting_ends() -> None:
    assert "x" in prose("x " + "[[a|" * 300 + "b" + "]]" * 300)
    assert "x" in prose("x " + "{{a|" * 3000 + "}}" * 3000)
    assert "x" in prose("x " + "<div>" * 2000)


_RESIDUE = re.compile(
    r"\{\{|\}\}|\[\[[^H]|'''?|</?(?:ref|div|span|br|small)\b|__[A-Z]+__|&(?:nbsp|ndash|lt|gt);|\|\s*(?:thumb|left|right)\s*\|"
    r"|^\s*[{|!][-|]|\(\s*[;,]|\(\s*\)|\]\]$|(?:File|Image):[A-Z]",
    re.MULTILINE,
)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "articles"),
    [
        ("enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2", 106),
        ("bgwiki-latest-pages-articles-shortened.xml.bz2", 1),
        ("enwiki-table-markup.xml.bz2", 5),
    ],
)
def test_real_dumps_read_like_prose(data: Path, name: str, articles: int) -> None:
    pages = list(Dump(data / "mediawiki" / "dumps" / name).pages(None))
    assert len(pages) == articles
    for page in pages:
        blocks = page.read().blocks
        text = "\n\n".join(block.text for block in blocks)
        assert not (found := _RESIDUE.search(text)), (page.title, text[max(0, found.start() - 80) : found.end() + 80])
        assert len(text) > 100
        lead = blocks[0].text
        assert lead[0].isalnum() or lead[0] in '"-“„«', (page.title, lead[:80])
        assert not any(
            heading in block.heading for block in blocks for heading in ("References", "See also", "Източници")
        )


@pytest.mark.data
def test_a_real_page_in_utf16_and_bulgarian(data: Path) -> None:
    dump = Dump(data / "mediawiki" / "dumps" / "bgwiki-latest-pages-articles-shortened.xml.bz2")
    (page,) = dump.pages(None)
    assert dump.about().language == "bg"
    assert page.title == "Григориански календар"
    assert page.url.startswith("https://bg.wikipedia.org/wiki/%D0%93")
    assert page.read().blocks[0].text.startswith("Григорианският календар (понякога наричан и Грегориански календар")
