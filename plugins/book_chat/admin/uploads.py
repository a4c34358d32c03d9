"""Uploaded books on the disk: under generated names, unpacked with care, gone when they are read."""

from __future__ import annotations

import io
import json
import logging
import re
import shutil
import stat
import time
import zipfile
import zlib
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING
from uuid import uuid4

from filelock import FileLock, Timeout

from ragstone.core import BadRequest, SourceError, TooLarge
from ragstone.core.runtime import OwnedFolders, write_atomically

from ..files import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Collection

ZIP = ".zip"
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
#: Seconds after which half an upload, whose server was killed, is nobody's any more.
_LEFT_BEHIND = 24 * 3600
#: Beside the file: what is known of it, and the lock of the server that it belongs to.
_ABOUT = "upload.json"
_LOCK = "lock"
#: The file itself, by the suffix that its reader knows it by.
_BOOK = r"book(\.[^/]*)?"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class About:
    """What another server must know to go on with an upload."""

    #: As the client calls it; shown, and never used as a path.
    name: str
    #: The file's name in its folder.
    file: str
    title: str | None = None
    edition: str | None = None
    #: When it came, in seconds since 1970.
    at: float = 0.0
    #: How often its reading was begun.
    begun: int = 0


class Upload:
    """An uploaded file in a folder of its own, which belongs to one server for as long as that lives."""

    def __init__(self, folder: Path, about: About) -> None:
        self.folder = folder
        self.about = about
        # the system takes it back from a server that is killed; it is taken and given back in different threads
        self._lock = FileLock(folder / _LOCK, thread_local=False)

    @property
    def name(self) -> str:
        """As the client calls it."""
        return self.about.name

    @property
    def file(self) -> Path:
        """The file itself, until it is unpacked."""
        return self.folder / self.about.file

    def take(self) -> bool:
        """Make it this server's own; False when another one has it."""
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            return False
        return True

    def let_go(self) -> None:
        """Leave it to whoever takes it next."""
        self._lock.release()

    def begin(self) -> None:
        """Count that its reading begins."""
        self.about = replace(self.about, begun=self.about.begun + 1)
        self.write()

    def put_off(self) -> None:
        """Its server ends in order: that its reading was begun does not count."""
        self.about = replace(self.about, begun=self.about.begun - 1)
        self.write()

    def write(self) -> None:
        """Write down what is known of it: from now on a server that is started goes on with it."""
        write_atomically(self.folder / _ABOUT, json.dumps(asdict(self.about)).encode())

    def remove(self) -> None:
        """Forget the file. Removing it twice is fine."""
        with suppress(OSError):
            upload_folders(self.folder.parent).remove(self.folder.name)
        self.let_go()


def store(
    content: IO[bytes],
    name: str,
    uploads: Path,
    *,
    suffixes: Collection[str],
    title: str | None = None,
    edition: str | None = None,
) -> Upload:
    """Write an uploaded file into a new folder of ``uploads``. Raises ``SourceError`` for a kind that nobody reads."""
    shown = PurePosixPath(name.replace("\\", "/")).name.strip()[:200]
    suffix = PurePosixPath(shown).suffix.lower()
    if suffix not in {*suffixes, ZIP}:
        raise SourceError(
            f"there is no reader for {suffix or 'files without a suffix'}",
            hint=f"these can be read: {', '.join(sorted({*suffixes, ZIP}))}",
        )
    folder = upload_folders(uploads).make(uuid4().hex, mode=0o700)
    upload = Upload(folder, About(shown, f"book{suffix}", title or None, edition or None, time.time()))
    try:
        upload.take()
        with upload.file.open("xb") as out:
            shutil.copyfileobj(content, out, _PIECE)
        _check_size(upload.file)
        upload.write()
    except BaseException:
        upload.remove()
        raise
    return upload


def _check_size(file: Path) -> None:
    if not file.stat().st_size:
        raise BadRequest("the file is empty")


def left_behind(uploads: Path) -> list[Upload]:
    """What servers that live no more have not done, in the order in which it came; it is this server's now.

    Half uploads are removed after a day: a younger one may just be coming in.
    """
    found = []
    folders = upload_folders(uploads)
    for folder in list(uploads.iterdir()) if uploads.is_dir() and not uploads.is_symlink() else []:
        if not folders.adopt(folder.name, _is_upload):
            _log.info("%s is left alone: it is no upload", folder)
            continue
        with suppress(OSError):  # another server was quicker
            age = time.time() - folder.stat().st_mtime
            upload = Upload(folder, About("", ""))
            if not upload.take():
                continue
            if about := _read(folder / _ABOUT):
                upload.about = about
                found.append(upload)
            elif age > _LEFT_BEHIND:
                upload.remove()
            else:
                upload.let_go()
    return sorted(found, key=lambda upload: upload.about.at)


def upload_folders(uploads: Path) -> OwnedFolders:
    """The folders of uploads."""
    names = rf"{re.escape(_ABOUT)}(\.new)?|{_LOCK}|{_BOOK}|\.ragstone-.*"
    return OwnedFolders(uploads, "upload", names, home=uploads.parent)


def _is_upload(folder: Path) -> bool:
    """Whether an older server, which wrote no marker, made the folder for an upload."""
    return re.fullmatch("[0-9a-f]{32}", folder.name) is not None and _read(folder / _ABOUT) is not None


def _read(place: Path) -> About | None:
    try:
        about = About(**json.loads(place.read_text("utf-8")))
        return about if re.fullmatch(_BOOK, about.file) else None
    except (OSError, ValueError, TypeError):
        return None


def book_of(upload: Upload) -> Path:
    """The book within an upload: the file, or the unpacked folder. Raises ``SourceError`` and ``TooLarge``."""
    if upload.file.suffix != ZIP:
        return upload.file
    root = upload.folder / "book"
    if upload.file.exists():
        shutil.rmtree(root, ignore_errors=True)  # half unpacked, when a server was killed over it
        unpack(upload.file, root)
        upload.file.unlink()
    while len(inside := list(root.iterdir())) == 1 and inside[0].is_dir():
        root = inside[0]  # most archives hold one folder, and the book is in it
    return root


def unpack(archive: Path, root: Path) -> None:
    """Unpack a ZIP archive into the new folder ``root``.

    Sizes are counted as they are written: what the archive says of itself is not believed. Raises ``SourceError`` for
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
    """An archive's file that gives no more at once than a directory may have."""

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
