"""The layout of a book on the disk: which files are read, in which order, and what is left out and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ragstone.core import SourceError

from .docusaurus import docusaurus_files, find_pages
from .files import ChapterFile, LeftOut, natural_path, relative, walk
from .mdbook import find_summary, mdbook_files

if TYPE_CHECKING:
    from collections.abc import Iterable

_ASSETS = {
    "images": "png jpg jpeg gif svg webp avif ico bmp tif tiff drawio mp4 webm mov",
    "styles": "css scss sass less",
    "scripts": "js jsx ts tsx mjs cjs",
    "fonts": "woff woff2 ttf otf eot",
    "data": "toml json jsonl yaml yml lock xml csv",
}
_KIND_OF = {f".{suffix}": kind for kind, suffixes in _ASSETS.items() for suffix in suffixes.split()}


@dataclass(frozen=True)
class BookLayout:
    """A book on disk: its files in reading order, and what was left out."""

    kind: Literal["mdbook", "docusaurus", "folder", "file"]
    root: Path
    title: str | None
    files: tuple[ChapterFile, ...]
    left_out: tuple[LeftOut, ...]


def read_layout(root: Path, suffixes: frozenset[str]) -> BookLayout:
    """The book at ``root``, of which files with one of ``suffixes`` (".md") can be read.

    Raises ``SourceError`` when there is nothing to read, or too much.
    """
    root = Path(root)
    try:
        exists, is_folder = root.exists(), root.is_dir()
    except OSError as error:
        raise SourceError(f"cannot be reached: {error.strerror or error}", where=str(root)) from error
    if not exists:
        raise SourceError("does not exist", where=str(root), hint="give a book's folder or one of its files")
    if not is_folder:
        if root.suffix.lower() not in suffixes:
            raise SourceError(
                f"has no reader for {root.suffix or 'files without a suffix'}",
                where=str(root),
                hint=f"these can be read: {', '.join(sorted(suffixes))}",
            )
        return BookLayout("file", root, None, (ChapterFile(root, root.name, None, None, (), 0),), ())
    left: list[LeftOut] = []
    paths = list(walk(root, left))
    readable = [path for path in paths if path.suffix.lower() in suffixes]
    if not readable:
        raise SourceError(
            "holds no file that can be read", where=str(root), hint=f"these can be read: {', '.join(sorted(suffixes))}"
        )
    summary, title = find_summary(root)
    if summary is not None:
        kind: Literal["mdbook", "docusaurus", "folder"] = "mdbook"
        files = mdbook_files(root, summary, readable, left)
        if not files:
            raise SourceError("names no file that can be read", where=str(summary), hint="link its chapters")
    elif (tree := find_pages(root, readable)) is not None:
        kind, files = "docusaurus", docusaurus_files(root, tree, readable, left)
    else:
        ordered = sorted(readable, key=lambda path: natural_path(path.relative_to(root)))
        kind, files = "folder", [ChapterFile(p, relative(root, p), None, None, (), 0) for p in ordered]
    read = {file.path for file in files} | ({summary} if summary else set())
    known = {entry.relative for entry in left}
    for path in readable:
        if path not in read and relative(root, path) not in known:
            reason = "not in SUMMARY.md" if summary else "outside the docs folder"
            left.append(LeftOut(relative(root, path), reason))
    left += _unread(root, paths, suffixes)
    if not files:
        raise SourceError("holds only drafts and left-out files", where=str(root), hint="publish a page")
    ordered_files = tuple(replace(file, position=position) for position, file in enumerate(files))
    return BookLayout(kind, root, title, ordered_files, tuple(left))


def _unread(root: Path, paths: Iterable[Path], suffixes: frozenset[str]) -> list[LeftOut]:
    """Files without a reader by name, assets as one line for each folder and kind."""
    named: list[LeftOut] = []
    assets: Counter[tuple[str, str]] = Counter()
    for path in paths:
        suffix = path.suffix.lower()
        if suffix in suffixes or path.name == "book.toml":
            continue
        if suffix in _KIND_OF:
            assets[relative(root, path.parent), _KIND_OF[suffix]] += 1
        else:
            named.append(LeftOut(relative(root, path), f"no reader for {suffix or 'files without a suffix'}"))
    for (folder, kind), count in sorted(assets.items()):
        files = "1 file" if count == 1 else f"{count} files"
        named.append(LeftOut(f"{folder}/ ({files})", f"{kind}, not text"))
    return named
