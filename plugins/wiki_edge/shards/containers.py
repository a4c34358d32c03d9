"""The members of a tar or a zip, one after the other, whatever the archive claims.

``tarfile`` and ``zipfile`` read what a header asks for: here no claim costs memory, and no header is read twice.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import zipfile
from dataclasses import dataclass
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, cast

from .errors import ShardError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader
    from pathlib import Path

BLOCK = 2**20
KINDS = "tar, tar.gz, tar.zst (from Python 3.14) and zip can be read"
#: A tar's header with all its extensions (long names) is far smaller; without a bound it would be read whole.
_LONGEST_TAR_HEADER = 16_384
_LONGEST_TAR_HEADERS = 32 * 2**20
#: Zeros after the last member: tar fills a record, at most 512 blocks of 512 bytes.
_LONGEST_END = 2**20
#: The directory of a zip with 20,000 members.
_LONGEST_ZIP_DIRECTORY = 2 * 2**20
_ZIP_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
#: Memory that zstd may take, as a power of two.
_ZSTD_WINDOW = 27


@dataclass(frozen=True)
class Member:
    """A member: to be read before the next one is asked for."""

    name: str
    size: int
    is_folder: bool
    #: Why it must not be unpacked.
    refused: str | None
    source: IO[bytes]


def members(file: BufferedReader, archive: Path) -> Iterator[Member]:
    """The members of the archive, which is told by its first bytes.

    Raises ``ShardError``, ``ValueError``, and what the libraries raise for damage (``damage()``).
    """
    start = file.read(8)
    file.seek(0)
    if start[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return _zipped(file)
    return _tarred(_decompressed(file, start, archive))


def damage() -> tuple[type[Exception], ...]:
    """What the libraries raise for a damaged archive."""
    import zlib

    known = (tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error)
    zstd = _zstd()
    return (*known, zstd.ZstdError) if zstd else known


def _tarred(stream: IO[bytes]) -> Iterator[Member]:
    forward = _Forward(stream)
    with tarfile.open(fileobj=forward, mode="r:", errors="strict", encoding="utf-8") as tar:
        while True:
            forward.longest = _LONGEST_TAR_HEADER
            member = tar.next()
            if member is None:
                break
            tar.members.clear()  # type: ignore[attr-defined]  # it would keep them all
            if member.size < 0 or member.offset_data != forward.tell():
                raise ValueError("a member is not where and as long as its header says")
            forward.longest = BLOCK
            size = member.size if member.isreg() else 0
            yield Member(member.name, size, member.isdir(), _refused_in_tar(member), forward)  # type: ignore[arg-type]
    left = _LONGEST_END
    while block := stream.read(BLOCK):  # to the end, so that the checksum of a compressed archive is compared
        left -= len(block)
        if left < 0:
            raise ValueError("more than zeros stands after its last member")


def _refused_in_tar(member: tarfile.TarInfo) -> str | None:
    if member.issym() or member.islnk():
        return f"is a link to {member.linkname[:120]!r}"
    if member.isdir() or (member.isreg() and not member.issparse()):
        return None
    return "is a device" if member.isdev() else "is neither file nor folder"


def _zipped(file: BufferedReader) -> Iterator[Member]:
    bounded = _Bounded(file)
    with zipfile.ZipFile(bounded) as archive:
        bounded.longest = BLOCK
        found = archive.infolist()
        if sum(member.compress_size for member in found) > os.fstat(file.fileno()).st_size:
            raise ValueError("its members overlap")
        for member in found:
            refused, is_folder = _refused_in_zip(member), member.is_dir() and member.file_size == 0
            if refused or is_folder:
                yield Member(member.orig_filename, 0, is_folder, refused, io.BytesIO())
            else:
                with archive.open(member) as source:
                    yield Member(member.orig_filename, member.file_size, False, None, source)


def _refused_in_zip(member: zipfile.ZipInfo) -> str | None:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if stat.S_ISLNK(kind):
        return "is a link"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is neither file nor folder"
    if member.flag_bits & 0x1:
        return "is encrypted"
    return None if member.compress_type in _ZIP_METHODS else "is compressed by another method than deflate"


def _decompressed(file: BufferedReader, start: bytes, archive: Path) -> IO[bytes]:
    if start[:2] == b"\x1f\x8b":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=file, mode="rb"))
    if start[:4] == b"\x28\xb5\x2f\xfd":
        zstd = _zstd()
        if zstd is None:
            hint = "unpack it with zstd -d, or use .tar.gz"
            raise ShardError("is compressed by zstd, which Python knows from 3.14 on", file=archive, hint=hint)
        options = {zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW}
        opened: IO[bytes] = zstd.ZstdFile(file, "rb", options=options)
        return opened
    if start[:6] == b"\xfd7zXZ\x00" or start[:3] == b"BZh":
        raise ShardError("is compressed by another program than gzip or zstd", file=archive, hint=KINDS)
    return file


def _zstd() -> Any:
    """The module of Python's own, from 3.14 on; else ``None``."""
    try:
        return import_module("compression.zstd")
    except ImportError:
        return None


class _Bounded(io.RawIOBase):
    """A seekable file of which no one reads more than ``longest`` bytes at once: claims of size cost no memory."""

    longest = _LONGEST_ZIP_DIRECTORY

    def __init__(self, file: BufferedReader) -> None:
        self._file = file

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0:
            size = os.fstat(self._file.fileno()).st_size - self._file.tell()
        if size > self.longest:
            raise ValueError(f"its directory is longer than {self.longest >> 20} MB")
        return self._file.read(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_SET and offset < 0:
            raise ValueError("a member would begin before the archive does")
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True


class _Forward(io.RawIOBase):
    """A stream for ``tarfile`` that goes forward only, and whose headers are bounded each and together."""

    longest = _LONGEST_TAR_HEADER

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._at = 0
        self._headers = _LONGEST_TAR_HEADERS

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0 or size > self.longest:
            raise ValueError("a member's header is longer than any name")
        if self.longest == _LONGEST_TAR_HEADER:
            self._headers -= size
            if self._headers < 0:
                raise ValueError("the members' headers are too long together")
        found = self._stream.read(size)
        self._at += len(found)
        return found

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence != io.SEEK_SET or not 0 <= offset - self._at <= tarfile.BLOCKSIZE:
            raise ValueError("a member's size is not what its header says")
        self.read(offset - self._at)
        return self._at

    def tell(self) -> int:
        return self._at

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True
