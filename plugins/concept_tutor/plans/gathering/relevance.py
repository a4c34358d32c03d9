"""Which pages are about a concept, how relevant their chunks are by words, and which of them the concept keeps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from llama_index.core.schema import MetadataMode, TextNode

from ragstone.core.text import question_stems, sentence_spans, stems

# Of 1: which words occur at all, how often they occur, and whether they are the page's title. The lead of the
# concept's own page comes before all else: it says what the concept is.
_THERE, _FREQUENT, _SUBJECT = 0.4, 0.15, 0.45
#: Occurrences of a word that count half of the most that any number could count.
_HALF = 1.5
#: Share of a concept's words that a chunk and its headings must have to be relevant at all.
LEAST_SHARE = 0.5
#: Of a page's chunks, so many have the concept's words where the page is about it under another title.
_LEAST_CHUNKS = 0.5
#: "Apollo 11" is not about Apollo; "Economy of Angola" and "Algebra in China" are about Angola and algebra.
_OF_IT = re.compile(r"\s*(?:$|[-–/(]|(?:in|of|on|by|and|for)\b)", re.IGNORECASE)
# A second chunk of the same section counts half, the third a quarter; one of the same main section loses less.
_SAME_SECTION = 0.5
_SAME_MAIN = 0.85
# A neighbour of a taken chunk loses so much, one an even share of the page away nothing: where the scores hardly
# differ, chunks come from all over the page and not from its top.
_NEAR = 0.3
# The least relevant chunk keeps so much, that the spread can weigh at all.
_FLOOR = 0.2


def pages_about(concept: str, pages: Iterable[Sequence[TextNode]]) -> list[Sequence[TextNode]]:
    """Those of the pages that are about the concept and do not only mention it.

    Where one of them has the concept's name for its title, the others are about parts and aspects of it.
    """
    asked = set(question_stems(concept)) or set(stems(concept))
    found = [page for page in pages if page]
    exact = [page for page in found if set(stems(_title(page[0]))) == asked]
    if exact:
        return [page for page in found if page in exact or _names(_title(page[0]), asked)]
    return [page for page in found if _is_about(page, asked)]


def _title(node: TextNode) -> str:
    return str(node.metadata.get("page_title", ""))


def _names(title: str, asked: set[str]) -> bool:
    words = list(re.finditer(r"\w+", title))
    for first in range(len(words)):
        for last in range(first, len(words)):
            if set(stems(title[words[first].start() : words[last].end()])) == asked:
                return "(" not in title and _OF_IT.match(title, words[last].end()) is not None
    return False


def _is_about(page: Sequence[TextNode], asked: set[str]) -> bool:
    title = set(stems(_title(page[0])))
    if title and (asked <= title or title <= asked):
        return True
    if any(asked <= set(stems(str(node.metadata.get("heading", "")))) for node in page):
        return True
    opening = next(iter(sentence_spans(page[0].text)), (0, 0))
    if asked <= set(stems(page[0].text[slice(*opening)])):
        return True
    return sum(asked <= set(stems(node.text)) for node in page) >= max(2, _LEAST_CHUNKS * len(page))


def word_relevance(concept: str, nodes: Sequence[TextNode]) -> list[float]:
    """The relevance, 0 to 1: which of the concept's words occur, how often, and whether they are the page's title.

    The page's opening counts fully for that and the rest half, as the opening of such a page defines the concept. A
    chunk with fewer than ``LEAST_SHARE`` of the words gets 0.
    """
    asked = set(question_stems(concept))
    return [_score(asked, node) if asked else 0.0 for node in nodes]


def _score(asked: set[str], node: TextNode) -> float:
    inside = Counter(stems(node.text))
    above = set(stems(node.get_metadata_str(mode=MetadataMode.EMBED)))
    there = sum(1 for word in asked if word in inside or word in above) / len(asked)
    if there < LEAST_SHARE:
        return 0.0
    frequency = sum(inside[word] / (inside[word] + _HALF) for word in asked) / len(asked)
    title = set(stems(_title(node)))
    subject = len(asked & title) / len(asked | title)
    subject *= 0.5 if node.metadata.get("section") else 0.6 if node.start_char_idx else 1.0
    return _THERE * there + _FREQUENT * frequency + _SUBJECT * subject


def select(nodes: Sequence[TextNode], scores: Mapping[str, float], most: int) -> list[TextNode]:
    """At most ``most`` chunks of one page or several, in the order in which they were given; ``scores``: by their ids.

    One after another is taken for its relevance, of which less counts the more were taken from the same section. So a
    section's second chunk comes only where it is far more relevant than what other sections have.
    """
    if len(nodes) <= most or most <= 0:
        return list(nodes[: max(most, 0)])
    values = _normalised([scores[node.node_id] for node in nodes])
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
