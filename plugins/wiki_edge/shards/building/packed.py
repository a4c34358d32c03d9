"""The packed terms of chunks, which answers are reranked by: made with the part, so that merging need not make them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any, Self

import numpy as np

from ragstone.core.text import pack

from ..file_arrays import GrowingArray
from ..side_files import NAMES, headings_of

#: Of a part: the terms of the chunks with vectors and without, and how many numbers each chunk has, all uint32.
_TERMS, _SIZES = ("packed.bin", "rest-packed.bin"), ("packed-sizes.bin", "rest-packed-sizes.bin")
_PREFIXES = ("", "rest-")


class PackedTerms:
    """Writes those of a part."""

    def __init__(self, folder: Path) -> None:
        with ExitStack() as files:
            self._files = [
                tuple(files.enter_context((folder / name).open("wb")) for name in pair)
                for pair in zip(_TERMS, _SIZES, strict=True)
            ]
            self._close = files.pop_all().close

    def add(self, *kinds: Sequence[Mapping[str, Any]]) -> None:
        """The next rows with vectors, and those without."""
        for (terms, sizes), rows in zip(self._files, kinds, strict=True):
            packed = [pack(headings_of(row), row["text"]) for row in rows]
            terms.write(b"".join(packed))
            sizes.write(np.array([len(each) // 4 for each in packed], "<u4").tobytes())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in chain(*self._files):
            file.flush()
            os.fsync(file.fileno())
        self._close()


class MergedTerms:
    """Puts those of all parts together, as side files of the shard."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with ExitStack() as files:
            self._arrays = [
                tuple(
                    files.enter_context(GrowingArray(folder / f"{prefix}{NAMES[purpose]}", dtype))
                    for purpose, dtype in (("packed", "<u4"), ("packed_starts", "<u8"))
                )
                for prefix in _PREFIXES
            ]
            self._close = files.pop_all().close
        self._ends = [0, 0]

    def add(
        self,
        blocks: Callable[[str], Iterable[bytes]],
        articles: Sequence[tuple[str, int, bool]],
        taken: Sequence[bool],
    ) -> None:
        """The next part: ``blocks`` reads its files; of the articles those that are taken."""
        for kind, (terms, starts) in enumerate(self._arrays):
            numbers = np.frombuffer(b"".join(blocks(_TERMS[kind])), "<u4")
            sizes = np.frombuffer(b"".join(blocks(_SIZES[kind])), "<u4").astype(np.int64)
            counts = np.array([count if is_first != bool(kind) else 0 for _, count, is_first in articles], np.int64)
            rows = np.repeat(np.array(taken, bool), counts)
            terms.add(numbers if rows.all() else numbers[np.repeat(rows, sizes)])
            kept = sizes[rows]
            starts.add(self._ends[kind] + np.cumsum(kept) - kept)
            self._ends[kind] += int(kept.sum())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for (_terms, starts), end in zip(self._arrays, self._ends, strict=True):
            starts.add([end])
        self._close()
        if not self._ends[1]:
            for purpose in ("packed", "packed_starts"):
                (self._folder / f"{_PREFIXES[1]}{NAMES[purpose]}").unlink()
