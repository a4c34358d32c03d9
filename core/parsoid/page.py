"""Parsoid HTML to sections, with lxml. Untrusted input may take long or fail: it is called in a worker process."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..runtime import Unanswered
from .dropped import drop_reason, is_boilerplate
from .inline import BLOCKS, InlineText, fenced_code, inline_text, is_formula
from .links import categories_of, count_links
from .lists import LISTS, is_data, is_navigation, list_lines, table_lines
from .records import Block, Link, Page, Section

#: lxml drops in silence what is nested deeper than 256 elements, 2,048 with its option for huge pages; no page of a
#: wiki comes near (38 on a talk page of many answers), and what does is refused before anything goes through it.
MAX_DEPTH = 200
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
#: Parsoid numbers elements; that is no anchor for an address.
_NUMBERED = re.compile(r"mw[\w-]{2,4}")
_LONGEST_HEADING = 300
_LONGEST_ANCHOR = 400
#: A caption is text if it is of use without its picture: a sentence is, "The skull of a wolf" is not.
_CAPTION_WORDS = 8
_SENTENCE_END = re.compile(r"[.!?…؟。][\"'”’»)\]]*$")
#: In an entry of a bibliography.
_WORK = re.compile(r"\b(?:ISBN|ISSN|OCLC|PMID|JSTOR)\b|\b(?:doi|arXiv):|\bOnline at\b")
_LEAVES = frozenset({"dt", "li", "dd", "td", "th", "tr", "tbody", "thead", "tfoot"})


class TooDeep(Unanswered):
    """Elements are nested deeper than any wiki nests them; text would be lost."""

    def __init__(self) -> None:
        super().__init__("too_deep", f"has elements nested deeper than {MAX_DEPTH}")


def read_page(raw: bytes, language: str = "", drops: Callable[[str, int, str], bool] = is_boilerplate) -> Page:
    """The page's sections; those without text are left out. Raises ``TooDeep``, and what lxml raises.

    ``drops``: whether the section under a heading, of a level and in a language, is left out with all its parts.
    """
    import lxml.etree

    # UTF-8 whatever the page declares: the REST interface answers in nothing else.
    parser = lxml.etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, no_network=True
    )
    root = lxml.etree.fromstring(raw, parser) if raw.strip() else None
    if any("depth" in entry.message for entry in parser.error_log):
        raise TooDeep
    if root is None:
        return Page(())
    if root.xpath(f"boolean({'/*' * (MAX_DEPTH + 2)})"):
        raise TooDeep
    body = root.find("body")
    body = root if body is None else body
    language = language or (body.get("lang") or root.get("lang") or "")[:35]
    reader = _Reader(lambda heading, level: drops(heading, level, language))
    reader.read(body)
    return Page(
        tuple(reader.finish()),
        direction="rtl" if "rtl" in (body.get("dir") or root.get("dir") or "").casefold() else "ltr",
        links=tuple(reader.links.values()),
        categories=categories_of(root),
    )


class _Reader:
    """Goes through the elements; words that no block holds make a paragraph."""

    def __init__(self, drops: Callable[[str, int], bool]) -> None:
        self.links: dict[str, Link] = {}
        self._drops = drops
        self._run = InlineText()
        self._sections: list[Section] = []
        self._blocks: list[Block] = []
        self._path: list[tuple[int, str]] = []
        self._anchor = ""
        self._boilerplate: int | None = None  # the level of the heading that began it

    def finish(self) -> list[Section]:
        """The sections that have text."""
        self._close()
        return self._sections

    def read(self, element: Any) -> None:
        """Add what is in the element, as blocks."""
        self._run.add(element.text)
        for child in element:
            self._child(child)
            self._run.add(child.tail)

    def _child(self, element: Any) -> None:
        name = element.tag if isinstance(element.tag, str) else ""
        if not name:
            return
        if is_formula(element, name) or (name not in BLOCKS and not _holds_blocks(element)):
            self._run.read(element)
            if self._boilerplate is None:
                count_links(self.links, element, len(self._sections))
            return
        if drop_reason(element, name) is not None:
            self._paragraph()
        elif name in _HEADINGS:
            self._heading(element, _HEADINGS[name])
        elif name == "section":
            self._section(element)
        else:
            self._paragraph()
            self._block(element, name)
            self._paragraph()

    def _block(self, element: Any, name: str) -> None:
        if name == "dl" and element.find("dt") is None and next(element.iter("table", "pre"), None) is not None:
            self.read(element)  # wikis indent with lists of definitions without terms
        elif name in LISTS:
            lines = list_lines(element)
            written = [line for line in lines if line.strip()]
            if 2 * sum(bool(_WORK.search(line)) for line in written) > len(written):
                return
            single = name == "dl" and len(written) == 1 and not written[0].lstrip().startswith("- ")
            listed = "definitions" if name == "dl" and element.find("dt") is not None else "list"
            self._add("paragraph" if single else listed, "\n".join(written))
        elif name == "table":
            self._table(element)
        elif name == "pre":
            self._add("code", fenced_code(element))
        elif name == "blockquote":
            self._quote(element)
        elif name == "hr":
            return
        elif name in ("figure", "figcaption", "caption"):
            self._caption(element)
        elif name == "div" and {"thumb", "thumbinner", "tmulti"} & set((element.get("class") or "").split()):
            for caption in element.iter("div"):
                if "thumbcaption" in (caption.get("class") or "").split():
                    self._caption(caption)
        else:
            self.read(element)

    def _section(self, element: Any) -> None:
        """A section of Parsoid's, and its parts; what comes after a part belongs to the section again."""
        self._close()
        before = (list(self._path), self._anchor, self._boilerplate)
        if element.get("data-mw-section-id") == "0":
            self._path, self._anchor, self._boilerplate = [], "", None
        self.read(element)
        self._close()
        if _is_in_section(element):
            self._path, self._anchor, self._boilerplate = before

    def _heading(self, element: Any, level: int) -> None:
        self._close()
        text = inline_text(element).replace("\n", " ")[:_LONGEST_HEADING]
        if not text or (level == 1 and not self._path and not self._sections and not _is_in_section(element)):
            return  # the page's own title
        if self._boilerplate is not None and level <= self._boilerplate:
            self._boilerplate = None
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, text))
        names = (each.get("id") for each in element.iter() if isinstance(each.tag, str))
        anchor = next((name for name in names if name and not _NUMBERED.fullmatch(name)), "")
        self._anchor = anchor if len(anchor) <= _LONGEST_ANCHOR else ""
        if self._boilerplate is None and self._drops(text, min(level, len(self._path) + 1)):
            self._boilerplate = level

    def _table(self, table: Any) -> None:
        if is_navigation(table):
            return
        if not is_data(table):
            self._arranged(table)
            return
        caption, lines = table_lines(table)
        if caption and lines:
            self._add("caption", caption)
        self._add("table", "\n".join(lines))

    def _arranged(self, element: Any) -> None:
        for child in element:
            if child.tag in _LEAVES and drop_reason(child, child.tag) is None:
                if child.tag in ("td", "th"):
                    self._paragraph()
                    self.read(child)
                    self._paragraph()
                else:
                    self._arranged(child)

    def _quote(self, element: Any) -> None:
        outer, self._blocks = self._blocks, []
        at = len(self._sections)
        self.read(element)
        self._paragraph()
        inner, self._blocks = self._blocks, outer
        if len(self._sections) > at:  # a heading in a quotation ends it
            self._blocks = [*inner]
            return
        lines = [line for block in inner for line in (*block.text.split("\n"), "")][:-1]
        self._add("quote", "\n".join(f"> {line}".rstrip() for line in lines))

    def _caption(self, element: Any) -> None:
        captions = element.iterchildren("figcaption") if element.tag == "figure" else (element,)
        text = " ".join(inline_text(caption) for caption in captions)
        if len(text.split()) >= _CAPTION_WORDS and _SENTENCE_END.search(text):
            self._add("caption", text)

    def _paragraph(self) -> None:
        text = self._run.take()
        if any(each.isalnum() for each in text):
            self._add("paragraph", text)

    def _add(self, kind: str, text: str) -> None:
        if text and self._boilerplate is None:
            self._blocks.append(Block(kind, text))

    def _close(self) -> None:
        self._paragraph()
        blocks, self._blocks = self._blocks, []
        if blocks:
            path = tuple(text for _, text in self._path)
            self._sections.append(Section(path, self._anchor, tuple(blocks)))


def _is_in_section(heading: Any) -> bool:
    """Whether Parsoid has the heading in a section; that of the page's title, which others add, is in none."""
    return next(heading.iterancestors("section"), None) is not None


def _holds_blocks(element: Any) -> bool:
    """Whether there are blocks within an inline element, as in a link around a list."""
    if not len(element) or drop_reason(element, element.tag) is not None:
        return False
    return any(isinstance(each.tag, str) and each.tag in BLOCKS for each in element.iterdescendants())
