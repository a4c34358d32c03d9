"""Uploaded books on the disk: under generated names, removed when they are read."""

from __future__ import annotations

import json
import logging
import re
import shutil
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO
from uuid import uuid4

from filelock import FileLock, Timeout

from ragstone.core import BadRequest, SourceError
from ragstone.core.runtime import OwnedFolders, write_atomically

from .archives import unpack

ZIP = ".zip"
#: Seconds after which an incomplete upload, whose server was killed, is removed.
_ABANDONED = 24 * 3600
#: Beside the file: what is known of it, and the lock of its server.
_ABOUT = "upload.json"
_LOCK = "lock"
#: The file itself, with the suffix by which its reader is chosen.
_BOOK = r"book(\.[^/]*)?"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class About:
    """What another server needs to resume an upload."""

    #: The client's name for it; shown, and never used as a path.
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
    """An uploaded file in a folder of its own, locked by one server while that runs."""

    def __init__(self, folder: Path, about: About) -> None:
        self.folder = folder
        self.about = about
        # the system takes it back from a server that is killed; it is taken and given back in different threads
        self._lock = FileLock(folder / _LOCK, thread_local=False)

    @property
    def name(self) -> str:
        """The client's name for it."""
        return self.about.name

    @property
    def file(self) -> Path:
        """The file itself, until it is unpacked."""
        return self.folder / self.about.file

    def take(self) -> bool:
        """Lock it for this server; False when another one has it."""
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            return False
        return True

    def release(self) -> None:
        """Unlock it for another server."""
        self._lock.release()

    def begin(self, step: int = 1) -> None:
        """Count that its reading begins; -1: its server is closing, and this beginning does not count."""
        self.about = replace(self.about, begun=self.about.begun + step)
        self.write()

    def write(self) -> None:
        """Store what is known of it: from now on the next server resumes it."""
        write_atomically(self.folder / _ABOUT, json.dumps(asdict(self.about)).encode())

    def remove(self) -> None:
        """Remove the folder. It may be called twice."""
        with suppress(OSError):
            upload_folders(self.folder.parent).remove(self.folder.name)
        self.release()


def store(content: IO[bytes], name: str, uploads: Path, *, suffixes: Collection[str], **fields: str | None) -> Upload:
    """Write an uploaded file into a new folder of ``uploads``, with the book's ``title`` and ``edition`` if given.

    Raises ``SourceError`` for a file that has no reader.
    """
    shown = PurePosixPath(name.replace("\\", "/")).name.strip()[:200]
    suffix = PurePosixPath(shown).suffix.lower()
    if suffix not in {*suffixes, ZIP}:
        raise SourceError(
            f"there is no reader for {suffix or 'files without a suffix'}",
            hint=f"these can be read: {', '.join(sorted({*suffixes, ZIP}))}",
        )
    folder = upload_folders(uploads).make(uuid4().hex, mode=0o700)
    upload = Upload(folder, About(shown, f"book{suffix}", fields.get("title"), fields.get("edition"), time.time()))
    try:
        upload.take()
        with upload.file.open("xb") as out:
            shutil.copyfileobj(content, out)
        upload.write()
    except BaseException:
        upload.remove()
        raise
    if not upload.file.stat().st_size:
        upload.remove()
        raise BadRequest("the file is empty")
    return upload


def unfinished_uploads(uploads: Path) -> list[Upload]:
    """Lock the uploads that stopped servers have not read, oldest first.

    Incomplete uploads are removed after a day: a younger one may still be arriving.
    """
    found = []
    folders = upload_folders(uploads)
    for folder in list(uploads.iterdir()) if uploads.is_dir() and not uploads.is_symlink() else []:
        if not folders.owns(folder.name):
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
            elif age > _ABANDONED:
                upload.remove()
            else:
                upload.release()
    return sorted(found, key=lambda upload: upload.about.at)


def upload_folders(uploads: Path) -> OwnedFolders:
    """The folders of uploads, which may be removed again."""
    names = rf"{re.escape(_ABOUT)}(\.new)?|{_LOCK}|{_BOOK}|\.ragstone-.*"
    return OwnedFolders(uploads, "upload", names, home=uploads.parent)


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
