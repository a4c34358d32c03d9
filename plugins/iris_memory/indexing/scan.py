"""A scan of the root: the files to remember, and what is left out, with the reason."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..settings import DocType, Rule, Strategy

#: How a file of a type is cut, unless its rule says otherwise.
_STRATEGIES: dict[DocType, Strategy] = {
    "prompt": "markdown",
    "note": "markdown",
    "procedure": "markdown",
    "exploration": "exploration",
    "email": "mail",
    "state": "state",
    "log": "log",
    "transcript": "transcript",
}


@dataclass(frozen=True)
class FileType:
    """What a file is and how it is cut."""

    doc_type: DocType
    strategy: Strategy


class FileTypes:
    """What the rules and the exclusions of the settings make of paths."""

    def __init__(self, rules: tuple[Rule, ...], exclude: tuple[str, ...]) -> None:
        self._rules = [
            (
                re.compile(_pattern(rule.pattern), re.DOTALL),
                FileType(rule.type, rule.strategy or _STRATEGIES[rule.type]),
            )
            for rule in rules
        ]
        self._excluded = re.compile("|".join(map(_pattern, exclude)) or r"(?!)", re.DOTALL)

    def of(self, path: str) -> FileType | None:
        """The type of the file at this path (relative to the root, with ``/``); ``None`` if no rule names it."""
        return next((file_type for pattern, file_type in self._rules if pattern.fullmatch(path)), None)

    def excluded(self, path: str) -> bool:
        """Whether this file or folder itself is left out."""
        return self._excluded.fullmatch(path) is not None


def is_below(path: str, folder: str) -> bool:
    """Whether the path is the folder or lies below it; everything lies below ``""``."""
    return not folder or path == folder or path.startswith(f"{folder}/")


#: What parts of a pattern mean as a regular expression; letters count as they are.
_WILD = {"**/": "(?:.+/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _pattern(pattern: str) -> str:
    pieces = re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", pattern.removeprefix("./").lstrip("/"))
    return "".join(_WILD.get(piece) or re.escape(piece) for piece in pieces)


@dataclass(frozen=True)
class ScannedFile:
    """A file that is to be remembered."""

    #: Relative to the root, with ``/``.
    path: str
    file_type: FileType
    #: ``(mtime_ns, ctime_ns, size, inode)``: another of these, and the file may be another.
    stat: tuple[int, int, int, int]
    #: When it was scanned, nanoseconds since 1970.
    seen: int
    #: Inodes of the folders that hold it, from the root's own down to its parent's.
    folders: tuple[int, ...] = ()


@dataclass(frozen=True)
class LeftOut:
    """A file or folder that is not remembered, and why."""

    path: str
    reason: str


@dataclass
class Scan:
    """The result of a scan."""

    files: dict[str, ScannedFile] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    #: Folders (and files) that cannot be read, with the reason: what is below them is unknown. ``""`` is the root.
    unknown: dict[str, str] = field(default_factory=dict)
    #: Folders without any entry, with their inodes: a file system that is not mounted looks like this.
    empty: dict[str, int] = field(default_factory=dict)


class Scanner:
    """Scans a root. It follows no link and opens no file."""

    def __init__(self, root: Path, types: FileTypes, max_bytes: int, own: tuple[Path, ...] = ()) -> None:
        """``own``: Ragstone's own folders, which are left out."""
        self._root = root
        self._types = types
        self._max_bytes = max_bytes
        self._own = {path.relative_to(root).as_posix() for path in own if path.is_relative_to(root)}
        self._inodes: dict[str, tuple[int, ...]] = {}

    def scan(self, under: str = "") -> Scan:
        """Everything at or below this path relative to the root; nothing where nothing is there."""
        scan, waiting = Scan(), [""]
        while waiting:
            for path, entry in self._listed(scan, waiting.pop()):
                if (is_below(path, under) or is_below(under, path)) and self._accept(scan, path, entry):
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(path)
                    elif is_below(path, under):
                        self._file(scan, path, entry)
        return scan

    def _listed(self, scan: Scan, folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        place = self._root / folder
        try:
            with os.scandir(place) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
            if not listed:
                scan.empty[folder] = place.stat().st_ino
        except (FileNotFoundError, NotADirectoryError):  # it is gone again
            return
        except OSError as error:
            scan.unknown[folder] = f"cannot be listed: {error.strerror or error}"
            scan.left_out.append(LeftOut(f"{folder}/", scan.unknown[folder]))
            return
        prefix = f"{folder}/" if folder else ""
        for entry in listed:
            path = prefix + entry.name
            if entry.name.encode("utf-8", "ignore").decode() != entry.name:
                shown = os.fsencode(path).decode("utf-8", "backslashreplace")
                scan.left_out.append(LeftOut(shown, "its name is not UTF-8"))
                continue
            yield path, entry

    def _accept(self, scan: Scan, path: str, entry: os.DirEntry[str]) -> bool:
        """Whether the path is scanned further; if not, the reason is recorded."""
        shown, reason = path, None
        is_folder = entry.is_dir(follow_symlinks=False)
        if self._types.excluded(path) or path in self._own:
            shown, reason = (f"{path}/" if is_folder else path), "left out by the settings"
        elif entry.is_symlink():
            inside = Path(os.path.realpath(self._root / path)).is_relative_to(self._root)
            reason = "a link: what it names is read in its own place" if inside else "a link out of the root"
        elif not is_folder and not entry.is_file(follow_symlinks=False):
            reason = "is no file"
        if reason is not None:
            scan.left_out.append(LeftOut(shown, reason))
        return reason is None

    def _file(self, scan: Scan, path: str, entry: os.DirEntry[str]) -> None:
        file_type = self._types.of(path)
        if file_type is None:
            scan.left_out.append(LeftOut(path, "no rule of the map names it"))
            return
        seen = time.time_ns()
        try:
            found, folders = entry.stat(follow_symlinks=False), self._folders(path.rpartition("/")[0])
        except FileNotFoundError:  # it is gone again
            return
        except OSError as error:
            scan.unknown[path] = f"cannot be read: {error.strerror or error}"
            scan.left_out.append(LeftOut(path, scan.unknown[path]))
            return
        if not stat.S_ISREG(found.st_mode):
            return
        if found.st_size > self._max_bytes:
            scan.left_out.append(LeftOut(path, f"has {found.st_size:,} bytes, more than {self._max_bytes:,}"))
            return
        known = (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)
        scan.files[path] = ScannedFile(path, file_type, known, seen, folders)

    def _folders(self, folder: str) -> tuple[int, ...]:
        """The inodes of a folder and of all above it, the root's first."""
        if folder not in self._inodes:
            above = self._folders(folder.rpartition("/")[0]) if folder else ()
            self._inodes[folder] = (*above, (self._root / folder).stat().st_ino)
        return self._inodes[folder]
