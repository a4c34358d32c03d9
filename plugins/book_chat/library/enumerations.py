"""Questions for the parts of a whole, "What are the RAID levels?", which a section with that title enumerates."""

from __future__ import annotations

import re
from collections.abc import Iterable

from llama_index.core.schema import TextNode

from ragstone.core.answering import Overview
from ragstone.core.text import is_addressed, quoted_title, section_kind, stems

from .chapters import nodes_in_order
from .headings import list_titles, path_from, path_of
from .shelf import Shelf

#: Words before what is enumerated, which its section's title may have or not: "the five basic".
_DETERMINERS = "all|the|some|different|various|main|major|basic|common|possible|two|three|four|five|six|seven|eight"
_DETERMINER = rf"(?:(?:{_DETERMINERS}|\d{{1,2}}) )"
#: What is enumerated is one of the groups.
_ASKS = re.compile(
    rf"^\W*(?:(?:what|which) are {_DETERMINER}+(?P<a>.+?)|(?:what|which) {_DETERMINER}*(?P<b>.+?) (?:are there|exist)"
    rf"|(?:please )?(?:list|name|enumerate) {_DETERMINER}*(?P<c>.+?)"
    rf"|(?:what|which) {_DETERMINER}*(?P<d>[\w-]+(?: [\w-]+)?) (?:can|may|could|does|do) .{{2,40}}?"
    r" (?:have|get|be|take))\W*$",
    re.IGNORECASE,
)
_NOUNS = (
    r"(?:types|kinds|sorts|forms|levels|classes|categories|stages|phases|steps|parts|components|elements|methods"
    r"|approaches|ways|techniques|principles|rules|laws|theories|models|properties|functions|roles"
    r"|causes|effects|reasons|advantages|disadvantages|benefits|limitations|goals|strategies|arguments)"
)
#: Titles whose sections are one of the parts each: "Types of joints", "Installation methods".
_OF_PARTS = re.compile(rf"^(?:{_DETERMINER}*{_NOUNS} of\b|[^:]* {_NOUNS}$)", re.IGNORECASE)
#: "RAID-0: This level …": the label of a paragraph or an item.
_LABEL = re.compile(r"^(?:[-*+•]\s+)?([\w“](?:[^\s:.!?=]+ ){0,5}[^\s:.!?=]+):\s+(?=[A-Z\d“\"(])", re.MULTILINE)
_CODE = re.compile(r"^```.*?(?:^```|\Z)", re.MULTILINE | re.DOTALL)
#: Sections about the others.
_ABOUT_THEM = re.compile(r"\b(?:summary|takeaways?|introduction|overview|conclusions?|recap)\b", re.IGNORECASE)
#: The number before a title: "12.1.1.", "Chapter 3:".
_NUMBER = re.compile(r"^\W*(?:[a-z]+ )?\d[\d.]*\W+", re.IGNORECASE)
#: Labels of what stands beside the text.
_NO_PART = re.compile(
    r"(?:notes?|examples?|for (?:example|instance)|tips?|warning|caution|hints?|important|see(?: also)?|where"
    r"|question|answer|(?:figure|table|listing|box)(?: [\d.]+)?)",
    re.IGNORECASE,
)
_DETERMINER_STEMS = frozenset(stems(_DETERMINERS.replace("|", " ")))
#: Words of a title beside those that are asked for; sections, and labels, that make an enumeration.
_MOST_OTHERS = 1
_LEAST_SECTIONS, _LEAST_LABELS = 2, 3


def asks_for_parts(question: str) -> frozenset[str]:
    """The stems of what the question wants enumerated; none where it asks for something else."""
    asked = _ASKS.match(question)
    return frozenset(stems(next(filter(None, asked.groups())))) - _DETERMINER_STEMS if asked else frozenset()


def enumerated(shelf: Shelf, slug: str, wanted: frozenset[str]) -> Overview | None:
    """The parts that the book's first section with these stems in its title enumerates, by its own sections or labels,
    with its first sentences; ``None`` without such a section."""
    counted = shelf.corpus.contents.facets("book", "chapter", "section")
    paths = (path_from(chapter, section or "") for (book, chapter, section), _ in counted if book == slug)
    titles = {title for path in paths for title in path if _names(title, wanted)}
    nodes = nodes_in_order(shelf.corpus, slug) if titles else []
    for title in dict.fromkeys(title for node in nodes for title in path_of(node) if title in titles):
        section = [node for node in nodes if title in path_of(node)]
        parts = _sections(section, title) if _OF_PARTS.match(_NUMBER.sub("", title)) else []
        if len(parts) < _LEAST_SECTIONS:
            parts = _labels(node for node in section if path_of(node)[-1] == title)
            parts = parts if len(parts) >= _LEAST_LABELS else []
        if parts:
            return Overview(list_titles(f"{quoted_title(title)} has", "part", parts), section[:1])
    return None


def _names(title: str, wanted: frozenset[str]) -> bool:
    """Whether the title names what is wanted: "brake levels" are levels, and "Wheel brake levels" brake levels."""
    own = [stem for stem in stems(_NUMBER.sub("", title)) if stem not in _DETERMINER_STEMS]
    is_named = wanted.issuperset(own[-1:]) and wanted.issubset(own)
    return is_named and len(set(own) - wanted) <= _MOST_OTHERS and section_kind(title) is None


def _sections(nodes: Iterable[TextNode], title: str) -> list[str]:
    """The titles directly below that title, but those of exercises and summaries."""
    paths = [path_of(node) for node in nodes]
    below = dict.fromkeys(path[at + 1] for path in paths if (at := path.index(title)) + 1 < len(path))
    return [each for each in below if section_kind(each) is None and not _ABOUT_THEM.search(each)]


def _labels(nodes: Iterable[TextNode]) -> list[str]:
    """The labels of paragraphs and items, each once; none of code, and none that orders an assistant."""
    texts = (_CODE.sub("", node.get_content()) for node in nodes)
    found = dict.fromkeys(label for text in texts for label in _LABEL.findall(text))
    named = (label for label in found if label[0].islower() or not _NO_PART.fullmatch(label))
    return [label for label in named if not is_addressed(label)]
