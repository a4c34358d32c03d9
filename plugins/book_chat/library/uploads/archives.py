"""ZIP archives, unpacked within limits and within their folder."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from ragstone.core import SourceError, TooLarge

from ..files import MAX_DEPTH

#: What an archive may hold. Text packs to a quarter or so; what packs a hundredfold is there to fill the disk.
MOST_FILES = 5_000
MOST_UNPACKED = 250_000_000
_MOST_RATIO = 100
_RATIO_FROM = 1_000_000
_PIECE = 1 << 16
#: Of these alone ``zipfile`` unpacks a piece in bounded memory; a piece of bzip2 or LZMA can give gigabytes.
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
#: Bytes of the archive's directory, which ``zipfile`` reads whole: some 300 for each file.
_LONGEST_DIRECTORY = 1_500_000
#: Letters of a path below the book's folder; systems take some 4,000 bytes in all.
_LONGEST_PATH = 800


def unpack(archive: Path, root: Path) -> None:
    """Unpack a ZIP archive into the new folder ``root``.

    Sizes are counted as they are written, as those in the archive may be wrong. Raises ``SourceError`` for
    what is no plain archive of plain files within its own folder, and ``TooLarge`` for more than there may be.
    """
    root.mkdir()
    try:
        with _Archive(archive) as file, zipfile.ZipFile(file) as packed:
            entries = [entry for entry in packed.infolist() if not entry.filename.endswith("/")]
            if len(entries) > MOST_FILES:
                raise TooLarge(f"the archive holds {len(entries):,} files; {MOST_FILES:,} are allowed")
            targets = [(entry, _target(entry)) for entry in entries]
            left = min(MOST_UNPACKED, max(_RATIO_FROM, archive.stat().st_size * _MOST_RATIO))
            for entry, target in targets:
                left -= _write(packed, entry, root.joinpath(*target.parts), left)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, ValueError, LookupError) as error:
        raise SourceError("is not a ZIP archive that can be read") from error


class _Archive(io.FileIO):
    """An archive's file; a read of more bytes than a directory may have is refused."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _LONGEST_DIRECTORY:
            raise TooLarge(f"the archive's directory has more than {_LONGEST_DIRECTORY:,} bytes")
        return super().read(size) or b""


def _target(entry: zipfile.ZipInfo) -> PurePosixPath:
    """Where an entry belongs, below the root; ``SourceError`` if it does not stay there or is no plain file."""
    name = entry.filename.replace("\\", "/")
    path = PurePosixPath(name)
    steps = path.parts
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if entry.flag_bits & 0x1:
        raise SourceError("the archive is encrypted", hint="send it without a password")
    if entry.compress_type not in _METHODS:
        raise SourceError("the archive is packed by another method than deflate", hint="pack it with zip")
    if kind not in {0, stat.S_IFREG}:
        raise SourceError(f"the archive holds something that is not a file: {name[:80]!r}")
    if not steps:
        raise SourceError("the archive holds a file without a name")
    if path.is_absolute() or ".." in steps or ":" in steps[0] or not name.isprintable():
        raise SourceError(f"the archive leads out of its folder: {name[:80]!r}")
    if len(steps) > MAX_DEPTH or any(len(step.encode()) > 200 for step in steps) or len(name) > _LONGEST_PATH:
        raise SourceError(f"the archive has too long a path: {name[:80]!r}")
    return path


def _write(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, left: int) -> int:
    """Write one entry; returns its size. Raises ``TooLarge`` as soon as there is more of it than ``left`` bytes."""
    size = 0
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with packed.open(entry) as source, target.open("xb") as out:
            while piece := source.read(_PIECE):
                size += len(piece)
                if size > left:
                    raise TooLarge("the archive unpacks to more than is allowed", hint="leave out what is not text")
                out.write(piece)
    except (FileExistsError, NotADirectoryError) as error:
        raise SourceError(f"the archive holds {entry.filename[:80]!r} twice") from error
    except RuntimeError as error:  # zipfile's word for a password that is missing
        raise SourceError("the archive is encrypted", hint="send it without a password") from error
    return size
