"""mdBook's folders: the files that SUMMARY.md names, in its order."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from ragstone.core import SourceError

from ..markdown.blocks import block_parser
from ..markdown.characters import without_controls
from ..markdown.inline import inline_text
from .fields import front_title, read_toml, split_front_matter
from .files import ChapterFile, LeftOut, is_file, is_inside, read_text, relative

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token

_CLASS = re.compile(r"\{:\s*\.([\w-]+)[^{}]*\}")


def find_summary(root: Path) -> tuple[Path | None, str | None]:
    """The book's SUMMARY.md, if it has one, and the title that book.toml or else SUMMARY.md gives."""
    book = _settings(root)
    title = _title(book)
    home, base = root.resolve(), Path(os.path.normpath(root))
    for folder in (_source(book), ".", "src"):
        summary = root / folder / "SUMMARY.md"
        inner = Path(os.path.normpath(summary))
        if is_file(summary) and is_inside(summary, home) and inner.is_relative_to(base):
            if title is None and inner.parent == base:
                title = _title_above(home)
            if title is None:
                title = front_title(split_front_matter(read_text(summary))[0])
            return root / inner.relative_to(base), title
    return None, title


def _settings(folder: Path) -> dict[str, Any]:
    """The table [book] of the folder's book.toml; empty when there is none or it cannot be read."""
    try:
        book = read_toml(read_text(folder / "book.toml")).get("book")
    except (SourceError, ValueError):
        return {}
    return book if isinstance(book, dict) else {}


def _source(book: dict[str, Any]) -> str:
    return str(book.get("src") or "src")


def _title(book: dict[str, Any]) -> str | None:
    title = book.get("title")
    return without_controls(title) if isinstance(title, str) else None


def _title_above(home: Path) -> str | None:
    """The title in the book.toml beside ``home``, if that names ``home`` as the book's source."""
    book = _settings(home.parent)
    return _title(book) if Path(os.path.normpath(home.parent / _source(book))) == home else None


@dataclass(frozen=True)
class _Entry:
    """A line of SUMMARY.md: ``target`` is None without a link, ``depth`` counts the lists around it."""

    title: str
    target: str | None
    depth: int
    is_part: bool


def _entries(text: str) -> Iterator[_Entry]:
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
                yield _Entry(plain, None, depth, has_children)
            for title, target in links:
                yield _Entry(title, target, depth, bool(marked and marked[1] == "part"))


def _links(token: Token) -> Iterator[tuple[str, str]]:
    """Words and target of each link in an inline token."""
    for found in re.finditer(r"\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]\(\s*(<[^<>]*>|[^()\s]*)[^()]*\)", token.content):
        title = " ".join(inline_text(found[1], {}, inside=True)[0].split())
        yield title, re.sub(r"\\(?=[^\w\s])", "", found[2].strip("<>"))


def mdbook_files(root: Path, summary: Path, readable: list[Path], left: list[LeftOut]) -> list[ChapterFile]:
    """The files that SUMMARY.md links, in its order; what it names besides joins ``left``."""
    available = set(readable)
    files: dict[Path, ChapterFile] = {}
    above: list[_Entry] = []
    for entry in _entries(read_text(summary)):
        while above and above[-1].depth >= entry.depth:
            above.pop()
        parents = [parent for parent in above if not parent.is_part]
        if entry.depth:  # prefix and suffix chapters stand alone
            above.append(entry)
        if entry.is_part and entry.target is None:
            continue
        path, reason = _resolve(root, summary, entry.target, available)
        if path is None:
            left.append(LeftOut(entry.title or entry.target or "", reason))
            continue
        chapter = parents[0].title if parents else entry.title
        within = (*(parent.title for parent in parents[1:]), entry.title) if parents else ()
        files.setdefault(path, ChapterFile(path, relative(root, path), entry.title, chapter, within, 0))
    return list(files.values())


def _resolve(root: Path, summary: Path, target: str | None, available: set[Path]) -> tuple[Path | None, str]:
    """The file that a link of SUMMARY.md names, or why there is none."""
    if target is None:
        return None, "has no link in SUMMARY.md"
    try:
        parts = urlsplit(target)
    except ValueError:
        return None, f"its link cannot be understood: {target}"
    if parts.scheme or parts.netloc:
        return None, f"its link leaves the book: {target}"
    if not parts.path:
        return None, "a draft: SUMMARY.md links it to nothing"
    name = os.path.normpath(os.path.join(summary.parent, unquote(parts.path)))  # noqa: PTH118
    path = Path(name)
    base = Path(os.path.normpath(root))
    if not path.is_relative_to(base):
        return None, f"its link leaves the book: {target}"
    path = root / path.relative_to(base)
    if path in available:
        return path, ""
    if not is_file(path):
        return None, f"its file does not exist: {target}"
    return None, f"its file is not read: {target}"
