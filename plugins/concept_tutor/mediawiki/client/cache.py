"""The wikis' answers on disk: pages by wiki and key, searches by wiki, query and limit.

One file an entry: a line of JSON with its facts, then the compressed body. Files are named by a digest, so that no
page's name is ever a path, and are replaced atomically; an entry that does not match the digest of its body is dropped.
Where the folder cannot be written, nothing is stored and nothing fails.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import threading
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel

from ragstone.core.runtime import remove_own_file, write_atomically

_log = logging.getLogger(__name__)

_SUFFIX = ".entry"
#: Its own files, those whose writing was interrupted among them (the last ones are of an earlier version); others stay.
_NAMES = re.compile(
    r"[0-9a-f]{40}-[0-9]{1,20}\.entry|\.ragstone-[0-9a-f]{40}-[0-9]{1,20}\.entry-[0-9a-f]{16}|\.entry-\w{8}\.new"
)
#: Seconds after which a file that is still being written never will be complete.
_ABANDONED = 3600.0
_DIGITS = re.compile(r"[0-9]{1,20}")


@dataclass(frozen=True)
class Entry:
    """One stored answer. ``key`` is the page's own, ``revision`` in digits, "0" for a search."""

    key: str
    revision: str
    etag: str | None
    retrieved_at: datetime
    body: bytes


class _Facts(BaseModel):
    """The first line of an entry's file; ``body``: the digest of what follows it."""

    form: Literal[1]
    name: tuple[str, ...]
    key: str
    revision: str
    etag: str | None
    retrieved_at: AwareDatetime
    body: str


class Cache:
    """A folder of entries; threads and processes may share it."""

    def __init__(self, folder: Path, *, megabytes: float, unpacked: int) -> None:
        """``unpacked``: bytes that a body may have."""
        self._folder = folder
        self._most = int(megabytes * 1_000_000)
        self._unpacked = unpacked
        self._lock = threading.Lock()

    def get(self, name: tuple[str, ...]) -> Entry | None:
        """The entry of this name that was retrieved last."""
        with suppress(OSError):
            entries = [self._read(path, name) for path in self._folder.glob(f"{_digest(name)}-*{_SUFFIX}")]
            return max(filter(None, entries), key=lambda entry: entry.retrieved_at, default=None)
        return None

    def put(self, name: tuple[str, ...], entry: Entry) -> None:
        """Store the entry, in the place of the one with the same name and revision."""
        if not _DIGITS.fullmatch(entry.revision):  # it is part of a file's name
            raise ValueError(f"{entry.revision!r} is no revision")
        packed = zlib.compress(entry.body, 1)
        digest = hashlib.sha256(packed).hexdigest()
        facts = _Facts.model_validate(vars(entry) | {"form": 1, "name": name, "body": digest})
        content = facts.model_dump_json().encode() + b"\n" + packed
        if len(content) > self._most:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(self._folder / f"{_digest(name)}-{entry.revision}{_SUFFIX}", content, mode=0o600)
            with self._lock:
                self._trim()
        except OSError as error:
            _log.warning("what a wiki answered cannot be kept in %s: %s", self._folder, error)

    def _read(self, path: Path, name: tuple[str, ...]) -> Entry | None:
        try:
            line, _, packed = path.read_bytes().partition(b"\n")
        except OSError:
            return None
        try:
            entry = _entry(_Facts.model_validate_json(line), packed, name, self._unpacked)
        except (ValueError, zlib.error) as error:
            _log.warning("dropped a damaged entry of the wikis' cache, %s: %s", path.name, error)
            with suppress(OSError):
                remove_own_file(path, _NAMES.pattern)
            return None
        with suppress(OSError):
            os.utime(path)  # the entries that were not read for the longest time are removed first
        return entry

    def _trim(self) -> None:
        """Remove the oldest entries until the others have no more than the allowed bytes, and abandoned files."""
        files = []
        for path in self._folder.iterdir():
            if _NAMES.fullmatch(path.name):
                with suppress(FileNotFoundError):  # another process trims as well
                    status = path.lstat()
                    files.append((status.st_mtime, status.st_size, path))
        size = sum(each for _, each, _ in files)
        for changed, own, path in sorted(files):
            is_complete = path.suffix == _SUFFIX
            if (is_complete and size > self._most) or (not is_complete and changed < time.time() - _ABANDONED):
                remove_own_file(path, _NAMES.pattern)
                size -= own


def _entry(facts: _Facts, packed: bytes, name: tuple[str, ...], unpacked: int) -> Entry:
    if facts.name != name:
        raise ValueError("it is of another name")
    if hashlib.sha256(packed).hexdigest() != facts.body:
        raise ValueError("its body is not what it was")
    unpack = zlib.decompressobj()
    body = unpack.decompress(packed, unpacked)
    if not unpack.eof:
        raise ValueError("its body is longer than an answer may be")
    return Entry(facts.key, facts.revision, facts.etag, facts.retrieved_at, body)


def _digest(name: tuple[str, ...]) -> str:
    return hashlib.sha256(json.dumps(name).encode()).hexdigest()[:40]
