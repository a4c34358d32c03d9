"""What a book says of itself: its title, and its chapters in reading order (EPUB 3.3, sections 4 to 6)."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from .errors import Refused
from .xml_tree import parse

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from .archive import Archive

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_TEXT = frozenset({"application/xhtml+xml", "text/html"})
_MOST_CHAPTERS = 5000
_LONGEST_TITLE = 255


@dataclass(frozen=True)
class Package:
    """A book's own description."""

    title: str | None
    author: str | None
    #: Names of the archive's parts.
    chapters: tuple[str, ...]


def read_package(archive: Archive) -> Package:
    """The book's description. Raises ``Refused``."""
    container = parse(archive.read(_CONTAINER), _CONTAINER)
    root = next((each.get("full-path") for each in container.iter("rootfile") if each.get("full-path")), None)
    if root is None:
        raise Refused("broken", f"its part {_CONTAINER!r} names no package")
    name = inside("", root)
    package = parse(archive.read(name), name)
    items = {str(item.get("id")): item for item in package.iter("item")}
    chapters: list[str] = []
    for reference in package.iter("itemref"):
        item = items.get(str(reference.get("idref")))
        if item is None or reference.get("linear") == "no" or not _is_text(item):
            continue
        chapters.append(inside(name, item.get("href") or ""))
        if len(chapters) > _MOST_CHAPTERS:
            raise Refused("too_large", f"has more than {_MOST_CHAPTERS:,} chapters")
    if not chapters:
        raise Refused("broken", "names no chapter that could be read")
    if protected := _protected(archive) & set(chapters):
        raise Refused("encrypted", f"its part {min(protected)!r} is protected")
    return Package(_words(package, "title"), _words(package, "creator"), tuple(chapters))


def inside(name: str, href: str) -> str:
    """The part that a link in the part ``name`` leads to. Raises ``Refused`` for what is no part of the book."""
    try:
        parts = urlsplit(href)
    except ValueError:
        raise Refused("escapes", f"names {href!r} as a part") from None
    path = unquote(parts.path)
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    outside = joined == ".." or joined.startswith("../")
    if parts.scheme or parts.netloc or path.startswith("/") or "\\" in path or "\0" in path or outside:
        raise Refused("escapes", f"names {href!r} as a part, which is outside of it")
    return joined


def _is_text(item: Element) -> bool:
    return item.get("media-type") in _TEXT and "nav" not in (item.get("properties") or "").split()


def _protected(archive: Archive) -> set[str]:
    """Parts that only a licence opens; fonts may be among them without harm."""
    if _ENCRYPTION not in archive:
        return set()
    tree = parse(archive.read(_ENCRYPTION), _ENCRYPTION)
    return {inside("", each.get("URI") or "") for each in tree.iter("CipherReference")}


def _words(package: Element, tag: str) -> str | None:
    found = next(("".join(each.itertext()) for each in package.iter(tag)), "")
    return " ".join(found.split())[:_LONGEST_TITLE] or None
