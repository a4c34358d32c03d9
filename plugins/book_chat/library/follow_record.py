"""What is kept of a followed folder, and how its files look."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import PlainValidator, TypeAdapter

from ragstone.core.runtime import write_atomically

from .files import MAX_FILES

Mode = Literal["one", "each"]
#: A file's name; it may hold bytes that are no text, as lone surrogates, which pydantic takes for no string.
_Name = Annotated[str, PlainValidator(str)]
#: Files of programs that are still writing or open a document.
_TEMPORARY = re.compile(r"[.~#].*|.*(?:~|\.(?:part|partial|crdownload|download|tmp|temp|swp|swx|lock|filepart))", re.I)


@dataclass
class Entry:
    """What is known of an entry: the files' signature when it was read, and the book that came from it."""

    signature: str
    book: str | None = None
    title: str | None = None
    #: Of the book's documents when they were stored.
    digest: str = ""
    #: The book on the shelf that is not the folder's and has the same title and edition.
    blocked_by: str | None = None


@dataclass
class Record:
    """What is kept of a followed folder."""

    folder: _Name
    mode: Mode
    #: The folder itself: device and inode.
    identity: tuple[int, int] = (0, 0)
    entries: dict[_Name, Entry] = field(default_factory=dict)
    #: The entry whose book is being stored, and that book: after an interruption it is there in part.
    pending: tuple[_Name, str] | None = None

    @classmethod
    def read(cls, file: Path) -> Record | None:
        """The record in a file; None without a valid one."""
        try:
            return _RECORD.validate_python(json.loads(file.read_bytes()))
        except (OSError, ValueError):
            return None

    def write(self, file: Path) -> None:
        """Replace the file."""
        write_atomically(file, json.dumps(asdict(self)).encode(), mode=0o600)


_RECORD = TypeAdapter(Record)


def is_temporary(name: str) -> bool:
    """Whether a file or folder of that name belongs to a program at work, or is hidden."""
    return _TEMPORARY.fullmatch(name) is not None


def signature_of(path: Path, suffixes: frozenset[str] | None = None) -> tuple[str, float] | None:
    """A digest of names, sizes and times of the files in ``path``, and the newest time; None without a file.

    ``suffixes``: at least one file must have one of them.
    """
    found: list[tuple[str, int, int]] = []
    if path.is_dir():
        for home, folders, files in os.walk(path):
            folders[:] = [name for name in folders if not name.startswith(".") and name != "node_modules"]
            for name in files:
                if not is_temporary(name) and len(found) <= MAX_FILES:
                    found += _stat(Path(home, name))
    else:
        found += _stat(path)
    if not found or (suffixes and not any(Path(name).suffix.lower() in suffixes for name, *_ in found)):
        return None
    digest = hashlib.sha256(json.dumps(sorted(found)).encode("utf-8", "surrogateescape")).hexdigest()
    return digest, max(changed for *_, changed in found) / 1e9


def _stat(path: Path) -> list[tuple[str, int, int]]:
    try:
        known = path.stat()
    except OSError:  # it went in this moment
        return []
    return [(str(path), known.st_size, known.st_mtime_ns)]
