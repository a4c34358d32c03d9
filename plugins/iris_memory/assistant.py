"""The assistant ``memory``: answers from an agent's files, each sentence with its file and lines."""

from __future__ import annotations

import re
from collections.abc import Mapping

from llama_index.core.schema import BaseNode

from ragstone.core import Assistant, CitationFormat, Corpus, Host, NotFound, Profile, QuestionFilter
from ragstone.core.answering import EmptyState, QuestionFilters
from ragstone.core.text import quoted_title

from . import fields
from .indexing.memory import memory_of
from .overview import overview
from .prompts import ANSWER
from .recall.chunk import chunk_of, has_several_sections, subject_above, writer_of
from .recall.filters import LONGEST_PART, MemoryFilters, parse_time
from .settings import DOC_TYPES

NAME = "memory"
PREFIX = "/memory"
#: What a citation shows of its chunk, beside its place.
_FIELDS = (
    fields.TITLE,
    fields.PATH,
    fields.LINE_FIRST,
    fields.LINE_LAST,
    fields.DOC_TYPE,
    fields.FROM,
    fields.TO,
)
#: A line that a mail quotes, above the paragraph at whose beginning or within which the text ends.
_ANSWERED = re.compile(r"^> (.*\?)\n\n(?:(?!>)[^\n]+\n)*(?!>)[^\n]+\Z", re.MULTILINE)
_TYPE, _FROM, _TO, _SUBJECT = "type", "from", "to", "subject"


_FILTERS = {
    _TYPE: QuestionFilter("note, email, log …", choices=DOC_TYPES),
    _FROM: QuestionFilter("name or address"),
    _TO: QuestionFilter("name or address"),
    _SUBJECT: QuestionFilter("words"),
    fields.AS_OF: QuestionFilter("a day such as 2026-02-18: only facts that held then; by default now", format="date"),
}


def assistant(host: Host) -> Assistant:
    """The assistant ``memory`` over the deployment's root."""
    memory = memory_of(host)

    def conditions(filters: Mapping[str, str]) -> dict[str, str | tuple[str, ...]]:
        asked = {name: filters[name] for name in (_FROM, _TO, _SUBJECT) if filters.get(name, "").strip()}
        if any(len(part) > LONGEST_PART for part in asked.values()):
            raise NotFound("no mail is like that", hint=f"at most {LONGEST_PART} characters of a name")
        mail = MemoryFilters(sender=asked.get(_FROM), recipient=asked.get(_TO), subject=asked.get(_SUBJECT))
        values = mail.values(memory.corpus)
        if not all(values.values()):
            raise NotFound(f"no mail is {mail}")
        found: dict[str, str | tuple[str, ...]] = {**values}
        if filters.get(_TYPE):
            found[fields.DOC_TYPE] = filters[_TYPE]
        if filters.get(fields.AS_OF, "").strip():
            found[fields.AS_OF] = str(parse_time(filters[fields.AS_OF]))
        return found

    def empty() -> EmptyState | None:
        if memory.corpus.contents.exists:
            return None
        if memory.settings.root is None:
            return EmptyState(
                "No folder is remembered yet. The person who runs this server names one in its settings, as root of "
                "[plugins.iris_memory], and reads it with “ragstone memory update”."
            )
        return EmptyState(
            "Its folder has not been read yet. The person who runs this server does that with “ragstone memory update”."
        )

    return Assistant(
        host,
        memory.corpus,
        Profile(
            name=NAME,
            title="Memory",
            description="Answers from the files of this agent: every sentence with its file and lines.",
            citations=CitationFormat(
                _FIELDS,
                # With the anchor: lines of a file repeat, and a browser that searches for the text finds the first.
                url=lambda node: f"{PREFIX}/source/{node.node_id}#passage",
                title=fields.TITLE,
                parts=("section", "place"),
                shown=_shown,
            ),
            setting=_setting,
            refusal=lambda _filters: "Nothing in the memory answers that.",
            prompt=ANSWER,
            examples=lambda: _examples(memory.corpus),
            empty=empty,
            overview=lambda question, filters, _earlier: overview(memory.corpus, question, filters),
            filters=QuestionFilters(_FILTERS, conditions),
            top_k=memory.settings.n_results,
        ),
    )


def _examples(corpus: Corpus) -> tuple[str, ...]:
    """Questions that this memory answers."""
    examples, known = ["What is in the memory?"], corpus.contents
    if known.exists and any(values == ("email",) for values, _ in known.document_facets(fields.DOC_TYPE)):
        examples += ["What is the latest mail?", "Which mails wait for a reply?"]
    if known.exists and any(values == ("open",) for values, _ in known.facets(fields.TASKS)):
        examples.append("What is still open?")
    return tuple(examples)


def _setting(node: BaseNode, quote: str) -> str | None:
    """Who wrote it and when, which "I" and "yesterday" refer to: "2 November 2026, Marta Kowalska"; of a turn the
    question before it, and of a mail the one that it quotes above its answer; else the heading above it, which a note's
    sentence may need: "Jonas: Allergic to sesame.". What a mail quotes is another's words: "quoted by Marta
    Kowalska"."""
    writer, text = writer_of(node), node.get_content()
    above = text[: text.find(quote) + 1]
    is_quoted = above.rpartition("\n")[2].startswith(">")
    answered = _ANSWERED.search(above) if writer else None
    before = answered[1] if answered else str(node.metadata.get(fields.CONTEXT) or "").rstrip().rpartition("\n")[2]
    asked = f"{'to' if writer else 'To'} {quoted_title(before)}" if before.endswith("?") else ""
    named = f"quoted by {writer}" if writer and is_quoted else writer
    known = ", ".join(part for part in (node.metadata.get(fields.DAY), named, asked) if part)
    return known or subject_above(node, quote) or None


def _shown(node: BaseNode) -> dict[str, str]:
    """The section, unless it is the title or one of several, the place as ``path:lines``, and the day."""
    chunk = chunk_of(node, 0.0)
    section = chunk.section.lstrip("#* ").rstrip("* ")
    is_one = section not in {"", node.metadata.get(fields.TITLE)} and not has_several_sections(node)
    found = {"section": section} if is_one else {}
    return found | {"place": chunk.place} | ({"date": f"{chunk.date:%Y-%m-%d}"} if chunk.date else {})
