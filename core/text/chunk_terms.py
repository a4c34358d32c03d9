"""A chunk's sentences, each with its stems, computed once for ranking, evidence gate and quoting."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from .segmentation import Unit, units
from .stemming import stems

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from llama_index.core.schema import BaseNode

#: Passages whose words are kept: those of some twenty questions, about 10 MB.
_KEPT = 512
#: Characters of a text whose words are kept. A selection may be longer, and is mostly asked about once.
_LONGEST_KEPT = 8_000


@dataclass(frozen=True)
class PassageWords:
    """The stems of a passage, by the pieces that can be quoted from it."""

    #: In the headings above the passage.
    above: frozenset[str]
    #: The quotable pieces in order, and the stems in each.
    pieces: tuple[Unit, ...]
    held: tuple[frozenset[str], ...]
    #: In the passage and above it.
    everywhere: frozenset[str]
    #: In the passage, in order.
    inside: tuple[str, ...]


def headings_of(node: BaseNode) -> str:
    """What stands above the text: the metadata that its parser lets into the embedding."""
    # Here, because it loads all of LlamaIndex: processes that only read texts do without.
    from llama_index.core.schema import MetadataMode

    return node.get_metadata_str(MetadataMode.EMBED).strip()


def words_of(node: BaseNode) -> PassageWords:
    """The words of a stored or given passage."""
    return passage_words(headings_of(node), node.get_content())


def passage_words(headings: str, text: str) -> PassageWords:
    """The words of a text under its headings."""
    return _kept(headings, text) if len(text) <= _LONGEST_KEPT else _read(headings, text)


def _read(headings: str, text: str) -> PassageWords:
    above, inside = frozenset(stems(headings)), stems(text)
    pieces = tuple(units(text))
    return PassageWords(
        above=above,
        pieces=pieces,
        held=tuple(frozenset(stems(text[piece.start : piece.end])) for piece in pieces),
        everywhere=above.union(inside),
        inside=tuple(inside),
    )


_kept = lru_cache(maxsize=_KEPT)(_read)


def covered(idf: Mapping[str, float], held: Collection[str]) -> float:
    """The share of the weight of ``idf``'s words that stand in ``held``, 0 to 1."""
    total = sum(idf.values())
    return sum(weight for word, weight in idf.items() if word in held) / total if total > 0 else 0.0
