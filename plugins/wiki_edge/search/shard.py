"""One open shard: its rows by meaning and by words, and those that have no vectors by words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np
import numpy.typing as npt
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

from ragstone.core import Encoder
from ragstone.core.text import is_packed, pack

from ..shards.clusters import Clusters
from ..shards.codes import Codes
from ..shards.errors import ShardError
from ..shards.file_arrays import FileArray, FileLines, MemoryBudget
from ..shards.files import open_regular
from ..shards.manifest import ShardEntry
from ..shards.metadata import read_line
from ..shards.postings import Postings
from ..shards.side_files import MOST_DOMAINS, headings_of, of_rest, side_files
from ..shards.writer import embedded_text
from .vector_cache import VectorCache


class Hit(TypedDict):
    """The specification's ``{score, metadata}``, with what the score is made of."""

    #: By which the hits are ordered: of words and meaning together; of a vector alone, its cosine.
    score: float
    metadata: Mapping[str, Any]
    cosine: NotRequired[float | None]
    shard: NotRequired[str]


#: The headings of a chunk; all other metadata are for citations.
_ABOVE = ("title", "heading")


def node_of(hit: Hit) -> TextNode:
    """The hit as a LlamaIndex node."""
    metadata = {name: value for name, value in hit["metadata"].items() if name != "text" and value is not None}
    ordered = {name: metadata.pop(name) for name in _ABOVE if metadata.get(name)}
    ordered |= {name: value for name, value in metadata.items() if name not in _ABOVE} | {"shard": hit["shard"]}
    return TextNode(
        id_=f"{hit['shard']}:{hit['metadata']['id']}",
        text=hit["metadata"]["text"],
        metadata=ordered,
        metadata_template="{value}",
        excluded_embed_metadata_keys=[name for name in ordered if name not in _ABOVE],
        # A chunk's id is its article's and its number.
        relationships={
            NodeRelationship.SOURCE: RelatedNodeInfo(
                node_id=hit["metadata"]["id"].rpartition("#")[0] or hit["metadata"]["id"]
            )
        },
    )


#: Rows that are read and compared exactly for each that is asked for; and the fewest, for each fourth root of the rows:
#: 186 of 120,000, 316 of a million. Recall of the ten nearest is then 0.998 and 0.997. Of the hundred that fusion asks
#: for it is 0.91, and nDCG@10 is the same to four digits as with 4 or 40 for one (1,500 SQuAD questions, SciFact).
_RESCORED_FOR_ONE = 2
_RESCORED = 10
#: No cosine is larger, by however much the rows' lengths may differ from 1.
_LARGEST = 1.01
#: Chunks without a vector that a question may have embedded: some 60 ms each on one processor.
_EMBEDDED = 8
_LONGEST_DOMAINS = 16_000_000


class ShardTexts:
    """The lines of a shard and their words. Safe for several threads.

    The files are opened once: a shard that is replaced or removed on the disk goes on answering as it was.
    """

    def __init__(self, entry: ShardEntry, root: Path, files: Mapping[str, Path]) -> None:
        """``files``: the lines and their side files. Raises ``ShardError`` with the file and the reason."""
        self.entry = entry
        self.root = root
        offsets = FileArray(files["offsets"], dtype="<u8", ndim=1)
        self._size = max(0, len(offsets) - 1)
        self._lines = FileLines(files["lines"], offsets)
        #: The words of its rows.
        self.postings = Postings(files["terms"], files["term_rows"], files["term_weights"], self._size)
        self._packed = FileArray(files["packed"], dtype="<u4", ndim=1)
        self._packed_starts = FileArray(files["packed_starts"], dtype="<u8", ndim=1)
        self._packed_starts.expect((self._size + 1,))
        self._domains = _domains(files["domains"])
        self._row_domains = FileArray(files["row_domains"], dtype="<u2", ndim=1)
        self._row_domains.expect((self._size,))

    def __len__(self) -> int:
        return self._size

    def of_domain(self, domain: str) -> npt.NDArray[np.bool_] | None:
        """Which rows are of that domain; ``None`` where all are. A row that names none is of the shard's."""
        known = {name: number for number, name in enumerate(self._domains)}
        if known.keys() <= {""}:
            return None if self.entry.domain == domain else np.zeros(len(self), bool)
        here = self._row_domains.read()
        found: npt.NDArray[np.bool_] = here == known.get(domain, len(known))
        if self.entry.domain == domain and "" in known:
            found |= here == known[""]
        return found

    def metadata(self, row: int) -> dict[str, Any]:
        """The row's metadata. Raises ``ShardError`` with the line and the reason."""
        return read_line(self._lines.line(row), self._lines.path, row + 1)

    def metadata_of(self, name: str) -> dict[str, Any] | None:
        """The metadata of the row with that id, if there is one. Raises ``ShardError``."""
        # JSON may have escaped all but letters and digits.
        part = max(re.findall(rb"[A-Za-z0-9]+", name.encode("ascii", "ignore")), key=len, default=b"")
        for row in range(len(self)):
            if part in self._lines.line(row) and (known := self.metadata(row))["id"] == name:
                return known
        return None

    def packed(self, row: int) -> bytes:
        """The row's packed terms, for reranking."""
        start, stop = (int(place) for place in self._packed_starts.read(row, row + 2))
        if 0 <= start <= stop <= len(self._packed):
            found = self._packed.read(start, stop).tobytes()
            if is_packed(found):
                return found
        known = self.metadata(row)
        return pack(headings_of(known), known["text"])


