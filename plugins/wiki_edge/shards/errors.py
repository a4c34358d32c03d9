"""What can be wrong with shards."""

from __future__ import annotations

from pathlib import Path

from ragstone.core import SourceError


class ShardError(SourceError):
    """A shard or its manifest cannot be used; ``where`` names the file and, where there is one, the line or row.

    ``file``, ``line`` (from 1) and ``row`` (from 0, as numpy counts) are the same as facts.
    """

    title = "The shard cannot be used"

    def __init__(
        self,
        what: str,
        *,
        hint: str | None = None,
        file: Path | str | None = None,
        line: int | None = None,
        row: int | None = None,
    ) -> None:
        self.file = None if file is None else str(file)
        self.line = line
        self.row = row
        super().__init__(what, where=place_in(self.file, line, row), hint=hint)


def place_in(file: str | None, line: int | None = None, row: int | None = None) -> str | None:
    """A place in a file, in words: ``metadata.jsonl:17``, ``embeddings.npy: row 16``."""
    if file is None:
        return None
    if line is not None:
        return f"{file}:{line}"
    return file if row is None else f"{file}: row {row}"
