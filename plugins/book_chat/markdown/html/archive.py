"""The parts of a ZIP archive, unpacked in memory within limits."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO
from urllib.parse import unquote, urlsplit

from ragstone.core.runtime import Unanswered

#: Bytes of one part and of all that are read; parts of an archive.
MOST_PART, MOST_IN_ALL, MOST_PARTS = 30_000_000, 120_000_000, 50_000
#: Of these alone ``zipfile`` unpacks a piece in bounded memory.
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


class Archive:
    """An archive's parts by name. What is unpacked is counted, as sizes in the archive may be wrong."""

    def __init__(self, file: IO[bytes]) -> None:
        """Raises ``Unanswered`` for what is no archive."""
        try:
            self._file = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, LookupError) as error:
            raise Unanswered("broken", "is no archive, or a damaged one") from error
        self._names = {info.filename: info for info in self._file.infolist()}
        if len(self._names) > MOST_PARTS:
            raise Unanswered("too_large", f"holds more than {MOST_PARTS:,} files")
        self._folded = {name.casefold(): name for name in self._names}
        self._left = MOST_IN_ALL

    def __contains__(self, name: str) -> bool:
        return self._name(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def read(self, name: str) -> bytes:
        """What a part holds. Raises ``Unanswered``."""
        known = self._name(name)
        if known is None:
            raise Unanswered("broken", f"lacks its part {name[:80]!r}")
        info = self._names[known]
        if info.flag_bits & 1:
            raise Unanswered("encrypted", "is an archive with a password")
        if info.compress_type not in _METHODS:
            raise Unanswered("broken", f"packs its part {name[:80]!r} by another method than deflate")
        limit = min(MOST_PART, self._left)
        try:
            with self._file.open(info) as part:
                data = part.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
            raise Unanswered("broken", f"has a damaged part {name[:80]!r}") from error
        if len(data) > limit:
            raise Unanswered("too_large", f"unpacks its part {name[:80]!r} to more than {limit:,} bytes")
        self._left -= len(data)
        return data

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
