"""Wikitext to prose, with mwparserfromhell as the parser."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from .articles import Block
from .prose import Outline, opening, tidy
from .wikitext_templates import words_of

#: Elements with nothing to read in them.
_DROPPED_NAMES = """
    ref references gallery timeline imagemap score graph chart mapframe maplink style templatestyles indicator
    categorytree inputbox hiero section noinclude includeonly rss listing templatedata ce
"""
_DROPPED = frozenset(_DROPPED_NAMES.split())
_PARAGRAPH_NAMES = "p div blockquote center poem pre source syntaxhighlight hr dl ul ol"
_PARAGRAPHS = frozenset(_PARAGRAPH_NAMES.split())
_NOT_PROSE = re.compile(r"nav|infobox|metadata|sidebar|toc\b|noprint|mbox|hatnote|dablink|thumb|gallery|printfooter")
#: Stand for list marks while lines are put together; no XML document can hold them.
ITEM, INDENT = "\x01", "\x02"
_MARKS = {"*": ITEM, "#": ITEM, ":": INDENT, ";": INDENT}
_QUOTES = re.compile(r"'{2,5}")
_MAGIC = re.compile(r"__[A-ZА-ЯЁ]{3,}__")
_TABLE_REST = re.compile(r"^\s*(?:\{\||\|\}|\|-|\||!)")
_TEMPLATE_REST = re.compile(r"\{\{[^{}]*\}\}|\{\{|\}\}|\[\[|\]\]|\{\||\|\}")
_TAG_REST = re.compile(r"</?(?:ref|div|span|center|small|br|includeonly|onlyinclude|noinclude|gallery)\b[^<>]*>", re.I)
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,10})*|simple")  # as links to other languages begin
_DEEPEST = 60
_LETTERS = re.compile(r"[^\W\d_]")
_SIGNS = re.compile(r"\S")
#: Share of letters in a table of words; any other is one of figures, and left out.
_IN_WORDS = 0.55
_MOST_ROWS = 200
_MOST_COLUMNS = 12


@dataclass(frozen=True)
class Site:
    """A dump's metadata of its wiki."""

    #: Before a title in an address; empty where it is unknown.
    prefix: str = ""
    language: str | None = None
    #: Lower-case names of all namespaces but the articles'.
    namespaces: frozenset[str] = frozenset({"file", "image", "category", "media"})


def blocks_of(wikitext: str, site: Site) -> list[Block]:
    """The article's paragraphs, lists and tables under their headings, without references and boilerplate."""
    import mwparserfromhell

    code = mwparserfromhell.parse(wikitext, skip_style_tags=True)
    outline, found, words = Outline(), list[Block](), list[str]()
    walk = _Walk(site)

    def close() -> None:
        if not outline.dropped:
            found.extend(Block(text, outline.heading, outline.anchor) for text in paragraphs("".join(words)))
        words.clear()

    for node in code.nodes:
        if isinstance(node, mwparserfromhell.nodes.Heading):
            close()
            heading = " ".join(paragraphs(walk.text(node.title.nodes)))
            if heading:
                outline.enter(node.level, heading)
        elif not outline.dropped:
            walk.node(node, words, 0)
    close()
    return found


def paragraphs(text: str) -> list[str]:
    """Readable paragraphs; a list's items are lines of their own."""
    text = _MAGIC.sub("", _QUOTES.sub("", text))
    found: list[list[str]] = [[]]
    in_list = False
    for raw in text.split("\n"):
        if not raw.strip():
            found.append([])
            in_list = False
            continue
        if _TABLE_REST.match(raw):
            continue
        mark = raw.lstrip()[0]
        is_item = mark in (ITEM, INDENT)
        line = _TAG_REST.sub("", _TEMPLATE_REST.sub("", raw)).replace(ITEM, "").replace(INDENT, "")
        line = tidy(html.unescape(line) if "&" in line else line)
        if line:
            if is_item or in_list or not found[-1]:
                found[-1].append(f"- {line}" if mark == ITEM else line)
            else:
                found[-1][-1] += f" {line}"
        in_list = is_item
    return [text for lines in found if lines and (text := opening("\n".join(lines)))]


