"""Questions for what happened on some days, for mails, and for what the memory holds, answered without a search."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from ragstone.core import Corpus
from ragstone.core.answering import Overview, OverviewInParts
from ragstone.core.text import counted, stems

from . import fields
from .parsers.sections import begins_with_date, lines_outside_code
from .periods import Period
from .recall.asked import Asked, asked_of
from .recall.mails import of_mails, unanswered, written_to
from .recall.states import last_said, last_time
from .recall.tasks import open_questions, tasks, whether_done, with_status
from .recall.texts import (
    CHUNKS,
    KINDS,
    UNITS,
    decisions,
    found_texts,
    has_sentence,
    name_of,
    only,
    quoted,
    searched,
    sorted_texts,
    with_all,
)
from .retrievers import valid_only

#: Lines of notes that are quoted.
_MOST = 20


def overview(corpus: Corpus, question: str, filters: Mapping[str, str]) -> Overview | None:
    """What is of the days, or the mails, that the question asks for; ``None`` for a question with other words."""
    if not any(filters.get(name) for name in ("from", "to", "subject")):
        listed = with_status(corpus, question, filters) or tasks(corpus, question, filters)
        if not filters.get("type"):
            listed = listed or open_questions(corpus, question) or whether_done(corpus, question)
        if listed:
            return listed
    for of_kind in (unanswered, written_to, last_said):
        if found := of_kind(corpus, question, filters):
            return found
    asked = asked_of(corpus, question)
    if asked is None:
        return last_time(corpus, question, filters)
    if asked.unknown:
        is_named = not asked.is_of_mails and _is_named(corpus, asked.unknown)
        return None if is_named else Overview(f"The memory has no mail from {asked.unknown}.", ())
    if asked.is_of_all:
        types = Counter[str]()
        for (doc_type,), number in corpus.contents.document_facets(fields.DOC_TYPE):
            types[str(doc_type)] += number
        return Overview(f"The memory has {counted(file=types.total())}: {_by_type(types)}.", ()) if types else None
    texts = found_texts(corpus, filters, asked)
    if texts is None:
        return None
    if asked.senders and not asked.names_mails and (not texts or _is_said_elsewhere(corpus, question)):
        # Perhaps no mail is meant: what else is said of the writer that day.
        named = frozenset(stems(" ".join(asked.senders))).intersection(stems(question))
        asked = replace(asked, senders=(), topic=(*named, *asked.topic))
        return _of_days(corpus, filters, asked, found_texts(corpus, filters, asked) or ())
    if asked.is_of_mails or asked.senders:
        return of_mails(texts, asked) or last_time(corpus, question, filters)
    return _of_days(corpus, filters, asked, texts)


def _of_days(corpus: Corpus, filters: Mapping[str, str], asked: Asked, texts: Sequence[TextNode]) -> Overview | None:
    """Those of the texts, and lines of other texts, that have the topic's words; ``None`` where there are none."""
    if asked.period is None:
        return None
    of_texts = _of_texts(asked, [node for node in texts if asked.is_about(node.get_content())])
    found = [part for part in (of_texts, _of_lines(corpus, filters, asked, asked.period)) if part]
    introduction = f"{asked.period}: {'; '.join(part.introduction for part in found)}."
    return replace(OverviewInParts.of(found), introduction=introduction) if found else None


def _of_texts(asked: Asked, found: list[TextNode]) -> Overview | None:
    if not found:
        return None
    types = Counter({node.ref_doc_id: str(node.metadata[fields.DOC_TYPE]) for node in found}.values())
    shown = ""
    if len(found) > CHUNKS:  # the last ones, logs rather than mails
        kept = sorted(found, key=lambda node: node.metadata[fields.DOC_TYPE] != "email")[-CHUNKS:]
        shown, found = f", of which {CHUNKS} passages are quoted", [node for node in found if node in kept]
    return decisions(asked.question, quoted(asked, f"{_by_type(types)}{shown}", found))


def _of_lines(corpus: Corpus, filters: Mapping[str, str], asked: Asked, period: Period) -> Overview | None:
    first_month, last_month = (f"{day:%Y-%m}" for day in (period.first, period.last))
    stored = (str(months) for (months,), _ in corpus.contents.facets(fields.MONTHS) if months)
    wanted = {
        fields.MONTHS: [
            months for months in stored if any(first_month <= month <= last_month for month in months.split(" "))
        ],
        fields.DOC_TYPE: [filters["type"]] if filters.get("type") else [],
    }
    if not wanted[fields.MONTHS]:
        return None
    passing = [MetadataFilter(key=key, value=each, operator=FilterOperator.IN) for key, each in wanted.items() if each]
    nodes = sorted_texts(corpus, valid_only(corpus, MetadataFilters(filters=[*passing])))
    named = [f"{name_of(node)} {node.metadata[fields.HEADING_PATH]}" for node in nodes]

    def day_of(line: str, number: int) -> date | None:
        day = begins_with_date(line)
        is_found = day and period.first <= day <= period.last and asked.is_about(f"{named[number]} {line}")
        return day if is_found else None

    lines = sorted(
        (day, number)
        for number, node in enumerate(nodes)
        for _, line in lines_outside_code(node.get_content())
        if (day := day_of(line, number))
    )
    last = list(dict.fromkeys(number for _, number in lines[-_MOST:]))
    found = Overview("", [nodes[number] for number in last], None, KINDS, sys.maxsize, UNITS, quotes_requests=True)
    days = {each: day for each in found.sentences() if (day := day_of(each.text, last[each.chunks[0]]))}
    if not days:
        return None
    kept = dict(sorted(days.items(), key=lambda each: each[1])[-_MOST:])
    shown = f", of which {len(kept)} are quoted" if len(kept) < len(lines) else ""
    return only(found, kept, f"{counted(line=len(lines))} of notes{shown}")


def _is_named(corpus: Corpus, name: str) -> bool:
    """Whether a sentence has the name: of a chat or a log one may say that she wrote, too."""
    return has_sentence(re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE), searched(corpus, name))


def _is_said_elsewhere(corpus: Corpus, question: str) -> bool:
    """Whether another text than a mail has a sentence with all words of the question, such as who said it."""
    others = [node for node in searched(corpus, question) if node.metadata[fields.DOC_TYPE] != "email"]
    return has_sentence(with_all(stems(question)), others)


def _by_type(types: Mapping[str, int]) -> str:
    return counted(**dict(sorted(types.items())))
