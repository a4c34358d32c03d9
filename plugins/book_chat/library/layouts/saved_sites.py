"""Folders of HTML pages: a site saved as files, its pages in the order, and below the chapters, of its own links."""

from __future__ import annotations

import html
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ragstone.core import SourceError
from ragstone.core.runtime import open_regular

from ...markdown.characters import without_controls
from ...markdown.html.markup import decoded
from ..files import HTML, ChapterFile, LeftOut, is_index, natural_path
from .sites import Repository, Site, pages_of

#: Bytes of a page that is searched for links and a title, and pages of which the titles are compared.
_LONGEST_PAGE, _COMPARED = 3_000_000, 24
_MOST_AUTHORS = 20
#: Pages above a page that are followed; a longer chain is hostile.
_DEEPEST = 12
#: Least number of pages that links put in order, for other pages to count as none of the book's.
_LEAST_LINKED = 3
_LINK = re.compile(r"""<a\s[^<>]{0,500}?href\s*=\s*["']([^"'<>]{1,500})["']""", re.IGNORECASE)
#: A link, or where a list begins or ends.
_LISTED = re.compile(rf"{_LINK.pattern}|<(/?)[ou]l\b", re.IGNORECASE)
#: A page that no search engine is to name: an old address, a page for printing.
_NO_INDEX = re.compile(
    r"""<meta\s[^<>]{0,100}?name\s*=\s*["']robots["'][^<>]{0,100}?content\s*=\s*["'][^"'<>]{0,60}?noindex""",
    re.IGNORECASE,
)
#: Links to the following page, the one above and the front page, as DocBook, Texinfo and Sphinx write them.
_NEXT, _UP, _HOME = (
    re.compile(rf"""<(?:link|a)\s[^<>]{{0,300}}?rel\s*=\s*["']{name}["'][^<>]{{0,300}}>""", re.IGNORECASE)
    for name in ("(?:next|prefetch next)", "up", "(?:home|start|top)")
)
_PART = re.compile(r"part\b", re.IGNORECASE)
_AUTHOR = re.compile(
    r"""<meta\s[^<>]{0,100}?name\s*=\s*["']author["'][^<>]{0,100}?content\s*=\s*["']([^"'<>]{1,200})["']"""
    r"""|<(?:span|h\d)\s[^<>]{0,100}?class\s*=\s*["']author["'][^<>]{0,100}>((?:[^<]|<(?!/?(?:h\d|div|p)\b)){1,300})""",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]*>")
_HREF = re.compile(r"""href\s*=\s*["']([^"'<>]{1,500})["']""", re.IGNORECASE)
_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{1,500})", re.IGNORECASE)
_TITLE_PARTS = re.compile(r"\s+[|—–·»-]\s+")
#: Pages that tools add to a site.
_NO_PAGES = frozenset("search genindex py-modindex 404 print modindex searchindex sitemap tags toc offline".split())  # noqa: SIM905
_NO_FOLDERS = frozenset({"_static", "_sources", "assets", "static"})


def find_saved_site(repository: Repository, folder: Path, paths: Sequence[Path]) -> Site | None:
    """The pages of a folder that holds more HTML than anything else; None for another."""
    pages = [path for path in paths if path.suffix.lower() in HTML]
    if 2 * len(pages) <= len(paths):
        return None
    added = {
        path: "a page that a tool added"
        for path in pages
        if path.stem.lower() in _NO_PAGES or _NO_FOLDERS.intersection(path.relative_to(folder).parts[:-1])
    }
    kept = sorted(
        (path for path in paths if path not in added), key=lambda path: natural_path(path.relative_to(folder))
    )
    front = _front_page(kept)
    linked = list(dict.fromkeys(_linked(kept, front)))
    added |= _others(kept, front, linked)
    kept = [path for path in dict.fromkeys([*linked, *kept]) if path not in added]
    named = tuple(LeftOut(repository.name(path), reason) for path, reason in added.items())
    compared = [*([front] if front else []), *kept[:_COMPARED]]
    before = _common_beginning(compared)
    title = before.removesuffix(": ") or _common_title(compared)
    files = _below_chapters(pages_of(repository, kept), front, before)
    return Site("folder", folder, folder, files, title, _authors(front) if front else (), left=named)


def _others(pages: Sequence[Path], front: Path | None, linked: Sequence[Path]) -> dict[Path, str]:
    """The pages that are none of the book's, and why: those that search engines are not to name, where they may name
    the front page, and those of folders with a front page of their own to which no page leads."""
    if front is None or len(linked) < _LEAST_LINKED:
        return {}
    found = {}
    if not _NO_INDEX.search(_source(front)):
        found = {path: "an old address" for path in pages if path not in linked and _NO_INDEX.search(_source(path))}
    for index in (path for path in pages if is_index(path) and path.parent != front.parent):
        if not any(path.is_relative_to(index.parent) for path in linked):
            within = (path for path in pages if path.is_relative_to(index.parent))
            found |= dict.fromkeys(within, "another site: no page of the book leads to it")
    return found


