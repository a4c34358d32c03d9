"""Wikitext becomes prose: what is markup goes, what is said stays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from llama_index.core.schema import Document

from ragstone.plugins.wiki_edge import ArticleReader
from tests.support.needs import needed

from .dumps import page, plain

needed("mwparserfromhell")

TABLE = (
    "{| class='wikitable'\n! Name !! Where it lives\n|-\n| Marten || In the forest\n|-\n"
    "| Otter<ref>x</ref> || River\n|}"
)
CASES = [
    ("A '''bold''' and ''slanted'' word.", "A bold and slanted word."),
    ("The [[robot]] saw [[Robotic arm|an arm]], [[:Category:Robots]].", "The robot saw an arm, Category:Robots."),
    ("Before [[File:A.jpg|thumb|A [[robot]] arm]] after.", "Before after."),
    ("[[File:B.png|mini|Bild]]Text [[de:Roboter]][[Kategorie:Robots]]", "Text"),
    ("A fact.<ref>A source, 2001.</ref> More.<ref name=x /> End.", "A fact. More. End."),
    ("{{Infobox robot|name=R2|weight=5}}\nR2 is a robot.", "R2 is a robot."),
    ("{{convert|5|to|10|km|mi}} away and {{cvt|3.5|kg|lb|abbr=on}} heavy", "5 to 10 km away and 3.5 kg heavy"),
    ("{{convert|6|ft|4|in}} tall, {{convert|9|ft|1|abbr=on}} away", "6 ft 4 in tall, 9 ft away"),
    ("{{chem|C|''n''|H|2''n''+2}}, {{formatnum:3003}} m and {{nq|so}}{{' \"}}", "CnH2n+2, 3003 m and so' \""),
    ("({{OldStyleDate|February 2|1905|January 20}}{{snd}}March 6, 1982)", "(February 2 1905 – March 6, 1982)"),
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
    ("Built {{start date|1990|²|3}}, old.", "Built 3 ² 1990, old."),
    (
        f"Animals.\n{TABLE}\nEnd.",
        "Animals.\n\n- Name: Marten; Where it lives: In the forest\n- Name: Otter; Where it lives: River\n\nEnd.",
    ),
    ("{| class='navbox'\n| [[A]] || [[B]]\n|}\nEnd.", "End."),
    ("{| class='wikitable'\n| 1 || 2\n|-\n| 3 || 4\n|}\nEnd.", "End."),
    *(
        (f"Text.\n== {heading} ==\n* x y\n", "Text.")
        for heading in ["Литература", "Вижте също", "Einzelnachweise", "Fußnoten", "Voir aussi", "関連項目", "Примітки"]
    ),
]  # fmt: skip


def articles(folder: Path, *wikitexts: str) -> list[Document]:
    """The articles of a dump with these texts."""
    pages = [page(number, f"Page {number}", text) for number, text in enumerate(wikitexts)]
    return ArticleReader().load_data(plain(folder / "dump.xml", pages))


def test_markup_goes_and_words_stay(tmp_path: Path) -> None:
    found = articles(tmp_path, *(wikitext for wikitext, _ in CASES))
    assert [each.text for each in found] == [expected for _, expected in CASES]


def test_sections_have_paths_and_anchors_and_boilerplate_goes(tmp_path: Path) -> None:
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
    (found,) = articles(tmp_path, text)
    assert found.text == "Lead.\n\nHistory\nOld.\n\nEarly years\nOlder.\n\nHistory\nAgain."
    assert [(found.text[start:].split()[0], *section) for start, *section in found.metadata["sections"]] == [
        ("History", "History", "History"),
        ("Early", "History › Early years", "Early_years"),
        ("History", "History", "History_2"),
    ]


def test_deep_nesting_ends(tmp_path: Path) -> None:
    deep = ("[[a|" * 300 + "b" + "]]" * 300, "{{a|" * 3000 + "}}" * 3000, "<div>" * 2000)
    assert [each.text[0] for each in articles(tmp_path, *(f"x {each}" for each in deep))] == ["x", "x", "x"]


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
    documents = ArticleReader().load_data(data / "mediawiki" / "dumps" / name)
    assert len(documents) == articles
    for document in documents:
        title, text = document.metadata["title"], document.text
        assert not (found := _RESIDUE.search(text)), (title, text[max(0, found.start() - 80) : found.end() + 80])
        assert len(text) > 100
        assert text[0].isalnum() or text[0] in '"-“„«', (title, text[:80])
        headings = [heading for _, heading, _ in document.metadata.get("sections", ())]
        assert not any(gone in heading for heading in headings for gone in ("References", "See also", "Източници"))


@pytest.mark.data
def test_a_real_page_in_utf16_and_bulgarian(data: Path) -> None:
    path = data / "mediawiki" / "dumps" / "bgwiki-latest-pages-articles-shortened.xml.bz2"
    (document,) = ArticleReader().load_data(path)
    assert document.metadata["language"] == "bg"
    assert document.metadata["title"] == "Григориански календар"
    assert document.metadata["url"].startswith("https://bg.wikipedia.org/wiki/%D0%93")
    assert document.text.startswith("Григорианският календар (понякога наричан и Грегориански календар")
