"""Questions for what happened on some days, for mails, and for what the memory holds, answered without a search."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from ragstone.core.answering import Overview
from ragstone.core.text import counted, listed, quoted_title, shown_title, stems

from . import fields
from .parsers.node_parser import day_in_words
from .periods import Period, period_in
from .recall.filters import MemoryFilters, senders_named
from .retrievers import valid_only

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from llama_index.core.schema import TextNode

    from ragstone.core import Corpus
    from ragstone.core.text import Kind

#: What is of the day that it names; other files have the time of their last change.
_DATED = ("email", "log", "transcript")
_MAIL = re.compile(r"\b(?:e-?)?mails?\b|\bwho (?:wrote|sent)(?: to)? (?:me|us)\b", re.IGNORECASE)
_NO_TOPIC = re.compile(rf"{_MAIL.pattern}|['’]s\b", re.IGNORECASE)
_NAME_WORD = r"[^\W\d_][\w.@-]*(?:['’](?!s\b)\w+)?"
#: Who wrote: "from Ana Berg", "did Ana write", "Ana's last mail".
_SENDER = re.compile(
    rf"\b(?:from|by) (?P<behind>{_NAME_WORD}(?: {_NAME_WORD}){{0,3}})"
    rf"|(?<!\w)(?P<verb>{_NAME_WORD}(?: {_NAME_WORD}){{0,3}}) (?:wr(?:ite|ote|itten)|sen[dt]|sa(?:id|y)|ask|want|need"
    r"|answer|repl(?:y|ie)|respond|tell|told|report|suggest|propose|offer|mention|request|e?-?mail)(?:s|d|ed)?\b"
    rf"|(?<!\w)(?P<owner>{_NAME_WORD}(?: {_NAME_WORD}){{0,3}})['’]s (?:\w+ )?(?:e-?)?mails?\b",
    re.IGNORECASE,
)
#: "What is Ana's mail?" asks for her address.
_ADDRESS = re.compile(r"(?:\bis|['’]s) [^?]{1,60}['’]s e-?mail\W*$", re.IGNORECASE)
_MEMORY = re.compile(r"\b(?:memory|files)\b", re.IGNORECASE)
_COUNT = re.compile(r"\bhow many\b", re.IGNORECASE)
_LIST = re.compile(r"\b(?:which|list|mails)\b", re.IGNORECASE)
_LATEST = re.compile(r"\b(?:latest|last|newest|most recent)\b", re.IGNORECASE)
#: What asks for more than what was written of something.
_ASKS_MORE = re.compile(r"\b(?:when|where|why|how(?! many (?:e-?)?mails?\b)|who(?:m|se)?)\b", re.IGNORECASE)
#: Stems of words around these in a question that asks for nothing else.
_FRAME = frozenset(
    stems(
        "anything change changed email mail come came contain contains date doing done give go going happen happened"
        " know last latest list log mention message mostly new newest news receive recent say said send sent show"
        " something still subject summarise summarize summary us write wrote written"
    )
)
#: Chunks of a time that are quoted, mails of a writer, and sentences of each.
_CHUNKS, _MAILS, _SENTENCES = 12, 3, 6
_KINDS: frozenset[Kind] = frozenset({"explanation", "procedure", "request"})


_TASKS = re.compile(
    r"\b(?:open|pending|outstanding|unfinished|remaining|next|my)(?: open)?"
    r" (?:tasks?|items?|steps|follow-?ups?|to-?dos?)\b"
    r"|\bto-?dos?(?: list)?\b|\b(?:have|left|need) to do\b|\b(?:is|are|['’]s) still (?:open|to do|to be done)\b",
    re.IGNORECASE,
)
_MOST_TASKS = 20


@dataclass(frozen=True)
class _Asked:
    """What a question asks for, besides words that ask."""

    question: str
    period: Period | None
    #: The writers of mails that it names, as their headers have them.
    senders: tuple[str, ...]
    is_of_mails: bool
    #: Of everything, which neither days nor mails are named of.
    is_of_all: bool
    #: Beginnings of words that each of what answers has.
    topic: tuple[str, ...]

    def is_about(self, text: str) -> bool:
        return all(re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE) for word in self.topic)

    def quoted(self, introduction: str, nodes: Sequence[TextNode]) -> Overview:
        quoted = nodes[:_CHUNKS]
        words = "|".join(map(re.escape, self.topic))
        is_titled = all(self.is_about(str(node.metadata.get(fields.SUBJECT))) for node in quoted)
        return Overview(
            introduction,
            quoted,
            re.compile(rf"\b(?:{words})", re.IGNORECASE) if words and not is_titled else None,
            _KINDS,
            most=_SENTENCES,
            units=frozenset({"sentence", "item"}),
            quotes_requests=True,
        )


def overview(corpus: Corpus, question: str, filters: Mapping[str, str]) -> Overview | None:
    """What is of the days, or the mails, that the question asks for; ``None`` for a question with other words."""
    if _TASKS.search(question) and (tasks := _of_tasks(corpus, _TASKS.sub(" ", question))):
        return tasks
    asked = _asked(corpus, question)
    if asked is None:
        return None
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
    found = [node for node in found if asked.is_about(node.get_content())]
    if not found:  # a note may be of the day, by its heading
        return None
    types = Counter({node.ref_doc_id: str(node.metadata[fields.DOC_TYPE]) for node in found}.values())
    shown = ""
    if len(found) > _CHUNKS:  # the last ones, logs rather than mails
        kept = sorted(found, key=lambda node: node.metadata[fields.DOC_TYPE] != "email")[-_CHUNKS:]
        shown, found = f", of which {_CHUNKS} passages are quoted", [node for node in found if node in kept]
    return asked.quoted(f"{asked.period}: {_by_type(types)}{shown}.", found)


def _of_tasks(corpus: Corpus, question: str) -> Overview | None:
    """The tasks that are not ticked off, and have the question's other words."""
    about = "".join(rf"(?=.*\b{re.escape(stem)})" for stem in stems(_NO_TOPIC.sub(" ", question)) if stem not in _FRAME)
    task = re.compile(rf"\[ \]{about}", re.IGNORECASE)
    is_open = MetadataFilters(filters=[MetadataFilter(key=fields.TASKS, value="open")])
    nodes = [node for node in _sorted(corpus, valid_only(corpus, is_open)) if task.search(node.get_content())]
    found = Overview("", nodes[-_CHUNKS:], task, _KINDS, _MOST_TASKS, frozenset({"item"}), quotes_requests=True)
    number = sum(task.match(each.text) is not None for each in found.sentences())
    return replace(found, introduction=f"{counted(**{'open task': number})}:") if number else None


