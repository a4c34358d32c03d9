"""Questions for what happened on some days, for mails, and for what the memory holds, answered without a search."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ragstone.core.answering import Overview
from ragstone.core.text import counted, listed, quoted_title, shown_title

from . import fields
from .parsers.node_parser import day_in_words
from .periods import Period, period_in
from .recall.filters import MemoryFilters
from .retrievers import valid_only

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from llama_index.core.schema import TextNode

    from ragstone.core import Corpus

#: What is of the day that it names; other files have the time of their last change.
_DATED = ("email", "log", "transcript")
_MAIL = re.compile(r"\b(?:e-?)?mails?\b", re.IGNORECASE)
_NAME = r"((?:[A-Z][\w.@’'-]*)(?: [A-Z][\w.@’'-]*){0,3})"
_SENDER = re.compile(rf"\b(?:from|by) {_NAME}|\b[Dd]id {_NAME} (?:write|send)\b")
_MEMORY = re.compile(r"\b(?:memory|files)\b", re.IGNORECASE)
_COUNT = re.compile(r"\bhow many\b", re.IGNORECASE)
_LATEST = re.compile(r"\b(?:latest|last|newest|most recent)\b", re.IGNORECASE)
#: Words around these in a question that asks for nothing else.
_FRAME = re.compile(
    r"a|all|any|anything|are|been|came|come|contain(?:s|ed)?|did|do|does|doing|for|from|get|give|going|got|had|happen(?:s|ed)?"
    r"|has|have|how|i|in|is|it|know|latest|last|list|logs?|many|me|most|my|new|newest|news|of|on|receive[d]?|recent|say"
    r"|says|send|sends|sent|show|some|something|tell|that|the|there|this|to|us|was|we|were|what|which|who|with|write"
    r"|writes|written|wrote|you|your",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
#: Chunks of a time that are quoted, and sentences of each.
_CHUNKS, _SENTENCES = 8, 6


def overview(corpus: Corpus, question: str, filters: Mapping[str, str]) -> Overview | None:
    """What is of the days, or the mails, that the question asks for; ``None`` for a question with other words."""
    period, rest = period_in(question, datetime.now(UTC).date())
    sender = _SENDER.search(rest)
    rest = _SENDER.sub(" ", rest)
    is_of_mails = bool(sender or _MAIL.search(rest))
    is_of_all = not (period or is_of_mails) and bool(_MEMORY.search(rest))
    rest = _MEMORY.sub(" ", _MAIL.sub(" ", rest.replace("’", "'").replace("'s", " ")))
    if not (period or is_of_mails or is_of_all) or not all(map(_FRAME.fullmatch, _WORD.findall(rest))):
        return None
    if is_of_all:
        types = Counter[str]()
        for (doc_type,), number in corpus.contents.document_facets(fields.DOC_TYPE):
            types[str(doc_type)] += number
        return Overview(f"The memory has {counted(file=types.total())}: {_by_type(types)}.", ())
    found = _found(corpus, filters, period, (sender[1] or sender[2]) if sender else None, is_of_mails=is_of_mails)
    if found is None:
        return None
    if is_of_mails:
        return _of_mails(found, period, question)
    if not found:  # a note may be of the day, by its heading
        return None
    types = Counter({node.ref_doc_id: str(node.metadata[fields.DOC_TYPE]) for node in found}.values())
    shown = f", of which {_CHUNKS} passages are quoted" if len(found) > _CHUNKS else ""
    return _quoted(f"{period}: {_by_type(types)}{shown}.", found[:_CHUNKS])


def _found(
    corpus: Corpus, filters: Mapping[str, str], period: Period | None, sender: str | None, *, is_of_mails: bool
) -> list[TextNode] | None:
    """The chunks, the earliest first; ``None`` where no mail has such a sender."""
    wanted = MemoryFilters(
        (filters["type"],) if filters.get("type") else ("email",) if is_of_mails else _DATED,
        since=period.since if period else None,
        until=period.until if period else None,
        sender=sender or filters.get("from") or None,
        recipient=filters.get("to") or None,
        subject=filters.get("subject") or None,
    )
    values = wanted.values(corpus)
    passing = valid_only(corpus, wanted.metadata_filters(values)) if all(values.values()) else None
    if passing is None:
        return None
    found = corpus.contents.find(passing)
    return sorted(found, key=lambda node: (fields.number(node.metadata, fields.DATE) or 0.0, node.ref_doc_id or ""))


def _of_mails(found: Sequence[TextNode], period: Period | None, question: str) -> Overview:
    mails: dict[str, TextNode] = {}
    for node in reversed(found):  # the latest first; a mail's first chunk has its header
        mails[node.ref_doc_id or ""] = node
    when = f" of {period}" if period else ""
    if not mails:
        return Overview(f"The memory has no mail{when}.", ())
    is_count = bool(_COUNT.search(question))
    if (_LATEST.search(question) or len(mails) == 1) and not is_count:
        latest = next(iter(mails))
        return _quoted(f"{_about(mails[latest])}:", [node for node in found if node.ref_doc_id == latest])
    titles = "" if is_count else f": {listed(map(_about, mails.values()))}"
    return Overview(f"The memory has {counted(mail=len(mails))}{when}{titles}.", ())


def _about(mail: TextNode) -> str:
    """The subject, the writer and the day of a mail."""
    known = mail.metadata
    date = fields.number(known, fields.DATE)
    beside = [shown_title(str(known.get(fields.FROM) or "")), day_in_words(date) if date is not None else ""]
    return f"{quoted_title(str(known.get(fields.SUBJECT) or known[fields.TITLE]))} ({', '.join(filter(None, beside))})"


def _quoted(introduction: str, nodes: Sequence[TextNode]) -> Overview:
    return Overview(introduction, nodes[:_CHUNKS], most=_SENTENCES, units=frozenset({"sentence", "item"}))


def _by_type(types: Mapping[str, int]) -> str:
    return counted(**dict(sorted(types.items())))
