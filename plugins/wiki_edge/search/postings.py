"""The words of a shard on disk: which rows hold a stem, and how much BM25 makes of it there.

Three arrays: ``terms``, sorted 64-bit hashes of the stems with the place where each one's postings begin; ``rows``;
``weights``. A question reads a few hundred bytes to find a stem and then its postings, nothing else.
"""

from __future__ import annotations

from array import array
from collections import Counter, OrderedDict
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from ragstone.core import WordScores, stems

from .file_arrays import FileArray, GrowingArray

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from .memory import Memory

# As the host's own full text: BM25's usual constants, and a word in a heading counts one and a half times.
_K1, _B = 1.2, 0.75
_HEADINGS_WEIGHT = 1.5
#: Postings are sorted in so many parts, each of which fits into memory.
_PARTS = 64
_SPILL = 500_000
_POSTING = np.dtype([("term", "<u8"), ("row", "<u4"), ("count", "<f4")])
#: One of so many terms is held in memory, to find the others by.
_STRIDE = 512


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
    """The words of an open shard. What was read last is held within the budget of memory."""

    def __init__(self, terms: Path, rows: Path, weights: Path, size: int, memory: Memory, cache_bytes: int) -> None:
        """Raises ``ShardError`` where the files do not fit together."""
        self._terms = FileArray(terms, dtype="<u8", ndim=2)
        self._rows = FileArray(rows, dtype="<u4", ndim=1)
        self._weights = FileArray(weights, dtype="<f2", ndim=1)
        self._terms.expect((max(len(self._terms), 1), 2))
        self._weights.expect(self._rows.shape)
        self._size = size
        self._memory = memory
        self._guides = self._terms.gather(np.arange(0, len(self._terms), _STRIDE))[:, 0].copy()
        self._kept: OrderedDict[str, WordScores] = OrderedDict()
        self._kept_bytes = 0
        self._cache_bytes = cache_bytes
        self._lock = Lock()

    def scores(self, words: Sequence[str]) -> dict[str, WordScores]:
        """Of each stem the rows that hold it, ascending, and its part of BM25 there, without idf."""
        found = {}
        for word in words:
            with self._lock:
                known = self._kept.get(word)
                if known is not None:
                    self._kept.move_to_end(word)
            found[word] = known if known is not None else self._read(word)
        return found

    def __del__(self) -> None:
        self._memory.give_back(self._kept_bytes)

    def _read(self, word: str) -> WordScores:
        start, stop = self._place(term_of(word))
        rows = self._rows.read(start, stop)
        if len(rows) and (int(rows[-1]) >= self._size or (rows[1:] <= rows[:-1]).any()):
            rows = rows[:0]  # damaged: better nothing than a wrong passage
        read = WordScores(rows, self._weights.read(start, start + len(rows)).astype(np.float32))
        self._keep(word, read)
        return read

    def _place(self, term: int) -> tuple[int, int]:
        """Where the postings of a term begin and end; nothing for one that is not there."""
        guide = int(np.searchsorted(self._guides, np.uint64(term), side="right")) - 1
        if guide < 0:
            return 0, 0
        start = guide * _STRIDE
        near = self._terms.read(start, min(start + _STRIDE + 1, len(self._terms)))
        at = int(np.searchsorted(near[:, 0], np.uint64(term)))
        if at + 1 >= len(near) or int(near[at, 0]) != term:
            return 0, 0
        begins, ends = int(near[at, 1]), int(near[at + 1, 1])
        return (begins, ends) if begins <= ends <= len(self._rows) else (0, 0)

    def _keep(self, word: str, read: WordScores) -> None:
        size = read.keys.nbytes + read.scores.nbytes
        if size > self._cache_bytes // 4:
            return
        with self._lock:
            while self._kept_bytes + size > self._cache_bytes:
                _, old = self._kept.popitem(last=False)
                freed = old.keys.nbytes + old.scores.nbytes
                self._kept_bytes -= freed
                self._memory.give_back(freed)
            if word not in self._kept and self._memory.take(size):
                self._kept[word] = read
                self._kept_bytes += size


@lru_cache(maxsize=65536)
def term_of(stem: str) -> int:
    """A stem as a number: two of a shard's million stems are the same with a chance of one in 36 million."""
    return int.from_bytes(blake2b(stem.encode(), digest_size=8).digest(), "little")
