"""Compressed files as pieces of bounded size, with the places where a multi-stream bz2 can be entered again."""

from __future__ import annotations

import bz2
import gzip
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from ragstone.core import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_READ = 1 << 17
#: Bytes that one step of decompressing may give, however well they were packed.
_PIECE = 1 << 20
_BZ2, _GZIP = b"BZh", b"\x1f\x8b"


@dataclass(frozen=True)
class Piece:
    """Decompressed bytes; ``stream`` is the offset of the compressed stream that begins with them, if one does."""

    data: bytes
    #: Compressed bytes read so far.
    done: int
    stream: int | None = None


def pieces(path: Path, start: int = 0) -> Iterator[Piece]:
    """The file's content from the compressed stream at ``start`` on: bz2, gzip or plain, by its first bytes.

    Raises ``SourceError`` for damage, and for an end in the middle.
    """
    with path.open("rb") as file:
        magic = file.read(3)
        file.seek(start)
        try:
            if magic == _BZ2:
                yield from _bz2(file, start)
            elif magic[:2] == _GZIP:
                yield from _gzip(file)
            else:
                yield from _plain(file)
        except (OSError, zlib.error, ValueError) as error:
            place = f"{path}: byte {file.tell()}"
            raise SourceError(f"cannot be decompressed: {error}", where=place, hint="get the file again") from error
        except EOFError as error:
            raise SourceError(str(error), where=str(path), hint="get the file again") from error


def _plain(file: BinaryIO) -> Iterator[Piece]:
    begun = file.tell()
    while data := file.read(_PIECE):
        yield Piece(data, file.tell(), begun if file.tell() - len(data) == begun else None)


def _bz2(file: BinaryIO, start: int) -> Iterator[Piece]:
    raw, offset = b"", start
    while raw := raw or file.read(_READ):
        if len(raw) < len(_BZ2):
            raw += file.read(_READ)
        if not raw.startswith(_BZ2):
            raise ValueError("after a bz2 stream comes something else")
        decompressor = bz2.BZ2Decompressor()
        stream: int | None = offset
        while not decompressor.eof:
            if decompressor.needs_input and not raw:
                raw = file.read(_READ)
                if not raw:
                    raise EOFError("ends in the middle of a compressed stream")
            data = decompressor.decompress(raw, _PIECE)
            raw = b""
            if data:
                yield Piece(data, file.tell(), stream)
                stream = None
        raw = decompressor.unused_data
        offset = file.tell() - len(raw)


def _gzip(file: BinaryIO) -> Iterator[Piece]:
    stream: int | None = 0
    with gzip.GzipFile(fileobj=file) as unpacked:
        while data := unpacked.read(_PIECE):
            yield Piece(data, file.tell(), stream)
            stream = None
