"""A chunk's sentences and their stems, computed once for ranking, evidence gate and quotes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING

from .irregular_verbs import form_hashes
from .segmentation import Unit, units
from .sentence_kinds import Kind, kinds
from .spelling import synonym_hashes
from .stated_kinds import packed_in, stated_kind, unpack_kinds
from .stemming import stem_hashes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence, Set

    from llama_index.core.schema import BaseNode

#: Chunks whose terms are cached: those of some twenty questions, about 10 MB.
_CACHED_CHUNKS = 512
#: Characters of a text whose terms are cached. A longer one is a reader's selection, which is seldom used twice.
_LONGEST_CACHED = 8_000
#: Weight of a word of the question that is only in the headings above, in the sentence before, or in the one after.
#: The sentence before often has what "it" and "there" refer to.
_HEADING_SHARE = 0.9
_BEFORE_SHARE = 0.6
_BEHIND_SHARE = 0.15
#: Weight of a word of the question for which the sentence has a synonym alone.
_SYNONYM_SHARE = 0.5
#: The ``form_hashes`` and ``synonym_hashes`` of a question's stem, and how much it tells.
WordWeight = tuple[frozenset[int], frozenset[int], float]


@dataclass(frozen=True)
class ChunkTerms:
    """The stems of a chunk by their hashes, in all and for each unit that can be quoted."""

    heading_stems: frozenset[int]
    #: The quotable units in order, and the stems of each.
    units: tuple[Unit, ...]
    unit_stems: tuple[frozenset[int], ...]
    #: What kind of text each unit is.
    kinds: tuple[Kind, ...]
    #: Of headings and text.
    all_stems: frozenset[int]
    #: ``instructions.find_instructions``, where it is stored with the chunk.
    instructions: frozenset[int] | None = None

    def header_of(self, index: int) -> int | None:
        """The unit that is the header of the table whose row the unit is; ``None`` for other units."""
        first = index
        while first and self.units[first].kind == "row":
            first -= 1
        return first if first < index and self.units[first].kind == "header" else None

    def header_stems(self, index: int) -> frozenset[int]:
        """The stems of that header; none for other units."""
        first = self.header_of(index)
        return frozenset() if first is None else self.unit_stems[first]

    @cached_property
    def asked_above(self) -> tuple[frozenset[int], ...]:
        """For each unit the stems of the question above it that the text answers, a paragraph of its own: "Is it free?"
        above "Yes."; of several such paragraphs in a row, as in exercises, none. In a mail also of what it quotes."""
        found, asked = [], frozenset[int]()
        asking = {"question", "caption"} if "metadata" in self.kinds else {"question"}
        for at, (unit, kind) in enumerate(zip(self.units, self.kinds, strict=True)):
            ends = at + 1 == len(self.units) or self.units[at + 1].block != unit.block
            if unit.kind == "sentence" and kind in asking and ends:
                is_next = at > 0 and self.kinds[at - 1] == "question" and self.units[at - 1].block != unit.block
                paragraph = (self.unit_stems[each] for each in range(at + 1) if self.units[each].block == unit.block)
                asked = frozenset[int]() if is_next else frozenset[int]().union(*paragraph)
            found.append(frozenset[int]() if kind in asking else asked)
        return tuple(found)

    def held_share(self, weights: Sequence[WordWeight], index: int, end: int) -> float:
        """How much of a question the unit holds, 0 to 1: each word counts once, at its best place. ``weights``: of the
        question's stems; ``end``: of the unit with what it leads in to."""
        before = self.unit_stems[index - 1] if index else frozenset()
        behind = self.unit_stems[index + 1] if index + 1 < len(self.unit_stems) else frozenset()
        below = next(iter(self.units[index + 1 : index + 2]), None)
        header = index + 1 if below and below.kind == "header" and below.start < end else self.header_of(index)
        asked = self.asked_above[index]
        in_asked = sum(weight for forms, _, weight in weights if not forms.isdisjoint(asked))
        if 2 * in_asked < sum(weight for *_, weight in weights):
            asked = frozenset()  # another question
        places = (
            (self.unit_stems[index], 1.0),
            (self.heading_stems, _HEADING_SHARE),
            (asked, _HEADING_SHARE),
            (frozenset() if header is None else self.unit_stems[header], _HEADING_SHARE),
            (before, _BEFORE_SHARE),
            (behind, _BEHIND_SHARE),
        )
        found = total = 0.0
        for forms, synonyms, weight in weights:
            total += weight
            for place, share in places:
                if not forms.isdisjoint(place):
                    found += weight * share
                    break
            else:
                found += weight * _share_in(self.unit_stems[index], forms, synonyms)
        return found / total if total > 0 else 0.0


def headings_of(node: BaseNode) -> str:
    """The chunk's headings: the metadata that its parser includes in the embedding."""
    # Imported here because it loads all of LlamaIndex, which processes that only parse text do not need.
    from llama_index.core.schema import MetadataMode

    return node.get_metadata_str(MetadataMode.EMBED).strip()


def terms_of(node: BaseNode) -> ChunkTerms:
    """The terms of a stored or given chunk."""
    return analyze_chunk(headings_of(node), node.get_content(), packed_in(node.metadata))


def analyze_chunk(headings: str, text: str, stated: str = "") -> ChunkTerms:
    """The terms of a text under its headings. ``stated``: kinds that its structure states, see ``pack_kinds``."""
    analyze = _analyze_cached if len(text) <= _LONGEST_CACHED else _analyze
    return analyze(headings, text, stated)


def _analyze(headings: str, text: str, stated: str) -> ChunkTerms:
    heading_stems = frozenset(stem_hashes(headings))
    found = tuple(units(text))
    return ChunkTerms(
        heading_stems=heading_stems,
        units=found,
        unit_stems=tuple(frozenset(stem_hashes(text[unit.start : unit.end])) for unit in found),
        kinds=tuple(kinds(headings, text, found, partial(stated_kind, unpack_kinds(stated)))),
        all_stems=heading_stems.union(stem_hashes(text)),
    )


_analyze_cached = lru_cache(maxsize=_CACHED_CHUNKS)(_analyze)


def idf_coverage(idf: Mapping[str, float], terms: Collection[int]) -> float:
    """The share of the total weight in ``idf`` that belongs to words of which ``terms`` has the hash, or that of
    another form, "built" for "build"; of a synonym, "erect", half of it; 0 to 1."""
    total, held = sum(idf.values()), frozenset(terms)
    found = sum(weight * _share_in(held, form_hashes(word), synonym_hashes(word)) for word, weight in idf.items())
    return found / total if total > 0 else 0.0


def _share_in(held: Set[int], forms: Set[int], synonyms: Set[int]) -> float:
    if not forms.isdisjoint(held):
        return 1.0
    return 0.0 if synonyms.isdisjoint(held) else _SYNONYM_SHARE
