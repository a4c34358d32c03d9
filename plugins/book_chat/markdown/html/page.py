"""The blocks of a page of HTML as normalized Markdown, with the kinds of text that its elements state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ragstone.core.text import Kind

from ..blocks import captioned, fence_around, short_parts
from ..characters import without_controls
from ..dialects import ADMONITIONS
from .elements import (
    BLOCKS,
    code_text,
    holds_blocks,
    is_around,
    is_data_table,
    is_list,
    is_note,
    kind_of,
    language_of,
    titled_rows,
)
from .inline import MARK, UNREAD, Inline, Places, is_hidden, is_page_break
from .markup import MAX_DEPTH, name_of, names_of, words_of

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
#: Lists of definitions whose terms are signs or names of program text.
_NO_GLOSSARY = frozenset({"footnote", "py", "c", "cpp", "js", "field-list", "citation"})
_NO_PARAGRAPH = ("```", "- ", "1. ", "| ", "> ", "Figure", "Table")
#: A footnote with a sentence of its own, and no source: no year, page or address.
_EXPLAINS = re.compile(
    r"(?!.*(?:\b(?:1[5-9]|20)\d\d\b|://|\bwww\.|\bpp?\.\s?\d|\bibid\b|\bop\. ?cit))(?=(?:\S+\s+){7}).*"
    r"\b(?:is|are|was|were|has|have|had|can|may|must|should|means?|refers?|does|did)\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass
class HtmlBlock:
    """A block of normalized Markdown, with marks for the places in it; a heading's ``level``, else 0."""

    text: str
    level: int = 0
    kind: Kind | None = None


