"""Pages as text, with the places of their anchors, their printed pages and their stated kinds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, Any

from ragstone.core.runtime import Unanswered
from ragstone.core.text import StatedKind

from .inline import MARK, Places
from .markup import is_binary, name_of, names_of, parse_page, words_of
from .page import HtmlBlock, PageReader

#: What holds a page's text, the surest first: a name of an element, a role, then ids and classes. It counts if it is
#: the only one and has this share of the page's words.
_CONTENT = ("<article>", "=main", "<main>", "content", "document", "markdown-body", "book-body", "entry-content")
_LEAST_SHARE = 0.3
#: Between a page's title and that of its site.
_TITLE_END = re.compile(r"\s+[|—–·»]\s+|\s+-\s+")


@dataclass(frozen=True)
class Text:
    """Normalized Markdown; ``pages`` holds the offset and the label of each printed page that is known."""

    text: str
    title: str | None = None
    authors: tuple[str, ...] = ()
    kinds: tuple[StatedKind, ...] = ()
    pages: tuple[tuple[int, str], ...] = ()


def assembled(
    blocks: Iterable[HtmlBlock], places: Places, title: str | None = None, authors: tuple[str, ...] = ()
) -> Text:
    """The blocks as a text without marks."""
    parts: list[str] = []
    kinds: list[StatedKind] = []
    pages: list[tuple[int, str]] = []
    length = 0
    for block in blocks:
        text = ("#" * min(block.level, 6) + " " if block.level else "") + block.text
        bare = MARK.sub("", text)
        for number, found in enumerate(MARK.finditer(text)):
            if label := places.pages.get(found[0]):
                pages.append((length + found.start() - number, label))
        if block.kind and bare:
            begins = kinds[-1][0] if kinds and kinds[-1][1:] == (length, block.kind) else length
            kinds[-1:] = [*(kinds[-1:] if begins == length else []), (begins, length + len(bare) + 2, block.kind)]
        parts.append(bare)
        length += len(bare) + 2
    whole = "\n\n".join(parts)
    whole = f"{whole}\n" if whole.strip() else ""
    clipped = ((start, min(end, len(whole)), kind) for start, end, kind in kinds)
    return Text(whole, title, authors, tuple(clipped), tuple(pages))


def read_html(file: IO[bytes]) -> Text:
    """The page's text without the menus around it. Raises ``Unanswered`` for one without text, or that is no text."""
    data = file.read()
    if is_binary(data):
        raise Unanswered("broken", "is not text: it has NUL bytes")
    text = text_of_page(data, site=True)
    if not text.text:
        raise Unanswered("empty", "has no text; a page that a script fills must be saved as a browser shows it")
    return text


def text_of_page(data: bytes, *, site: bool = False, title: str | None = None) -> Text:
    """A page as text; ``site``: without what is on each page of a site."""
    root = parse_page(data)
    if root is None:
        return Text("", title)
    stated = next((words_of(each) for each in root.iter() if name_of(each) == "title"), "")
    body = next((each for each in root.iter() if name_of(each) == "body"), root)
    places = Places()
    blocks = PageReader(places, site=site).read(_content(body) if site else body)
    heading = next((MARK.sub("", block.text) for block in blocks if block.level == 1), None)
    return assembled(blocks, places, title or heading or _TITLE_END.split(stated)[0][:255] or None)


def _content(body: Any) -> Any:
    """The element with the page's text, where one says so, else all of it."""
    menus = body.xpath(".//*[local-name() = 'nav'][not(ancestor::*[local-name() = 'nav'])]")
    whole = len(words_of(body)) - sum(len(words_of(menu)) for menu in menus)
    named: dict[str, list[Any]] = {}
    for element in body.iter():
        if isinstance(element.tag, str):
            names = (element.get("id") or "", *names_of(element).split())
            for name in {f"<{name_of(element)}>", f"={element.get('role')}", *names}.intersection(_CONTENT):
                named.setdefault(name, []).append(element)
    for name in _CONTENT:
        found = named.get(name, [])
        if len(found) == 1 and len(words_of(found[0])) >= _LEAST_SHARE * whole:
            return found[0]
    return body
