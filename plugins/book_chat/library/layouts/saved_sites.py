"""Folders of HTML pages: a site saved as files, its pages in the order of its own links."""

from __future__ import annotations

import html
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ragstone.core import SourceError
from ragstone.core.runtime import open_regular

from ...markdown.characters import without_controls
from ...markdown.html.markup import decoded
from ..files import HTML, LeftOut, is_index, natural_path
from .sites import Repository, Site, pages_of

#: Bytes of a page that is searched for links and a title, and pages of which the titles are compared.
_LONGEST_PAGE, _COMPARED = 3_000_000, 24
_LINK = re.compile(r"""<a\s[^<>]{0,500}?href\s*=\s*["']([^"'<>]{1,500})["']""", re.IGNORECASE)
_NEXT = re.compile(
    r"""<(?:link|a)\s[^<>]{0,300}?rel\s*=\s*["'](?:next|prefetch next)["'][^<>]{0,300}>""", re.IGNORECASE
)
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
    named = tuple(LeftOut(repository.name(path), reason) for path, reason in added.items())
    title = _common_title(kept[:_COMPARED])
    ordered = list(dict.fromkeys([*_linked(kept), *kept]))
    return Site("folder", folder, folder, pages_of(repository, ordered), title, left=named)


def _linked(pages: Sequence[Path]) -> Iterable[Path]:
    """The pages by the links to the next one, from the front page on; without these as the front page names them."""
    there = {os.path.normpath(path): path for path in pages}
    front = next((path for path in pages if is_index(path)), None)
    if front is None:
        return []
    order, at = [front], front
    while (
        (following := _target(there, at, _next_link(at))) and following not in order[-3:] and len(order) <= len(pages)
    ):
        order.append(following)
        at = following
    if len(order) > 2:
        return order
    links = (_target(there, front, found[1]) for found in _LINK.finditer(_source(front)))
    return [front, *(page for page in links if page)]


def _next_link(page: Path) -> str | None:
    tag = _NEXT.search(_source(page))
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


def _parts(page: Path) -> list[str]:
    found = _TITLE.search(_source(page))
    words = " ".join(without_controls(html.unescape(found[1])).split()) if found else ""
    return [part for part in _TITLE_PARTS.split(words) if part]


def _source(page: Path) -> str:
    try:
        with open_regular(page, _LONGEST_PAGE) as file:
            return decoded(file.read(_LONGEST_PAGE))
    except SourceError:
        return ""
