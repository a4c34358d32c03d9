"""What the elements of a page are: blocks, notes, listings, tables, what is around the text; the kinds they state."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from ragstone.core.ingestion import TableRows
from ragstone.core.text import Kind, kind_of_names

from ..blocks import table_lines
from .inline import Inline
from .markup import name_of, names_of

BLOCKS = frozenset(
    """address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure
    footer h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table tbody td tfoot
    th thead tr ul""".split()  # noqa: SIM905
)
_NOTE_ELEMENTS = frozenset({"aside", "div", "li", "p", "section"})
_NOTES = frozenset("footnote endnote rearnote doc-footnote doc-endnote".split())  # noqa: SIM905
#: Pages of an EPUB on which there is nothing to learn.
_MATTER = frozenset(
    """cover titlepage halftitlepage copyright-page colophon imprint index indextable landmarks
    toctree-wrapper""".split()  # noqa: SIM905
)
#: Parts of a saved site that are on each of its pages.
_AROUND = frozenset({"nav", "header", "footer"})
_AROUND_NAMES = frozenset(
    """back-to-top view-this-page edit-this-page skip-link sr-only visually-hidden screen-reader-text copybtn
    toctree-wrapper navheader navfooter docnav nav-panel footer""".split()  # noqa: SIM905
)
_PARAGRAPHS = [f"{{*}}{name}" for name in ("p", "li", "h1", "h2", "h3", "h4", "h5", "h6")]
_AROUND_ROLES = frozenset("navigation banner contentinfo search complementary".split())  # noqa: SIM905
_LANGUAGE = re.compile(r"(?:^|\s)(?:language-|lang-|highlight-|sourcecode |source-)([a-z0-9+#-]{1,20})")
_LAYOUT = frozenset({"presentation", "none", "layout", "highlighttable", "rouge-table"})
#: Columns of a row, and rows or columns that one cell may cover.
_MOST_COLUMNS, _MOST_COVERED = 200, 50


def kind_of(name: str, named: str) -> Kind | None:
    """The kind that an element states; a list of definitions says so for each of them."""
    if "abstract" in named.split():
        return "explanation"
    if _MATTER.intersection(named.split()):
        return "navigation"
    return kind_of_names(named if name == "dl" else f"{named} {name}")


def is_around(element: Any, name: str, named: str) -> bool:
    """Whether an element is on each page of a site: menus, headers, footers."""
    id_ = (element.get("id") or "").lower()
    if (_AROUND_ROLES | _AROUND_NAMES).intersection([*named.split(), id_]):
        return True
    if name in _AROUND and next(element.iterancestors("{*}article", "{*}main"), None) is None:
        return True
    is_contents = any(word.startswith("toc") for word in (named, id_))
    if name in ("table", "div") and _has_links_alone(element, is_contents=is_contents):
        return True
    return kind_of_names(f"{named} {name}") == "navigation"


def _has_links_alone(element: Any, *, is_contents: bool) -> bool:
    """Whether every word of a table, of a table of contents, or of an element without paragraphs, leads to another
    place: to the next page, to the sections of this one."""
    takes_paragraphs = is_contents or name_of(element) == "table"
    if not takes_paragraphs and next(element.iterdescendants(*_PARAGRAPHS), None) is not None:
        return False
    if _has_words_beside_links(element):
        return False
    return len(element.xpath("(.//*[local-name() = 'a'])[position() < 3]")) > 1


def _has_words_beside_links(element: Any) -> bool:
    links = 0
    for begins, each, text in _texts(element):
        if name_of(each) == "a" and each.get("href") is not None:
            links += 1 if begins else -1
        if not links and any(map(str.isalnum, text)):
            return True
    return False


def _texts(element: Any) -> Iterator[tuple[bool, Any, str]]:
    """Where each element within begins and ends, with the text that follows; without recursion, which a page's depth
    would exceed."""
    import lxml.etree

    for event, each in lxml.etree.iterwalk(element, events=("start", "end", "comment", "pi")):
        text = each.text if event == "start" else each.tail if each is not element else ""
        yield event == "start", each, text or ""


def is_list(element: Any) -> bool:
    """Whether a list holds nothing but items: on pages that are no good HTML, paragraphs stand in lists too."""
    return all(name_of(each) in ("li", "ul", "ol", "") for each in element)


def is_note(element: Any) -> bool:
    """Whether an element is a footnote or an endnote."""
    if not isinstance(element.tag, str):
        return False
    return bool(_NOTES.intersection(names_of(element).split())) and name_of(element) in _NOTE_ELEMENTS


def holds_blocks(element: Any) -> bool:
    """Whether there are blocks within an element."""
    return len(element) > 0 and any(name_of(each) in BLOCKS for each in element.iterdescendants())


def code_text(element: Any) -> Iterator[str]:
    """The text of a listing, in parts."""
    for begins, each, text in _texts(element):
        yield "\n" if begins and name_of(each) == "br" else ""
        yield text


def language_of(element: Any, named: str) -> str:
    """The language of a listing, as its classes or those around it say; "" without one."""
    around = [*element.iterchildren("{*}code"), *itertools.islice(element.iterancestors(), 2)]
    found = next((match for names in (named, *map(names_of, around)) if (match := _LANGUAGE.search(names))), None)
    language = (element.get("lang") or "")[:20] if found is None else found[1]
    return "" if language in ("default", "none", "text", "notranslate") else language


def is_data_table(table: Any) -> bool:
    """Whether a table's cells belong together: it has rows of several cells and no blocks that need room."""
    if _LAYOUT.intersection(names_of(table).split()):
        return False
    if any(name_of(each) in ("table", "pre", "h1", "h2", "h3", "h4") for each in table.iterdescendants()):
        return False
    return any(sum(name_of(cell) in ("td", "th") for cell in row) > 1 for row in table.iter("{*}tr"))


def titled_rows(table: Any, run: Inline) -> tuple[str, list[str]]:
    """The words of a first row of one cell, which are a title, and the rows, the first as the header.

    A cell over several rows is repeated, one over several columns leaves the others empty.
    """

    def words(cell: Any) -> str:
        run.read(cell)
        return run.line()

    made = TableRows(_MOST_COLUMNS, _MOST_COVERED)
    cells = ([cell for cell in row if name_of(cell) in ("td", "th")] for row in table.iter("{*}tr"))
    rows = [made.row((cell, words(cell)) for cell in row)[:_MOST_COLUMNS] for row in cells]
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    has_title = len(rows) > 2 and max(map(len, rows)) > 1 and bool(rows[0][0]) and not any(rows[0][1:])
    title = rows.pop(0)[0] if has_title else ""
    return title, table_lines(rows)
