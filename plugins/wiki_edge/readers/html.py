"""HTML of wiki pages to prose, with lxml: what Kiwix files and Parsoid hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .articles import Block, Text
from .prose import Outline, opening, tidy
from .tables import is_grid, is_navigation, table_lines

#: Elements with nothing to read in them.
_DROPPED_NAMES = """
    script style noscript template head title meta link nav header footer aside figure figcaption picture img svg audio
    video object iframe canvas map form button input select textarea
"""
_DROPPED = frozenset(_DROPPED_NAMES.split())
#: Boxes beside the text, footnote marks, links to edit, what only browsers read.
_BOXES = re.compile(
    r"(?:^|[\s_-])(?:navbox|navbar|infobox|sidebar|metadata|ambox|mbox|hatnote|dablink|rellink|noprint|editsection|toc"
    r"|reference|references|reflist|refbegin|mw-ref|mw-cite-backlink|thumb|thumbinner|gallery|catlinks|printfooter"
    r"|mw-empty-elt|mw-jump-link|sistersitebox|vertical-navbox|noexcerpt|error|portal|stub|sisterproject"
    r"|topicon|subpages|magnify|mw-editsection|siteSub|jump-to-nav|contentSub)(?:$|[\s_-])"
)
_OLDID = re.compile(r"(https?://[^\s?#]{1,2000})\?oldid=(\d{1,20})")
_LICENSE = re.compile(rb"creativecommons\.org/licenses/([a-z-]{2,8})/(\d\.\d)")
_COLOPHON = 4000
#: Parsoid's numbers of elements are no anchors.
_NUMBERED = re.compile(r"mw[\w-]{2,4}")
_LISTS = frozenset({"ul", "ol", "dl"})
_FOOTNOTE = re.compile(r"^\s*\[(?:\d{1,4}|[a-z]|note \d+|citation needed)\]\s*$")
_PARAGRAPH_NAMES = """
    p div section article main blockquote pre center ul ol dl table figure hr tr body caption address details
"""
_PARAGRAPHS = frozenset(_PARAGRAPH_NAMES.split())
_LINES = frozenset({"li", "dt", "dd", "tr", "br"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_DEEPEST = 200
_SPACES = re.compile(r"\s+")


def text_of_html(raw: bytes) -> Text:
    """The page's paragraphs, lists and tables under their headings, without boxes, references and boilerplate.

    Its address and revision are those of the colophon with which Kiwix ends an article.
    """
    import lxml.etree
    import lxml.html

    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = lxml.html.document_fromstring(raw, parser=parser)
    except lxml.etree.ParserError:  # there is nothing in it
        return Text([])
    url, revision = _taken_colophon(root)
    body = root.find("body")
    reader = _Reader()
    reader.read(root if body is None else body)
    return Text(reader.finish(), url, revision)


def license_in(raw: bytes) -> str | None:
    """``CC-BY-SA-3.0``, where the page's last licence link is one of Creative Commons."""
    found = _LICENSE.findall(raw[-_COLOPHON:])
    return f"CC-{found[-1][0].decode().upper()}-{found[-1][1].decode()}" if found else None


def _taken_colophon(root: Any) -> tuple[str | None, str | None]:
    """Remove "This article is issued from …" from the page; its link has the article's address and revision."""
    links = root.xpath("//a[contains(@href, 'oldid=')]")
    if not links:
        return None, None
    box = links[-1].getparent()
    match = _OLDID.fullmatch(links[-1].get("href"))
    licensed = box.xpath(".//a[contains(@href, 'creativecommons.org/licenses/')]")
    if match is None or not licensed or box.getparent() is None:
        return None, None
    box.getparent().remove(box)
    return match.group(1), match.group(2)


