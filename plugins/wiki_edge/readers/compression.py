"""Compressed files as pieces of bounded size, where they can be entered in the middle, and the clusters of ZIM."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from ragstone.core import SourceError

_READ = 1 << 17
#: Bytes that one step of decompressing may give, however well they were packed.
_PIECE = 1 << 20
_BZ2, _GZIP = b"BZh", b"\x1f\x8b"
#: The head of a bz2 stream and of its first block.
_STREAM = re.compile(rb"BZh[1-9]1AY&SY")
_STREAM_BYTES = 10
#: Bytes of a page or a line, larger than any article may be.
_LONGEST_RECORD = 64 * 2**20
#: How ZIM numbers the compression of a cluster, and the most memory that its window may take.
_XZ, _ZSTD = 4, 5
_XZ_MEMORY = 256 * 2**20
_WINDOW = 128 * 2**20
#: zstandard has no limit for what a step gives; so few bytes hold few blocks, and a block gives at most 128 KB.
_ZSTD_READ = 1 << 10
#: Of gzip: the quickest.
_COPY_LEVEL = 1


class FileSlice(io.RawIOBase):
    """The bytes of a file from ``start`` to ``stop``, by default to its end, as a file of their own."""

    def __init__(self, path: Path, start: int = 0, stop: int | None = None) -> None:
        self._file = path.open("rb", buffering=0)
        size = self._file.seek(0, io.SEEK_END)
        self._start, self._stop = start, size if stop is None else min(stop, size)
        self._file.seek(start)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        left = max(0, self._stop - self._file.tell())
        return self._file.readinto(memoryview(buffer)[:left]) or 0

    def tell(self) -> int:
        return self._file.tell() - self._start

    def close(self) -> None:
        self._file.close()
        super().close()


def pieces(path: Path, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
    """The file's content from the compressed stream at ``start`` on: bz2, gzip or plain, by its first bytes.

    ``stop``: where another stream begins that is not wanted. Raises ``SourceError`` for damage, and for an end in the
    middle.
    """
    kind = _magic(path)
    with FileSlice(path, start, stop) as raw:
        file = cast("BinaryIO", raw)
        try:
            if kind == _BZ2:
                yield from _bz2(file)
            else:
                content = cast("BinaryIO", gzip.GzipFile(fileobj=file)) if kind == _GZIP else file
                while data := content.read(_PIECE):
                    yield data
        except (OSError, zlib.error, ValueError) as error:
            place = f"{path}: byte {start + raw.tell()}"
            raise SourceError(f"cannot be decompressed: {error}", where=place, hint="get the file again") from error
        except EOFError as error:
            raise SourceError(str(error), where=str(path), hint="get the file again") from error


def _bz2(file: BinaryIO) -> Iterator[bytes]:
    """As ``bz2.BZ2File``, which would pass over what follows a damaged stream."""
    raw = b""
    while raw := raw or file.read(_READ):
        if len(raw) < len(_BZ2):
            raw += file.read(_READ)
        if not raw.startswith(_BZ2):
            raise ValueError("after a bz2 stream comes something else")
        decompressor = bz2.BZ2Decompressor()
        while not decompressor.eof:
            if decompressor.needs_input and not raw:
                raw = file.read(_READ)
                if not raw:
                    raise EOFError("ends in the middle of a compressed stream")
            data = decompressor.decompress(raw, _PIECE)
            raw = b""
            if data:
                yield data
        raw = decompressor.unused_data


def is_packed(path: Path) -> bool:
    """Whether the file is compressed, by its first bytes."""
    return bool(_magic(path))


def _magic(path: Path) -> bytes:
    """The first bytes of a compressed file, which name its kind."""
    with path.open("rb") as file:
        start = file.read(3)
    return next((kind for kind in (_BZ2, _GZIP) if start.startswith(kind)), b"")


def bz2_streams(path: Path) -> Iterator[int]:
    """The offsets at which a bz2 stream may begin: those of its first bytes, which lie at whole bytes."""
    with path.open("rb") as file:
        before, offset = b"", 0
        while data := file.read(_PIECE):
            joined = before + data
            yield from (offset - len(before) + found.start() for found in _STREAM.finditer(joined))
            offset += len(data)
            before = joined[-(_STREAM_BYTES - 1) :]


def copied(path: Path, to: Path, size: int, boundary: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """Copy the content into a gzip file of many members, each of which begins at a boundary; ``(end, lines)`` of each
    member as it is written: where it ends in the copy, and how many lines it has.

    ``boundary``: what a member may begin with. ``size``: bytes that a member should unpack to.
    """
    with to.open("wb") as file:
        waiting = bytearray()
        for piece in pieces(path):
            waiting += piece
            if len(waiting) > size + _LONGEST_RECORD:
                raise SourceError(f"has a record of more than {_LONGEST_RECORD >> 20} MB", where=str(path))
            while len(waiting) > size and (found := boundary.search(waiting, size)) is not None:
                yield _member(file, waiting[: found.end()])
                del waiting[: found.end()]
        if waiting:
            yield _member(file, waiting)


def _member(file: BinaryIO, data: bytes | bytearray) -> tuple[int, int]:
    file.write(gzip.compress(data, compresslevel=_COPY_LEVEL, mtime=0))
    return file.tell(), data.count(b"\n")


def decompressed(how: int, read: Callable[[int], bytes], most: int) -> bytes:
    """The content of a cluster. ``how``: the compression by its number in the format. ``read``: the next bytes at most.

    Raises ``ValueError`` for damage and for more than ``most`` bytes.
    """
    import zstandard

    unpacker: Any
    step: tuple[int, ...]
    if how == _XZ:
        unpacker, size, step = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY), _READ, (_PIECE,)
    elif how == _ZSTD:
        unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()
        size, step = _ZSTD_READ, ()
    else:
        raise ValueError(f"it is compressed in an unknown way ({how})")
    found = bytearray()
    while not unpacker.eof:
        needs_input = getattr(unpacker, "needs_input", True)
        raw = read(size) if needs_input else b""
        if needs_input and not raw:
            raise ValueError("it has no end")
        try:
            found += unpacker.decompress(raw, *step)
        except (lzma.LZMAError, zstandard.ZstdError) as error:
            raise ValueError(str(error)) from error
        if len(found) > most:
            raise ValueError(f"it is larger than {most >> 20} MB")
    return bytes(found)
