"""mdBook's folders: the files that SUMMARY.md names, in its order."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from markdown_it.token import Token

from ragstone.core import SourceError

from ...markdown.blocks import block_parser
from ...markdown.inline import inline_text
from ..fields import names_in, one_line, read_toml, split_front_matter
from ..files import is_file, is_inside, read_text
from .contents import Contents, Entry, listed_site
from .sites import Repository, Site

_CLASS = re.compile(r"\{:\s*\.([\w-]++)[^{}]*+\}")


def find_mdbook(repository: Repository, mark: Path) -> Site | None:
    """The book of a ``book.toml`` or a ``SUMMARY.md``."""
    home = mark.parent
    book = _settings(home)
    summary, title = _summary(home, book)
    if summary is None or summary not in repository.all:
        return None
    contents = Contents(summary, summary.parent, repository.root, entries_of(repository.config(summary)))
    site = listed_site("mdbook", repository, contents, title, names_in(book.get("authors") or book.get("author")))
    if not site.files and mark == summary and home != repository.root:
        return None  # another page of that name
    return replace(site, home=home)


def _summary(root: Path, book: dict[str, Any]) -> tuple[Path | None, str | None]:
    """The book's SUMMARY.md, if it has one, and the title that book.toml or else SUMMARY.md gives."""
    title = one_line(book.get("title"))
    for folder in (_source(book), ".", "src"):
        summary = Path(os.path.normpath(root / folder / "SUMMARY.md"))
        if is_file(summary) and is_inside(summary, root) and summary.is_relative_to(root):
            if summary.parent == root:
                title = title or _title_above(root)
            return summary, title or one_line(split_front_matter(read_text(summary))[0].get("title"))
    return None, title


def _settings(folder: Path) -> dict[str, Any]:
    """The table [book] of the folder's book.toml; empty when there is none or it cannot be read."""
    path = folder / "book.toml"
    try:
        book = read_toml(read_text(path)).get("book") if is_inside(path, folder.resolve()) else None
    except (SourceError, ValueError):
        return {}
    return book if isinstance(book, dict) else {}


def _source(book: dict[str, Any]) -> str:
    return str(book.get("src") or "src")


def _title_above(home: Path) -> str | None:
    """The title in the book.toml beside ``home``, if that names ``home`` as the book's source."""
    book = _settings(home.parent)
    return one_line(book.get("title")) if Path(os.path.normpath(home.parent / _source(book))) == home else None


def entries_of(text: str) -> Iterator[Entry]:
    """The entries of SUMMARY.md in order; an entry that only groups others is a part."""
    tokens = block_parser("html_block").parse(split_front_matter(text)[1])
    depth = 0
    for at, token in enumerate(tokens):
        if token.type == "list_item_open":
            depth += 1
        elif token.type == "list_item_close":
            depth -= 1
        elif token.type == "inline" and tokens[at - 1].type == "paragraph_open":
            links = list(_links(token))
            marked = _CLASS.search(token.content)
            plain = " ".join(inline_text(_CLASS.sub("", token.content), {}, inside=True)[0].split())
            if not links and depth:
                has_children = tokens[at + 2].type in ("bullet_list_open", "ordered_list_open")
                yield Entry(plain, None, depth, has_children)
            for title, target in links:
                yield Entry(title, target, depth, bool(marked and marked[1] == "part"))


def _links(token: Token) -> Iterator[tuple[str, str]]:
    for found in re.finditer(r"\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]\(\s*(<[^<>]*>|[^()\s]*+)[^()]*+\)", token.content):
        title = " ".join(inline_text(found[1], {}, inside=True)[0].split())
        yield title, re.sub(r"\\(?=[^\w\s])", "", found[2].strip("<>"))
