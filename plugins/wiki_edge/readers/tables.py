"""Data tables of wikitext and HTML as lines of prose; layout tables and tables of figures are left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

_WORDS = re.compile(r"[^\W\d_]")
_MARKS = re.compile(r"\S")
#: Share of letters in a table of words.
_IN_WORDS = 0.55
_MOST_ROWS = 200
_MOST_COLUMNS = 12
#: A table of which more characters are links is a list of links.
_NAVIGATION = 0.5
_SHORT_CELL = 200


def rows_of(table: Any, shown: Callable[[Any], str]) -> list[str]:
    """The lines of a table in wikitext; none for a table without the class ``wikitable``, and for one of figures.

    ``shown`` gives the text of a cell.
    """
    attributes = {str(each.name).strip().casefold(): str(each.value) for each in table.attributes}
    if "wikitable" not in attributes.get("class", "").casefold().split() or table.contents is None:
        return []
    rows = [table.contents, *(row.contents for row in _tags(table.contents, "tr") if row.contents is not None)]
    cells = (_tags(row, "td", "th") for row in rows)
    lines = list(
        islice(table_lines(cells, _tag, lambda cell: shown(cell.contents) if cell.contents else ""), _MOST_ROWS + 1)
    )
    whole = "".join(lines)
    marks = len(_MARKS.findall(whole))
    is_of_words = marks and len(_WORDS.findall(whole)) / marks >= _IN_WORDS
    return lines if is_of_words and len(lines) <= _MOST_ROWS else []


def _tag(node: Any) -> str:
    return str(node.tag).strip().casefold()


def _tags(code: Any, *names: str) -> list[Any]:
    return [node for node in code.nodes if hasattr(node, "tag") and _tag(node) in names]


def table_lines(rows: Iterable[list[Any]], tag: Callable[[Any], str], shown: Callable[[Any], str]) -> Iterator[str]:
    """A table's rows as ``Heading: cell; Heading: cell``. ``tag`` gives the kind of a cell, ``shown`` its text."""
    headings: list[str] = []
    for cells in rows:
        if not 0 < len(cells) <= _MOST_COLUMNS:
            continue
        texts = [shown(cell) for cell in cells]
        if all(tag(cell) == "th" for cell in cells):
            headings = texts
            continue
        # Headings of another number than the cells do not belong to them.
        known = headings if len(headings) == len(texts) else [""] * len(texts)
        named = zip(known, texts, strict=True)
        if line := "; ".join(f"{head}: {text}" if head else text for head, text in named if text):
            yield line


def is_grid(table: Any) -> bool:
    """Whether the HTML table has rows of several short cells: words and what they mean, years and results."""
    if next(table.iterdescendants("table", "ul", "ol", "p", "div"), None) is not None:
        return False
    sizes = [len(cell.text_content()) for cell in table.iter("td", "th")]
    rows = sum(1 for _ in table.iter("tr"))
    return bool(sizes) and len(sizes) > rows and max(sizes) <= _SHORT_CELL


def is_navigation(table: Any) -> bool:
    """Whether half of the HTML table's characters are links."""
    total = len("".join(table.itertext()).strip())
    linked = sum(len("".join(link.itertext())) for link in table.iter("a"))
    return (linked / total if total else 1.0) >= _NAVIGATION
