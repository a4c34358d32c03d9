"""Questions for what happened on some days, for mails, and for what the memory holds, answered without a search."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from llama_index.core.schema import TextNode

from ragstone.core import Corpus
from ragstone.core.answering import Overview
from ragstone.core.retrieval import HybridRetriever
from ragstone.core.text import counted

from . import fields
from .recall.asked import Asked, asked_of
from .recall.mails import of_mails, unanswered, written_to
from .recall.states import last_said, last_time
from .recall.tasks import tasks, with_status
from .recall.texts import CHUNKS, found_texts, has_sentence, quoted
from .retrievers import valid_only


def overview(corpus: Corpus, question: str, filters: Mapping[str, str]) -> Overview | None:
    """What is of the days, or the mails, that the question asks for; ``None`` for a question with other words."""
    if not any(filters.get(name) for name in ("from", "to", "subject")):
        listed = with_status(corpus, question, filters) or tasks(corpus, question, filters)
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
    if asked.is_of_mails or asked.senders:
        return of_mails(texts, asked) or last_time(corpus, question, filters)
    return _of_days([node for node in texts if asked.is_about(node.get_content())], asked)


def _of_days(found: list[TextNode], asked: Asked) -> Overview | None:
    if not found:  # a note may be of the day, by its heading
        return None
    types = Counter({node.ref_doc_id: str(node.metadata[fields.DOC_TYPE]) for node in found}.values())
    shown = ""
    if len(found) > CHUNKS:  # the last ones, logs rather than mails
        kept = sorted(found, key=lambda node: node.metadata[fields.DOC_TYPE] != "email")[-CHUNKS:]
        shown, found = f", of which {CHUNKS} passages are quoted", [node for node in found if node in kept]
    return quoted(asked, f"{asked.period}: {_by_type(types)}{shown}.", found)


def _is_named(corpus: Corpus, name: str) -> bool:
    """Whether a sentence has the name: of a chat or a log one may say that she wrote, too."""
    found = HybridRetriever(corpus, top_k=CHUNKS, filters=valid_only(corpus, None)).search(name).nodes
    return has_sentence(re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE), [each.node for each in found])


def _by_type(types: Mapping[str, int]) -> str:
    return counted(**dict(sorted(types.items())))
