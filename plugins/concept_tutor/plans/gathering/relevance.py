"""Which pages are about a concept, and how relevant their passages are to it, by words: a model is far slower."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from llama_index.core.schema import MetadataMode

from ragstone.core.text import question_stems, sentence_spans, stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from llama_index.core.schema import TextNode

    from .selection import Scorer

# Of 1: which words occur at all, how often they occur, and whether they are the page's title. The lead of the
# concept's own page comes before all else: it says what the concept is.
_THERE, _FREQUENT, _SUBJECT = 0.4, 0.15, 0.45
#: Occurrences of a word that count half of the most that any number could count.
_HALF = 1.5
#: Share of a concept's words that a passage and its headings must have to be relevant at all.
LEAST_SHARE = 0.5
#: Of a page's passages, so many have the concept's words where the page is about it under another title.
_LEAST_PASSAGES = 0.5
#: "Apollo 11" is not about Apollo; "Economy of Angola" and "Algebra in China" are about Angola and algebra.
_OF_IT = re.compile(r"\s*(?:$|[-–/(]|(?:in|of|on|by|and|for)\b)", re.IGNORECASE)


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
    return sum(asked <= set(stems(node.text)) for node in page) >= max(2, _LEAST_PASSAGES * len(page))


def word_relevance(concept: str, nodes: Sequence[TextNode]) -> list[float]:
    """A ``Scorer``, 0 to 1: which of the concept's words occur, how often, and whether they are the page's title.

    The page's opening counts fully for that and the rest half, as the opening of such a page defines the concept. A
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
    title = _title(node)
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
        subject = same * (0.5 if node.metadata.get("section") else 0.6 if node.start_char_idx else 1.0)
    return _THERE * there + _FREQUENT * frequency + _SUBJECT * subject
