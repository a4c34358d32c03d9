"""Data tables of wikitext as lines of prose; layout tables and tables of figures are left out."""

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


def rows_of(table: Any, shown: Callable[[Any], str]) -> list[str]:
    """The lines of a table in wikitext; none for a table without the class ``wikitable``, and for one of figures.

    ``shown`` gives the text of a cell.
    """
    attributes = {str(each.name).strip().casefold(): str(each.value) for each in table.attributes}
    if "wikitable" not in attributes.get("class", "").casefold().split() or table.contents is None:
        return []
    rows = [table.contents, *(row.contents for row in _tags(table.contents, "tr") if row.contents is not None)]
    lines = list(islice(_lines((_tags(row, "td", "th") for row in rows), shown), _MOST_ROWS + 1))
    whole = "".join(lines)
    marks = len(_MARKS.findall(whole))
    is_of_words = marks and len(_WORDS.findall(whole)) / marks >= _IN_WORDS
    return lines if is_of_words and len(lines) <= _MOST_ROWS else []


def _tag(node: Any) -> str:
    return str(node.tag).strip().casefold()


def _tags(code: Any, *names: str) -> list[Any]:
    return [node for node in code.nodes if hasattr(node, "tag") and _tag(node) in names]


def _lines(rows: Iterable[list[Any]], shown: Callable[[Any], str]) -> Iterator[str]:
    """The rows as ``Heading: cell; Heading: cell``."""
    headings: list[str] = []
    for cells in rows:
        if not 0 < len(cells) <= _MOST_COLUMNS:
            continue
        texts = [shown(cell.contents) if cell.contents else "" for cell in cells]
        if all(_tag(cell) == "th" for cell in cells):
            headings = texts
            continue
        # Headings of another number than the cells do not belong to them.
        known = headings if len(headings) == len(texts) else [""] * len(texts)
        named = zip(known, texts, strict=True)
        if line := "; ".join(f"{head}: {text}" if head else text for head, text in named if text):
            yield line
