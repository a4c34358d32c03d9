"""Selects the chunks of pages that a concept keeps: relevant ones, from as many sections as possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from llama_index.core.schema import TextNode

#: The relevance of each chunk to a concept; higher is better.
Scorer = Callable[[str, Sequence[TextNode]], Sequence[float]]

# A second chunk of the same section counts half, the third a quarter; one of the same main section loses less.
_SAME_SECTION = 0.5
_SAME_MAIN = 0.85
# A neighbour of a taken chunk loses so much, one an even share of the page away nothing: where the scores hardly
# differ, chunks come from all over the page and not from its top.
_NEAR = 0.3
# The least relevant chunk keeps so much, that the spread can weigh at all.
_FLOOR = 0.2


def select(nodes: Sequence[TextNode], concept: str, scorer: Scorer, most: int = 6) -> list[TextNode]:
    """At most ``most`` chunks of one page or several, in the order in which they were given.

    One after another is taken for its relevance, of which less counts the more were taken from the same section. So a
    section's second chunk comes only where it is far more relevant than what other sections have.
    """
    if len(nodes) <= most or most <= 0:
        return list(nodes[: max(most, 0)])
    values = _normalised(scorer(concept, nodes))
    sections: Counter[tuple[object, ...]] = Counter()
    mains: Counter[tuple[object, ...]] = Counter()
    left, taken = list(range(len(nodes))), list[int]()
    places = [_place(node) for node in nodes]
    share = len(nodes) / most

    def gain(at: int) -> float:
        section, main = places[at]
        distance = min((abs(at - other) for other in taken), default=len(nodes))
        spread = 1 - _NEAR * max(0.0, 1 - distance / share)
        return float(values[at] * spread * _SAME_SECTION ** sections[section] * _SAME_MAIN ** mains[main])

    while left and len(taken) < most:
        best = max(left, key=lambda at: (gain(at), -at))
        left.remove(best)
        taken.append(best)
        section, main = places[best]
        sections[section] += 1
        mains[main] += 1
    return [nodes[at] for at in sorted(taken)]


def select_for_concept(
    pages: Sequence[Sequence[TextNode]], concept: str, scorer: Scorer, *, a_page: int = 6, a_concept: int = 8
) -> list[TextNode]:
    """At most ``a_page`` chunks of each page, and of those at most ``a_concept`` for the concept."""
    chosen = [node for nodes in pages for node in select(nodes, concept, scorer, a_page)]
    return select(chosen, concept, scorer, a_concept)


def _normalised(scores: Sequence[float]) -> list[float]:
    """From ``_FLOOR`` to 1, the lowest to the highest."""
    low, high = min(scores), max(scores)
    if not high > low:
        return [1.0] * len(scores)
    return [_FLOOR + (1 - _FLOOR) * (score - low) / (high - low) for score in scores]


def _place(node: TextNode) -> tuple[tuple[object, ...], tuple[object, ...]]:
    known = node.metadata
    title = known.get("page_title")
    return (title, known.get("url")), (title, known.get("section"))
