"""Data tables of wikitext and HTML as lines of prose; layout tables and tables of figures are left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
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
    """The table's rows as ``Heading: cell; Heading: cell``; none for a table without the class ``wikitable``.

    ``shown`` gives the text of a cell. Tables of figures have none either.
    """
    if not _is_data(table) or table.contents is None:
        return []
    headings: list[str] = []
    lines: list[str] = []
    for cells in _rows(table):
        texts = [(name, shown(cell.contents) if cell.contents is not None else "") for name, cell in cells]
        if texts and all(name == "th" for name, _ in texts):
            headings = [text for _, text in texts]
            continue
        if line := _line(headings, [text for _, text in texts]):
            lines.append(line)
        if len(lines) > _MOST_ROWS:
            return []
    whole = "".join(lines)
    marks = len(_MARKS.findall(whole))
    return lines if marks and len(_WORDS.findall(whole)) / marks >= _IN_WORDS else []


def _is_data(table: Any) -> bool:
    return any(
        str(attribute.name).strip().casefold() == "class" and "wikitable" in str(attribute.value).casefold().split()
        for attribute in table.attributes
    )


def _rows(table: Any) -> list[list[tuple[str, Any]]]:
    found: list[list[tuple[str, Any]]] = [_cells(table.contents)]
    found += [_cells(row.contents) for row in _tags(table.contents, "tr") if row.contents is not None]
    return [cells for cells in found if 0 < len(cells) <= _MOST_COLUMNS]


def _cells(code: Any) -> list[tuple[str, Any]]:
    return [(str(cell.tag).strip().casefold(), cell) for cell in _tags(code, "td", "th")]


def _tags(code: Any, *names: str) -> list[Any]:
    return [node for node in code.nodes if hasattr(node, "tag") and str(node.tag).strip().casefold() in names]


def html_rows(table: Any, shown: Callable[[Any], str]) -> Iterator[str]:
    """The rows of a data table in HTML, in the same form. ``shown`` gives the text of a cell."""
    headings: list[str] = []
    for row in table.iter("tr"):
        cells = [(cell.tag, shown(cell)) for cell in row.iterchildren("td", "th")]
        if not cells or len(cells) > _MOST_COLUMNS:
            continue
        texts = [text for _, text in cells]
        if all(tag == "th" for tag, _ in cells):
            headings = texts
        elif line := _line(headings, texts):
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


def _line(headings: Sequence[str], texts: Sequence[str]) -> str:
    """``Heading: cell; Heading: cell``; headings of another number than the cells do not belong to them."""
    known = headings if len(headings) == len(texts) else [""] * len(texts)
    return "; ".join(f"{head}: {text}" if head else text for head, text in zip(known, texts, strict=True) if text)
