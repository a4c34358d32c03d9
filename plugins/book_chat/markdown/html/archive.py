"""The parts of a ZIP archive, unpacked in memory within limits."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from ragstone.core.runtime import Unanswered

from .markup import Malformed, parse_xml

#: Bytes of one part and of all that are read; parts of an archive.
MOST_PART, MOST_IN_ALL, MOST_PARTS = 30_000_000, 120_000_000, 50_000
#: Of these alone ``zipfile`` unpacks a piece in bounded memory; a piece of bzip2 or LZMA can give gigabytes.
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_PIECE = 1 << 16


class Archive:
    """An archive's parts by name. What is unpacked is counted, as sizes in the archive may be wrong."""

    def __init__(self, file: IO[bytes], *, most_in_all: int | None = None, most_parts: int = MOST_PARTS) -> None:
        """Raises ``Unanswered`` for what is no archive."""
        try:
            self._file = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, LookupError) as error:
            raise Unanswered("broken", "is no archive, or a damaged one") from error
        #: The files, in the archive's order.
        self.parts = [info for info in self._file.infolist() if not info.filename.endswith("/")]
        if len(self.parts) > most_parts:
            raise Unanswered("too_large", f"holds more than {most_parts:,} files")
        self._names = {info.filename: info for info in self.parts}
        self._folded = {name.casefold(): name for name in self._names}
        self._left = MOST_IN_ALL if most_in_all is None else most_in_all

    def __contains__(self, name: str) -> bool:
        return self._name(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def read(self, name: str) -> bytes:
        """What a part holds. Raises ``Unanswered``."""
        known = self._name(name)
        if known is None:
            raise Unanswered("broken", f"lacks its part {name[:80]!r}")
        return b"".join(self.pieces(self._names[known], MOST_PART))

    def xml(self, name: str) -> Any:
        """The root of a part that is XML. Raises ``Unanswered``."""
        try:
            return parse_xml(self.read(name))
        except Malformed as error:
            raise Unanswered("broken", f"has a part {name[:80]!r} that {error}") from error

    def pieces(self, part: zipfile.ZipInfo, most: int) -> Iterator[bytes]:
        """What a part holds, of at most so many bytes, piece by piece. Raises ``Unanswered``."""
        name = part.filename[:80]
        if part.flag_bits & 1:
            raise Unanswered("encrypted", "is an archive with a password")
        if part.compress_type not in _METHODS:
            raise Unanswered("broken", f"packs its part {name!r} by another method than deflate")
        most = min(most, self._left)
        end = self._left - most
        try:
            with self._file.open(part) as file:
                while piece := file.read(_PIECE):
                    self._left -= len(piece)
                    if self._left < end:
                        raise Unanswered("too_large", f"unpacks its part {name!r} to more than {most:,} bytes")
                    yield piece
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
            raise Unanswered("broken", f"has a damaged part {name!r}") from error

    def _name(self, name: str) -> str | None:
        """The part of that name, in other letters if there is no other: some programs are careless."""
        return name if name in self._names else self._folded.get(name.casefold())


def part_named(base: str, target: str) -> tuple[str, str] | None:
    """The part and the anchor that a link in the part ``base`` leads to; None for what is outside of the archive."""
    try:
        parts = urlsplit(target.strip())
    except ValueError:
        return None
    path = unquote(parts.path)
    if parts.scheme or parts.netloc or path.startswith("/") or "\\" in path or "\0" in path:
        return None
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(base), path)) if path else base
    return None if ".." in PurePosixPath(joined).parts else (joined, unquote(parts.fragment))