class _Walk:
    """Walks the parser's nodes and collects the visible text."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def text(self, nodes: Iterable[Any], depth: int = 0) -> str:
        """The nodes' visible text, for ``paragraphs``."""
        words: list[str] = []
        for node in nodes:
            self.node(node, words, depth)
        return "".join(words)

    def node(self, node: Any, words: list[str], depth: int) -> None:
        """Add the node's visible text."""
        if depth > _DEEPEST:
            return
        kind = type(node).__name__
        if kind == "Text":
            words.append(str(node.value))
        elif kind == "Wikilink":
            self._link(node, words, depth)
        elif kind == "ExternalLink":
            if node.brackets and node.title is not None:
                words.append(self.text(node.title.nodes, depth + 1))
        elif kind == "HTMLEntity":
            words.append(_character(node))
        elif kind == "Tag":
            self._tag(node, words, depth)
        elif kind == "Template":
            words.append(words_of(node, lambda code: self.text(code.nodes, depth + 1)))
        elif kind == "Heading":
            words.append(f"\n\n{self.text(node.title.nodes, depth + 1)}\n\n")

    def _link(self, node: Any, words: list[str], depth: int) -> None:
        target = str(node.title).strip()
        space, colon, _ = target.partition(":")
        space = " ".join(space.replace("_", " ").split())
        if colon and (space.casefold() in self._site.namespaces or _LANGUAGE.fullmatch(space)):
            return  # a picture, a category, or the same article in another language
        shown = self.text(node.text.nodes, depth + 1) if node.text is not None else ""
        words.append(shown if shown.strip() else target.lstrip(":").replace("_", " "))

    def _tag(self, node: Any, words: list[str], depth: int) -> None:
        name = _name_of(node)
        if node.wiki_markup in _MARKS and node.self_closing:
            words.append(_MARKS[node.wiki_markup])
        elif name in _DROPPED or _is_no_prose(node):
            return
        elif name == "table":
            rows = _rows_of(node, lambda code: " ".join(paragraphs(self.text(code.nodes, depth + 2))))
            words.append(
                "".join(f"\n\n{ITEM}{row}" if not number else f"\n{ITEM}{row}" for number, row in enumerate(rows))
            )
            words.append("\n\n")
        elif name == "br":
            words.append(" ")
        elif name == "math":
            words.append(" ".join(str(node.contents).split()))
        elif node.contents is not None:
            edge = "\n\n" if name in _PARAGRAPHS else f"\n{ITEM}" if name == "li" else ""
            words.append(f"{edge}{self.text(node.contents.nodes, depth + 1)}{'' if name == 'li' else edge}")


def _is_no_prose(node: Any) -> bool:
    """Whether the element is a box beside the text, or hidden, by its class or style."""
    for attribute in node.attributes:
        name = str(attribute.name).strip().casefold()
        if name == "class" and _NOT_PROSE.search(str(attribute.value).casefold()):
            return True
        if name == "style" and re.search(r"display\s*:\s*none", str(attribute.value).casefold()):
            return True
    return False


def _character(node: Any) -> str:
    try:
        return str(node.normalize())
    except (ValueError, OverflowError):  # no such character
        return ""


def _rows_of(table: Any, shown: Callable[[Any], str]) -> list[str]:
    """The lines of a table in wikitext; none for a table without the class ``wikitable``, and for one of figures.

    ``shown`` gives the text of a cell.
    """
    attributes = {str(each.name).strip().casefold(): str(each.value) for each in table.attributes}
    if "wikitable" not in attributes.get("class", "").casefold().split() or table.contents is None:
        return []
    rows = [table.contents, *(row.contents for row in _tags(table.contents, "tr") if row.contents is not None)]
    lines = list(islice(_lines((_tags(row, "td", "th") for row in rows), shown), _MOST_ROWS + 1))
    whole = "".join(lines)
    marks = len(_SIGNS.findall(whole))
    is_of_words = marks and len(_LETTERS.findall(whole)) / marks >= _IN_WORDS
    return lines if is_of_words and len(lines) <= _MOST_ROWS else []


def _name_of(node: Any) -> str:
    return str(node.tag).strip().casefold()


def _tags(code: Any, *names: str) -> list[Any]:
    return [node for node in code.nodes if hasattr(node, "tag") and _name_of(node) in names]


def _lines(rows: Iterable[list[Any]], shown: Callable[[Any], str]) -> Iterator[str]:
    """The rows as ``Heading: cell; Heading: cell``."""
    headings: list[str] = []
    for cells in rows:
        if not 0 < len(cells) <= _MOST_COLUMNS:
            continue
        texts = [shown(cell.contents) if cell.contents else "" for cell in cells]
        if all(_name_of(cell) == "th" for cell in cells):
            headings = texts
            continue
        # Headings of another number than the cells do not belong to them.
        known = headings if len(headings) == len(texts) else [""] * len(texts)
        named = zip(known, texts, strict=True)
        if line := "; ".join(f"{head}: {text}" if head else text for head, text in named if text):
            yield line