class _Reader:
    """Walks the elements and collects lines, ``None`` where a paragraph ends."""

    def __init__(self) -> None:
        self._outline = Outline()
        self._blocks: list[Block] = []
        self._lines: list[list[str] | None] = []

    def finish(self) -> list[Block]:
        self._close()
        return self._blocks

    def read(self, element: Any, depth: int = 0) -> None:
        name = element.tag if isinstance(element.tag, str) else ""
        if not name or depth > _DEEPEST or name in _DROPPED or _is_box(element):
            return
        if name in _HEADINGS:
            self._heading(element, _HEADINGS[name])
            return
        if name == "sup" and _FOOTNOTE.match("".join(element.itertext())):
            return
        if name == "math":
            self._add(_formula(element))
            return
        if name == "table":
            self._table(element, depth)
            return
        parent = element.getparent()
        edge = 1 if name in _LISTS and parent is not None and parent.tag in {"li", "dd"} else 2
        if name in _PARAGRAPHS:
            self._break(edge)
        elif name in _LINES:
            self._break(1)
            if name == "li":
                self._add("- ")
        self._add(element.text)
        for child in element:
            self.read(child, depth + 1)
            self._add(child.tail)
        if name in _PARAGRAPHS:
            self._break(edge)

    def _add(self, text: str | None) -> None:
        if text:
            if not self._lines or self._lines[-1] is None:
                self._lines.append([])
            line = self._lines[-1]
            if line is not None:
                line.append(_SPACES.sub(" ", text))

    def _break(self, lines: int) -> None:
        """End the line, and with two the paragraph."""
        if lines > 1:
            self._lines.append(None)
        elif self._lines and self._lines[-1]:
            self._lines.append([])

    def _heading(self, element: Any, level: int) -> None:
        self._close()
        text = tidy(_SPACES.sub(" ", "".join(_shown(element))))
        if text and level > 1:  # h1 is the article's own title
            ids = (found.get("id") for found in element.iter())
            anchor = next((name for name in ids if name and not _NUMBERED.fullmatch(name)), None)
            self._outline.enter(level, text, anchor=anchor)

    def _table(self, element: Any, depth: int) -> None:
        """A data table a line for each row; a table that only arranges things as what is in it."""
        if "wikitable" not in (element.get("class") or "").casefold().split():
            if is_navigation(element):
                return
            if not is_grid(element):
                self._arranged(element, depth)
                return
        self._break(2)
        rows = (list(row.iterchildren("td", "th")) for row in element.iter("tr"))
        for line in table_lines(
            rows, lambda cell: cell.tag, lambda cell: tidy(_SPACES.sub(" ", "".join(_shown(cell))))
        ):
            self._break(1)
            self._add(f"- {line}")
        self._break(2)

    def _arranged(self, element: Any, depth: int) -> None:
        """What is in the cells of a table that only arranges it."""
        for cell in element.iter("td", "th"):
            if next(cell.iterdescendants("table"), None) is None:
                self._break(2)
                self._add(cell.text)
                for child in cell:
                    self.read(child, depth + 2)
                    self._add(child.tail)
        self._break(2)

    def _close(self) -> None:
        lines, self._lines = self._lines, []
        if self._outline.dropped:
            return
        paragraph: list[str] = []
        for parts in [*lines, None]:
            if parts is not None:
                line = tidy("".join(parts))
                if line and line != "-":
                    paragraph.append(line)
            elif paragraph:
                self._keep(paragraph)
                paragraph = []

    def _keep(self, lines: list[str]) -> None:
        text = opening("\n".join(lines))
        if text:
            self._blocks.append(Block(text, self._outline.heading, self._outline.anchor))


def _is_box(element: Any) -> bool:
    named = f"{element.get('class') or ''} {element.get('id') or ''}"
    style = element.get("style")
    hidden = style is not None and "display:none" in style.replace(" ", "").casefold()
    boxed = len(named) > 1 and _BOXES.search(named[:1000]) is not None
    return hidden or boxed or element.get("role") in {"navigation", "note"}


def _shown(element: Any, depth: int = 0) -> Iterator[str]:
    """The words within an element that is one line: a heading or a cell."""
    if depth > _DEEPEST or not isinstance(element.tag, str) or element.tag in _DROPPED or (depth and _is_box(element)):
        return
    if element.tag == "sup" and _FOOTNOTE.match("".join(element.itertext())):
        return
    yield element.text or ""
    for child in element:
        if child.tag in _LINES:
            yield " "
        yield from _shown(child, depth + 1)
        yield child.tail or ""


def _formula(element: Any) -> str:
    """TeX as it was written, where the page has it."""
    for found in element.iter("annotation"):
        return found.text or ""
    return element.get("alttext") or "".join(element.itertext())
