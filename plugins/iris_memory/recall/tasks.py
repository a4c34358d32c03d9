"""Questions for what is to be done, answered by the items ``[ ]``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime

from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from ragstone.core import Corpus, Sentence
from ragstone.core.answering import Overview
from ragstone.core.text import counted

from .. import fields
from ..periods import Period, day_near, end_in
from ..retrievers import valid_only
from .asked import topic_of
from .texts import CHUNKS, KINDS, sorted_texts, with_all

_TASKS = re.compile(
    r"\b(?:open|pending|outstanding|unfinished|remaining|next|my)(?: open)?"
    r" (?:tasks?|items?|steps|follow-?ups?|to-?dos?)\b"
    r"|\bto-?dos?(?: list)?\b|\b(?:have|left|need) to do\b|\b(?:is|are|['’]s) still (?:open|to do|to be done)\b"
    r"|\b(?:must|should)(?= \w+ do\b)"
    r"|\b(?:is|are|['’]s) open (?=for\b)"
    r"|\b(?:which|what) tasks (?:are|do|does|has|have)\b(?![^?]*\b(?:done|finish|comple))",
    re.IGNORECASE,
)
_MOST = 20


def tasks(corpus: Corpus, question: str, filters: Mapping[str, str]) -> Overview | None:
    """The tasks that are not ticked off, have the question's other words, and are not for a day after its time; those
    with the earliest days first. ``None`` for another question, and without such tasks."""
    if not _TASKS.search(question):
        return None
    until, rest = end_in(_TASKS.sub(" ", question), datetime.now(UTC).date())
    task = with_all(topic_of(rest), r"\[ \]")
    wanted = {fields.TASKS: "open"} | ({fields.DOC_TYPE: filters["type"]} if filters.get("type") else {})
    is_open = MetadataFilters(filters=[MetadataFilter(key=key, value=value) for key, value in wanted.items()])
    nodes = [node for node in sorted_texts(corpus, valid_only(corpus, is_open)) if task.search(node.get_content())]
    found = Overview("", nodes[-CHUNKS:], task, KINDS, _MOST, frozenset({"item"}), quotes_requests=True)
    days = {each: _day(each.text, found.nodes[each.chunks[0]]) for each in found.sentences() if task.match(each.text)}
    if not days or until is None:
        return replace(found, introduction=f"{counted(**{'open task': len(days)})}:") if days else None
    return _until(until, found, {each: day for each, day in days.items() if day is None or day <= until})


def _until(until: date, found: Overview, days: Mapping[Sentence, date | None]) -> Overview:
    """The tasks for a day up to that one, the earliest first, and those without a day."""
    dated = sum(day is not None for day in days.values())
    shown = f"{counted(**{'open task': dated}) if dated else 'No open task'} until {Period(until, until)}"
    if not days:
        return Overview(f"{shown}.", ())
    first: dict[int, date] = {}
    for each, day in days.items():
        first[each.chunks[0]] = min(first.get(each.chunks[0], date.max), day or date.max)
    texts = "|".join(re.escape(each.text) for each in days)
    beside = f", {len(days) - dated} without a day" if dated < len(days) else ""
    nodes = [found.nodes[number] for number in sorted(first, key=lambda number: first[number])]
    return replace(
        found, introduction=f"{shown}{beside}:", nodes=nodes, preferred=re.compile(rf"\A(?:{texts})\Z", re.IGNORECASE)
    )


def _day(task: str, node: BaseNode) -> date | None:
    """The day that the task names, of a text of its date."""
    written = fields.number(node.metadata, fields.DATE)
    return day_near(task, datetime.fromtimestamp(written, UTC).date()) if written is not None else None
