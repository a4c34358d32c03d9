"""What retrieval takes and gives: the corpus that is searched, and what was found in it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..errors import BadRequest
from ..text.chunk_terms import ChunkTerms, terms_of
from ..text.stemming import stem_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import numpy as np
    import numpy.typing as npt
    from llama_index.core.schema import BaseNode, NodeWithScore

    from ..catalog import Catalog, CorpusRow
    from ..embedding import Encoder
    from ..settings import RetrievalSettings
    from .contents import CorpusContents
    from .follow_up import FollowUp
    from .fusion import Scores
    from .search_cache import SearchCache

Found = TypeVar("Found")

#: Chunks that one question may be given.
MOST_CHUNKS = 50


class SearchableCorpus(Protocol):
    """A corpus as retrieval sees it."""

    @property
    def name(self) -> str: ...
    @property
    def catalog(self) -> Catalog: ...
    @property
    def encoder(self) -> Encoder: ...
    @property
    def options(self) -> RetrievalSettings: ...
    @property
    def search_cache(self) -> SearchCache: ...
    @property
    def contents(self) -> CorpusContents: ...

    def has_vectors(self, row: CorpusRow) -> bool:
        """Whether its vectors can be compared with those of its encoder."""


@dataclass(frozen=True)
class Spelling:
    """How the corpus spells a question's words, where that is known."""

    #: Stems that look misspelt, and those of the corpus that they were taken for.
    corrections: Mapping[str, str] = field(default_factory=dict)
    #: Stems that none of the chunks has that were searched.
    unknown: frozenset[str] = frozenset()

    def correct(self, stem: str) -> str:
        """The stem that is meant."""
        return self.corrections.get(stem, stem)

    def hashes(self, stems: Iterable[str]) -> set[int]:
        """The hashes of the stems that are meant."""
        return {stem_hash(self.correct(stem)) for stem in stems}


@dataclass(frozen=True)
class Timings:
    """Milliseconds spent on the parts of one answer."""

    encode: float = 0.0
    retrieve: float = 0.0
    answer: float = 0.0

    def to_dict(self) -> dict[str, float]:
        """Milliseconds, to a tenth of one."""
        return {part: round(spent, 1) for part, spent in asdict(self).items()}


@dataclass(frozen=True)
class Retrieval:
    """The chunks that a question was offered, best first, and what was found out on the way."""

    question: str
    nodes: tuple[NodeWithScore, ...] = ()
    scores: Mapping[str, Scores] = field(default_factory=dict)
    #: How much each stem of the question tells in this corpus (BM25's idf).
    idf: Mapping[str, float] = field(default_factory=dict)
    vector: npt.NDArray[np.float32] | None = None
    spelling: Spelling = field(default_factory=Spelling)
    #: Evidence below which the corpus refuses.
    threshold: float = 0.0
    #: The question with the earlier ones that it needs, for a follow-up question.
    follow_up: FollowUp | None = None
    #: What is shown before words that are quoted from a chunk, such as their writer; ``None``: nothing.
    setting: Callable[[BaseNode, str], str | None] = lambda _node, _quote: None
    #: Chunks that a postprocessor took away, with its plugin.
    cut: tuple[tuple[NodeWithScore, str], ...] = ()
    #: By node id: the cosine of each unit of the chunk with the question, NaN where there is none.
    sentence_cosines: Mapping[str, npt.NDArray[np.floating[Any]]] = field(default_factory=dict)
    #: By node id: the terms that are stored with the chunk.
    stored_terms: Mapping[str, ChunkTerms] = field(default_factory=dict)
    timings: Timings = field(default_factory=Timings)
    #: What ``computed_once`` has computed, by name; ``dataclasses.replace`` begins with none.
    computed: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    _terms: dict[int, ChunkTerms] = field(default_factory=dict, init=False, repr=False, compare=False)

    def terms(self, chunk: int) -> ChunkTerms:
        """The terms of the chunk with this index; those that are stored, unless a retriever cut its text since."""
        if chunk not in self._terms:
            node = self.nodes[chunk].node
            stored = self.stored_terms.get(node.node_id)
            is_cut = stored is not None and stored.units and stored.units[-1].end > len(node.get_content())
            self._terms[chunk] = terms_of(node) if stored is None or is_cut else stored
        return self._terms[chunk]


def computed_once(retrieval: Retrieval, name: str, compute: Callable[[], Found]) -> Found:
    """What the function computes from the retrieval, by a name of its own; computed once for each retrieval."""
    if name not in retrieval.computed:
        retrieval.computed[name] = compute()
    found: Found = retrieval.computed[name]
    return found


def asked_of(retrieval: Retrieval) -> str:
    """The question without the earlier ones that it needs."""
    return retrieval.follow_up.asked if retrieval.follow_up else retrieval.question


def check_top_k(top_k: object, most: int | None = MOST_CHUNKS) -> None:
    """Raise ``BadRequest`` for a number of chunks that nobody can be given."""
    if isinstance(top_k, bool) or not isinstance(top_k, int):
        raise BadRequest("top_k must be a whole number")
    if top_k < 1 or (most is not None and top_k > most):
        allowed = "1 or more" if most is None else f"from 1 to {most}"
        raise BadRequest(f"top_k must be {allowed}, not {top_k}")
