"""A small strict reader of ZIM files, the format of Kiwix. The format: wiki.openzim.org/wiki/ZIM_file_format

libzim's Python package is under the GPL and pyzim does not install on Python 3, so this reads what a shard needs:
the articles. Nothing is mapped into memory (a file that is cut off meanwhile would end the process), every offset is
checked against the file, and what a cluster may unpack to is limited.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from ragstone.core import SourceError

from .compression import decompressed

Limits = npt.NDArray[np.unsignedinteger]
Read = Callable[[int, int], bytes]

_MAGIC = 72173914
_HEADER = struct.Struct("<IHH16sIIQQQQIIQ")
_VERSIONS = (5, 6)
#: Bytes of the MD5 with which a file ends.
_CHECKSUM = 16
_REDIRECT, _DELETED = 0xFFFF, 0xFFFD
_NOTHING = 0xFFFFFFFF
_LONGEST_MIME_LIST = 1 << 16
_LONGEST_NAME = 4096
_DIRENT = struct.Struct("<HBcI")
#: Bytes that a cluster may unpack to, and a blob may have. Writers make clusters of one or two megabytes.
_LARGEST_CLUSTER = 256 * 2**20
LARGEST_BLOB = 32 * 2**20
_EXTENDED = 0x10
_PLAIN = (0, 1)


@dataclass(frozen=True)
class Entry:
    """A directory entry with content of its own."""

    index: int
    namespace: str
    path: str
    title: str
    mime: str
    cluster: int
    blob: int


class ZimFile:
    """An open file. Every method raises ``SourceError`` for what the file must not hold."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self.size = os.fstat(self._fd).st_size
            self._read_header()
        except BaseException:
            os.close(self._fd)
            raise
        #: The cluster that was read last.
        self._opened: tuple[int, Read, Limits] | None = None

    def __enter__(self) -> ZimFile:
        return self

    def __exit__(self, *_error: object) -> None:
        os.close(self._fd)

    def _fail(self, what: str) -> NoReturn:
        raise SourceError(what, where=str(self._path), hint="get the file again")

    def _read_header(self) -> None:
        if self.size < _HEADER.size:
            self._fail(f"is no ZIM file: it has {self.size} bytes, less than its header")
        header = _HEADER.unpack(self._at(0, _HEADER.size))
        magic, major, minor, uuid, self.entries, self.clusters = header[:6]
        self._urls, _titles, self._clusters, mimes, main = header[6:11]
        if magic != _MAGIC:
            self._fail("is no ZIM file: it begins with something else")
        if major not in _VERSIONS:
            self._fail(f"has version {major} of the format; known are 5 and 6")
        self.uuid = uuid.hex()
        #: Since version 6.1 articles and pictures share the namespace C.
        self.content = "C" if major > _VERSIONS[0] and minor >= 1 else "A"
        self.main = None if main == _NOTHING else main
        if header[12] + _CHECKSUM != self.size:
            self._fail(f"is cut off: it should have {header[12] + _CHECKSUM} bytes, but has {self.size}")
        for what, start, count in (("entries", self._urls, self.entries), ("clusters", self._clusters, self.clusters)):
            if start + 8 * count > self.size:
                self._fail(f"is cut off: its list of {count} {what} would end at byte {start + 8 * count}")
        self._mimes = self._mime_list(mimes)

    def _mime_list(self, start: int) -> list[str]:
        raw = self._at(start, min(_LONGEST_MIME_LIST, max(0, self.size - start)))
        whole, end, _ = raw.partition(b"\0\0")
        try:
            names = [name.decode() for name in whole.split(b"\0")] if end else []
        except UnicodeDecodeError:
            names = []
        if not names or not all("/" in name and name.isprintable() and len(name) < 256 for name in names):
            self._fail("its list of MIME types is damaged")
        return names

    def _up_to(self, offset: int, length: int) -> bytes:
        """At most so many bytes: fewer at the end of the file."""
        try:
            return os.pread(self._fd, length, offset)
        except (OSError, OverflowError) as error:
            self._fail(f"cannot be read at byte {offset}: {error}")

    def _at(self, offset: int, length: int) -> bytes:
        data = self._up_to(offset, length)
        if len(data) < length:
            self._fail(f"is cut off: {length} bytes are missing at byte {offset}")
        return data

    def entry(self, index: int) -> Entry | None:
        """The entry with that number in the order of paths; ``None`` for a redirect or a deleted one."""
        if not 0 <= index < self.entries:
            self._fail(f"there is no entry {index} of {self.entries}")
        offset = int.from_bytes(self._at(self._urls + 8 * index, 8), "little")
        raw = self._at(offset, 16) + self._up_to(offset + 16, 2 * _LONGEST_NAME)
        mime, _extra, namespace, _revision = _DIRENT.unpack_from(raw)
        if mime >= _DELETED:
            return None
        if mime >= len(self._mimes):
            self._fail(f"entry {index} has the MIME type {mime} of {len(self._mimes)}")
        cluster, blob = struct.unpack_from("<II", raw, 8)
        names = raw[16:].split(b"\0", 2)
        if len(names) < 3:
            self._fail(f"entry {index} has a name without an end")
        path, title = (name.decode("utf-8", "replace") for name in names[:2])
        return Entry(index, namespace.decode("latin-1"), path, title or path, self._mimes[mime], cluster, blob)

    def target(self, index: int) -> int:
        """Where the redirects from that entry end, after ten at most."""
        for _ in range(10):
            offset = int.from_bytes(self._at(self._urls + 8 * index, 8), "little")
            if int.from_bytes(self._at(offset, 2), "little") != _REDIRECT:
                break
            index = int.from_bytes(self._at(offset + 8, 4), "little")
            if index >= self.entries:
                self._fail(f"a redirect leads to entry {index} of {self.entries}")
        return index

    def find(self, namespace: str, path: str) -> Entry | None:
        """The entry of that path, by binary search: entries are in the order of namespace and path."""
        wanted, low, high = (namespace + path).encode(), 0, self.entries
        while low < high:
            middle = (low + high) // 2
            offset = int.from_bytes(self._at(self._urls + 8 * middle, 8), "little")
            raw = self._up_to(offset, 16 + _LONGEST_NAME)
            start = 12 if raw[:2] == b"\xff\xff" else 16
            found = raw[3:4] + raw[start:].partition(b"\0")[0]
            if found == wanted:
                return self.entry(middle)
            low, high = (middle + 1, high) if found < wanted else (low, middle)
        return None

    def blob(self, entry: Entry) -> bytes:
        """The entry's content."""
        if entry.cluster >= self.clusters:
            self._fail(f"entry {entry.index} lies in cluster {entry.cluster} of {self.clusters}")
        if self._opened is None or self._opened[0] != entry.cluster:
            self._opened = (entry.cluster, *self._open(entry.cluster))
        _, read, limits = self._opened
        if entry.blob + 1 >= len(limits):
            self._fail(f"cluster {entry.cluster} has no blob {entry.blob}")
        start, end = int(limits[entry.blob]), int(limits[entry.blob + 1])
        if end - start > LARGEST_BLOB:
            self._fail(f"blob {entry.blob} of cluster {entry.cluster} has {end - start} bytes")
        return read(start, end - start)

    def check_clusters(self) -> None:
        """Check the offsets within each uncompressed cluster; the others are checked when unpacked."""
        for cluster in range(self.clusters):
            if self._how(cluster)[0] & 0x0F in _PLAIN:
                self._open(cluster)

    def _how(self, cluster: int) -> tuple[int, int]:
        """How a cluster is compressed, and where it begins."""
        offset = int.from_bytes(self._at(self._clusters + 8 * cluster, 8), "little")
        return self._at(offset, 1)[0], offset + 1

    def _open(self, cluster: int) -> tuple[Read, Limits]:
        """What reads so many bytes at a place of the cluster, unpacked if it is compressed, and its blobs' offsets."""
        how, offset = self._how(cluster)
        data: bytes | None = None
        if how & 0x0F not in _PLAIN:
            try:
                data = decompressed(how & 0x0F, self._reader_at(offset), _LARGEST_CLUSTER)
            except ValueError as error:
                self._fail(f"cluster {cluster} cannot be unpacked: {error}")

        def read(at: int, size: int) -> bytes:
            return self._at(offset + at, size) if data is None else data[at : at + size]

        return read, self._limits(cluster, how, self.size - offset if data is None else len(data), read)

    def _limits(self, cluster: int, how: int, size: int, read: Read) -> Limits:
        """The offsets of a cluster's blobs and the end of the last; the first offset implies their number."""
        width = 8 if how & _EXTENDED else 4
        first = int.from_bytes(read(0, width), "little")
        if first % width or not width < first <= size:
            self._fail(f"cluster {cluster} has no list of blobs")
        found = np.frombuffer(read(0, first), f"<u{width}")
        if int(found[-1]) > size or (found[1:] < found[:-1]).any():
            self._fail(f"the blobs of cluster {cluster} lie at impossible offsets")
        return found

    def _reader_at(self, offset: int) -> Callable[[int], bytes]:
        """Reads on from there with each call."""

        def read(length: int) -> bytes:
            nonlocal offset
            found = self._up_to(offset, length)
            offset += len(found)
            return found

        return read
