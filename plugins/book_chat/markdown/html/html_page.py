"""One page of a saved site, or a page that another reader made."""

from __future__ import annotations

import re
from typing import IO, Any

from .assembly import Text, assembled
from .inline import MARK, Marks
from .markup import name_of, names_of, parse_page, words_of
from .page import PageReader
from .refusal import Refused

#: What holds a page's text, the surest first: a name of an element, a role, then ids and classes. It counts if it is
#: the only one and has this share of the page's words.
_CONTENT = ("<article>", "=main", "<main>", "content", "document", "markdown-body", "book-body", "entry-content")
_LEAST_SHARE = 0.3
#: Between a page's title and that of its site.
_TITLE_END = re.compile(r"\s+[|—–·»]\s+|\s+-\s+")


def read_html(file: IO[bytes]) -> Text:
    """The page's text without the menus around it. Raises ``Refused`` for one without text."""
    text = text_of_page(file.read(), site=True)
    if not text.text:
        raise Refused("empty", "has no text; a page that a script fills must be saved as a browser shows it")
    return text


def text_of_page(data: bytes, *, site: bool = False, title: str | None = None) -> Text:
    """A page as text; ``site``: without what is on each page of a site."""
    root = parse_page(data)
    if root is None:
        return Text("", title)
    stated = next((words_of(each) for each in root.iter() if name_of(each) == "title"), "")
    body = next((each for each in root.iter() if name_of(each) == "body"), root)
    marks = Marks()
    blocks = PageReader(marks, site=site).read(_content(body) if site else body)
    heading = next((MARK.sub("", block.text) for block in blocks if block.level == 1), None)
    return assembled(blocks, marks, title or heading or _TITLE_END.split(stated)[0][:255] or None)


def _content(body: Any) -> Any:
    """The element with the page's text, where one says so, else all of it."""
    whole = len(words_of(body))
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
