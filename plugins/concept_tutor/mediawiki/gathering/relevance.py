"""The relevance of a passage to a concept, by words: thousands of passages in the time that a model takes for ten."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from llama_index.core.schema import MetadataMode

from ragstone.core.text import question_stems, stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.schema import TextNode

    from .selection import Scorer

# Of 1: which words occur at all, how often they occur, and whether they are the page's title.
_THERE, _FREQUENT, _SUBJECT = 0.5, 0.3, 0.2
#: Occurrences of a word that count half of the most that any number could count.
_HALF = 1.5
#: Share of a concept's words that a passage and its headings must have to be relevant at all.
LEAST_SHARE = 0.5


def word_relevance(concept: str, nodes: Sequence[TextNode]) -> list[float]:
    """A ``Scorer``, 0 to 1: which of the concept's words occur, how often, and whether they are the page's title.

    The page's lead counts fully for that and the rest half, as the lead of such a page defines the concept. A
    passage with fewer than ``LEAST_SHARE`` of the words gets 0.
    """
    asked = set(question_stems(concept))
    titles: dict[str, frozenset[str]] = {}
    return [_score(asked, node, titles) for node in nodes]


def memoized(scorer: Scorer) -> Scorer:
    """The scorer with its scores stored: one search scores a passage to keep it, to select it and to sort it."""
    known: dict[tuple[str, str], float] = {}

    def scores(concept: str, nodes: Sequence[TextNode]) -> list[float]:
        fresh = [node for node in nodes if (concept, node.node_id) not in known]
        for node, score in zip(fresh, scorer(concept, fresh), strict=True):
            known[concept, node.node_id] = score
        return [known[concept, node.node_id] for node in nodes]

    return scores


def _score(asked: set[str], node: TextNode, titles: dict[str, frozenset[str]]) -> float:
    if not asked:
        return 0.0
    title = str(node.metadata.get("page_title", ""))
    if title not in titles:
        titles[title] = frozenset(stems(title))
    inside = Counter(stems(node.text))
    above = set(stems(node.get_metadata_str(mode=MetadataMode.EMBED)))
    there = sum(1 for word in asked if word in inside or word in above) / len(asked)
    if there < LEAST_SHARE:
        return 0.0
    frequency = sum(inside[word] / (inside[word] + _HALF) for word in asked) / len(asked)
    subject = 0.0
    if titles[title]:
        same = len(asked & titles[title]) / len(asked | titles[title])
        subject = same * (0.5 if node.metadata.get("section") else 1.0)
    return _THERE * there + _FREQUENT * frequency + _SUBJECT * subject
