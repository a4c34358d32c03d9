"""The links of a page's prose to other pages of its wiki."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from .records import Link

_MOST = 2_000
_LONGEST = 255
_MOST_CATEGORIES = 50
_UPKEEP = re.compile(r"\b(?:articles?|pages?|wikipedia|wikibooks|cs1|templates?|links?|dates?|stubs?)\b", re.IGNORECASE)
#: A namespace: "File:Dog.jpg" is no page to learn from, "2001: A Space Odyssey" is one.
_NAMESPACE = re.compile(r"[^:]+:[^_ ]")


def count_links(found: dict[str, Link], element: Any, section: int) -> None:
    """Add the links in an inline element, itself among them; ``section``: its place among the page's."""
    for link in element.iter("a"):
        key = key_of(link.get("rel") or "", link.get("href") or "", link.get("class") or "")
        if key in found:
            found[key] = replace(found[key], count=found[key].count + 1)
        elif key and len(found) < _MOST:
            found[key] = Link(key, 1, section)


def categories_of(root: Any) -> tuple[str, ...]:
    """The names of the categories that a page of Parsoid's is in, those of its upkeep left out."""
    found: dict[str, None] = {}
    for link in root.iter("link"):
        path = (link.get("href") or "").partition("#")[0]
        if "mw:PageProp/Category" in (link.get("rel") or "").split() and ":" in path and len(found) < _MOST_CATEGORIES:
            name = unquote(path.partition(":")[2], errors="replace").replace("_", " ")[:_LONGEST]
            if name and not _UPKEEP.search(name):
                found.setdefault(name)
    return tuple(found)


def key_of(rel: str, href: str, classes: str) -> str:
    """The key of the page that a link of Parsoid's leads to; empty where it leads elsewhere or to no page."""
    if "mw:WikiLink" not in rel.split() or not href.startswith("./") or "new" in classes.split():
        return ""
    path, _, query = href[2:].partition("#")[0].partition("?")
    key = unquote(path, errors="replace").replace(" ", "_")
    if not key or "redlink" in query or len(key.encode("utf-8", "replace")) > _LONGEST or _NAMESPACE.match(key):
        return ""
    return key