def _front_page(pages: Sequence[Path]) -> Path | None:
    """The page that is named an index, else the one that the first pages call their home."""
    there = {os.path.normpath(path): path for path in pages}
    homes = (_target(there, page, _link(_HOME, page)) for page in pages[:_COMPARED])
    return next((path for path in pages if is_index(path)), None) or next(filter(None, homes), None)


def _linked(pages: Sequence[Path], front: Path | None) -> Iterable[Path]:
    """The pages by the links to the next one, from the front page on; without these as the front page names them."""
    there = {os.path.normpath(path): path for path in pages}
    if front is None:
        return []
    order, at = [front], front
    while (
        (following := _target(there, at, _link(_NEXT, at))) and following not in order[-3:] and len(order) <= len(pages)
    ):
        order.append(following)
        at = following
    if len(order) > 2:
        return order
    links = (_target(there, front, found[1]) for found in _LINK.finditer(_source(front)))
    return [front, *(page for page in links if page)]


def _below_chapters(files: Sequence[ChapterFile], front: Path | None, before: str) -> tuple[ChapterFile, ...]:
    """The pages with the chapter that is above each, by its links or by the front page's lists: the first below the
    front page and below a part. ``before``: what their titles begin with."""
    there = {os.path.normpath(file.path): file.path for file in files}
    above = {path: up for path in there.values() if (up := _target(there, path, _link(_UP, path)))}
    above = above or (_above_by_lists(there, front) if front else {})
    titles = {path: next(iter(_parts(path)), path.stem).removeprefix(before) for path in above}

    def placed(file: ChapterFile) -> ChapterFile:
        chain = [file.path]
        while (up := above.get(chain[-1])) in titles and up not in chain and len(chain) < _DEEPEST:
            chain.append(up)
        chapter, *within = [titles[path] for path in reversed(chain)]
        if within and _PART.match(chapter):
            chapter, *within = within
        return replace(file, title=titles[file.path], chapter=chapter, within=tuple(within))

    return tuple(placed(file) if file.path in titles else file for file in files)


def _above_by_lists(there: dict[str, Path], front: Path) -> dict[Path, Path]:
    """The page above each one by the lists within lists of the front page, the front page above the outermost; nothing
    where these name less than half of the pages."""
    above: dict[Path, Path] = {}
    open_pages: list[tuple[int, Path]] = []
    depth = 0
    for found in _LISTED.finditer(_source(front)):
        if found[1] is None:
            depth += -1 if found[2] else 1
            continue
        page = _target(there, front, found[1])
        if depth and page and page not in above and page != front:
            open_pages = [(at, path) for at, path in open_pages if at < depth]
            above[page] = open_pages[-1][1] if open_pages else front
            open_pages.append((depth, page))
    return above if 2 * len(above) > len(there) else {}


def _authors(front: Path) -> tuple[str, ...]:
    """The authors that the front page names."""
    found = (_words(_TAG.sub("", name or marked)) for name, marked in _AUTHOR.findall(_source(front)))
    return tuple(dict.fromkeys(filter(None, found)))[:_MOST_AUTHORS]


def _link(form: re.Pattern[str], page: Path) -> str | None:
    tag = form.search(_source(page))
    found = _HREF.search(tag[0]) if tag else None
    return found[1] if found else None


def _target(there: dict[str, Path], page: Path, link: str | None) -> Path | None:
    """The page of the site that a link leads to; a folder's is its index."""
    try:
        parts = urlsplit(html.unescape(link or ""))
    except ValueError:
        return None
    if not parts.path or parts.scheme or parts.netloc or parts.path.startswith("/"):
        return None
    path = os.path.normpath(f"{page.parent}/{unquote(parts.path)}")
    return there.get(path) or there.get(f"{path}/index.html") or there.get(f"{path}.html")


def _common_title(pages: Sequence[Path]) -> str | None:
    """The site's name: the part that most of its pages' titles share, else the title of its front page."""
    titles = [_parts(path) for path in pages]
    counts = Counter(part for parts in titles for part in set(parts[1:] or parts))
    shared = [part for part, count in counts.most_common(1) if count > 1 and count * 2 > len(titles)]
    return next(iter(shared or titles[0][:1]), None) if titles else None


def _common_beginning(pages: Sequence[Path]) -> str:
    """What more than half of the pages' titles begin with, up to a colon, such as the site's name; else empty."""
    begins = Counter(colon and f"{name}{colon}" for name, colon, _ in (_title(page).partition(": ") for page in pages))
    return next((begin for begin, count in begins.most_common(1) if count > 1 and 2 * count > len(pages)), "")


def _parts(page: Path) -> list[str]:
    return [part for part in _TITLE_PARTS.split(_title(page)) if part]


def _title(page: Path) -> str:
    found = _TITLE.search(_source(page))
    return _words(found[1]) if found else ""


def _words(source: str) -> str:
    return " ".join(without_controls(html.unescape(source)).split())


def _source(page: Path) -> str:
    try:
        with open_regular(page, _LONGEST_PAGE) as file:
            return decoded(file.read(_LONGEST_PAGE))
    except SourceError:
        return ""
