"""EPUB 2 and 3: the pages of the spine under the headings of the book's own table of contents."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any

from ragstone.core.runtime import Unanswered

from .archive import Archive, part_named
from .contents import TocEntry, headed, page_list, toc_entries
from .inline import Places
from .markup import attribute, name_of, parse_page, words_of
from .page import HtmlBlock, PageReader
from .text import Text, assembled

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_TEXT = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})
_MOST_PAGES, _MOST_AUTHORS, _LONGEST = 5_000, 20, 255
#: Files that only a system for protected books writes, and its name.
_PROTECTIONS = {
    "META-INF/license.lcpl": "Readium LCP",
    "META-INF/rights.xml": "Adobe ADEPT",
    "META-INF/sinf.xml": "Apple FairPlay",
}


@dataclass(frozen=True)
class _Package:
    """A book's own description: ``pages`` are the parts of its spine."""

    title: str | None
    authors: tuple[str, ...]
    pages: tuple[str, ...]
    nav: str | None
    ncx: str | None


def read_epub(file: IO[bytes]) -> Text:
    """The book in ``file``. Raises ``Unanswered``."""
    archive = Archive(file)
    package = _package(archive)
    entries, pages = _contents(archive, package)
    places, blocks = Places(), list[HtmlBlock]()
    starts: dict[str, int] = {}
    for part in package.pages:
        if part in starts or (part == package.nav and len(package.pages) > 1):
            continue
        starts[part] = len(blocks)
        root = parse_page(archive.read(part))
        if root is None:
            continue
        places.prefix = f"{part}#"
        body = next((each for each in root.iter() if name_of(each) == "body"), root)
        blocks += PageReader(places).read(body)
    _mark_pages(blocks, places, starts, pages)
    whole = headed(blocks, starts, places, entries, package.title)
    text = assembled(whole, places, package.title, package.authors)
    if not text.text.strip():
        raise Unanswered("empty", "has no text, perhaps pictures of pages alone")
    return text


def _package(archive: Archive) -> _Package:
    root = archive.xml(_CONTAINER)
    path = next(
        (each.get("full-path") for each in root.iter() if name_of(each) == "rootfile" and each.get("full-path")), None
    )
    found = part_named("", path) if path else None
    if found is None:
        raise Unanswered("broken", "names no package in its container.xml")
    name = found[0]
    package = archive.xml(name)
    parts = {name_of(each): each for each in package}
    items = {str(item.get("id")): item for item in parts.get("manifest", ()) if name_of(item) == "item"}

    def part_of(item: Any) -> str | None:
        place = None if item is None else part_named(name, item.get("href") or "")
        return place[0] if place else None

    spine = parts.get("spine", ())
    pages: list[str] = []
    for reference in spine:
        item = items.get(str(reference.get("idref"))) if name_of(reference) == "itemref" else None
        part = part_of(item)
        if item is not None and part and item.get("media-type") in _TEXT and part in archive:
            pages.append(part)
    if not pages:
        raise Unanswered("broken", "names no page that it has")
    if len(pages) > _MOST_PAGES:
        raise Unanswered("too_large", f"has more than {_MOST_PAGES:,} pages in its spine")
    _check_protection(archive, set(pages))
    about = parts.get("metadata", ())
    titles = [words_of(each)[:_LONGEST] for each in _within(about, "title")]
    authors = [words_of(each)[:100] for each in _within(about, "creator")][:_MOST_AUTHORS]
    nav = next((item for item in items.values() if "nav" in (item.get("properties") or "").split()), None)
    ncx = items.get(spine.get("toc") or "") if len(spine) else None
    if ncx is None:
        ncx = next((item for item in items.values() if item.get("media-type") == "application/x-dtbncx+xml"), None)
    title = next((each for each in titles if each), None)
    return _Package(title, tuple(filter(None, authors)), tuple(pages), part_of(nav), part_of(ncx))


def _within(about: Any, name: str) -> list[Any]:
    return [each for each in (about.iter() if len(about) else ()) if name_of(each) == name]


def _contents(archive: Archive, package: _Package) -> tuple[list[TocEntry], list[tuple[str, str, str]]]:
    """The table of contents and the list of printed pages, of EPUB 3's own document or of the NCX."""
    entries: list[TocEntry] = []
    pages: list[tuple[str, str, str]] = []
    for part in (package.nav, package.ncx):
        if part is None or part not in archive or (entries and pages):
            continue
        with suppress(Unanswered):  # the headings of the pages will do
            root = parse_page(archive.read(part))
            if root is not None:
                entries = entries or toc_entries(root, part)
                pages = pages or page_list(root, part)
    return entries, pages


def _mark_pages(
    blocks: list[HtmlBlock], places: Places, starts: dict[str, int], pages: list[tuple[str, str, str]]
) -> None:
    """Where printed pages are listed and not marked in the text, the marks of the anchors that they lead to."""
    if not pages:
        return
    at = {name: mark for mark, name in places.ids.items()}
    known = set(places.pages.values())
    for label, part, anchor in pages:
        if label in known:
            continue
        if anchor and (mark := at.get(f"{part}#{anchor}")):
            places.pages[mark] = label
        elif not anchor and starts.get(part, len(blocks)) < len(blocks):
            first = blocks[starts[part]]
            first.text = places.page(label) + first.text


def _check_protection(archive: Archive, pages: set[str]) -> None:
    """Raises ``Unanswered`` for a book that only a licence opens; fonts may be obfuscated without harm."""
    system = next((name for part, name in _PROTECTIONS.items() if part in archive), None)
    if _ENCRYPTION in archive:
        for each in archive.xml(_ENCRYPTION).iter():
            place = part_named("", attribute(each, "URI")) if name_of(each) == "cipherreference" else None
            if place and place[0] in pages:
                raise Unanswered("encrypted", f"is protected by {system or 'a licence'}")
    if system == "Readium LCP":
        raise Unanswered("encrypted", f"is protected by {system}")
