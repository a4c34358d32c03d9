"""Wikimedia's own pages of three Parsoid generations: nothing of the text is lost, nothing beside it comes through.

What is expected is found out by regular expressions and another parser, which share no code with the reader.
"""

from __future__ import annotations

import re
import unicodedata
from html.parser import HTMLParser

import pytest

from tests.support.needs import needed

from .pages import PAGES, fixture, page

needed("lxml")
pytestmark = pytest.mark.data

_BESIDE = re.compile(
    r"navbox|infobox|hatnote|rellink|reflist|references|mw-ref\b|metadata|ambox|messagebox|mbox-small|noprint|noexcerpt"
    r"|gallery|portal|user-block|sidebar|mw-editsection|edit_section_link|error|citation-comment|Z3988|outdent"
    r"|taxobox|thumbinner|sisterlinks"
)
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())  # noqa: SIM905
_NAMES = {"see also", "references", "external links", "further reading", "notes", "bibliography", "sources"}
_ARABIC = {"مراجع", "انظر أيضا", "وصلات خارجية", "المراجع", "أنظر أيضا", "انظر أيضًا", "مصادر"}


class _Paragraphs(HTMLParser):
    """The words of each ``p``, ``li`` and ``dd`` outside what is beside the text, and those of what is beside it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.links_in_navboxes: set[str] = set()
        self._open: list[tuple[str, bool, bool]] = []
        self._words: list[str] | None = None
        self._heading: str | None = None
        self._level = 9
        self._skipped = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag in _VOID:
            if tag == "br" and self._words is not None:
                self._words.append(" ")
            return
        beside = tag in ("style", "script", "figure", "math", "sup", "sub") or bool(
            _BESIDE.search(known.get("class", "")) or known.get("role") in ("note", "navigation")
        )
        beside = beside or ("none" in known.get("style", "") and tag not in ("section", "table"))
        within = bool(self._open and self._open[-1][1])
        navbox = bool(self._open and self._open[-1][2]) or "navbox" in known.get("class", "")
        self._open.append((tag, beside or within, navbox))
        if tag == "p" and not within and not beside:
            self._words = []
        if tag in ("h2", "h3", "h4"):
            self._heading = ""

    def handle_endtag(self, tag: str) -> None:
        while self._open and any(each[0] == tag for each in self._open):
            if self._open.pop()[0] == tag:
                break
        if tag == "p" and self._words is not None:
            if not self._skipped:
                self.found.append("".join(self._words))
            self._words = None
        if tag in ("h2", "h3", "h4") and self._heading is not None:
            level = int(tag[1])
            if level <= self._level:
                self._skipped = self._heading.strip().casefold() in _NAMES | _ARABIC
                self._level = level if self._skipped else 9
            self._heading = None

    def handle_data(self, data: str) -> None:
        if self._heading is not None:
            self._heading += data
        if self._words is not None:
            self._words.append("\N{OBJECT REPLACEMENT CHARACTER}" if self._open[-1][1] else data)
        if self._open and self._open[-1][2] and len(data.split()) > 4:
            self.links_in_navboxes.add(" ".join(data.split()))


def _letters(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKD", text) if each.isalpha())


def _parts(paragraph: str) -> list[str]:
    """Between footnote marks, formulas and what else is left out; short ones prove nothing."""
    return [part for part in map(_letters, paragraph.split("\N{OBJECT REPLACEMENT CHARACTER}")) if len(part) > 8]


@pytest.mark.parametrize("name", PAGES)
def test_every_paragraph_is_in_some_section(name: str) -> None:
    other = _Paragraphs()
    other.feed(fixture(name).decode())
    ours = [_letters("".join(block.text for block in each.blocks)) for each in page(name).sections]
    long = [paragraph for paragraph in other.found if len(paragraph.split()) >= 30]
    lost = [p[:80] for p in long if not any(all(part in section for part in _parts(p)) for section in ours)]
    assert lost == []
    assert len(long) >= {"Dog.html": 60, "pagelib_CollectionUtilities.html": 60, "ar-Mathematics.html": 12}.get(name, 0)


@pytest.mark.parametrize("name", PAGES)
def test_nothing_beside_the_text_survives(name: str) -> None:
    text = "\n".join(block.text for each in page(name).sections for block in each.blocks)
    assert re.findall(r"\[\s*(?:\d+|[a-z]|note \d+|edit|citation needed|عدل)\s*\](?!\w)", text) == []
    assert not re.search(
        r"<[a-z/!]|javascript:|mw-parser-output|&[a-z]+;|\.mw-|↑|\u200e|\u200f|\xa0|\w  \w",
        text,
    )
    other = _Paragraphs()
    other.feed(fixture(name).decode())
    assert [words for words in other.links_in_navboxes if words in text and len(words.split()) > 5] == []
    headings = {part.casefold() for each in page(name).sections for part in each.path}
    assert headings & {"references", "see also", "external links", "further reading", "مراجع", "انظر أيضا"} == set()


def test_dog() -> None:
    made = page("Dog.html")
    assert fixture("Dog.html").count(b"mw-ref ") + fixture("Dog.html").count(b'"mw-ref"') == 345
    paths = [each.path for each in made.sections]
    assert ("Biology", "Anatomy", "Size and weight") in paths
    assert paths[0] == ()
    [senses] = [each for each in made.sections if each.anchor == "Senses"]
    assert senses.path == ("Biology", "Anatomy", "Senses")
    assert senses.blocks[0].text.startswith("The dog's senses include vision, hearing,")
    [terms] = [each for each in made.sections if each.anchor == "Terminology"]
    assert [block.kind for block in terms.blocks] == ["list"]
    assert "\n- An adult female is a bitch.\n" in terms.blocks[0].text
    text = "\n".join(block.text for each in made.sections for block in each.blocks)
    assert not re.search(r"\[\d+\]|Main article|Further information", text)
    assert "6.3 cm (2.5 in) at the shoulder" in text


def test_a_page_of_formulas_and_tables_that_a_phone_folds() -> None:
    made = page("pagelib_CollectionUtilities.html")
    text = "\n".join(block.text for each in made.sections for block in each.blocks)
    assert "with $N_{\\text{A}}$ the density of acceptors" in text
    assert "\n| Channel type (MOS capacitor) |  | n-type | p-type |\n" in text
    assert "displaystyle" not in text


def test_a_page_from_right_to_left() -> None:
    made = page("ar-Mathematics.html")
    assert made.direction == "rtl"
    assert made.sections[0].path == ()
    assert any(b.text.startswith("الرياضيات علم عبارة عن مفاهيم مجردة") for b in made.sections[0].blocks)
    assert any("$\\pi ,e,{\\sqrt {2}},\\ldots$" in b.text for each in made.sections for b in each.blocks)


def test_an_old_page_without_sections() -> None:
    made = page("en.December_1.html")
    assert [each.path for each in made.sections] == [
        (), ("Events",), ("Births",), ("Deaths",), ("Holidays and observances",)
    ]  # fmt: skip
    assert made.sections[-1].anchor == "Holidays_and_observances"
    assert "  - Day Without Art" in made.sections[-1].blocks[0].text
    assert "| 10 | 11 |" not in made.sections[0].blocks[0].text


def test_a_section_of_references_alone_has_no_text() -> None:
    assert page("pagelib_ReferencesWithTables.html").sections == ()
