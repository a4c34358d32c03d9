"""Questions for the files with a status, such as tickets: "Which tickets are open?"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from ragstone.core import Corpus
from ragstone.core.answering import Overview
from ragstone.core.text import listed, quoted_title, shown_title, stems

from .. import fields
from ..retrievers import valid_only
from .texts import KINDS, sorted_texts

_WHICH = re.compile(
    r"\W*(?:which|what|how many|list|show(?: me)?)(?: of)?(?: all)?(?: the| our| my)? "
    r"(?:(?P<things>\w+(?: \w+)?) (?:is|are|were|have)(?: been| still| currently)*(?: set to| marked(?: as)?)?"
    r"|(?P<before>(?:in progress|\w+)) (?P<named>\w+)(?: (?:are there|do (?:we|I) have|there are))?)"
    r"(?P<state> (?!there\b)(?:in progress|\w+))?(?: now| currently| at the moment)?\W*\Z",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"^(?:[^\w\n]|_){0,10}(?:status|state)(?:[^\w\n]|_){0,10}?:(?:[^\w\n]|_){0,10}(.{1,60})$",
    re.IGNORECASE | re.MULTILINE,
)
#: What a file says beside it.
_NO_STATUS = re.compile(rf"\A(?![\s\S]*{_STATUS.pattern})", re.IGNORECASE | re.MULTILINE)


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
    found = [(node, _STATUS.search(node.get_content())) for node in sorted_texts(corpus, valid_only(corpus, are_these))]
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
