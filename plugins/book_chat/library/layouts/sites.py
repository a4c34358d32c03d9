"""A folder that may hold several books, and one book of it with its pages in order."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from ragstone.core import SourceError

from ..files import ASCIIDOC, MARKDOWN, ChapterFile, LeftOut, read_text, relative

Kind = Literal["mdbook", "docusaurus", "mkdocs", "jupyterbook", "quarto", "sphinx", "folder", "file"]

#: What tables of contents name.
_NAMED = (*MARKDOWN, ".rst", *ASCIIDOC, ".ipynb")
#: Characters of a program that is searched for a few values, and of a ``SUMMARY.md``.
_LONGEST_CONFIG = 1_000_000


class SeveralBooks(SourceError):
    """A folder holds several books. ``sites`` describes each, by its folder in the given one."""

    def __init__(self, where: str, sites: dict[str, str]) -> None:
        self.sites = sites
        named = "; ".join(f"{folder} ({description})" for folder, description in sites.items())
        super().__init__(
            f"holds {len(sites)} books: {named}",
            where=where,
            hint=f"choose one, such as --site {next(iter(sites))}, or give its folder alone",
        )


@dataclass(frozen=True)
class Repository:
    """The folder that was given, without links in its own path: all its files, and those that have a reader."""

    root: Path
    paths: tuple[Path, ...]
    readable: tuple[Path, ...]

    @cached_property
    def all(self) -> frozenset[Path]:
        """The same as ``paths``. Nothing else is opened: a file is in it only if it lies inside ``root``."""
        return frozenset(self.paths)

    @cached_property
    def _by_name(self) -> dict[str, Path]:
        return {str(path): path for path in self.paths}

    @cached_property
    def available(self) -> frozenset[Path]:
        """The same as ``readable``."""
        return frozenset(self.readable)

    def below(self, folder: Path) -> list[Path]:
        """The readable files in a folder and its folders."""
        return [path for path in self.readable if path.is_relative_to(folder)]

    def name(self, path: Path) -> str:
        """A path from the root; "." for the root."""
        return relative(self.root, path)

    def find(self, base: Path, target: str) -> Path:
        """The path that ``target`` is from ``base``, ``..`` resolved; a page may be named without its suffix."""
        name = os.path.normpath(f"{base}/{target}")
        return next((path for suffix in ("", *_NAMED) if (path := self._by_name.get(f"{name}{suffix}"))), Path(name))

    def folder(self, config: Path, target: str) -> Path:
        """A folder that a configuration names. Raises ``SourceError`` when it leaves the root or has no pages."""
        folder = Path(os.path.normpath(f"{config.parent}/{target}"))
        if not folder.is_relative_to(self.root):
            raise SourceError(f"names a folder outside of the given one: {target[:80]!r}", where=str(config))
        return folder

    def config(self, path: Path) -> str:
        """The text of a configuration. Raises ``SourceError``."""
        text = read_text(path)
        if len(text) > _LONGEST_CONFIG:
            raise SourceError(
                f"has {len(text):,} characters, more than {_LONGEST_CONFIG:,}", where=str(path), hint=WITHOUT
            )
        return text


#: What to do about a configuration that cannot be read.
WITHOUT = "--site with the folder of its pages reads them without it"


@dataclass(frozen=True)
class Site:
    """A book in a repository."""

    kind: Kind
    #: The folder of its configuration, and that of its pages.
    home: Path
    folder: Path
    files: tuple[ChapterFile, ...]
    title: str | None = None
    authors: tuple[str, ...] = ()
    #: What it names and what cannot be read of it.
    left: tuple[LeftOut, ...] = ()
    #: The file that lists its pages, if one does: what is not in it is no page.
    listing: Path | None = None
    #: Folders that belong to it and are not read, and why.
    others: tuple[tuple[Path, str], ...] = ()

    def reason(self, path: Path, root: Path) -> str:
        """Why a readable file of the folder ``root`` is no page."""
        for folder, why in self.others:
            if path.is_relative_to(folder):
                return why
        if self.listing and path.is_relative_to(self.folder):
            return "in no toctree" if self.kind == "sphinx" else f"not in {self.listing.name}"
        return f"outside the {relative(root, self.folder)} folder"


def pages_of(repository: Repository, paths: Iterable[Path]) -> tuple[ChapterFile, ...]:
    """Files of which nothing is known but their order."""
    return tuple(ChapterFile(path, repository.name(path)) for path in paths)
