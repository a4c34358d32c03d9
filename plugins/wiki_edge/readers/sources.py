"""The format of a file by its first bytes, and the files of a folder."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from ragstone.core import NotFound, SourceError, require_extra

from .articles import Source
from .compression import pieces
from .dump import Dump
from .records import JsonLines, Parquet

#: As file names end whose format is known here.
SUFFIXES = (".parquet", ".jsonl", ".jsonl.gz", ".xml", ".xml.bz2", ".xml.gz", ".bz2", ".zim")
HINT = "known: wikimedia/wikipedia as .parquet or .jsonl, BEIR's corpus.jsonl, MediaWiki's .xml.bz2, .zim"
#: Of BEIR, with or without a suffix for compression.
_DOCUMENTS, _QUESTIONS = "corpus.jsonl", "queries.jsonl"
_EDGE = 1 << 20


def open_source(path: Path, *, prefix: str = "", beside: Path | None = None) -> Source:
    """The source in that file. Raises ``SourceError``, or ``MissingExtra`` with the line to install what it needs.

    ``beside``: a file that ``spans`` may write, to be read in spans more quickly.
    """
    with path.open("rb") as file:
        magic = file.read(4)
    if path.suffix == ".zim" or magic == b"ZIM\x04":
        require_extra("zim", "lxml", "zstandard")
        from .zim import Zim  # NumPy is half of a reading process's start, and no other format needs it

        return Zim(path, prefix, beside)
    if path.suffix == ".parquet" or magic == b"PAR1":
        require_extra("parquet", "pyarrow")
        return Parquet(path, prefix)
    first = next(pieces(path), b"")
    begins = first[:64].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")[:1]
    if begins == b"<":
        require_extra("dump", "mwparserfromhell")
        return Dump(path, prefix, beside)
    if (begins == b"{" and magic[:3] != b"BZh") or not first:
        return JsonLines(path, prefix, beside)
    raise SourceError("is no source of articles that is known here", where=str(path), hint=HINT)


def files_of(source: Path) -> list[Path]:
    """The file, or the folder's files that are read here, in the order of their names; of a BEIR folder its documents
    without its questions. Raises ``NotFound`` or ``SourceError``."""
    try:
        mode = source.stat().st_mode
        found = sorted(source.iterdir()) if stat.S_ISDIR(mode) else [source]
    except FileNotFoundError:
        raise NotFound("there is no such file or folder", where=str(source), hint=HINT) from None
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", where=str(source)) from error
    if stat.S_ISDIR(mode):
        found = [path for path in found if path.name.endswith(SUFFIXES) and not path.name.startswith(".")]
        if any(path.name.startswith(_QUESTIONS) for path in found):
            found = [path for path in found if path.name.startswith(_DOCUMENTS)] or found
    for path in found:
        if not path.is_file():
            raise SourceError("is not a regular file", where=str(path))
        if not os.access(path, os.R_OK):
            raise SourceError("may not be read", where=str(path))
    if not found:
        raise NotFound("holds no source of articles", where=str(source), hint=HINT)
    return found


def identity(path: Path) -> dict[str, str | int]:
    """Identifies a file without reading all of it: name, size, and a checksum of both ends."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        digest = hashlib.sha256(file.read(_EDGE))
        file.seek(max(0, size - _EDGE))
        digest.update(file.read(_EDGE))
    return {"name": path.name, "bytes": size, "ends": digest.hexdigest()}
