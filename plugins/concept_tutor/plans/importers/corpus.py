"""A plan from a corpus of the host, such as one's own books: its documents in their order, each with its passages.

Nothing of the plugin that made the corpus is known: a document's ``title``, ``chapter``, ``book`` and ``position`` are
read where it has them, a chunk's ``section``, ``url`` and ``licence`` too.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragstone.core import BadRequest, Host
from ragstone.core.answering import check_type
from ragstone.core.text import section_kind

from .assembly import ImportedPlan, assemble
from .schema import ConceptSchema, NeedSchema, PlanSchema, SourceSchema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from llama_index.core.schema import TextNode

_MOST, _PASSAGES, _LEAST_WORDS = 200, 8, 30
_SEPARATOR = " › "
#: Sections of these kinds explain nothing.
_LEFT_OUT = ("question", "objective", "reference", "navigation")
_NUMBERED = re.compile(
    r"(?:chapter|lesson|unit|part|section|module)\s+(?:\d+|[IVXLC]+)\s*[:.–—-]\s*(?=\w)", re.IGNORECASE
)
#: Titles of documents that belong to another one and explain nothing.
_PRACTICE = re.compile(r"\b(?:exercises?|exercise sheet|quiz|solutions|problem set|demo)\b", re.IGNORECASE)
_CODE = re.compile(r"^\s*(```|~~~).*?(?:^\s*\1|\Z)", re.MULTILINE | re.DOTALL)
#: A line with a label ("Friction cone: The forces …"), and a sentence that says what something is.
_TELLS = re.compile(
    r"^(?:[-*•] |\d{1,2}[.)] )?[A-Z][^:.!?;|`()\n]{2,58}: [A-Z]"
    r"|(?:^|[.!?] )(?:An? |The )?[A-Z][^.,;:!?\n]{1,60}? (?:is|are|refers? to) (?:an?|the) ",
    re.MULTILINE,
)


def plan_from_corpus(host: Host, corpus: str, *, part: str = "", most: int = 60, title: str = "") -> ImportedPlan:
    """A plan of the corpus's documents, or of those whose book, chapter or title is ``part``, as a table of contents.

    Raises ``NotFound`` for a corpus that is not there, and ``BadRequest`` where ``part`` has no documents, or more than
    ``most``.
    """
    check_type(host, "host", Host, "an open Host")
    for value, name in ((corpus, "corpus"), (part, "part"), (title, "title")):
        check_type(value, name, str, "a string")
    check_type(most, "most", int, "a whole number")
    if not 1 <= most <= _MOST:
        raise BadRequest(f"a plan from a corpus has 1 to {_MOST} concepts")
    contents = host.find_corpus(corpus).contents
    named = [one for one in contents.documents() if not part or part.casefold() in _names(one.metadata)]
    named = [one for one in named if not _PRACTICE.search(_title(one.metadata))] or named
    named.sort(key=lambda one: (str(one.metadata.get("book", "")), int(one.metadata.get("position") or 0)))
    found: list[tuple[Mapping[str, Any], list[SourceSchema]]] = []
    for document in named[: _MOST * 2]:
        chosen = _passages(contents.document_nodes(document.doc_id), document.metadata, corpus)
        if chosen:
            found.append((document.metadata, chosen))
    if not found:
        raise BadRequest(f"the corpus {corpus!r} has nothing to learn under {part!r}", hint="name a book or a chapter")
    if len(found) > most:
        chapters = ", ".join(list(dict.fromkeys(str(each.get("chapter") or _title(each)) for each, _ in found))[:5])
        raise BadRequest(
            f"there are more than {most} documents, the most that were allowed",
            where=corpus,
            hint=f"name a part with --part, such as: {chapters}",
        )
    often = Counter(_NUMBERED.sub("", _title(metadata), count=1) for metadata, _ in found)
    concepts: list[ConceptSchema] = []
    before: dict[str, str] = {}
    for metadata, sources in found:
        chapter = str(metadata.get("chapter") or "")
        # What is learned is "Path planning"; its source stays "Chapter 8: Path planning".
        name = _NUMBERED.sub("", _title(metadata), count=1)
        if often[name] > 1:
            name = f"{chapter or len(concepts) + 1}: {name}"[:200]
        needs = () if chapter not in before else (NeedSchema(concept=before[chapter], reason="comes before it"),)
        concepts.append(ConceptSchema(name=name, needs=needs, sources=tuple(sources)))
        before[chapter] = name
    schema = PlanSchema(title=title or part or corpus, concepts=tuple(concepts))
    made = assemble(schema, title=title, origin=f"from the corpus {corpus}")
    books = sorted({str(metadata["book"]) for metadata, _ in found if metadata.get("book")})
    return replace(made, plan=replace(made.plan, books=tuple(books) or None))


def books_of(host: Host) -> list[tuple[str, str, str]]:
    """Each book that the request may read: the name of its corpus, its own ``book`` and its title."""
    found = [
        (info.name, str(book), str(title or book))
        for info in host.corpora()
        for (book, title), _ in host.find_corpus(info.name).contents.document_facets("book", "book_title")
        if book
    ]
    return sorted(found, key=lambda each: each[2].casefold())


def _title(metadata: Mapping[str, Any]) -> str:
    named = (metadata.get(key) for key in ("title", "page_title", "file_name", "path"))
    return " ".join(str(next(filter(None, named), "Untitled")).split())[:150]


def _names(metadata: Mapping[str, Any]) -> set[str]:
    return {str(metadata.get(key) or "").casefold() for key in ("book", "book_title", "chapter", "title")}


def _passages(nodes: Sequence[TextNode], metadata: Mapping[str, Any], corpus: str) -> list[SourceSchema]:
    """The opening, what explains terms, and the others that tell most, in their order where they tell as much."""
    kinds = [section_kind(_section(node).rpartition(_SEPARATOR)[2]) for node in nodes]
    terms = [node for node, kind in zip(nodes, kinds, strict=True) if kind == "definition"]
    texts = [(node, _CODE.sub("", node.text)) for node, kind in zip(nodes, kinds, strict=True) if kind not in _LEFT_OUT]
    prose = [(node, text) for node, text in texts if node not in terms and len(text.split()) >= _LEAST_WORDS]
    opening = [node for node, _ in prose[:1]]
    telling = [(node, len(_TELLS.findall(text))) for node, text in prose[1:]]
    telling.sort(key=lambda each: -each[1])
    chosen = [*opening, *terms[: _PASSAGES // 2], *(node for node, _ in telling)][:_PASSAGES]
    return [_source(node, metadata, corpus, 1 - rank / 100) for rank, node in enumerate(chosen)]


def _section(node: TextNode) -> str:
    return str(node.metadata.get("section") or node.metadata.get("heading") or "")


def _source(node: TextNode, metadata: Mapping[str, Any], corpus: str, relevance: float) -> SourceSchema:
    title, section = _title(metadata), _section(node)
    url = str(node.metadata.get("url") or "")
    return SourceSchema(
        page_title=title,
        content=node.text.strip()[:20_000],
        section=section.removeprefix(title).removeprefix(_SEPARATOR)[:1000],
        licence=str(node.metadata.get("licence") or "licence not stated")[:200],
        url=url if url.startswith(("https://", "http://")) and url.isascii() and " " not in url else "",
        source=f"corpus {corpus}"[:64],
        revision=str(metadata.get("edition") or "")[:64],
        language=str(metadata.get("language") or "")[:35],
        relevance=relevance,
        categories=tuple(str(metadata[key])[:300] for key in ("chapter",) if metadata.get(key)),
    )
