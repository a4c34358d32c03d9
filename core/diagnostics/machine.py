"""Checks of the machine: folders, disk space, clock."""

from __future__ import annotations

import errno
import os
import shlex
import stat
import tempfile
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..health import Check

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..settings import Settings

#: Bytes below which a disk is as good as full: the encoder's model takes 90 MB, a write-ahead log some more.
LEAST_SPACE = 200_000_000
#: No right clock says less: this module was written later.
_WRITTEN = datetime(2026, 11, 1, tzinfo=UTC)
#: Seconds by which a file may be ahead of the clock.
_AHEAD = 3600.0


def folders(settings: Settings) -> dict[str, Path]:
    """The folders that a deployment writes to, by what they are called."""
    return {"data folder": settings.data_dir, "cache folder": settings.cache_dir}


def permissions(settings: Settings, file: Path | None) -> Iterator[Check]:
    """Whether its folders may be written, and whether others may read the password in its settings ``file``."""
    for name, folder in folders(settings).items():
        place = _there(folder)
        fatal = name == "data folder"
        if not place.is_dir():
            mend = f"move {shlex.quote(str(place))} away, or set {_variable(name)}"
            yield Check(name, False, f"{place} is a file where a folder must be", fatal, mend, str(folder))
            continue
        fault = _why_not_written(place) or next(_unusable_files(place if place == folder else None), None)
        if fault is None:
            yield Check(
                name, True, "may be written" if place == folder else "is made when it is needed", where=str(folder)
            )
        else:
            mend = f'chown -R "$USER" {shlex.quote(str(place))}, or set {_variable(name)}'
            yield Check(name, False, fault, fatal, mend, str(folder))
    if file is not None and _tells_a_password(settings) and _read_by_others(file):
        what = "others on this machine may read it, and the database's password is in it"
        yield Check("settings file", False, what, mend=f"chmod 600 {shlex.quote(str(file))}", where=str(file))


def space(settings: Settings) -> Iterator[Check]:
    """Whether there is room on the disks of its folders, in bytes and in files."""
    seen: dict[int, str] = {}
    for name, folder in folders(settings).items():
        place = _there(folder)
        device = place.stat().st_dev
        if device in seen:
            continue
        seen[device] = name
        told = os.statvfs(place)
        free = told.f_bavail * told.f_frsize
        said = f"{free / 1e9:.1f} GB free" if free >= 1e9 else f"{free / 1e6:.0f} MB free"
        called = "disk" if name == "data folder" else f"disk of the {name}"
        none_left = told.f_files > 0 and told.f_favail == 0
        if free >= LEAST_SPACE and not none_left:
            yield Check(called, True, said, where=str(place))
            continue
        what = f"{said}, no more files" if none_left else f"{said}, less than {LEAST_SPACE / 1e6:.0f} MB"
        answers = settings.data_dir / "answers"
        spare = f"rm -r {shlex.quote(str(answers))} (an earlier version's answers), or " if answers.is_dir() else ""
        moved = f"{spare}make space there, or set {_variable(name)} to a larger disk"
        yield Check(called, False, what, mend=moved, where=str(place))


def clock(settings: Settings | None) -> Iterator[Check]:
    """Whether the machine knows the time: certificates, the age of mails and what is due to be learned hang on it."""
    now = time.time()
    said = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M UTC")
    mend = "sudo timedatectl set-ntp true, or sudo date --set with the right time"
    if now < _WRITTEN.timestamp():
        yield Check("clock", False, f"it says {said}, which is over", mend=mend)
        return
    newest = max((_written(path) for path in _files_of(settings)), default=0.0)
    if newest > now + _AHEAD:
        ahead = datetime.fromtimestamp(newest, UTC).strftime("%Y-%m-%d %H:%M UTC")
        where = str(settings.data_dir) if settings is not None else None
        yield Check("clock", False, f"it says {said}, and the data was written {ahead}", mend=mend, where=where)
        return
    yield Check("clock", True, said)


def _there(folder: Path) -> Path:
    """The folder, or what there is of the way to it."""
    place = folder
    while not os.path.lexists(place) and place != place.parent:
        place = place.parent
    return place


def _why_not_written(folder: Path) -> str | None:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"r")
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return None  # the space is looked at by itself
        return f"{folder} may not be written: {error.strerror}"
    return None


def _unusable_files(folder: Path | None) -> Iterator[str]:
    """Files of the catalog that this user may not use, as after one start as another user."""
    for path in sorted(folder.glob("catalog.sqlite*")) if folder is not None else ():
        if not os.access(path, os.R_OK | os.W_OK):
            yield f"{path.name} in it may not be read and written"


def _read_by_others(file: Path) -> bool:
    try:
        return bool(file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
    except OSError:
        return False


def _tells_a_password(settings: Settings) -> bool:
    return settings.database is not None and "RAGSTONE_DATABASE" not in os.environ and _has_password(settings.database)


def _has_password(url: str) -> bool:
    try:
        return bool(urlsplit(url).password)
    except ValueError:
        return False


def _variable(folder: str) -> str:
    return "RAGSTONE_DATA_DIR" if folder == "data folder" else "RAGSTONE_CACHE_DIR"


def _files_of(settings: Settings | None) -> Iterator[Path]:
    if settings is not None and settings.data_dir.is_dir():
        yield from settings.data_dir.glob("catalog.sqlite*")


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # gone meanwhile
        return 0.0
