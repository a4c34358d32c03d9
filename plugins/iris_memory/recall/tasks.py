"""Questions for what is to be done, answered by the items ``[ ]``, and for the files with a status, such as tickets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime

from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from ragstone.core import Corpus, Sentence
from ragstone.core.answering import Overview
from ragstone.core.text import Kind, counted, listed, quoted_title, shown_title, stems

from .. import fields
from ..periods import Period, day_near, end_in
from ..retrievers import valid_only
from .asked import topic_of
from .texts import CHUNKS, KINDS, STATUS, UNITS, has_sentence, heading_above, only, searched, sorted_texts, with_all

_TASKS = re.compile(
    r"\b(?:open|pending|outstanding|unfinished|remaining|next|my)(?: open)?"
    r" (?:tasks?|items?|steps|follow-?ups?|to-?dos?)\b"
    r"|\bto-?dos?(?: list)?\b|\b(?:have|left|need) to do\b|\b(?:is|are|['’]s) still (?:open|to do|to be done)\b"
    r"|\b(?:must|should)(?= \w+ do\b)"
    r"|\b(?:is|are|['’]s) open (?=for\b)"
    r"|\bwhat(?:['’]s| is) open\W*\Z"
    r"|\b(?:which|what|how many) tasks (?:are|do|does|has|have)\b"
    r"(?: (?:still )?open\b|(?![^?]*\b(?:done|finish|comple)))",
    re.IGNORECASE,
)
_ENDED = r"(?:done|finished|completed?|ticked off)"
_DONE = re.compile(
    rf"\b(?:tasks?|items|steps|to-?dos?) (?:are|is|were|have been)(?: already)? {_ENDED}(?!\w)"
    rf"|\b{_ENDED} (?:tasks?|items|steps|to-?dos?)\b|\bwhat(?:['’]s| is| has been)(?: already)? {_ENDED}\W*\Z",
    re.IGNORECASE,
)
_MOST = 20
#: "Is the skip booked?", "Has Jonas booked the skip?"
_WHETHER_DONE = re.compile(
    r"\W*(?:is|are|was|were|has|have|did) (?P<task>[^?]{1,80}?)(?: yet| already)?\W*\Z", re.IGNORECASE
)
_QUESTIONS = re.compile(
    r"\b(?:open|unanswered|unresolved|outstanding) questions?\b"
    r"|\bquestions? (?:(?:is|are|remains?|have been|were) )?(?:still )?(?:open|unanswered|unresolved|left)\b",
    re.IGNORECASE,
)
_ASKING: frozenset[Kind] = KINDS | {"question"}
_OF_QUESTIONS = re.compile(r"\bquestions?\b|\bto (?:ask|clarify)\b", re.IGNORECASE)
_WHICH = re.compile(
    r"\W*(?:which|what|how many|list|show(?: me)?)(?: of)?(?: all)?(?: the| our| my)? "
    r"(?:(?P<things>\w+(?: \w+)?) (?:is|are|were|have)(?: been| still| currently)*(?: set to| marked(?: as)?)?"
    r"|(?P<before>(?:in progress|\w+)) (?P<named>\w+)(?: (?:are there|do (?:we|I) have|there are))?)"
    r"(?P<state> (?!there\b)(?:in progress|\w+))?(?: now| currently| at the moment)?\W*\Z",
    re.IGNORECASE,
)
#: What a file says beside it.
_NO_STATUS = re.compile(rf"\A(?![\s\S]*{STATUS.pattern})", re.IGNORECASE | re.MULTILINE)


def tasks(corpus: Corpus, question: str, filters: Mapping[str, str]) -> Overview | None:
    """The tasks that have the question's other words, and are ticked off, or are not and for no day after its time;
    those with the earliest days first. ``None`` for another question, and without such tasks."""
    state = "done" if _DONE.search(question) else "open"
    asks = _DONE if state == "done" else _TASKS
    if not asks.search(question):
        return None
    until, rest = end_in(asks.sub(" ", question), datetime.now(UTC).date())
    if until is not None and state == "done":
        return None  # no file says when
    task = with_all(topic_of(rest), r"\[ \]" if state == "open" else r"\[x\]")
    wanted = [MetadataFilter(key=fields.TASKS, value=[*{"open", state}], operator=FilterOperator.IN)]
    if filters.get("type"):
        wanted.append(MetadataFilter(key=fields.DOC_TYPE, value=filters["type"]))
    texts = sorted_texts(corpus, valid_only(corpus, MetadataFilters(filters=[*wanted])))
    nodes = [node for node in texts if task.search(node.get_content())]
    found = Overview("", nodes[-CHUNKS:], task, KINDS, _MOST, frozenset({"item"}), quotes_requests=True)
    days = {each: _day(each.text, found.nodes[each.chunks[0]]) for each in found.sentences() if task.match(each.text)}
    if not days or until is None:
        return replace(found, introduction=f"{counted(**{f'{state} task': len(days)})}:") if days else None
    return _until(until, found, {each: day for each, day in days.items() if day is None or day <= until})


def whether_done(corpus: Corpus, question: str) -> Overview | None:
    """The tasks with all words of a question whether something is done; ``None`` where there are none, or another
    sentence has these words."""
    said = _WHETHER_DONE.match(question)
    words = stems(said["task"]) if said else []
    if len(words) < 2:
        return None
    found, task = searched(corpus, question), with_all(words, r"\[[ xX]\] ")
    if not has_sentence(task, found) or has_sentence(with_all(words, r"\A(?!\[[ xX]\] )"), found):
        return None
    known = Overview("", found, task, KINDS, _MOST, frozenset({"item"}), quotes_requests=True)
    tasks = {each: None for each in known.sentences() if task.match(each.text)}
    number = Counter("open task" if each.text.startswith("[ ]") else "done task" for each in tasks)
    return only(known, tasks, f"{counted(**number)}:")


def open_questions(corpus: Corpus, question: str) -> Overview | None:
    """The questions that notes call open, or have below such a heading; ``None`` for another question, without any."""
    if not _QUESTIONS.search(question):
        return None
    topic = topic_of(_QUESTIONS.sub(" ", question))
    known = Overview("", searched(corpus, question), None, _ASKING, _MOST, UNITS, quotes_requests=True)
    texts = [f"{node.metadata[fields.HEADING_PATH]}\n{node.get_content()}" for node in known.nodes]
    found = {
        each: None
        for each in known.sentences()
        if each.text.endswith("?")
        and with_all(topic).match(text := texts[each.chunks[0]])
        and _OF_QUESTIONS.search(f"{heading_above(each.text, text)} {each.text.partition(': ')[0]}")
    }
    return only(known, found, f"{counted(**{'open question': len(found)})}:") if found else None


def _until(until: date, found: Overview, days: Mapping[Sentence, date | None]) -> Overview:
    """The tasks for a day up to that one, the earliest first, and those without a day."""
    dated = sum(day is not None for day in days.values())
    shown = f"{counted(**{'open task': dated}) if dated else 'No open task'} until {Period(until, until)}"
    if not days:
        return Overview(f"{shown}.", ())
    beside = f", {len(days) - dated} without a day" if dated < len(days) else ""
    return only(found, days, f"{shown}{beside}:")


def _day(task: str, node: BaseNode) -> date | None:
    """The day that the task names, of a text of its date."""
    written = fields.number(node.metadata, fields.DATE)
    return day_near(task, datetime.fromtimestamp(written, UTC).date()) if written is not None else None


def with_status(corpus: Corpus, question: str, filters: Mapping[str, str]) -> Overview | None:
    """The files of a kind, named by their paths or titles, whose line "Status: …" has the state that is asked for, with
    the first sentence of each. ``None`` for another question, and where no file of the kind has such a line."""
    asked = _WHICH.match(question)
    if asked is None or bool(asked["things"]) != bool(asked["state"]) or filters.get("type", "note") != "note":
        return None
    kind = frozenset(stems(asked["things"] or asked["named"]))
    state = frozenset(stems(asked["state"] or asked["before"]))
    named = (
        corpus.contents.document_facets(fields.PATH, fields.TITLE) if kind and state and corpus.contents.exists else []
    )
    paths = [path for (path, title), _ in named if kind.issubset(stems(re.sub(r"[\W_]+", " ", f"{path} {title}")))]
    if not paths:
        return None
    are_these = MetadataFilters(
        filters=[
            MetadataFilter(key=fields.PATH, value=paths, operator=FilterOperator.IN),
            MetadataFilter(key=fields.DOC_TYPE, value="note"),
        ]
    )
    found = [(node, STATUS.search(node.get_content())) for node in sorted_texts(corpus, valid_only(corpus, are_these))]
    known = [(node, frozenset(stems(status[1]))) for node, status in found if status]
    if not known:
        return None
    nodes = [node for node, status in known if state <= status]
    number, words = len(nodes), asked["state"] or asked["before"]
    kind_words = shown_title(asked["things"] or asked["named"])
    introduction = (
        f"{number} of {len(known)} {kind_words} ha{'s' if number == 1 else 've'} the status “{words.strip()}”"
    )
    if not nodes:
        return Overview(f"{introduction}.", ())
    titles = listed(quoted_title(str(node.metadata[fields.TITLE])) for node in nodes)
    return Overview(f"{introduction}: {titles}.", nodes, _NO_STATUS, KINDS, most=1)
