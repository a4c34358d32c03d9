"""ZIP archives, unpacked within limits and within their folder."""

from __future__ import annotations

import io
import stat
from pathlib import Path, PurePosixPath
from zipfile import ZipInfo

from ragstone.core import SourceError, TooLarge
from ragstone.core.runtime import Unanswered

from ...markdown.html.archive import Archive
from ..books import shown
from ..files import MAX_DEPTH

#: What an archive may hold. Text packs to a quarter or so; what packs a hundredfold is there to fill the disk.
MOST_FILES = 5_000
MOST_UNPACKED = 250_000_000
_MOST_RATIO = 100
_RATIO_FROM = 1_000_000
#: Bytes of the archive's directory, which ``zipfile`` reads whole: some 300 for each file.
_LONGEST_DIRECTORY = 1_500_000
#: Letters of a path below the book's folder; systems take some 4,000 bytes in all.
_LONGEST_PATH = 800


def unpack(archive: Path, root: Path) -> None:
    """Unpack a ZIP archive into the new folder ``root``.

    Raises ``SourceError`` for what is no plain archive of plain files within its own folder, and ``TooLarge`` for more
    than there may be.
    """
    root.mkdir()
    most = min(MOST_UNPACKED, max(_RATIO_FROM, archive.stat().st_size * _MOST_RATIO))
    try:
        with _File(archive) as file:
            packed = Archive(file, most_in_all=most, most_parts=MOST_FILES)
            for part, target in [(part, _target(part)) for part in packed.parts]:
                place = root.joinpath(*target.parts)
                try:
                    place.parent.mkdir(parents=True, exist_ok=True)
                    with place.open("xb") as out:
                        out.writelines(packed.pieces(part, most))
                except (FileExistsError, NotADirectoryError) as error:
                    raise SourceError(f"the archive holds {part.filename[:80]!r} twice") from error
    except Unanswered as error:
        kind = TooLarge if error.reason == "too_large" else SourceError
        raise kind(f"the archive {error.detail}", hint="send a plain ZIP archive with the book's text alone") from error


class _File(io.FileIO):
    """An archive's file; a read of more bytes than a directory may have is refused."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _LONGEST_DIRECTORY:
            raise TooLarge(f"the archive's directory has more than {_LONGEST_DIRECTORY:,} bytes")
        return super().read(size) or b""


def _target(part: ZipInfo) -> PurePosixPath:
    """Where a part belongs, below the root; ``SourceError`` if it does not stay there or is no plain file."""
    name = part.filename.replace("\\", "/")
    path = PurePosixPath(name)
    steps = path.parts
    if stat.S_IFMT(part.external_attr >> 16) not in {0, stat.S_IFREG}:
        raise SourceError(f"the archive holds something that is not a file: {name[:80]!r}")
    if not steps:
        raise SourceError("the archive holds a file without a name")
    if path.is_absolute() or ".." in steps or ":" in steps[0] or name != shown(name):
        raise SourceError(f"the archive leads out of its folder: {name[:80]!r}")
    if len(steps) > MAX_DEPTH or any(len(step.encode()) > 200 for step in steps) or len(name) > _LONGEST_PATH:
        raise SourceError(f"the archive has too long a path: {name[:80]!r}")
    return path