class PageReader:
    """Reads one page, of a saved ``site`` without what is around its text."""

    def __init__(self, places: Places, *, site: bool = False) -> None:
        self._places, self._is_site = places, site
        self._blocks: list[HtmlBlock] = []
        self._kinds: list[Kind | None] = []
        self._notes: dict[str, Any] = {}
        self._moved: set[Any] = set()
        self._pending = ""  # marks of elements without words
        self._run = Inline(self._places)

    def read(self, root: Any) -> list[HtmlBlock]:
        """The blocks of the page in order; a footnote follows the block that refers to it."""
        for element in root.iter():
            if element.get("id") and is_note(element):
                self._notes[element.get("id")] = element
        links = {(a.get("href") or "").rpartition("#")[2] for a in root.iter() if name_of(a) == "a"}
        self._moved = {note for key, note in self._notes.items() if key in links}  # they go where a link leads to them
        self._kinds.append(kind_of(name_of(root), names_of(root)))
        self._inside(root, 0)
        self._flush()
        if self._pending and self._blocks:
            self._blocks[-1].text += self._pending
        return self._blocks

    def _inside(self, element: Any, depth: int) -> None:
        self._run.add(element.text)
        for child in element:
            self._child(child, depth + 1)
            self._run.add(child.tail)

    def _child(self, element: Any, depth: int) -> None:
        name = name_of(element)
        if not name or name in UNREAD or is_hidden(element) or element in self._moved:
            return
        if depth > MAX_DEPTH or (name not in BLOCKS and not holds_blocks(element)):
            self._run.read(element)
            return
        named = names_of(element)
        if self._is_site and is_around(element, name, named):
            return
        self._flush()
        self._pending += self._places.anchor(element.get("id"))
        if is_page_break(named) or "math" in named.split():
            self._run.read(element)
            self._flush()
            return
        self._kinds.append(kind_of(name, named))
        self._block(element, name, named, depth)
        self._flush()
        self._kinds.pop()

    def _block(self, element: Any, name: str, named: str, depth: int) -> None:
        if name in _HEADINGS:
            self._run.read(element)
            self._add(self._run.line(), _HEADINGS[name])
        elif name in ("ul", "ol", "menu") and is_list(element):
            self._add("\n".join(self._items(element, depth)))
        elif name == "dl":
            self._definitions(element, depth)
        elif name == "pre" and "math" not in named.split():
            self._code(element, named)
        elif name == "table" and is_data_table(element):
            self._table(element)
        elif name == "blockquote":
            self._quote(self._apart(element, depth))
        elif "admonition" in named.split() or "callout" in named.split():
            self._admonition(element, named, depth)
        elif name in ("figcaption", "caption") or "caption" in named.split():
            self._caption(element)
        else:
            self._inside(element, depth)

    def _caption(self, element: Any, name: str = "Figure") -> None:
        self._run.read(element)
        self._add_caption(self._run.line(), name)

    def _add_caption(self, words: str, name: str) -> None:
        bare = MARK.sub("", words)
        self._add("".join(MARK.findall(words)) + (captioned(bare, name) if bare else ""), kind="caption")

    def _apart(self, element: Any, depth: int) -> list[HtmlBlock]:
        outer, self._blocks = self._blocks, []
        self._inside(element, depth)
        self._flush()
        inner, self._blocks = self._blocks, outer
        return inner

    def _items(self, element: Any, depth: int) -> Iterator[str]:
        start = element.get("start") or ""
        number = int(start) if start.isdecimal() and len(start) < 7 else 1
        is_ordered = name_of(element) == "ol"
        for item in element:
            if name_of(item) in ("ul", "ol"):  # a list within a list, of a page that is no good HTML
                if depth > MAX_DEPTH:
                    self._run.read(item)
                inner = [self._run.line()] if depth > MAX_DEPTH else self._items(item, depth + 1)
                yield from (f"  {line}" for line in inner)
                continue
            if name_of(item) != "li" or item in self._moved or is_hidden(item):
                continue
            self._pending += self._places.anchor(item.get("id"))
            bullet = f"{number}. " if is_ordered else "- "
            lines = _item_lines(self._apart(item, depth + 1))
            if lines:
                margin = " " * len(bullet)
                yield from (f"{margin if at else bullet}{line}".rstrip() for at, line in enumerate(lines))
                number += 1

    def _definitions(self, element: Any, depth: int) -> None:
        """Terms as ``term: definition``, in front of the first paragraph of a longer one."""
        term, is_glossary = "", not _NO_GLOSSARY.intersection(names_of(element).split())
        for part in element.iter("{*}dt", "{*}dd"):
            if next(part.iterancestors("{*}dl"), None) is not element or part in self._moved:
                continue
            self._pending += self._places.anchor(part.get("id"))
            if name_of(part) == "dt":
                if term:
                    self._add(term)
                self._run.read(part) if not holds_blocks(part) else self._inside(part, depth)
                term = self._run.line()
                continue
            blocks = self._apart(part, depth + 1)
            if term and blocks and not blocks[0].level and not blocks[0].text.startswith(_NO_PARAGRAPH):
                is_short = is_glossary and len(blocks) == 1
                first, *blocks = blocks
                self._add(f"{term.rstrip(':')}: {first.text}", kind="definition" if is_short else first.kind)
            else:
                self._add(term)
            self._blocks += blocks
            term = ""
        self._add(term)

    def _code(self, element: Any, named: str) -> None:
        language = language_of(element, named)
        for number in element.xpath(".//*[contains(@class, 'linenos') or contains(@class, 'lineno')]"):
            number.text, number[:] = "", []
        text = MARK.sub("", without_controls("".join(code_text(element)))).strip("\n").rstrip()
        fence = fence_around(text)
        for part in short_parts(text.split("\n")) if text.strip() else ():
            self._add("\n".join([f"{fence}{language}", *part, fence]))

    def _table(self, element: Any) -> None:
        for caption in element.iterchildren("{*}caption"):
            self._caption(caption, "Table")
        title, lines = titled_rows(element, self._run)
        self._add_caption(title, "Table")
        for part in short_parts(lines, 2) if lines else ():
            self._add("\n".join(part))

    def _quote(self, blocks: Iterable[HtmlBlock], first: str = "") -> None:
        lines = [first] if first else []
        for block in blocks:
            lines += ([""] if lines and lines[-1] and not (first and len(lines) == 1) else []) + block.text.split("\n")
        self._add("\n".join(f"> {line}".rstrip() for line in lines))

    def _admonition(self, element: Any, named: str, depth: int) -> None:
        kind = next((name for name in named.split() if name in ADMONITIONS), "note")
        title = next((each for each in element if "title" in names_of(each) or name_of(each) == "summary"), None)
        words = words_of(title) if title is not None else ""
        if title is not None:
            title.text, title[:] = "", []
        shown = "" if words.casefold().rstrip(":") == kind else f" {without_controls(MARK.sub('', words))}"
        self._quote(self._apart(element, depth), f"[!{kind.upper()}]{shown}")

    def _flush(self) -> None:
        notes, self._run.notes = self._run.notes, []
        text, figures = self._run.paragraph()
        self._add(text)
        for figure in figures:
            self._add(figure, kind="caption")
        for key, sign in notes:
            note = self._notes.pop(key, None)
            if note is not None:
                self._kinds.append(None if _EXPLAINS.match(words_of(note)) else "reference")
                inner = self._apart(note, MAX_DEPTH // 2)
                if inner:  # the note's own sign leads back to the text
                    inner[0].text = re.sub(rf"^[\[(]?(?:{re.escape(sign)})?[\])]?\\?[.:]?\s+", "", inner[0].text)
                self._blocks += inner
                self._kinds.pop()

    def _add(self, text: str, level: int = 0, kind: Kind | None = None) -> None:
        if not MARK.sub("", text).strip():
            self._pending += "".join(MARK.findall(text))
            return
        stated = next((each for each in self._kinds if each), None)
        stated = None if stated == "navigation" and "explanation" in self._kinds else stated  # a title page's abstract
        self._blocks.append(HtmlBlock(self._pending + text, level, stated or kind))
        self._pending = ""


def _item_lines(blocks: Iterable[HtmlBlock]) -> list[str]:
    """The lines of an item: lists follow without a blank line, other blocks with one."""
    lines: list[str] = []
    for block in blocks:
        lines += [""] if lines and not MARK.sub("", block.text).startswith(("- ", "1. ")) else []
        lines += block.text.split("\n")
    return lines