def _asked(corpus: Corpus, question: str) -> _Asked | None:
    if _ADDRESS.search(question):
        return None
    period, rest = period_in(question, datetime.now(UTC).date())
    is_of_mails = bool(_MAIL.search(rest))
    named = _sender(corpus, " ".join(rest.split()))
    if named is None:
        return None
    senders, rest = named[0], _NO_TOPIC.sub(" ", named[1])
    is_of_all = not (period or is_of_mails or senders) and bool(_MEMORY.search(rest))
    topic = tuple(stem for stem in stems(_MEMORY.sub(" ", rest) if is_of_all else rest) if stem not in _FRAME)
    if not (period or is_of_mails or is_of_all or senders) or (topic and (is_of_all or _ASKS_MORE.search(rest))):
        return None
    return _Asked(question, period, senders, is_of_mails, is_of_all, topic)


def _sender(corpus: Corpus, question: str) -> tuple[tuple[str, ...], str] | None:
    """The writers that the question names, and its other words; ``None`` where it names one who wrote no mail."""
    is_unknown = False
    for named in _SENDER.finditer(question):
        group = str(named.lastgroup)
        is_behind, words = group == "behind", named[group].split(" ")
        sizes = reversed(range(1, len(words) + 1))
        for name in (" ".join(words[:size] if is_behind else words[-size:]) for size in sizes):
            if not _FRAME.issuperset(stems(name)) and (senders := senders_named(corpus, name)):
                first = named.start() if is_behind else named.end(group) - len(name)
                last = named.start(group) + len(name) if is_behind else named.end()
                return senders, f"{question[:first]} {question[last:]}"
        nearest = words[0] if is_behind else words[-1]
        is_unknown |= nearest[0].isupper() and not _FRAME.issuperset(stems(nearest))
    return None if is_unknown else ((), question)


def _found(corpus: Corpus, filters: Mapping[str, str], asked: _Asked) -> list[TextNode] | None:
    """The chunks, the earliest first; ``None`` where no mail has such a sender."""
    period, of_mails = asked.period, asked.is_of_mails or bool(asked.senders)
    wanted = MemoryFilters(
        (filters["type"],) if filters.get("type") else ("email",) if of_mails else _DATED,
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
    return None if passing is None else _sorted(corpus, passing)


def _sorted(corpus: Corpus, passing: MetadataFilters | None) -> list[TextNode]:
    """The chunks that pass, by their dates."""
    found = corpus.contents.find(passing) if passing and corpus.contents.exists else []
    return sorted(found, key=lambda node: (fields.number(node.metadata, fields.DATE) or 0.0, node.ref_doc_id or ""))


def _of_mails(found: Sequence[TextNode], asked: _Asked) -> Overview | None:
    mails: dict[str, list[TextNode]] = {}
    for node in reversed(found):  # the latest mail first, its first chunk with its header
        mails.setdefault(node.ref_doc_id or "", []).insert(0, node)
    mails = {key: nodes for key, nodes in mails.items() if asked.is_about("\n".join(map(_searched, nodes)))}
    when = f" of {asked.period}" if asked.period else ""
    if not mails:
        # Of a chat or a log one may say that she wrote, too.
        return Overview(f"The memory has no mail{when}.", ()) if asked.period and not asked.topic else None
    if _COUNT.search(asked.question):
        return Overview(f"The memory has {counted(mail=len(mails))}{when}.", ())
    latest = list(mails.values())[: 1 if _LATEST.search(asked.question) else _MAILS]
    if len(latest) == 1:
        return asked.quoted(f"{_about(latest[0][0])}:", latest[0])
    titles = listed(_about(nodes[0]) for nodes in mails.values())
    introduction = f"The memory has {counted(mail=len(mails))}{when}: {titles}."
    if _LIST.search(asked.question):
        return Overview(introduction, ())
    return asked.quoted(introduction, [node for nodes in latest for node in nodes])


def _searched(mail: TextNode) -> str:
    return f"{mail.metadata.get(fields.SUBJECT)}\n{mail.get_content()}"


def _about(mail: TextNode) -> str:
    """The subject, the writer and the day of a mail."""
    known = mail.metadata
    date = fields.number(known, fields.DATE)
    beside = [shown_title(str(known.get(fields.FROM) or "")), day_in_words(date) if date is not None else ""]
    return f"{quoted_title(str(known.get(fields.SUBJECT) or known[fields.TITLE]))} ({', '.join(filter(None, beside))})"


def _by_type(types: Mapping[str, int]) -> str:
    return counted(**dict(sorted(types.items())))
