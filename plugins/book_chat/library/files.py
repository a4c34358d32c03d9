"""The files of a book: how they are found, named, ordered and read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path, PurePath
from typing import IO, Any

from ragstone.core import SourceError
from ragstone.core.runtime import open_regular
from ragstone.core.text import storable

#: Suffixes of Markdown and of AsciiDoc, which becomes Markdown.
MARKDOWN = (".md", ".markdown", ".mdx", ".qmd")
ASCIIDOC = (".adoc", ".asciidoc")
HTML = (".html", ".htm", ".xhtml")
#: How many files a book may hold, and how deep its folders may nest.
MAX_FILES = 20_000
MAX_DEPTH = 32
#: The largest Markdown file that is read, in bytes.
MAX_TEXT_BYTES = 20_000_000


#: Why a file is not read whose name no database can store.
NO_TEXT = "its name is not UTF-8: rename it"


@dataclass(frozen=True)
class ChapterFile:
    """One file of a book: its place in the order and what the layout knows of its titles.

    ``relative`` is a POSIX path from the book's root. ``within`` holds the titles of the pages between the
    chapter and this file, this file's own last, and is empty when the file is the chapter itself.
    """

    path: Path
    relative: str
    title: str | None = None
    chapter: str | None = None
    within: tuple[str, ...] = ()
    position: int = 0


@dataclass(frozen=True)
class LeftOut:
    """Something in the book's folder that is not read, and why."""

    relative: str
    reason: str


def relative(root: Path, path: Path) -> str:
    """``path`` as a POSIX path from ``root``."""
    return path.relative_to(root).as_posix()


def walk(root: Path, left: list[LeftOut]) -> Iterator[Path]:
    """Every file under ``root`` that is not hidden and does not leave it by a link."""
    home = root.resolve()
    pending = [(root, 0)]
    seen = 0
    while pending:
        folder, depth = pending.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            name = relative(root, folder)
            if folder == root:
                raise SourceError(f"cannot be listed: {error.strerror}", where=str(root)) from error
            left.append(LeftOut(f"{name}/", f"cannot be listed: {error.strerror}"))
            continue
        for entry in entries:
            path = folder / entry.name
            name = relative(root, path)
            is_folder, is_plain = _kind(entry)
            if not is_text(entry.name):
                left.append(
                    LeftOut(name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"), NO_TEXT)
                )
            elif entry.is_symlink() and (is_folder or not is_inside(path, home)):
                outside = not is_inside(path, home)
                left.append(LeftOut(name, "a link that leaves the book" if outside else "a link to a folder"))
            elif is_folder and (entry.name.startswith(".") or entry.name == "node_modules"):
                left.append(LeftOut(f"{name}/", "a hidden folder" if entry.name[0] == "." else "packages, not text"))
            elif is_folder:
                if depth + 1 > MAX_DEPTH:
                    raise SourceError(f"is more than {MAX_DEPTH} folders deep", where=str(root))
                pending.append((path, depth + 1))
            elif not is_plain:
                left.append(LeftOut(name, "not a file"))
            else:
                seen += 1
                if seen > MAX_FILES:
                    raise SourceError(
                        f"holds more than {MAX_FILES:,} files", where=str(root), hint="give the book's own folder"
                    )
                yield path


def _kind(entry: os.DirEntry[str]) -> tuple[bool, bool]:
    """Whether an entry is a folder and whether it is a file; neither, when a link's target cannot be seen."""
    try:
        return entry.is_dir(), entry.is_file()
    except OSError:
        return False, False


def is_text(name: str | Path) -> bool:
    """Whether a file's name can be stored: all of its bytes are UTF-8."""
    return storable(str(name)) == str(name)


def is_file(path: Path) -> bool:
    """Whether there is a file at ``path``, as far as one can see: a path may be too long or forbidden."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_inside(path: Path, home: Path) -> bool:
    """Whether ``path``, its links followed, exists and lies inside ``home``, which has none."""
    try:
        return path.resolve(strict=True).is_relative_to(home)
    except (OSError, RuntimeError):
        return False


def is_index(path: PurePath) -> bool:
    """Whether it is the page of its folder: README or index."""
    return path.stem.casefold() in {"readme", "index"}


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts names as people do, their numbers by value."""
    parts = re.findall(r"\d+|\D+", name.casefold())
    return tuple((0, int(p), "") if p.isdecimal() and len(p) < 19 else (1, 0, p) for p in parts)


def natural_path(path: Path) -> tuple[Any, ...]:
    """Sorts ch2 before ch10, and a folder's README or index before what lies beside it."""
    *folders, name = path.parts
    return (*((1, natural(folder)) for folder in folders), (0 if is_index(path) else 1, natural(name)))


def read_text(path: Path) -> str:
    """The text of a UTF-8 file. Raises ``SourceError``."""
    with open_regular(path, MAX_TEXT_BYTES) as file:
        data = file.read(MAX_TEXT_BYTES + 1)
    if b"\0" in data:
        raise SourceError(
            f"is not text: a NUL byte at offset {data.index(0)}", where=str(path), hint="save it as UTF-8 text"
        )
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"is not UTF-8: byte {data[error.start]:#04x} at offset {error.start}",
            where=str(path),
            hint="save it as UTF-8",
        ) from error


def digest_of(file: IO[bytes]) -> str:
    """SHA-256 of an open file, in hex."""
    file.seek(0)
    return file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # any binary file will do
