"""The words of a shard on disk: which rows hold a stem, and how much BM25 makes of it there.

Three arrays: ``terms``, sorted 64-bit hashes of the stems with the place where each one's postings begin; ``rows``;
``weights``. A question reads a few hundred bytes to find a stem and then its postings, nothing else.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragstone.core.retrieval import top_sums
from ragstone.core.text import stems

from .file_arrays import FileArray, GrowingArray

# As the host's own full text: BM25's usual constants, and a word in a heading counts one and a half times.
_K1, _B = 1.2, 0.75
_HEADINGS_WEIGHT = 1.5
#: Postings are sorted in so many parts, each of which fits into memory.
_PARTS = 64
_SPILL = 500_000
_POSTING = np.dtype([("term", "<u8"), ("row", "<u4"), ("count", "<f4")])
#: One of so many terms is held in memory, to find the others by.
_STRIDE = 512
#: Postings of a common word that are read at once, and rows whose sums are in memory at once.
_PIECE, _ROWS = 2**15, 2**19


class PostingsWriter:
    """Collects the words of rows, in order, and writes the arrays; memory does not grow with their number but for four
    bytes a row. Its scratch files lie in ``folder`` until ``finish``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._terms, self._rows, self._counts = array("Q"), array("I"), array("f")
        self._lengths = array("I")

    def add(self, headings: str, text: str) -> None:
        """The next row."""
        above, below = stems(headings), stems(text)
        counts: dict[str, float] = {stem: float(count) for stem, count in Counter(below).items()}
        for stem in above:
            counts[stem] = counts.get(stem, 0.0) + _HEADINGS_WEIGHT
        self._terms.extend(term_of(stem) for stem in counts)
        self._rows.extend([len(self._lengths)] * len(counts))
        self._counts.extend(counts.values())
        self._lengths.append(len(above) + len(below))
        if len(self._terms) >= _SPILL:
            self._spill()

    def finish(self, terms: Path, rows: Path, weights: Path) -> None:
        """Write the three arrays and remove the scratch files."""
        self._spill()
        lengths = np.frombuffer(self._lengths, np.uint32) if len(self._lengths) else np.zeros(0, np.uint32)
        norms = _K1 * (1 - _B + _B * lengths / max(float(lengths.mean()) if len(lengths) else 1.0, 1.0))
        places: list[npt.NDArray[np.uint64]] = []
        written = 0
        with GrowingArray(rows, "<u4") as row_file, GrowingArray(weights, "<f2") as weight_file:
            for part in range(_PARTS):
                path = self._part(part)
                if not path.exists():
                    continue
                postings = np.fromfile(path, _POSTING)
                path.unlink()
                postings = postings[np.lexsort((postings["row"], postings["term"]))]
                starts = np.flatnonzero(np.r_[True, postings["term"][1:] != postings["term"][:-1]])
                places.append(np.stack([postings["term"][starts], (starts + written).astype(np.uint64)], axis=1))
                count = postings["count"]
                row_file.add(postings["row"])
                weight_file.add((count * (_K1 + 1) / (count + norms[postings["row"]])).astype("<f2"))
                written += len(postings)
        end = np.array([[np.iinfo(np.uint64).max, written]], np.uint64)
        np.save(terms, np.concatenate([*places, end]).astype("<u8"))

    def _part(self, number: int) -> Path:
        return self._folder / f"postings-{number}.part"

    def _spill(self) -> None:
        postings = np.empty(len(self._terms), _POSTING)
        postings["term"], postings["row"], postings["count"] = self._terms, self._rows, self._counts
        parts = (postings["term"] >> np.uint64(58)).astype(np.uint8)
        order = np.argsort(parts, kind="stable")
        bounds = np.searchsorted(parts[order], np.arange(_PARTS + 1))
        for number, (start, stop) in enumerate(pairwise(bounds.tolist())):
            if stop > start:
                with self._part(number).open("ab") as file:
                    postings[order[start:stop]].tofile(file)
        self._terms, self._rows, self._counts = array("Q"), array("I"), array("f")


