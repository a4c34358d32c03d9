"""Folders with a marker file, which Ragstone may remove again.

A data, cache or output folder may hold other files, and links to them: nothing is removed only because it is there.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from ..errors import StorageDenied
from .files import TEMPORARY, write_atomically

_log = logging.getLogger(__name__)

#: In each folder that Ragstone made: its purpose, its name, and the id of the data folder that it belongs to.
MARKER = ".ragstone-folder.json"
#: In a data, cache or output folder: its id, made once.
ID = ".ragstone-id"
#: A marker whose writing was interrupted.
_HALF_MARKED = re.compile(rf"{re.escape(TEMPORARY + MARKER)}-[0-9a-f]{{16}}")
_LONGEST = 4096
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class OwnedFolders:
    """The folders for one purpose that Ragstone makes in ``parent``, among other files and folders.

    A folder is Ragstone's if its marker has the purpose, the home's id and the folder's name: a copy or a renamed
    folder is the user's, and stays. Links are never followed, neither as the parent nor as a folder.
    """

    def __init__(self, parent: Path, purpose: str, contents: str = ".*", *, home: Path | None = None) -> None:
        """``contents``: a regular expression of the names that Ragstone writes at the top of such a folder.

        ``home``: the data or cache folder that ``parent`` lies in; without it, ``parent`` itself.
        """
        self.parent = parent
        self._home = home or parent
        self._purpose = purpose
        self._contents = re.compile(contents)

    def make(self, name: str, *, mode: int = 0o777) -> Path:
        """The folder; it is made and marked if it does not exist.

        Raises ``StorageDenied`` for a link and for a folder that is not Ragstone's, ``OSError``.
        """
        folder = self.parent / name
        self.parent.mkdir(parents=True, exist_ok=True)
        is_new = False
        if not self.parent.is_symlink():
            with suppress(FileExistsError):
                folder.mkdir(mode=mode)
                is_new = True
        for place in (self.parent, folder):
            if place.is_symlink() or not place.is_dir():
                raise StorageDenied(
                    "is a link or no folder where Ragstone makes one of its own", where=str(place), hint="move it away"
                )
        if self.owns(name):
            return folder
        if not all(_HALF_MARKED.fullmatch(entry.name) for entry in folder.iterdir()):
            raise StorageDenied(
                "holds files that Ragstone did not write", where=str(folder), hint="move the folder away"
            )
        try:
            self.mark(folder)
        except OSError:
            if is_new:  # a full disk: without its marker nothing would remove it later
                with suppress(OSError):
                    folder.rmdir()
            raise
        return folder

    def mark(self, folder: Path, name: str | None = None) -> None:
        """Write the marker. ``name``: the folder's later name in the parent, if it differs. Raises ``OSError``."""
        about = {"purpose": self._purpose, "name": name or folder.name, "home": self._id(make=True)}
        write_atomically(folder / MARKER, json.dumps(about).encode())

    def owns(self, name: str) -> bool:
        """Whether the folder exists and is Ragstone's."""
        try:
            with self._opened(name) as (_, descriptor):
                return self._is_marked(descriptor, name)
        except OSError:
            return False

    def remove(self, name: str) -> bool:
        """Remove the folder if it is Ragstone's; returns whether it is gone.

        Files that Ragstone does not write there stay, and so does the folder. Raises ``OSError``.
        """
        try:
            with self._opened(name) as (parent, descriptor):
                if not self._is_marked(descriptor, name):
                    _log.warning("%s is not removed: it has no marker of Ragstone", self.parent / name)
                    return False
                if not self._empty(descriptor):
                    _log.warning("%s is not removed: it has files that Ragstone did not write", self.parent / name)
                    return False
                os.unlink(MARKER, dir_fd=descriptor)
                os.rmdir(name, dir_fd=parent)
        except FileNotFoundError:
            return True
        except NotADirectoryError:
            _log.warning("%s is not removed: it is a link or no folder", self.parent / name)
            return False
        _log.info("removed %s (%s)", self.parent / name, self._purpose)
        return True

    def clear(self, name: str, *, keep: tuple[str, ...] = ()) -> None:
        """Remove what Ragstone wrote in the folder except ``keep``; the folder stays. Raises ``OSError``."""
        with self._opened(name) as (_, descriptor):
            if self._is_marked(descriptor, name):
                self._empty(descriptor, keep)

    def _empty(self, descriptor: int, keep: tuple[str, ...] = ()) -> bool:
        """Remove Ragstone's own entries except the marker; returns whether nothing else is left."""
        is_empty = True
        for name in os.listdir(descriptor):
            if name in (MARKER, *keep):
                continue
            kind = os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode
            if stat.S_ISLNK(kind) or not (self._contents.fullmatch(name) or _HALF_MARKED.fullmatch(name)):
                is_empty = False
            elif stat.S_ISDIR(kind):
                shutil.rmtree(name, dir_fd=descriptor)
            else:
                os.unlink(name, dir_fd=descriptor)
        return is_empty

    @contextmanager
    def _opened(self, name: str) -> Iterator[tuple[int, int]]:
        """Descriptors of the parent and the folder. Raises ``OSError`` if one of them is a link or no folder."""
        if "/" in name or name in {"", ".", ".."}:
            raise NotADirectoryError(name)
        parent = os.open(self.parent, _FOLDER)
        try:
            descriptor = os.open(name, _FOLDER, dir_fd=parent)
            try:
                yield parent, descriptor
            finally:
                os.close(descriptor)
        finally:
            os.close(parent)

    def _is_marked(self, descriptor: int, name: str) -> bool:
        try:
            marker = json.loads(_read(MARKER, descriptor))
        except (OSError, ValueError):
            return False
        return bool(marker == {"purpose": self._purpose, "name": name, "home": self._id()})

    def _id(self, *, make: bool = False) -> str | None:
        """The home's id; ``None`` if it has none, unless ``make``. Raises ``OSError``."""
        home = os.open(self._home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if make and _id_in(home) is None:
                _make_id(home)
            return _id_in(home)
        finally:
            os.close(home)


def _id_in(folder: int) -> str | None:
    try:
        return _read(ID, folder).decode("ascii", "replace").strip() or None
    except OSError:
        return None


def _make_id(folder: int) -> None:
    """Give the folder an id; if two processes do so at once, the first one's stays."""
    new = f"{TEMPORARY}{token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with os.fdopen(os.open(new, flags, 0o644, dir_fd=folder), "w", encoding="ascii") as file:
        file.write(token_hex(16))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(new, ID, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:  # the file exists, perhaps empty; or the file system has no hard links
        if _id_in(folder) is None:
            os.replace(new, ID, src_dir_fd=folder, dst_dir_fd=folder)
            return
    os.unlink(new, dir_fd=folder)


def remove_own_file(path: Path, names: str) -> bool:
    """Remove a file with a name that Ragstone gives; returns whether it is gone.

    ``names``: a regular expression of those names. A link stays, and so does anything in a folder that is a link.
    """
    try:
        if path.parent.is_symlink() or not re.fullmatch(names, path.name) or not stat.S_ISREG(path.lstat().st_mode):
            return False
        path.unlink()
    except FileNotFoundError:
        return True
    return True


def _read(name: str, folder: int) -> bytes:
    """The content of a small plain file in the folder. Raises ``OSError``."""
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_LONGEST)
