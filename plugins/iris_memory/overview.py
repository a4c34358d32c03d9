"""Questions for what happened on some days, for mails, and for what the memory holds, answered without a search."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from llama_index.core.schema import BaseNode, TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from ragstone.core import Corpus
from ragstone.core.answering import Overview
from ragstone.core.retrieval import HybridRetriever
from ragstone.core.text import Kind, counted, listed, quoted_title, shown_title, stems

from . import fields
from .parsers.node_parser import day_in_words
from .periods import Period
from .recall.asked import Asked, asked_of, topic_of
from .recall.filters import MemoryFilters
from .retrievers import valid_only

#: What is of the day that it names; of other files only those are whose name or heading has a day.
_DATED = ("email", "log", "transcript")
#: Chunks of a time that are quoted, mails of a writer, and sentences of each.
_CHUNKS, _MAILS, _SENTENCES = 12, 3, 6
_KINDS: frozenset[Kind] = frozenset({"explanation", "procedure", "request"})
#: "Is the pump still leaking?", "Is the pump leaking now?", "What is the latest on the pump?": what is said of it last,
#: in so many days.
_NOW = r"(?: (?:(?:right )?now|currently|again|yet|at the moment))"
_STATE = re.compile(
    r"\W*(?:(?:is|are|does|do|has|have) (?P<thing>[^?]{1,80}?) (?:(?:still|currently) (?P<state>[^?]{1,80})"
    rf"|(?P<now>\w+ing|ok(?:ay)?|fine|broken|fixed|back|\w+(?={_NOW})){_NOW}?)"
    r"|(?:what(?:['’]s| is) the |any )?(?:latest|status|news) (?:on|about|of|with) (?P<about>[^?]{1,80}))\W*\Z",
    re.IGNORECASE,
)
#: Words for any state: what was said last of the thing answers.
_ANY_STATE = frozenset(stems("working runs ok okay fine broken fixed back"))
_LATELY, _LAST = 30, 3
#: "When did the pump last leak?": the last day, in so many, of which that is said.
_LAST_TIME = re.compile(
    r"\W*when (?:did|was|were|has|have) (?![^?]*\b(?:it|he|she|they|them)\b|(?:this|that|these|those)\b)"
    r"(?=[^?]*\b(?:last|latest|most recent))",
    re.IGNORECASE,
)
_TIMES = frozenset(stems("last latest recent recently time"))
_NOT_DENIED, _LONG = r"(?s)\A(?!.*(?:\b(?:not|never)\b|n['’]t\b))", 366
_TASKS = re.compile(
    r"\b(?:open|pending|outstanding|unfinished|remaining|next|my)(?: open)?"
    r" (?:tasks?|items?|steps|follow-?ups?|to-?dos?)\b"
    r"|\bto-?dos?(?: list)?\b|\b(?:have|left|need) to do\b|\b(?:is|are|['’]s) still (?:open|to do|to be done)\b"
    r"|\b(?:is|are|['’]s) open (?=for\b)"
    r"|\b(?:which|what) tasks (?:are|do|does|has|have)\b(?![^?]*\b(?:done|finish|comple))",
    re.IGNORECASE,
)
_MOST_TASKS = 20


def overview(corpus: Corpus, question: str, filters: Mapping[str, str]) -> Overview | None:
    """What is of the days, or the mails, that the question asks for; ``None`` for a question with other words."""
    no_mail = not any(filters.get(name) for name in ("from", "to", "subject"))
    if no_mail and _TASKS.search(question) and (tasks := _of_tasks(corpus, _TASKS.sub(" ", question), filters)):
        return tasks
    state = _STATE.match(question)
    if state and (said := _last_said(corpus, filters, state)):
        return said
    asked = asked_of(corpus, question)
    if asked is None:
        return _last_time(corpus, question, filters) if _LAST_TIME.match(question) else None
    if asked.unknown:
        is_named = not asked.is_of_mails and _is_named(corpus, asked.unknown)
        return None if is_named else Overview(f"The memory has no mail from {asked.unknown}.", ())
    if asked.is_of_all:
        types = Counter[str]()
        for (doc_type,), number in corpus.contents.document_facets(fields.DOC_TYPE):
            types[str(doc_type)] += number
        return Overview(f"The memory has {counted(file=types.total())}: {_by_type(types)}.", ()) if types else None
    found = _found(corpus, filters, asked)
    if found is None:
        return None
    if asked.is_of_mails or asked.senders:
        return _of_mails(found, asked)
    return _of_days([node for node in found if asked.is_about(node.get_content())], asked)


def _of_days(found: list[TextNode], asked: Asked) -> Overview | None:
    if not found:  # a note may be of the day, by its heading
        return None
    types = Counter({node.ref_doc_id: str(node.metadata[fields.DOC_TYPE]) for node in found}.values())
    shown = ""
    if len(found) > _CHUNKS:  # the last ones, logs rather than mails
        kept = sorted(found, key=lambda node: node.metadata[fields.DOC_TYPE] != "email")[-_CHUNKS:]
        shown, found = f", of which {_CHUNKS} passages are quoted", [node for node in found if node in kept]
    return _quoted(asked, f"{asked.period}: {_by_type(types)}{shown}.", found)


def _last_said(corpus: Corpus, filters: Mapping[str, str], said: re.Match[str]) -> Overview | None:
    """What was said of a thing last, the latest first; ``None`` where nothing lately says that it was in that state."""
    asked, found = _lately(corpus, filters, topic_of(said["thing"] or said["about"]), _LATELY)
    state = frozenset(stems(said["state"] or said["now"] or "")) - _ANY_STATE
    known = [node for node in found if state.issubset(stems(node.get_content()))]
    is_known = _has(_with_all([*asked.topic, *state]), known) if said["now"] else bool(known)
    return _quoted(asked, "Said last:", found[:_LAST]) if is_known else None


def _last_time(corpus: Corpus, question: str, filters: Mapping[str, str]) -> Overview | None:
    """The last sentences that have all words of the question in a text with a date, those that deny it left out."""
    topic = tuple(stem for stem in stems(question) if stem not in _TIMES)
    asked, found = _lately(corpus, filters, topic, _LONG)
    said = _with_all(topic, _NOT_DENIED)
    last = next((node for node in found if _has(said, [node])), None)
    return replace(_quoted(asked, "Said last:", [last]), preferred=said) if last else None


def _lately(
    corpus: Corpus, filters: Mapping[str, str], topic: tuple[str, ...], days: int
) -> tuple[Asked, list[TextNode]]:
    """The texts of so many days with all these stems, the latest first; none where there is no stem."""
    today = datetime.now(UTC).date()
    asked = Asked("", Period(today - timedelta(days=days), today), (), False, False, topic)
    found = _found(corpus, filters, asked) if topic else None
    return asked, [node for node in reversed(found or ()) if asked.is_about(node.get_content())]


def _with_all(words: Sequence[str], begins: str = "") -> re.Pattern[str]:
    """A pattern of what begins so, and has words with all these stems."""
    return re.compile(begins + "".join(rf"(?=.*\b{re.escape(stem)})" for stem in words), re.IGNORECASE)


def _has(said: re.Pattern[str], nodes: Sequence[BaseNode]) -> bool:
    """Whether a sentence has the pattern, outside of code."""
    found = Overview("", nodes, said, _KINDS, units=frozenset({"sentence", "item"}))
    return any(said.search(each.text.partition("```")[0]) for each in found.sentences())


def _of_tasks(corpus: Corpus, question: str, filters: Mapping[str, str]) -> Overview | None:
    """The tasks that are not ticked off, and have the question's other words."""
    task = _with_all(topic_of(question), r"\[ \]")
    wanted = {fields.TASKS: "open"} | ({fields.DOC_TYPE: filters["type"]} if filters.get("type") else {})
    is_open = MetadataFilters(filters=[MetadataFilter(key=key, value=value) for key, value in wanted.items()])
    nodes = [node for node in _sorted(corpus, valid_only(corpus, is_open)) if task.search(node.get_content())]
    found = Overview("", nodes[-_CHUNKS:], task, _KINDS, _MOST_TASKS, frozenset({"item"}), quotes_requests=True)
    number = sum(task.match(each.text) is not None for each in found.sentences())
    return replace(found, introduction=f"{counted(**{'open task': number})}:") if number else None


