"""Untrusted files: opened without waiting on a pipe, with names that stay in their folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from ragstone.core import SourceError, runtime

from .errors import ShardError

#: What an interrupted writing leaves behind begins with it, as in the core; the next installation clears it away.
TEMPORARY = ".ragstone-"


def real(folder: Path) -> Path:
    """The folder that a link leads to: an operator may put the folder of shards on another disk."""
    return folder.resolve() if folder.is_symlink() else folder


def open_regular(path: Path) -> BinaryIO:
    """The file, opened for reading. Raises ``ShardError`` when it is missing or not a regular file (a pipe, say)."""
    try:
        return runtime.open_regular(path)
    except SourceError as error:
        cause = error.__cause__
        what = (
            "is missing" if isinstance(cause, FileNotFoundError) else error.what if cause else "is not a regular file"
        )
        raise ShardError(what, file=path) from error


@contextmanager
def read_errors(path: Path) -> Iterator[None]:
    """Raise each ``OSError`` as a ``ShardError`` of the file."""
    try:
        yield
    except OSError as error:
        raise ShardError(f"cannot be read: {error.strerror}", file=path) from error


def relative_name(name: str) -> str:
    """The name, if it is a relative path that stays where it begins. Raises ``ValueError`` with the reason."""
    if not name:
        raise ValueError("is empty")
    if "\0" in name or "\\" in name:
        raise ValueError(f"{name[:80]!r} holds a backslash or a zero byte")
    if name.startswith("/") or (len(name) > 1 and name[1] == ":"):
        raise ValueError(f"{name[:80]!r} is absolute; paths are relative to the manifest's folder")
    if ".." in name.split("/"):
        raise ValueError(f"{name[:80]!r} leaves the folder")
    if name.endswith(("/", "/.")) or PurePosixPath(name).name in {"", "."}:
        raise ValueError(f"{name[:80]!r} names no file")
    return name


def plain_name(name: str) -> str:
    """The name, if it is relative and there is no shorter way to write it. Raises ``ValueError`` with the reason."""
    if str(PurePosixPath(relative_name(name))) != name:
        raise ValueError(f"{name[:80]!r} can be written shorter")
    return name


def inside(root: Path, name: str) -> Path:
    """``root/name`` with every symbolic link resolved. Raises ``ShardError`` when that is not inside ``root``."""
    try:
        relative_name(name)
        resolved_root = root.resolve()
        path = (root / name).resolve()
    except RuntimeError as error:  # before Python 3.13; from then on opening it fails
        raise ShardError("cannot be read: too many levels of symbolic links", file=root / name) from error
    except (ValueError, OSError) as error:
        raise ShardError(str(error), file=root / name) from error
    if not path.is_relative_to(resolved_root) or path == resolved_root:
        raise ShardError(
            f"leaves the folder: it leads to {path}",
            file=root / name,
            hint="a shard's files lie in the manifest's folder, and links lead nowhere else",
        )
    return path
