"""Copies what is to be installed into a private folder, so that it cannot change after it was verified."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import tarfile
import zlib
from dataclasses import dataclass
from errno import EACCES, EDQUOT, EIO, ENOSPC, EPERM, EROFS
from pathlib import Path, PurePosixPath
from typing import IO, cast

from ragstone.core import BadRequest

from .errors import ShardError
from .files import inside, open_regular
from .manifest import NAME, SIGNATURE, Manifest
from .signatures import signed_folder

_BLOCK = 2**20
_DEEPEST = 8
_HINT = "a tar or a tar.gz can be installed, or a folder"
#: What reading a damaged archive raises.
_DAMAGED = (tarfile.TarError, zlib.error, ValueError, LookupError, ArithmeticError, RecursionError, EOFError)
#: Errors of the disk; any other ``OSError`` while unpacking comes from the archive's names.
_DISK = {EACCES, EDQUOT, EIO, ENOSPC, EPERM, EROFS}


@dataclass(frozen=True)
class Limits:
    """What may be installed at once; a folder is held to ``bytes``."""

    members: int = 10_000
    #: Bytes unpacked.
    bytes: int = 64 * 2**30
    #: Bytes unpacked for each byte of the archive, beyond the first ``free``. Embeddings hardly shrink, text by five.
    ratio: int = 50
    free: int = 16 * 2**20


def stage(source: Path, folder: Path, limits: Limits) -> Path:
    """Unpack the archive, or copy what the folder's manifest names, into ``folder``; where the manifest is then.

    Raises ``BadRequest`` when there is no such source, ``ShardError`` when it is refused, ``OSError``.
    """
    if source.is_dir():
        _copy(source, folder, limits.bytes)
        return folder / NAME
    if not source.exists():
        raise BadRequest("there is no such archive or folder", where=str(source))
    unpack(source, folder, limits)
    found = [folder / NAME] if (folder / NAME).is_file() else sorted(folder.glob(f"*/{NAME}"))
    if len(found) != 1:
        what = f"holds no {NAME} at its top" if not found else f"holds {len(found)} manifests"
        raise ShardError(what, file=source, hint="an archive has manifest.json at its top, or one folder that has it")
    return found[0]


def unpack(archive: Path, folder: Path, limits: Limits) -> None:
    """Extract the tar or tar.gz into the folder: regular files and folders only, within the limits.

    Raises ``ShardError`` with the archive, the member and the reason, and ``OSError`` when it cannot be written.
    """
    with open_regular(archive) as file:
        most = min(limits.bytes, max(limits.free, limits.ratio * os.fstat(file.fileno()).st_size))
        start = file.read(2)
        file.seek(0)
        packed = cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if start == b"\x1f\x8b" else file
        stream = cast("IO[bytes]", _Capped(packed, most + limits.members * 4096))
        try:
            with tarfile.open(fileobj=stream, mode="r:", errors="strict", encoding="utf-8") as tar:
                for number, member in enumerate(tar, 1):
                    most -= member.size
                    if reason := _refusal(member, number, most, limits):
                        raise ShardError(f"the member {member.name[:120]!r} {reason}", file=archive, hint=_HINT)
                    tar.extract(member, folder, filter="data")
            while stream.read(_BLOCK):  # to the end, so that the checksum of a compressed archive is compared
                pass
        except _DAMAGED as error:
            raise ShardError(f"is damaged, or no archive: {error}", file=archive, hint=_HINT) from error
        except OSError as error:
            if error.errno in _DISK:
                raise
            raise ShardError(f"cannot be unpacked: {error.strerror or error}", file=archive, hint=_HINT) from error


def _refusal(member: tarfile.TarInfo, number: int, left: int, limits: Limits) -> str | None:
    if number > limits.members:
        return f"is one more than {limits.members:,}"
    if not (member.isdir() or member.isreg()) or member.issparse():
        return "is neither a file nor a folder"
    if member.size < 0 or left < 0:
        return f"unpacks to too much: to more than {limits.bytes / 1e6:,.0f} MB or {limits.ratio} times the archive"
    if PurePosixPath(member.name).is_absolute() or member.name.count("/") > _DEEPEST:
        return "has an absolute name, or one that is too deep"
    return None


class _Capped(io.RawIOBase):
    """A stream that is read up to a limit, in small blocks: ``tarfile`` reads a header of any length that it claims."""

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self._stream = stream
        self._most = most

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _BLOCK:
            raise ValueError("a header claims to be longer than any name")
        return self._stream.read(self._bounded(size + self.tell()) - self.tell())

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._stream.seek(self._bounded(offset), whence)

    def tell(self) -> int:
        return self._stream.tell()

    def _bounded(self, place: int) -> int:
        if not 0 <= place <= self._most:
            raise ValueError("it unpacks to too much")
        return place


def _copy(source: Path, folder: Path, most: int) -> None:
    _copy_file(source / NAME, folder / NAME)
    try:
        manifest = Manifest.read(folder / NAME)
    except ShardError as error:
        raise ShardError(error.what, file=source / NAME, line=error.line, hint=error.hint) from error
    for entry in manifest.shards:
        entry.place(source)
    signed = {str(where.relative_to(source)) for each in manifest.shards if (where := signed_folder(each, source))}
    names = {name for entry in manifest.shards for name in entry.paths.values()}
    names |= {f"{where}/{name}" for where in signed for name in (NAME, SIGNATURE)}
    paths = {name: inside(source, name) for name in sorted(names - {NAME, f"./{NAME}"})}
    if sum(path.stat().st_size for path in paths.values() if path.is_file()) > most:
        raise ShardError(f"has more than {most / 1e6:,.0f} MB", file=source)
    for name, path in paths.items():
        _copy_file(path, folder / name)


def _copy_file(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    with open_regular(path) as source, to.open("xb") as target:
        shutil.copyfileobj(source, target, _BLOCK)