def _is_named(corpus: Corpus, name: str) -> bool:
    """Whether a sentence has the name: of a chat or a log one may say that she wrote, too."""
    found = HybridRetriever(corpus, top_k=_CHUNKS, filters=valid_only(corpus, None)).search(name).nodes
    return _has(re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE), [each.node for each in found])


def _found(corpus: Corpus, filters: Mapping[str, str], asked: Asked) -> list[TextNode] | None:
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
    found = _sorted(corpus, passing)
    if not filters.get("type"):
        found = [each for each in found if each.metadata[fields.DOC_TYPE] in _DATED or each.metadata.get(fields.DAY)]
    return None if passing is None else found


def _sorted(corpus: Corpus, passing: MetadataFilters | None) -> list[TextNode]:
    found = corpus.contents.find(passing) if passing and corpus.contents.exists else []
    return sorted(found, key=lambda node: (fields.number(node.metadata, fields.DATE) or 0.0, node.ref_doc_id or ""))


def _of_mails(found: Sequence[TextNode], asked: Asked) -> Overview | None:
    mails: dict[str, list[TextNode]] = {}
    for node in reversed(found):  # the latest mail first, its first chunk with its header
        mails.setdefault(node.ref_doc_id or "", []).insert(0, node)
    mails = {key: nodes for key, nodes in mails.items() if asked.is_about("\n".join(map(_searched, nodes)))}
    when = f" of {asked.period}" if asked.period else ""
    if not mails:
        return Overview(f"The memory has no mail{when}.", ()) if asked.period and not asked.topic else None
    if asked.is_of_answers:
        mails = {key: nodes for key, nodes in mails.items() if _is_answer(nodes[0])}
        if not mails:
            return Overview(
                f"The memory has no mail{when} from {listed(map(shown_title, asked.senders))} that answers another.", ()
            )
    if asked.counts:
        return Overview(f"The memory has {counted(mail=len(mails))}{when}.", ())
    latest = list(mails.values())[: 1 if asked.takes_latest else _MAILS]
    if len(latest) == 1:
        return _quoted(asked, f"{_about(latest[0][0], asked)}:", latest[0])
    titles = listed(_about(nodes[0], asked) for nodes in mails.values())
    introduction = f"The memory has {counted(mail=len(mails))}{when}: {titles}."
    if asked.lists:
        return Overview(introduction, ())
    return _quoted(asked, introduction, [node for nodes in latest for node in nodes])


