"""What a build has done so far, so that another process can go on: part files, and a line for each finished batch.

A line is written when its rows are safely on disk; whatever the part files hold beyond the last line is cut off. So a
kill at any moment costs the batch that was at work and nothing else.
"""

from __future__ import annotations

import io
import json
import os
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ragstone.core import StorageError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

JOURNAL, SHARD = "journal.jsonl", "shard"
EMBEDDINGS, METADATA = "embeddings.npy", "metadata.jsonl"
#: numpy writes the header of any number of rows into so many bytes.
HEADER = 128
_RESTART = "--restart begins anew"


def is_begun(folder: Path) -> bool:
    """Whether the folder holds a build's journal, or its lock alone: an older Ragstone wrote no marker."""
    try:
        if {path.name for path in folder.iterdir()} == {"lock"}:
            return True
        with (folder / JOURNAL).open("rb") as file:
            return "options" in json.loads(file.readline())
    except (OSError, ValueError, TypeError):
        return False


class Journal:
    """The folder of an unfinished build."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / JOURNAL
        self.lines = self._read()

    def _read(self) -> list[dict[str, Any]]:
        """Its whole lines; the last may be cut off."""
        try:
            raw = self._path.read_bytes()
        except FileNotFoundError:
            return []
        found: list[dict[str, Any]] = []
        whole = raw[: raw.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                value = json.loads(line)
            except ValueError:
                value = None
            if not isinstance(value, dict):
                raise StorageError("the journal is damaged", where=f"{self._path}:{number}", hint=_RESTART)
            found.append(value)
        if len(whole) < len(raw):
            os.truncate(self._path, len(whole))
        return found

    def add(self, **line: Any) -> None:
        """Add a line, safely on disk."""
        with self._path.open("ab") as file:
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.lines.append(line)

    @property
    def options(self) -> dict[str, Any] | None:
        """What the build was begun with."""
        return self.lines[0].get("options") if self.lines else None

    @property
    def last(self) -> dict[str, Any]:
        """The newest finished batch; empty when there is none."""
        return next((line for line in reversed(self.lines) if "rows" in line), {})

    @property
    def finished(self) -> dict[str, Any] | None:
        """The finished shard's entry and folder, when only the last steps are left."""
        return self.lines[-1].get("finished") if self.lines else None


class PartFiles:
    """The rows and the metadata of a shard that grows."""

    def __init__(self, folder: Path, dimension: int, *, rows: int, metadata_bytes: int) -> None:
        """Open the files at that length, which they must have. Raises ``StorageError``."""
        folder.mkdir(parents=True, exist_ok=True)
        self._dimension = dimension
        self.rows, self.metadata_bytes = rows, metadata_bytes
        self._vectors = _opened_at(folder / EMBEDDINGS, HEADER + rows * dimension * 4 if rows else 0)
        self._texts = _opened_at(folder / METADATA, metadata_bytes)
        if not rows:
            self._vectors.write(b"\0" * HEADER)

    def add(self, vectors: npt.NDArray[np.float32], rows: list[dict[str, Any]]) -> None:
        """Append rows, safely on disk when this returns."""
        lines = b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)
        self._vectors.write(np.ascontiguousarray(vectors, "<f4").tobytes())
        self._texts.write(lines)
        self.sync()
        self.rows += len(rows)
        self.metadata_bytes += len(lines)

    def sync(self) -> None:
        """Make what was written survive a loss of power."""
        for file in (self._vectors, self._texts):
            file.flush()
            os.fsync(file.fileno())

    def finish(self) -> None:
        """Write the header, now that the number of rows is known."""
        self._vectors.seek(0)
        self._vectors.write(header(self.rows, self._dimension))
        self.sync()

    def close(self) -> None:
        """Let go of the files."""
        self._vectors.close()
        self._texts.close()


def header(rows: int, dimension: int) -> bytes:
    """The header of a ``.npy`` file of that shape, ``HEADER`` bytes long."""
    said = io.BytesIO()
    np.lib.format.write_array_header_1_0(said, {"descr": "<f4", "fortran_order": False, "shape": (rows, dimension)})
    plain = said.getvalue()
    if len(plain) != HEADER:  # numpy pads to a multiple of 64; whoever changes that finds it out here
        raise StorageError(f"numpy wrote a header of {len(plain)} bytes, not {HEADER}")
    return plain


def _opened_at(path: Path, size: int) -> BinaryIO:
    """The file for appending, cut to that size. Raises ``StorageError`` when it is shorter."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    file = os.fdopen(descriptor, "r+b")
    found = file.seek(0, os.SEEK_END)
    if found < size:
        file.close()
        raise StorageError(f"has {found} bytes, but {size} were written", where=str(path), hint=_RESTART)
    file.truncate(size)
    file.seek(size)
    return file
