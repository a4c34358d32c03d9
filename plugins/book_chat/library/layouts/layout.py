"""The layout of a book on the disk: which files are read, in which order, and what is left out and why."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ragstone.core import SourceError
from ragstone.core.text import counted

from ...markdown.characters import without_controls
from ..books import LONGEST_TITLE, shown
from ..files import NO_TEXT, ChapterFile, LeftOut, is_text, natural_path, relative, walk
from ..page_files import inclusions
from .docusaurus import docusaurus_files, find_docusaurus, find_pages
from .mdbook import find_mdbook
from .navigation import find_jupyter_book, find_mkdocs, find_quarto
from .saved_sites import find_saved_site
from .sites import Kind, Repository, SeveralBooks, Site, pages_of
from .sphinx import find_sphinx
from .unread import is_note, readable_in, unread_files


@dataclass(frozen=True)
class Layout:
    """A layout: its name, the files by which it is recognised, and what finds the book of such a file."""

    name: str
    marks: tuple[str, ...]
    find: Callable[[Repository, Path], Site | None]


#: Of two that describe the same folder the first one counts.
LAYOUTS: Mapping[Kind, Layout] = {
    "mdbook": Layout("mdBook", ("book.toml", "SUMMARY.md"), find_mdbook),
    "docusaurus": Layout(
        "Docusaurus site",
        tuple(f"docusaurus.config.{suffix}" for suffix in ("js", "ts", "mjs", "cjs")),
        find_docusaurus,
    ),
    "mkdocs": Layout("MkDocs site", ("mkdocs.yml", "mkdocs.yaml"), find_mkdocs),
    "jupyterbook": Layout("Jupyter Book", ("myst.yml", "_toc.yml"), find_jupyter_book),
    "quarto": Layout("Quarto book", ("_quarto.yml", "_quarto.yaml"), find_quarto),
    "sphinx": Layout("Sphinx documentation", ("conf.py",), find_sphinx),
}
#: Names of the files that describe a book.
CONFIGURATIONS = frozenset({"_config.yml"}.union(*(layout.marks for layout in LAYOUTS.values())))
#: How many configurations are opened, and how deep they are looked for.
_MOST_MARKS = 12
_MARK_DEPTH = 3
#: Folders whose configurations are no books of the repository.
_NOT_BOOKS = frozenset("test tests testdata fixtures example examples template templates vendor third_party".split())  # noqa: SIM905


@dataclass(frozen=True)
class BookLayout:
    """A book on disk: its files in reading order, and what was left out."""

    kind: Kind
    root: Path
    title: str | None
    files: tuple[ChapterFile, ...]
    left_out: tuple[LeftOut, ...]
    authors: tuple[str, ...] = ()
    #: The folder of the pages, as a POSIX path from ``root``, and the one of the book's configuration.
    folder: str = "."
    home: Path | None = None

    @property
    def description(self) -> str:
        """The layout in words, such as "Docusaurus site in docs/"."""
        name = LAYOUTS[self.kind].name if self.kind in LAYOUTS else self.kind
        where = f" in {self.folder}/" if self.kind in LAYOUTS else f" {self.folder}/"
        return name if self.folder == "." else name + where

    def page(self, file: ChapterFile) -> str:
        """A file's path from the folder of the book's configuration."""
        home = self.home or self.root
        return relative(home, file.path) if home in file.path.parents else file.relative


def read_layout(root: Path, suffixes: frozenset[str], site: str | None = None) -> BookLayout:
    """The book at ``root``, of which files with one of ``suffixes`` (".md") can be read.

    ``site``: the folder of one of several books, from ``root``. Raises ``SourceError`` when there is nothing to read,
    or too much, and ``SeveralBooks``.
    """
    root = Path(root)
    try:
        exists, is_folder = root.exists(), root.is_dir()
    except OSError as error:
        raise SourceError(f"cannot be reached: {error.strerror or error}", where=str(root)) from error
    if not exists:
        hint = "give a book's folder or one of its files, not an address"
        raise SourceError("does not exist", where=str(root), hint=hint)
    readable = f"these can be read: {', '.join(sorted(suffixes))}"
    if not is_folder:
        if root.suffix.lower() not in suffixes:
            what = f"has no reader for {root.suffix or 'files without a suffix'}"
            raise SourceError(what, where=str(root), hint=readable)
        if site is not None:
            raise SourceError("is a file and holds no --site", where=str(root), hint="give the repository's folder")
        return _file_layout(root)
    root = root.resolve()
    unseen: list[LeftOut] = []
    paths = tuple(walk(root, unseen))
    chosen = None if site is None else Path(os.path.normpath(root / site))
    repository = Repository(root, paths, readable_in(paths, suffixes, chosen or root))
    if not repository.readable:
        raise SourceError("holds no file that can be read", where=str(root), hint=readable)
    book = _chosen(repository, _sites(repository, chosen), chosen)
    if not book.files:
        reasons = "; ".join(f"{entry.relative}: {entry.reason}" for entry in book.left[:3])
        raise SourceError(
            f"names no file that can be read{': ' if reasons else ''}{reasons}",
            where=str(book.listing or book.folder),
            hint="link its chapters, or give another folder",
        )
    known = {file.relative for file in book.files} | {entry.relative for entry in book.left}
    others = (path for path in repository.readable if repository.name(path) not in known and path != book.listing)
    left = [*book.left, *(LeftOut(repository.name(path), book.reason(path, root)) for path in others), *unseen]
    unread = unread_files(repository, book.folder, CONFIGURATIONS, suffixes)
    left += [entry for entry in unread if entry.relative not in known]
    title = shown(book.title or "")[:LONGEST_TITLE] or None
    files = tuple(replace(file, position=position) for position, file in enumerate(book.files))
    return BookLayout(book.kind, root, title, files, tuple(left), book.authors, repository.name(book.folder), book.home)


def _file_layout(path: Path) -> BookLayout:
    """The book of one file. Raises ``SourceError``."""
    if not is_text(path.name):
        raise SourceError(NO_TEXT, where=str(path))
    reason = "the file includes it: give the folder that holds both"
    left_out = tuple(LeftOut(name, reason) for name in inclusions(path))
    return BookLayout("file", path, None, (ChapterFile(path, path.name),), left_out)


def _sites(repository: Repository, chosen: Path | None) -> list[Site]:
    """The books that have a configuration, but those within the pages of another one.

    A configuration that cannot be used is an error, unless the folder of something else is chosen.
    """
    found: dict[Path, Site] = {}
    marked = 0
    marks = (path for path in repository.paths if path.name in CONFIGURATIONS)
    by_depth = sorted(marks, key=lambda path: (len(path.parts), path))
    for layout in LAYOUTS.values():
        for mark in by_depth:
            folders = mark.parent.relative_to(repository.root).parts
            if mark.name not in layout.marks or len(folders) > _MARK_DEPTH or _NOT_BOOKS.intersection(folders):
                continue
            marked += 1
            if marked > _MOST_MARKS:
                raise SourceError(
                    f"holds more than {_MOST_MARKS} configurations of books",
                    where=str(repository.root),
                    hint="give the folder of one of them",
                )
            try:
                site = layout.find(repository, mark)
            except SourceError:
                if chosen in (None, mark.parent):
                    raise
            else:
                if site:
                    found.setdefault(site.folder, site)
    return [site for site in found.values() if not any(folder in site.folder.parents for folder in found)]


def _chosen(repository: Repository, sites: list[Site], folder: Path | None) -> Site:
    """The book in the folder, or else the only one. Raises ``SeveralBooks`` and ``SourceError``."""
    root = repository.root
    if folder is None:
        full = [site for site in sites if site.files] or sites[:1]
        if len(full) > 1:
            raise _several(repository, full)
        return full[0] if full else _without_configuration(repository, root, _documentation(repository))
    named = [site for site in sites if site.folder == folder] or [site for site in sites if site.home == folder]
    if len(named) > 1:
        raise _several(repository, named)
    if named:
        return named[0]
    if not folder.is_relative_to(root) or not repository.below(folder):
        known = ", ".join(repository.name(site.folder) for site in sites)
        name = os.path.relpath(folder, root)[:80]
        raise SourceError(f"has no pages in {name!r}", where=str(root), hint=f"books: {known}" if known else None)
    return _without_configuration(repository, folder, None)


def _several(repository: Repository, sites: list[Site]) -> SeveralBooks:
    names = {
        repository.name(site.folder): f"{LAYOUTS[site.kind].name}, {counted(page=len(site.files))}"
        + (f", '{without_controls(site.title)[:LONGEST_TITLE]}'" if site.title else "")
        for site in sites
    }
    return SeveralBooks(str(repository.root), names)


def _without_configuration(repository: Repository, folder: Path, inner: Path | None) -> Site:
    """The pages of a folder without a configuration: Docusaurus' by their signs, else all (below ``inner``)."""
    tree = find_pages(folder, repository.below(folder))
    if tree is not None:
        left: list[LeftOut] = []
        files = docusaurus_files(repository, tree, left, {})
        return Site("docusaurus", folder, tree, files, left=tuple(left))
    pages = repository.below(inner or folder)
    if saved := find_saved_site(repository, inner or folder, pages):
        return saved
    ordered = sorted(pages, key=lambda path: natural_path(path.relative_to(folder)))
    return Site("folder", folder, inner or folder, pages_of(repository, ordered))


def _documentation(repository: Repository) -> Path | None:
    """The folder ``docs`` or ``src`` of a repository that has no other pages but notes about itself."""
    root = repository.root
    pages = [path for path in repository.readable if not is_note(path)]
    for folder in (root / "docs", root / "src"):
        outside = [path for path in pages if not path.is_relative_to(folder)]
        is_clone = folder.name == "docs" and (root / ".git").exists()
        if len(outside) < len(pages) and (is_clone or not outside):
            return folder
    return None
