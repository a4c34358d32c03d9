"""Stored texts by time, writer and words, and what is quoted of them."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from llama_index.core.schema import BaseNode, TextNode
from llama_index.core.vector_stores.types import MetadataFilters

from ragstone.core import Corpus, Sentence
from ragstone.core.answering import Overview
from ragstone.core.retrieval import HybridRetriever
from ragstone.core.text import Kind, with_forms

from .. import fields
from ..periods import Period
from ..retrievers import valid_only
from .asked import Asked
from .filters import MemoryFilters

#: What is of the day that it names; of other files only those are whose name or heading has a day.
_DATED = ("email", "log", "transcript")
_ASKS_DECIDED = re.compile(r"\b(?:decided?|decisions?|agreed?|resolved?)\b", re.IGNORECASE)
_DECIDED = re.compile(r"\b(?:decid|decision|agreed\b|agreement|resol(?:ved|utions?)\b)", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6} .*|^\*\*[^*\n]+\*\*:?$", re.MULTILINE)
STATUS = re.compile(
    r"^(?:[^\w\n]|_){0,10}(?:status|state)(?:[^\w\n]|_){0,10}?:(?:[^\w\n]|_){0,10}(.{1,60})$",
    re.IGNORECASE | re.MULTILINE,
)
#: Chunks that are quoted, and sentences of each.
CHUNKS, SENTENCES = 12, 6
KINDS: frozenset[Kind] = frozenset({"explanation", "procedure", "request"})
UNITS = frozenset({"sentence", "item"})


def found_texts(corpus: Corpus, filters: Mapping[str, str], asked: Asked) -> list[TextNode] | None:
    """The chunks, the earliest first; ``None`` where no mail has such a sender."""
    period, of_mails = asked.period, asked.is_of_mails or bool(asked.senders)
    wanted = MemoryFilters(
        (filters["type"],) if filters.get("type") else ("email",) if of_mails else (*_DATED, "note"),
        since=period.since if period else None,
        until=period.until if period else None,
        sender=filters.get("from") or None,
        recipient=filters.get("to") or None,
        subject=filters.get("subject") or None,
    )
    values = wanted.values(corpus)
    if asked.senders:
        values[fields.FROM] = tuple(sorted({*asked.senders}.intersection(values.get(fields.FROM, asked.senders))))
    passing = valid_only(corpus, wanted.metadata_filters(values)) if all(values.values()) else None
    found = sorted_texts(corpus, passing)
    if not filters.get("type"):
        found = [each for each in found if each.metadata[fields.DOC_TYPE] in _DATED or each.metadata.get(fields.DAY)]
    return None if passing is None else found


def searched(corpus: Corpus, words: str) -> list[BaseNode]:
    """The chunks that are found for these words, the best first."""
    return [
        each.node
        for each in HybridRetriever(corpus, top_k=CHUNKS, filters=valid_only(corpus, None)).search(words).nodes
    ]


def sorted_texts(corpus: Corpus, passing: MetadataFilters | None) -> list[TextNode]:
    """The chunks that pass, the earliest first."""
    found = corpus.contents.find(passing) if passing and corpus.contents.exists else []
    return sorted(found, key=lambda node: (fields.number(node.metadata, fields.DATE) or 0.0, node.ref_doc_id or ""))


def late_texts(
    corpus: Corpus, filters: Mapping[str, str], topic: tuple[str, ...], days: int
) -> tuple[Asked, list[TextNode]]:
    """The texts of so many days with all these stems, the latest first; none where there is no stem."""
    asked = Asked("", Period.of_last(days), (), False, False, topic)
    found = found_texts(corpus, filters, asked) if topic else None
    return asked, [node for node in reversed(found or ()) if asked.is_about(node.get_content())]


def name_of(node: TextNode) -> str:
    """The path and the title, in words."""
    return re.sub(r"[\W_]+", " ", f"{node.metadata[fields.PATH]} {node.metadata.get(fields.TITLE)}")


def with_all(words: Sequence[str], begins: str = "") -> re.Pattern[str]:
    """A pattern of what begins so, and has words with all these stems, or other forms of them."""
    each = ("|".join(map(re.escape, sorted(with_forms(stem)))) for stem in words)
    return re.compile(begins + "".join(rf"(?=.*\b(?:{forms}))" for forms in each), re.IGNORECASE)


def only(found: Overview, days: Mapping[Sentence, date | None], introduction: str) -> Overview:
    """Of the overview these sentences alone, the chunks with the earliest days first."""
    first: dict[int, date] = {}
    for each, day in days.items():
        first[each.chunks[0]] = min(first.get(each.chunks[0], date.max), day or date.max)
    texts = "|".join(re.escape(each.text) for each in days)
    nodes = [found.nodes[number] for number in sorted(first, key=lambda number: first[number])]
    return replace(found, introduction=introduction, nodes=nodes, preferred=re.compile(rf"\A(?:{texts})\Z"))


def decisions(question: str, found: Overview) -> Overview:
    """Of an overview for a question for what was decided what says so, or is below such a heading, if anything is."""
    if not _ASKS_DECIDED.search(question):
        return found
    whole = replace(found, preferred=None, most=sys.maxsize)
    texts = [node.get_content() for node in whole.nodes]
    said = {each: None for each in whole.sentences() if _is_decided(each.text, texts[each.chunks[0]])}
    return only(whole, said, found.introduction) if said else found


def _is_decided(quote: str, text: str) -> bool:
    return bool(_DECIDED.search(quote) or _DECIDED.search(heading_above(quote, text)))


def heading_above(quote: str, text: str) -> str:
    """The last heading in the text above the quote; "" without one."""
    return next(reversed(_HEADING.findall(text, 0, max(0, text.find(quote)))), "")


def has_sentence(said: re.Pattern[str], nodes: Sequence[BaseNode]) -> bool:
    """Whether a sentence has the pattern, outside of code."""
    found = Overview("", nodes, said, KINDS, units=UNITS)
    return any(said.search(each.text.partition("```")[0]) for each in found.sentences())


def quoted(asked: Asked, introduction: str, nodes: Sequence[TextNode]) -> Overview:
    """The texts' sentences with a word of the topic, or their first ones."""
    first = nodes[:CHUNKS]
    words = "|".join(re.escape(form) for stem in asked.topic for form in sorted(with_forms(stem)))
    is_titled = all(asked.is_about(str(node.metadata.get(fields.SUBJECT))) for node in first)
    return Overview(
        introduction,
        first,
        re.compile(rf"\b(?:{words})", re.IGNORECASE) if words and not is_titled else None,
        KINDS,
        most=SENTENCES,
        units=UNITS,
        quotes_requests=True,
    )
