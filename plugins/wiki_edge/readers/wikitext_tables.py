"""Data tables of wikitext as lines that can be read; tables that only arrange things are left out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_WORDS = re.compile(r"[^\W\d_]")
_MARKS = re.compile(r"\S")
#: Letters among the characters of a table that says something in words.
_IN_WORDS = 0.55
_MOST_ROWS = 200
_MOST_COLUMNS = 12


def rows_of(table: Any, shown: Callable[[Any], str]) -> list[str]:
    """The table's rows as ``Heading: cell; Heading: cell``; none for a table without the class ``wikitable``.

    ``shown`` gives the text of a cell. Tables of figures are left out: nobody reads them aloud.
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
        known = headings if len(headings) == len(texts) else [""] * len(texts)
        said = [f"{head}: {text}" if head else text for head, (_, text) in zip(known, texts, strict=True) if text]
        if said:
            lines.append("; ".join(said))
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