def _quoted(asked: Asked, introduction: str, nodes: Sequence[TextNode]) -> Overview:
    quoted = nodes[:_CHUNKS]
    words = "|".join(map(re.escape, asked.topic))
    is_titled = all(asked.is_about(str(node.metadata.get(fields.SUBJECT))) for node in quoted)
    return Overview(
        introduction,
        quoted,
        re.compile(rf"\b(?:{words})", re.IGNORECASE) if words and not is_titled else None,
        _KINDS,
        most=_SENTENCES,
        units=frozenset({"sentence", "item"}),
        quotes_requests=True,
    )


def _searched(mail: TextNode) -> str:
    return f"{mail.metadata.get(fields.SUBJECT)}\n{mail.get_content()}"


def _is_answer(mail: TextNode) -> bool:
    known = mail.metadata
    return bool(known.get(fields.IN_REPLY_TO)) or str(known.get(fields.SUBJECT)).casefold().startswith(("re:", "aw:"))


def _about(mail: TextNode, asked: Asked) -> str:
    """The subject, the writer and the day of a mail, and what is attached, where that is asked for."""
    known = mail.metadata
    date = fields.number(known, fields.DATE)
    beside = [shown_title(str(known.get(fields.FROM) or "")), day_in_words(date) if date is not None else ""]
    if asked.is_of_attachments and (names := known.get(fields.ATTACHMENTS)):
        beside.append(f"attached: {shown_title(str(names))}")
    return f"{quoted_title(str(known.get(fields.SUBJECT) or known[fields.TITLE]))} ({', '.join(filter(None, beside))})"


def _by_type(types: Mapping[str, int]) -> str:
    return counted(**dict(sorted(types.items())))
