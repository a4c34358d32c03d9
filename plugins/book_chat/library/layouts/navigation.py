"""Books whose configuration is YAML: MkDocs, Jupyter Book and MyST, Quarto."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragstone.core import SourceError

from ..fields import LONGEST_SITE_YAML, names_in, one_line, parse_yaml
from ..files import MARKDOWN, natural_path
from .contents import Contents, Entry, listed_site
from .sites import WITHOUT, Kind, Repository, Site, pages_of

#: Keys of what stands below an entry, of its file and of its title, in Jupyter Book, MyST and Quarto.
_BELOW = ("parts", "chapters", "subtrees", "entries", "sections", "children", "contents")
_FILE = ("file", "root", "href", "url")
_TITLE = ("title", "text", "caption", "part", "chapter")
_PATTERN = ("glob", "pattern")


def find_mkdocs(repository: Repository, config: Path) -> Site:
    """The pages in ``docs_dir`` of a ``mkdocs.yml``, in the order of its ``nav``."""
    settings = _table(_load(repository, config), config)
    folder = repository.folder(config, one_line(settings.get("docs_dir")) or "docs")
    nav = settings.get("nav")
    entries = None if nav is None else _nav(nav)
    about = one_line(settings.get("site_name")), names_in(settings.get("site_author"))
    return _site("mkdocs", repository, Contents(config, folder, folder, entries or ()), about)


def find_jupyter_book(repository: Repository, config: Path) -> Site | None:
    """The pages that the ``_toc.yml`` of Jupyter Book or the ``myst.yml`` of MyST names."""
    home = config.parent
    loaded = _load(repository, config)
    about: dict[str, Any]
    if config.name == "myst.yml":
        about = _table(_table(loaded, config).get("project"), config)
        toc = about.get("toc") or []
        if not toc and home / "_toc.yml" in repository.all:
            return None
    else:
        settings = home / "_config.yml"
        about = _table(_load(repository, settings), settings) if settings in repository.all else {}
        toc = loaded if isinstance(loaded, list) else [loaded]
    depth = 1 if isinstance(loaded, list) or config.name == "myst.yml" else 0
    names = one_line(about.get("title")), names_in(about.get("authors") or about.get("author"))
    return _site("jupyterbook", repository, Contents(config, home, home, _toc(toc, depth)), names)


def find_quarto(repository: Repository, config: Path) -> Site | None:
    """The chapters of a ``_quarto.yml`` that describes a book."""
    book = _table(_load(repository, config), config).get("book")
    if not isinstance(book, dict):
        return None
    chapters = [book.get("chapters") or [], book.get("appendices") or []]
    entries = (entry for part in chapters for entry in _toc(part, 1))
    names = one_line(book.get("title")), names_in(book.get("author"))
    return _site("quarto", repository, Contents(config, config.parent, config.parent, entries), names)


def _site(kind: Kind, repository: Repository, contents: Contents, about: tuple[str | None, tuple[str, ...]]) -> Site:
    """The site of a table of contents; without entries, all Markdown in its folder in natural order."""
    site = listed_site(kind, repository, contents, *about)
    if site.files or site.left:
        return site
    pages = [path for path in repository.below(contents.base) if path.suffix.lower() in MARKDOWN]
    return replace(site, files=pages_of(repository, sorted(pages, key=natural_path)))


def _load(repository: Repository, config: Path) -> Any:
    try:
        return parse_yaml(repository.config(config), LONGEST_SITE_YAML)
    except ValueError as error:
        raise SourceError(f"is not YAML that can be read: {error}", where=str(config), hint=WITHOUT) from error


def _table(value: Any, config: Path) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise SourceError("holds no table of settings", where=str(config), hint=WITHOUT)
    return value


def _nav(nav: object, depth: int = 1, title: str = "") -> Iterator[Entry]:
    """MkDocs' ``nav``: pages, pages with a title, and titles of groups."""
    if isinstance(nav, str):
        is_link = "://" in nav
        target = f"{nav}*" if nav.endswith("/") and not is_link else nav  # a folder, as some of its plugins allow
        yield Entry(title, target, depth, is_pattern="*" in target and not is_link)
    elif isinstance(nav, list):
        if title:
            yield Entry(title, None, depth, is_part=True)
        for item in nav:
            pairs: Iterable[tuple[object, object]] = item.items() if isinstance(item, dict) else [("", item)]
            for name, below in pairs:
                yield from _nav(below, depth + 1, one_line(name) or "")


def _toc(items: object, depth: int) -> Iterator[Entry]:
    """Lists of pages, and of tables with a file, a title and what stands below."""
    for item in items if isinstance(items, list) else []:
        table = item if isinstance(item, dict) else {"file": item}
        texts = {key: text for key, value in table.items() if (text := one_line(value))}
        title = next((texts[key] for key in _TITLE if key in texts), "")
        target = next((texts[key] for key in _FILE if key in texts), None)
        pattern = next((texts[key] for key in _PATTERN if key in texts), None)
        is_part = target is None and pattern is None
        if "part" in texts and texts["part"].endswith(MARKDOWN):  # Quarto: the page of a part
            title, target = "", texts["part"]
        yield Entry(title, target or pattern, depth, is_part or "part" in texts, is_pattern=pattern is not None)
        for key in _BELOW:
            yield from _toc(table.get(key), depth + 1)
