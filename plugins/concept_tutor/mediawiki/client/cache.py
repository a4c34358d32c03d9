"""What wikis answered, on disk: pages by wiki, key and revision, searches by wiki, words and limit.

One file an entry: a line of JSON with its facts, then the body, packed. Files are named by a digest, so no name of a
page is ever a path; they are written beside and moved into place; the digest of the body stands in the first line,
and what does not fit it is dropped. It is a cache: where it cannot be written, nothing is kept and nothing fails.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import tempfile
import threading
import time
import zlib
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.core.runtime import remove_own_file

if TYPE_CHECKING:
    from collections.abc import Iterator

_log = logging.getLogger(__name__)

_FORM = 1
_SUFFIX = ".entry"
_NEW = ".new"
#: A file that was being written an hour ago never will be.
_ABANDONED = 3600.0
_PREFIX = ".entry-"
#: The names of its own files; whatever else lies in the folder stays.
_NAMES = rf"[0-9a-f]{{40}}-[0-9]{{1,20}}{re.escape(_SUFFIX)}|{re.escape(_PREFIX)}.*{re.escape(_NEW)}"
_DIGITS = re.compile(r"[0-9]{1,20}")


@dataclass(frozen=True)
class Entry:
    """One kept answer. ``key`` is the page's own, ``revision`` in digits, "0" for a search."""

    key: str
    revision: str
    etag: str | None
    retrieved_at: datetime
    body: bytes


class Cache:
    """A folder of entries; threads and processes may share it."""

    def __init__(self, folder: Path, *, megabytes: float, unpacked: int) -> None:
        self._folder = folder
        self._most = int(megabytes * 1_000_000)
        self._unpacked = unpacked
        self._lock = threading.Lock()

    def get(self, name: tuple[str, ...], revision: str | None = None) -> Entry | None:
        """The entry of this name: of one revision, or the one that was retrieved last."""
        stem = _digest(name)
        if revision is not None:
            if not _DIGITS.fullmatch(revision):  # it is part of a file's name
                return None
            return self._read(self._folder / f"{stem}-{revision}{_SUFFIX}", name)
        newest: Entry | None = None
        for path in self._named(stem):
            entry = self._read(path, name)
            if entry and (newest is None or entry.retrieved_at > newest.retrieved_at):
                newest = entry
        return newest

    def put(self, name: tuple[str, ...], entry: Entry) -> None:
        """Keep it, in the place of what had the same name and revision."""
        if not _DIGITS.fullmatch(entry.revision):
            raise ValueError(f"{entry.revision!r} is no revision")
        packed = zlib.compress(entry.body, 1)
        facts = asdict(entry) | {
            "form": _FORM,
            "name": list(name),
            "retrieved_at": entry.retrieved_at.isoformat(),
            "body": hashlib.sha256(packed).hexdigest(),
        }
        line = json.dumps(facts).encode() + b"\n"
        if len(line) + len(packed) > self._most:
            return
        path = self._folder / f"{_digest(name)}-{entry.revision}{_SUFFIX}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, temporary = tempfile.mkstemp(prefix=_PREFIX, suffix=_NEW, dir=self._folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(line + packed)
                Path(temporary).replace(path)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
            with self._lock:
                self._trim()
        except OSError as error:
            _log.warning("what a wiki answered cannot be kept in %s: %s", self._folder, error)

    def _named(self, stem: str) -> list[Path]:
        try:
            return list(self._folder.glob(f"{stem}-*{_SUFFIX}"))
        except OSError:
            return []

    def _read(self, path: Path, name: tuple[str, ...]) -> Entry | None:
        try:
            line, _, packed = path.read_bytes().partition(b"\n")
        except OSError:
            return None
        try:
            entry = _entry(json.loads(line), packed, name, self._unpacked)
        except (ValueError, KeyError, TypeError, RecursionError, zlib.error) as error:
            _log.warning("dropped a damaged entry of the wikis' cache, %s: %s", path.name, error)
            with suppress(OSError):
                remove_own_file(path, _NAMES)
            return None
        with suppress(OSError):
            os.utime(path)  # what is read stays longest
        return entry

    def _trim(self) -> None:
        held = sorted(self._held())
        size = sum(bytes_ for _, bytes_, _ in held)
        for changed, bytes_, path in held:
            abandoned = path.suffix == _NEW and changed < time.time() - _ABANDONED
            if abandoned or (size > self._most and path.suffix == _SUFFIX):
                remove_own_file(path, _NAMES)
                size -= bytes_

    def _held(self) -> Iterator[tuple[float, int, Path]]:
        for path in self._folder.iterdir():
            if re.fullmatch(_NAMES, path.name):
                with suppress(FileNotFoundError):  # another process trims as well
                    told = path.lstat()
                    yield told.st_mtime, told.st_size, path


def _entry(facts: dict[str, object], packed: bytes, name: tuple[str, ...], unpacked: int) -> Entry:
    if facts["form"] != _FORM or facts["name"] != list(name):
        raise ValueError("it is of another form or name")
    if hashlib.sha256(packed).hexdigest() != facts["body"]:
        raise ValueError("its body is not what it was")
    unpack = zlib.decompressobj()
    body = unpack.decompress(packed, unpacked)
    if not unpack.eof:
        raise ValueError("its body is longer than an answer may be")
    key, revision, etag = facts["key"], facts["revision"], facts["etag"]
    if not isinstance(key, str) or not isinstance(revision, str) or not isinstance(etag, str | None):
        raise TypeError("its facts are of other types")
    retrieved_at = datetime.fromisoformat(str(facts["retrieved_at"]))
    if retrieved_at.tzinfo is None:
        raise ValueError("its time has no zone")
    return Entry(key, revision, etag, retrieved_at, body)


def _digest(name: tuple[str, ...]) -> str:
    return hashlib.sha256(json.dumps(name).encode()).hexdigest()[:40]