class Postings:
    """The words of an open shard. However common a question's words are, no more than a piece of their postings is in
    memory; the system's page cache holds what was read last."""

    def __init__(self, terms: Path, rows: Path, weights: Path, size: int) -> None:
        """Raises ``ShardError`` where the files do not fit together."""
        self._terms = FileArray(terms, dtype="<u8", ndim=2)
        self._rows = FileArray(rows, dtype="<u4", ndim=1)
        self._weights = FileArray(weights, dtype="<f2", ndim=1)
        self._terms.expect((max(len(self._terms), 1), 2))
        self._weights.expect(self._rows.shape)
        self._size = size
        self._guides = self._terms.gather(np.arange(0, len(self._terms), _STRIDE))[:, 0].copy()

    def find(self, words: Sequence[str]) -> dict[str, range]:
        """Where each stem's postings lie: as many as there are rows that hold it."""
        return {word: self._place(term_of(word)) for word in words}

    def best(
        self,
        found: Mapping[str, range],
        weights: Mapping[str, float],
        limit: int,
        mask: npt.NDArray[np.bool_] | None = None,
    ) -> list[tuple[int, float]]:
        """``(row, BM25)`` of the best rows, best first; equal ones in their order.

        ``found``: as ``find`` gives it. ``weights``: each stem's idf. ``mask``: only rows for which it is true.
        """
        best: list[tuple[int, float]] = []
        left = {word: places for word, places in found.items() if places}
        for first in range(0, self._size, _ROWS):
            rows = range(first, min(first + _ROWS, self._size))
            sums = np.zeros(len(rows), np.float32)
            for word, places in left.items():
                end = places.stop if rows.stop == self._size else self._first_at(places, rows.stop)
                for here, scores in self._pieces(range(places.start, end), rows):
                    sums[here - first] += scores * np.float32(weights[word])
                left[word] = range(end, places.stop)
            if mask is not None:
                sums *= mask[rows.start : rows.stop]
            best += [(first + place, score) for place, score in top_sums(sums, limit)]
        return sorted(best, key=lambda each: (-each[1], each[0]))[:limit]

    def _pieces(self, places: range, rows: range) -> Iterator[tuple[npt.NDArray[np.uint32], npt.NDArray[np.float16]]]:
        """The postings at these places, which are of these rows, a piece at a time; none from where they are damaged:
        better nothing than a wrong chunk."""
        for start in range(places.start, places.stop, _PIECE):
            stop = min(start + _PIECE, places.stop)
            read = self._rows.read(start, stop)
            if int(read[0]) < rows.start or int(read[-1]) >= rows.stop or (read[1:] <= read[:-1]).any():
                return
            yield read, self._weights.read(start, stop)

    def _first_at(self, places: range, row: int) -> int:
        """The first of these places with a posting of this row or a later one."""
        return places.start + bisect_left(places, row, key=lambda place: int(self._rows.read(place, place + 1)[0]))

    def _place(self, term: int) -> range:
        """Where the postings of a term lie; nothing for one that is not there."""
        guide = int(np.searchsorted(self._guides, np.uint64(term), side="right")) - 1
        if guide < 0:
            return range(0)
        start = guide * _STRIDE
        near = self._terms.read(start, min(start + _STRIDE + 1, len(self._terms)))
        at = int(np.searchsorted(near[:, 0], np.uint64(term)))
        if at + 1 >= len(near) or int(near[at, 0]) != term:
            return range(0)
        begins, ends = int(near[at, 1]), int(near[at + 1, 1])
        return range(begins, ends) if begins <= ends <= len(self._rows) else range(0)


@lru_cache(maxsize=65536)
def term_of(stem: str) -> int:
    """A stem as a number: two of a shard's million stems are the same with a chance of one in 36 million."""
    return int.from_bytes(blake2b(stem.encode(), digest_size=8).digest(), "little")