def _domains(path: Path) -> list[str]:
    """The domains that a shard's rows name, by their numbers. Raises ``ShardError``."""
    with open_regular(path) as file:
        raw = file.read(_LONGEST_DOMAINS + 1)
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found) or len(found) > MOST_DOMAINS:
        raise ShardError("is no list of domains", file=path, hint="remove it: it is made again")
    return found


class RestTexts(ShardTexts):
    """The chunks of a shard that were given no vectors: they are found by their words, and get their vectors when a
    question's words find them. These are kept in the cache."""

    def __init__(
        self, entry: ShardEntry, root: Path, files: Mapping[str, Path], cache: Path, encoder: Callable[[], Encoder]
    ) -> None:
        """As ``ShardTexts`` and ``Shard``."""
        super().__init__(entry, root, files)
        self._encoder = encoder
        self._vectors = VectorCache(cache, files["lines"], (len(self), entry.dim))

    def nearest(self, *_: object) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Rows and their cosines; none, because there are no vectors to go through."""
        return np.zeros(0, np.int64), np.zeros(0, np.float32)

    def cosines(self, question: npt.NDArray[np.float32], rows: Sequence[int]) -> dict[int, float]:
        """Cosines of these rows, the most wanted first; of those without a vector the first ``_EMBEDDED`` get one, and
        the others are left out. Raises ``EncoderError``."""
        encoder = self._encoder()
        known = self._vectors.of(encoder.fingerprint, rows)
        wanted = [row for row in rows if row not in known][:_EMBEDDED]
        if wanted:
            texts = [embedded_text(self.metadata(row)) for row in wanted]
            new = dict(zip(wanted, encoder.embed_texts(texts), strict=True))
            self._vectors.keep(encoder.fingerprint, new)
            known |= new
        return {row: float(vector @ question) for row, vector in known.items()}


class Shard(ShardTexts):
    """Made of an entry and its files; what it holds in memory is counted by ``memory``."""

    def __init__(
        self, entry: ShardEntry, root: Path, cache: Path, memory: MemoryBudget, encoder: Callable[[], Encoder]
    ) -> None:
        """``encoder``: embeds chunks that have no vector. Raises ``ShardError`` with the file and the reason, and
        ``StorageError`` where side files cannot be made."""
        place = entry.place(root)
        self._embeddings = FileArray(place.embeddings, dtype="<f4", ndim=2)
        if self._embeddings.shape != (entry.size, entry.dim):
            raise ShardError(
                f"has the shape {self._embeddings.shape}, and the manifest says {(entry.size, entry.dim)}",
                file=place.embeddings,
            )
        sides = side_files(entry, place, cache)
        super().__init__(entry, root, {**sides, "lines": place.metadata})
        if len(self) != entry.size:
            raise ShardError(f"has the offsets of {len(self):,} lines, not {entry.size:,}", file=sides["offsets"])
        clusters = None
        if "clusters" in sides:
            clusters = Clusters(
                sides["clusters"], sides["cluster_starts"], sides["cluster_order"], entry.size, entry.dim
            )
        self._codes = Codes(sides["codes"], sides["centre"], (entry.size, entry.dim), memory, clusters)
        rest = place.side_files.get("rest")
        #: Its chunks without vectors, if there are some.
        self.rest = None if rest is None else RestTexts(entry, root, {**of_rest(sides), "lines": rest}, cache, encoder)

    def nearest(
        self, question: npt.NDArray[np.float32], limit: int, mask: npt.NDArray[np.bool_] | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Rows and their cosines, best first. ``mask``: only rows for which it is true."""
        rescored = max(round(_RESCORED * len(self) ** 0.25), _RESCORED_FOR_ONE * limit)
        rows = self._codes.nearest(question, rescored, mask)
        cosines = self._cosines(question, rows)
        # A row whose length is not 1, which no verified shard has, is near nothing.
        good = np.abs(cosines) <= _LARGEST
        rows, cosines = rows[good], cosines[good]
        best = np.lexsort((rows, -cosines))[:limit]
        return rows[best], cosines[best]

    def cosines(self, question: npt.NDArray[np.float32], rows: Sequence[int]) -> dict[int, float]:
        """Cosines of these rows; rows that are no directions are left out."""
        found = self._cosines(question, np.asarray(rows, np.int64)).tolist()
        return {row: cosine for row, cosine in zip(rows, found, strict=True) if abs(cosine) <= _LARGEST}

    def _cosines(self, question: npt.NDArray[np.float32], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        # One product of vectors a row, so that a row's cosine does not depend on which others are read with it.
        found: npt.NDArray[np.float32] = np.einsum("ij,j->i", self._embeddings.gather(rows), question)
        return found
