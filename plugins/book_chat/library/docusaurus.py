"""Docusaurus' folders: pages by position, number prefix and name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ragstone.core import SourceError

from ..markdown.blocks import first_heading
from ..markdown.characters import without_controls
from ..markdown.normalization import normalize_markdown
from .fields import front_title, read_yaml, split_front_matter
from .files import ChapterFile, LeftOut, is_file, is_index, natural, read_text, relative

if TYPE_CHECKING:
    from pathlib import Path

_MARKDOWN = frozenset({".md", ".markdown", ".mdx"})
_NUMBER_PREFIX = re.compile(r"(\d+)\s*[-_.]+\s*(?=[^-_.\s\d])")


def _front(path: Path) -> dict[str, Any]:
    try:
        return split_front_matter(read_text(path))[0]
    except SourceError:
        return {}


def find_pages(root: Path, readable: list[Path]) -> Path | None:
    """The folder of Docusaurus pages at or below ``root``, or None when there are no signs of one."""
    pages = [path for path in readable if path.suffix.lower() in _MARKDOWN]
    signed = {p.parent for p in pages if {"sidebar_position", "id"} & _front(p).keys()}
    signed |= {p.parent for page in pages for p in _categories(page.parent)}
    configured = any(next(folder.glob("docusaurus.config.*"), None) for folder in (root, root.parent))
    if not signed and not configured:
        return None
    tree = root
    # A folder named docs is the tree when all signs lie inside it; a config beside it alone is a sign, too.
    while any(p.is_relative_to(tree / "docs") for p in pages):
        inner = tree / "docs"
        if not all(folder.is_relative_to(inner) for folder in signed):
            break
        tree = inner
    return tree


def _categories(folder: Path) -> list[Path]:
    return [path for name in ("json", "yml", "yaml") if is_file(path := folder / f"_category_.{name}")]


def docusaurus_files(root: Path, tree: Path, readable: list[Path], left: list[LeftOut]) -> list[ChapterFile]:
    """The pages below ``tree``: folder by folder, by position, then by number prefix, then by name."""
    keyed: list[tuple[tuple[Any, ...], ChapterFile]] = []
    keys: dict[Path, tuple[Any, ...]] = {}
    for path in readable:
        if not path.is_relative_to(tree):
            continue
        if any(part.startswith("_") for part in path.relative_to(tree).parts):
            left.append(LeftOut(relative(root, path), "its name or its folder's begins with _"))
            continue
        try:
            front, body = split_front_matter(read_text(path)) if path.suffix.lower() in _MARKDOWN else ({}, "")
        except SourceError as error:
            left.append(LeftOut(relative(root, path), error.what))
            continue
        if front.get("draft") is True:
            left.append(LeftOut(relative(root, path), "a draft"))
            continue
        key: tuple[Any, ...] = ()
        for folder in reversed([p for p in path.parents if p.is_relative_to(tree) and p != tree]):
            if folder not in keys:
                keys[folder] = _sort_key(_category_position(folder), folder.name)
            key += (keys[folder],)
        key += ((-1, 0.0, ()) if is_index(path) else _sort_key(front.get("sidebar_position"), path.stem),)
        title = front_title(front) or first_heading(normalize_markdown(body)) or _title_from_name(path, tree)
        keyed.append((key, ChapterFile(path, relative(root, path), title, title, (), 0)))
    return [file for _, file in sorted(keyed, key=lambda pair: (pair[0], pair[1].relative))]


def _sort_key(position: object, name: str) -> tuple[int, float, Any]:
    """Sorts pages and folders by position, then by number prefix; without either, last and by name."""
    prefix = _NUMBER_PREFIX.match(name)
    if isinstance(position, int | float) and position == position:
        return 0, float(position), natural(name)
    return (0, float(prefix[1]), natural(name)) if prefix else (1, 0.0, natural(name))


def _category_position(folder: Path) -> object:
    """The position that ``_category_.json`` gives, or else that of the category's own page."""
    for path in _categories(folder):
        try:
            position = read_yaml(read_text(path)).get("position")
        except SourceError:
            continue
        if position is not None:
            return position
    for name in ("index.md", "README.md", "readme.md", f"{folder.name}.md"):
        if is_file(folder / name):
            return _front(folder / name).get("sidebar_position")
    return None


def _title_from_name(path: Path, tree: Path) -> str:
    """A file's name as a title: "01-first_steps.md" is "First steps"."""
    stem = path.parent.name if is_index(path) and path.parent != tree else path.stem
    words = re.sub(r"[-_\s]+", " ", _NUMBER_PREFIX.sub("", without_controls(stem), count=1)).strip()
    return words[:1].upper() + words[1:] or path.name
