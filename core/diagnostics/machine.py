"""Checks of the machine: folders, disk space, clock."""

from __future__ import annotations

import os
import shlex
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from ..health import Check
from ..runtime.files import is_full
from ..settings import Settings

#: Bytes below which a disk counts as full: the encoder's model takes 90 MB, a write-ahead log some more.
LEAST_SPACE = 200_000_000
#: A correct clock cannot show an earlier time: this module was written later.
_EARLIEST = datetime(2026, 11, 1, tzinfo=UTC)
#: Seconds by which a file may be ahead of the clock.
_AHEAD = 3600.0


def permissions(settings: Settings, file: Path | None) -> Iterator[Check]:
    """Whether the folders are writable, and whether other users can read a password in the settings ``file``."""
    for name, folder, variable in _folders(settings):
        place = _nearest_existing(folder)
        fatal = name == "data folder"
        if not place.is_dir():
            mend = f"move {shlex.quote(str(place))} away, or set {variable}"
            yield Check(name, False, f"{place} is a file where a folder must be", fatal, mend, str(folder))
            continue
        is_there = place == folder
        fault = _write_error(place) or (_unusable_file(place) if is_there else None)
        if fault is None:
            yield Check(name, True, "may be written" if is_there else "is made when it is needed", where=str(folder))
        else:
            mend = f'chown -R "$USER" {shlex.quote(str(place))}, or set {variable}'
            yield Check(name, False, fault, fatal, mend, str(folder))
    if file is not None and _contains_password(settings) and _read_by_others(file):
        what = "others on this machine may read it, and the database's password is in it"
        yield Check("settings file", False, what, mend=f"chmod 600 {shlex.quote(str(file))}", where=str(file))


def space(settings: Settings) -> Iterator[Check]:
    """Whether the disks of the folders have space, in bytes and in files."""
    seen: dict[int, str] = {}
    for name, folder, variable in _folders(settings):
        place = _nearest_existing(folder)
        device = place.stat().st_dev
        if device in seen:
            continue
        seen[device] = name
        status = os.statvfs(place)
        free = status.f_bavail * status.f_frsize
        shown = f"{free / 1e9:.1f} GB free" if free >= 1e9 else f"{free / 1e6:.0f} MB free"
        check = "disk" if name == "data folder" else f"disk of the {name}"
        none_left = status.f_files > 0 and status.f_favail == 0
        if free >= LEAST_SPACE and not none_left:
            yield Check(check, True, shown, where=str(place))
            continue
        what = f"{shown}, no more files" if none_left else f"{shown}, less than {LEAST_SPACE / 1e6:.0f} MB"
        answers = settings.data_dir / "answers"
        cleanup = f"rm -r {shlex.quote(str(answers))} (an earlier version's answers), or " if answers.is_dir() else ""
        mend = f"{cleanup}make space there, or set {variable} to a larger disk"
        yield Check(check, False, what, mend=mend, where=str(place))


def clock(settings: Settings | None) -> Iterator[Check]:
    """Whether the clock is plausible: certificates, the age of mails and learning schedules depend on it."""
    now = time.time()
    shown = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M UTC")
    mend = "sudo timedatectl set-ntp true, or sudo date --set with the right time"
    if now < _EARLIEST.timestamp():
        yield Check("clock", False, f"it shows {shown}, which is in the past", mend=mend)
        return
    for path in () if settings is None else settings.data_dir.glob("catalog.sqlite*"):
        written = 0.0
        with suppress(OSError):  # removed meanwhile
            written = path.stat().st_mtime
        if written > now + _AHEAD:
            ahead = datetime.fromtimestamp(written, UTC).strftime("%Y-%m-%d %H:%M UTC")
            what = f"it shows {shown}, but the data was written {ahead}"
            yield Check("clock", False, what, mend=mend, where=str(path.parent))
            return
    yield Check("clock", True, shown)


def _folders(settings: Settings) -> Iterator[tuple[str, Path, str]]:
    """The folders that a deployment writes to: name, path, and the variable that names another one."""
    yield "data folder", settings.data_dir, "RAGSTONE_DATA_DIR"
    yield "cache folder", settings.cache_dir, "RAGSTONE_CACHE_DIR"


def _nearest_existing(folder: Path) -> Path:
    place = folder
    while not os.path.lexists(place) and place != place.parent:
        place = place.parent
    return place


def _write_error(folder: Path) -> str | None:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"r")
    except OSError as error:
        if is_full(error):
            return None  # ``space`` reports it
        return f"{folder} may not be written: {error.strerror}"
    return None


def _unusable_file(folder: Path) -> str | None:
    """A message for a file of the catalog that this user may not use, for example after a start by another user."""
    for path in sorted(folder.glob("catalog.sqlite*")):
        if not os.access(path, os.R_OK | os.W_OK):
            return f"{path.name} in it may not be read and written"
    return None


def _read_by_others(file: Path) -> bool:
    try:
        return bool(file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
    except OSError:
        return False


def _contains_password(settings: Settings) -> bool:
    if settings.database is not None and "RAGSTONE_DATABASE" not in os.environ:
        with suppress(ValueError):
            return bool(urlsplit(settings.database).password)
    return False
