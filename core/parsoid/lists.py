"""Lists and tables as lines of Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..ingestion import TableRows
from .dropped import drop_reason
from .inline import InlineText, fenced_code, inline_text

LISTS = frozenset({"ul", "ol", "dl"})
_MOST_COLUMNS, _MOST_COVERED = 40, 1000
#: A table of which more characters are links, and that has no class of a data table, is a list of links: always, or
#: where no cell has more than a few words, as in a calendar.
_NAVIGATION = 0.9
_FEW_LINKS = 0.5
_FEW_WORDS = 5
_LONG_CELL = 400


def list_lines(element: Any, depth: int = 0) -> list[str]:
    """The items, a line each, nested ones indented; of definition lists ``- term: definition``.

    A definition without a term is what wikis indent with, and gets no mark of an item.
    """
    lines: list[str] = []
    terms: list[str] = []
    number = 0
    for child in element:
        name = child.tag if isinstance(child.tag, str) else ""
        if not name or drop_reason(child, name):
            continue
        text, nested = _item(child, name, depth)
        if name == "dt":
            terms += [text] if text else []
            lines += [] if not nested else [*_held(terms, depth), *nested]
            continue
        if name == "dd":
            if terms and text:
                lines.append(f"{'  ' * depth}- {', '.join(terms)}: {text}")
                terms.clear()
            elif text:
                lines.append("  " * depth + text)
            else:
                lines += _held(terms, depth)
        elif text:
            number += 1
            mark = f"{number}." if element.tag == "ol" else "-"
            lines.append(f"{'  ' * depth}{mark} {text}")
        lines += nested
    return [*lines, *_held(terms, depth)]


def _held(terms: list[str], depth: int) -> Iterator[str]:
    held = terms.copy()
    terms.clear()
    return ("  " * depth + "- " + term for term in held)


def _item(element: Any, name: str, depth: int) -> tuple[str, list[str]]:
    """An item's own words in one line, and the lines of the lists in it."""
    if name in LISTS:  # a list right in a list, as old pages have it
        return "", list_lines(element, depth + 1)
    run = InlineText()
    texts: list[str] = []  # the text before the first list in it
    nested: list[str] = []
    indent = "  " * (depth + 1)

    def close() -> None:
        text = run.take().replace("\n", " ")
        if not texts:
            texts.append(text)
        elif text:
            nested.append(f"{indent}{text}")

    def take(inner: Any, inner_name: str) -> bool:
        if inner_name in LISTS:
            lines = list_lines(inner, depth + 1)
        elif inner_name == "pre":
            lines = [f"{indent}{line}" for line in fenced_code(inner).split("\n")]
        elif inner_name == "table":
            lines = [] if is_navigation(inner) else [f"{indent}{line}" for line in table_lines(inner)[1]]
        else:
            return False
        close()
        nested.extend(lines)
        return True

    run.inside(element, take)
    close()
    return texts[0], nested


def is_navigation(table: Any) -> bool:
    """Whether the table is nothing but links: a box of the site, or of a template without a class."""
    if "wikitable" in (table.get("class") or "").split():
        return False
    total = len("".join("".join(table.itertext()).split()))
    linked = sum(len("".join("".join(link.itertext()).split())) for link in table.iter("a"))
    share = linked / total if total else 0.0
    if share < _FEW_LINKS:
        return False
    return share >= _NAVIGATION or all(
        len("".join(each.itertext()).split()) < _FEW_WORDS for each in table.iter("td", "th")
    )


def is_data(table: Any) -> bool:
    """Whether it is a table of data, and not one that only arranges its contents."""
    classes = (table.get("class") or "").split()
    if "wikitable" in classes or "sortable" in classes:
        return True
    if (
        table.get("role") == "presentation"
        or next(table.iterdescendants("table", "p", "ul", "ol", "pre"), None) is not None
    ):
        return False
    sizes = [len("".join(cell.itertext())) for cell in table.iter("td", "th")]
    rows = sum(1 for _ in table.iter("tr"))
    return rows > 1 and len(sizes) > rows and max(sizes) <= _LONG_CELL


def table_lines(table: Any) -> tuple[str, list[str]]:
    """The caption, and the rows as Markdown; a cell over several rows or columns is in the first of its columns and
    in each of its rows."""
    caption = ""
    rows: list[tuple[bool, list[str]]] = []
    made = TableRows(_MOST_COLUMNS, _MOST_COVERED)
    for row in _rows(table):
        if row.tag == "caption":
            caption = caption or inline_text(row).replace("\n", " ")
            continue
        cells = [cell for cell in row.iterchildren("td", "th") if not drop_reason(cell, cell.tag)]
        texts = made.row((cell, inline_text(cell).replace("\n", " ").replace("|", "\\|")) for cell in cells)
        if any(texts):
            rows.append((bool(cells) and all(cell.tag == "th" for cell in cells), texts))
    width = max((len(texts) for _, texts in rows), default=0)
    if not width:
        return caption, []
    padded = [(head, texts + [""] * (width - len(texts))) for head, texts in rows]
    header = padded.pop(0)[1] if padded[0][0] else [""] * width
    return caption, [_line(header), _line(["---"] * width), *(_line(texts) for _, texts in padded)]


def _rows(table: Any) -> Iterator[Any]:
    for child in table.iterchildren("caption", "thead", "tbody", "tfoot", "tr"):
        if drop_reason(child, child.tag):
            continue
        if child.tag in ("caption", "tr"):
            yield child
        else:
            yield from (row for row in child.iterchildren("tr") if not drop_reason(row, "tr"))


def _line(texts: list[str]) -> str:
    return f"| {' | '.join(texts)} |"
