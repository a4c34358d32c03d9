"""Archives from strangers, unpacked so that nothing can happen outside the folder nor beyond the limits.

Every member is a file or a folder with a plain name of its own; all bytes are counted as they come out.
"""

from __future__ import annotations

import os
import struct
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .containers import BLOCK, KINDS, Member, damage, members
from .errors import ShardError
from .files import open_regular, plain_name

if TYPE_CHECKING:
    from pathlib import Path

_DEEPEST = 8
_LONGEST_NAME = 255


@dataclass(frozen=True)
class Limits:
    """What an archive may ask for."""

    members: int = 10_000
    #: Bytes unpacked.
    bytes: int = 64 * 2**30
    #: Bytes unpacked for each byte of the archive, beyond the first ``free``. Embeddings hardly shrink, text by five.
    ratio: int = 50
    free: int = 16 * 2**20


def unpack(archive: Path, folder: Path, limits: Limits) -> None:
    """Write the archive's files into the folder, which exists and is empty. Folders are made as files need them.

    Raises ``ShardError`` with the archive, the member and the reason, and ``OSError`` when it cannot be written.
    """
    with open_regular(archive) as file:
        writer = _Writer(archive, folder, limits, os.fstat(file.fileno()).st_size)
        try:
            for member in members(file, archive):
                writer.take(member)
        except EOFError as error:
            raise ShardError("is cut off", file=archive) from error
        except damage() as error:
            raise ShardError(f"is damaged or no archive: {error}", file=archive, hint=KINDS) from error
        # What else tarfile and zipfile raise for bytes that they did not expect.
        except (ValueError, LookupError, NotImplementedError, RuntimeError, OverflowError, struct.error) as error:
            raise ShardError(f"cannot be unpacked: {error}", file=archive, hint=KINDS) from error


class _Writer:
    """Writes members, one after the other, and holds them to the limits."""

    def __init__(self, archive: Path, folder: Path, limits: Limits, size: int) -> None:
        self._archive, self._folder, self._limits = archive, folder, limits
        self._most = min(limits.bytes, max(limits.free, limits.ratio * size))
        self._size = size
        self._written = 0
        self._members = 0
        self._names: set[str] = set()

    def take(self, member: Member) -> None:
        """Write the member, if it is a file; see that it is harmless, whatever it is."""
        self._members += 1
        if self._members > self._limits.members:
            raise ShardError(f"holds more than {self._limits.members:,} members", file=self._archive)
        name = member.name.removesuffix("/")
        while name.startswith("./"):
            name = name[2:]
        if name in {"", "."} and member.is_folder:
            return
        self._check_name(name)
        if member.refused:
            raise self._refused(name, f"{member.refused}; only files and folders are unpacked")
        if not member.is_folder:
            self._write(name, member)

    def _check_name(self, name: str) -> None:
        try:
            parts = plain_name(name).encode().split(b"/")
        except ValueError as error:  # a name that is no text is one too
            raise ShardError(f"holds a member whose name {error}", file=self._archive) from error
        if len(parts) > _DEEPEST or max(map(len, parts)) > _LONGEST_NAME or not name.isprintable():
            raise self._refused(name, "has a name that is too long, too deep or not printable")

    def _write(self, name: str, member: Member) -> None:
        alike = unicodedata.normalize("NFC", name).casefold()
        if alike in self._names:
            raise self._refused(name, "stands twice in the archive")
        self._names.add(alike)
        if member.size > self._most - self._written:
            raise self._too_large(name)
        path = self._folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        except (FileExistsError, NotADirectoryError) as error:
            raise self._refused(name, "is a file and a folder at once") from error
        left = member.size
        with os.fdopen(descriptor, "wb") as file:
            while left > 0 and (block := member.source.read(min(BLOCK, left))):
                left -= len(block)
                self._written += len(block)
                file.write(block)
        if left > 0:
            raise self._refused(name, f"is cut off: {left} of {member.size} bytes are missing")

    def _refused(self, name: str, why: str) -> ShardError:
        return ShardError(f"the member {name[:120]!r} {why}", file=self._archive)

    def _too_large(self, name: str) -> ShardError:
        if self._most == self._limits.bytes:
            what = f"unpacks to more than {self._most / 1e6:,.0f} MB"
        else:
            what = f"unpacks to more than {self._limits.ratio} times its size, as only a bomb does"
        return ShardError(f"{what}, at the member {name[:120]!r}", file=self._archive)
