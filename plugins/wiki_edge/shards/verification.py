"""Verifies a folder of shards: every file, row and line, read once, in bounded memory."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragstone.core.answering import check_type

from .errors import ShardError, place_in
from .file_arrays import FileArray
from .files import open_regular, read_errors
from .manifest import NAME, FileSum, Manifest, ShardEntry
from .metadata import check_lines
from .signatures import signer

#: Faults of one file that are named one by one.
MOST = 100
#: Bytes that are read at once.
_BLOCK = 2**20
#: How far a row's length may be from 1: normalising in half precision is off by less.
_TOLERANCE = 1e-3


@dataclass(frozen=True)
class Fault:
    """Something that is wrong: the file (relative to the manifest's folder), its line (from 1) or row (from 0), why."""

    file: str
    line: int | None
    reason: str
    row: int | None = None
    shard: str | None = None

    def __str__(self) -> str:
        return f"{place_in(self.file, self.line, self.row)}: {self.reason}"


def verify(
    path: Path, *, trusted_keys: Collection[str] = (), require_signature: bool = False, most: int = MOST
) -> list[Fault]:
    """Everything that is wrong with the manifest (or the folder that holds it) and its shards.

    Of each file at most ``most`` faults are named, then how many more there are. A signature must hold where there is
    one; with ``require_signature`` each shard must have one by a trusted key. Raises nothing for what it reads.
    """
    check_type(path, "path", Path, "a path")
    path = path / NAME if path.is_dir() else path
    faults = Faults(path.parent, most)
    try:
        manifest = Manifest.read(path)
    except ShardError as error:
        faults.add(error, file=path.name)
        return faults.found()
    for entry in manifest.shards:
        faults.shard = entry.id
        try:
            by = signer(entry, path.parent, trusted_keys)
        except ShardError as error:
            faults.add(error, file=path.name)
        else:
            if require_signature and (by is None or not by.trusted):
                what = "is not signed" if by is None else f"is signed by {by.key}, which is not a trusted key"
                faults.add(ShardError(f"shard {entry.id!r} {what}"), file=path.name)
        check_files(entry, path, faults)
    return faults.found()


def check_files(entry: ShardEntry, manifest: Path, faults: Faults) -> None:
    """Add to ``faults`` what is wrong with the shard's files."""
    faults.shard = entry.id
    try:
        place = entry.place(manifest.parent)
    except ShardError as error:
        faults.add(error)
        return
    sums: dict[str, str | None] = {}
    for name, path, check in (
        (entry.embedding_name, place.embeddings, _check_rows),
        (entry.metadata_name, place.metadata, check_lines),
    ):
        sums[name] = None
        try:
            with read_errors(path):
                sums[name] = check(path, entry, faults.add)
        except ShardError as error:
            faults.add(error)
    compare_sums(entry, manifest, faults, sums)


def _check_rows(path: Path, entry: ShardEntry, found: Callable[[ShardError], None]) -> str:
    """Call ``found`` for every row that is not finite or not of unit length.

    Returns the file's SHA-256. Memory does not grow with the file. Raises ``ShardError`` for a file that is so wrong
    that it is not read to its end.
    """
    array = FileArray(path, dtype="<f4", ndim=2)
    if array.shape != (entry.size, entry.dim):
        what = f"has the shape {array.shape}, but the manifest says size {entry.size} and dim {entry.dim}"
        raise ShardError(what, file=path)
    digest, rows = sha256(array.header()), max(1, _BLOCK // (4 * entry.dim))
    for start in range(0, entry.size, rows):
        block = array.read(start, min(start + rows, entry.size))
        digest.update(block.data)
        for row, reason in _faulty(block):
            found(ShardError(reason, file=path, row=start + row))
    return digest.hexdigest()


def _faulty(block: npt.NDArray[np.float32]) -> Iterator[tuple[int, str]]:
    """Rows of the block and what is wrong with them."""
    with np.errstate(all="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
        bad = ~(np.abs(lengths - 1) <= _TOLERANCE)  # written so that NaN is bad
    for row in np.flatnonzero(bad).tolist():
        is_finite = np.isfinite(block[row]).all()
        yield row, f"has the length {lengths[row]:.6g}, not 1" if is_finite else "holds a NaN or infinity"


def sums_in(files: Mapping[str, Path]) -> dict[str, FileSum]:
    """Checksum and size of each file by its name. Raises ``ShardError`` when one cannot be read."""
    return {name: sum_of(path) for name, path in sorted(files.items())}


class Faults:
    """Collects faults, and counts those of a file beyond the most that are named."""

    def __init__(self, root: Path, most: int = MOST) -> None:
        self.shard: str | None = None
        self._roots = (root, root.resolve())
        self._most = most
        self._found: list[Fault] = []
        self._counts: Counter[str] = Counter()

    def add(self, error: ShardError, *, file: str | None = None) -> None:
        """Add the error; ``file``: in place of the file that it names."""
        name = file or self._relative(error.file or NAME)
        self._counts[name] += 1
        if self._counts[name] <= self._most:
            self._found.append(Fault(name, error.line, error.what, error.row, self.shard))

    def found(self) -> list[Fault]:
        """All of them, in the order of finding."""
        more = [
            Fault(name, None, f"and {count - self._most} more faults")
            for name, count in self._counts.items()
            if count > self._most
        ]
        return [*self._found, *more]

    def _relative(self, file: str) -> str:
        for root in self._roots:
            if Path(file).is_relative_to(root):
                return Path(file).relative_to(root).as_posix()
        return file


def compare_sums(
    entry: ShardEntry, manifest: Path, faults: Faults, sums: Mapping[str, str | None], ends: float = math.inf
) -> None:
    """Compare every file with its size and checksum, where the entry has them.

    ``sums``: of those that were hashed while they were read. Raises ``TimeoutError`` where ``time.monotonic`` reaches
    ``ends`` before all are read, ``ShardError`` for paths that lead out of the folder.
    """
    if entry.files is None:
        return
    listed, place = entry.files, entry.place(manifest.parent)
    for name in place.files.keys() - listed.keys():
        faults.add(ShardError(f"shard {entry.id!r}: 'files' does not list {name!r}"), file=manifest.name)
    for name, wanted in listed.items():
        digest = sums.get(name, "")
        if digest is None:
            continue  # a fault already says why it was not read
        path = place.files[name]
        try:
            found = FileSum(sha256=digest, bytes=path.stat().st_size) if digest else sum_of(path, ends)
        except ShardError as error:
            faults.add(error)
            continue
        if found.bytes != wanted.bytes:
            faults.add(ShardError(f"has {found.bytes} bytes, but the manifest says {wanted.bytes}", file=path))
        elif found.sha256 != wanted.sha256:
            what = f"has the SHA-256 {found.sha256}, but the manifest says {wanted.sha256}"
            faults.add(ShardError(what, file=path))


def sum_of(path: Path, ends: float = math.inf) -> FileSum:
    """Checksum and size of a file. Raises ``ShardError`` when it cannot be read, ``TimeoutError`` after ``ends``."""
    digest = sha256()
    with read_errors(path), open_regular(path) as file:
        while (block := file.read(_BLOCK)) and time.monotonic() < ends:
            digest.update(block)
        size = file.tell()
    if block:
        raise TimeoutError
    return FileSum(sha256=digest.hexdigest(), bytes=size)
