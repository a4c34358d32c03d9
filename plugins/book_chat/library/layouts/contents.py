"""Tables of contents: the files that they name, in their order."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ragstone.core import SourceError

from ..files import MAX_DEPTH, MAX_FILES, ChapterFile, LeftOut, is_file, natural_path
from ..page_files import page_title
from .sites import Kind, Repository, Site

#: Patterns in one table of contents: each is compared with every file.
_MOST_PATTERNS = 100
#: Characters of a title, a pattern, or a reason.
_LONGEST = 500


@dataclass(frozen=True)
class Entry:
    """A line of a table of contents: ``target`` is None without a link; 0 is the ``depth`` of what stands alone.

    A part only groups others. The target of a pattern may name several files (``guide/*``).
    """

    title: str
    target: str | None
    depth: int
    is_part: bool = False
    is_pattern: bool = False


@dataclass(frozen=True)
class Contents:
    """A table of contents: the file that it stands in, the folder that its links start from and may not leave."""

    source: Path
    base: Path
    within: Path
    entries: Iterable[Entry]


def listed_site(
    kind: Kind, repository: Repository, contents: Contents, title: str | None, authors: tuple[str, ...]
) -> Site:
    """The book whose pages the contents name, in their order. Raises ``SourceError``."""
    left: list[LeftOut] = []
    files: dict[Path, ChapterFile] = {}
    above: list[Entry] = []
    for entry in _expanded(repository, contents):
        path, reason = _resolve(repository, contents, entry.target)
        name = entry.title[:_LONGEST]
        if not name and path in files:
            name = files[path].title or ""
        elif not name and path in repository.available:
            name = (page_title(path) or "")[:_LONGEST]
        while above and above[-1].depth >= entry.depth:
            above.pop()
        parents = [parent for parent in above if not parent.is_part]
        if entry.depth:  # prefix and suffix chapters stand alone
            above.append(replace(entry, title=name))
        if entry.is_part and entry.target is None:
            continue
        if path is None:
            left.append(LeftOut((name or entry.target or "")[:_LONGEST], reason[:_LONGEST]))
        elif path not in repository.available:
            suffix = path.suffix.lower() or "files without a suffix"
            left.append(LeftOut(repository.name(path), f"no reader for {suffix}"))
        else:
            chapter = (parents[0].title if parents else name) or None
            within = (*(parent.title for parent in parents[1:]), name) if parents else ()
            files.setdefault(path, ChapterFile(path, repository.name(path), name or None, chapter, within))
    home, listing = contents.source.parent, contents.source
    return Site(kind, home, contents.base, tuple(files.values()), title, authors, tuple(left), listing)


def _expanded(repository: Repository, contents: Contents) -> Iterator[Entry]:
    """The entries, those that are patterns as the files that they match. Raises ``SourceError`` for too many."""
    patterns = 0
    for number, entry in enumerate(contents.entries):
        if number >= MAX_FILES or entry.depth > MAX_DEPTH:
            many = f"more than {MAX_FILES:,} pages" if number >= MAX_FILES else f"pages more than {MAX_DEPTH} deep"
            raise SourceError(f"names {many}", where=str(contents.source))
        if not entry.is_pattern or entry.target is None or len(entry.target) > _LONGEST:
            yield entry
            continue
        patterns += 1
        if patterns > _MOST_PATTERNS:
            raise SourceError(f"has more than {_MOST_PATTERNS} patterns", where=str(contents.source))
        pattern = os.path.normpath(f"{contents.base}/{entry.target}")
        for path in sorted(repository.below(contents.within), key=natural_path):
            names = (str(path), str(path.with_suffix("")))
            if any(fnmatchcase(name, pattern) and name.count("/") == pattern.count("/") for name in names):
                yield replace(entry, title="", target=os.path.relpath(path, contents.base), is_pattern=False)


def _resolve(repository: Repository, contents: Contents, target: str | None) -> tuple[Path | None, str]:
    """The file of the repository that a link names, or why there is none."""
    name = contents.source.name
    if target is None:
        return None, f"has no link in {name}"
    path = repository.find(contents.base, target) if target else contents.base
    if path not in repository.all:
        try:
            parts = urlsplit(target)
        except ValueError:
            return None, f"its link cannot be understood: {target}"
        if parts.scheme or parts.netloc:
            return None, f"its link leaves the book: {target}"
        if not parts.path:
            return None, f"a draft: {name} links it to nothing"
        path = repository.find(contents.base, unquote(parts.path))
    if not path.is_relative_to(contents.within):
        return None, f"its link leaves the book: {target}"
    if path in repository.all:
        return path, ""
    return None, f"its file {'is not read' if is_file(path) else 'does not exist'}: {target}"
