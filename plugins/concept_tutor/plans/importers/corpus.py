"""A plan from a corpus of the host, such as one's own books: its documents in their order, each with its chunks.

A document with several chapters, such as a PDF or an EPUB, gives a concept for each of their sections, or for each
chapter where these are too many. Nothing of the plugin that made the corpus is known: a document's ``title``,
``chapter``, ``book`` and ``position`` are read where it has them, a chunk's ``chapter``, ``section``, ``url`` and
``licence`` too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from llama_index.core.schema import TextNode

from ragstone.core import BadRequest, Corpus, Host
from ragstone.core.answering import check_type
from ragstone.core.text import section_kind

from ..records import BOOK
from .assembly import ImportedPlan, assemble
from .document_parts import SEPARATOR, DocumentPart, chapters_of, section_of, sections_of
from .schema import ConceptSchema, NeedSchema, PlanSchema, SourceSchema

_MOST, _CHUNKS, _LEAST_WORDS = 200, 8, 30
#: Sections of these kinds explain nothing.
_LEFT_OUT = ("question", "objective", "reference", "navigation")
_NUMBERED = re.compile(
    r"^(?:(?:chapter|lesson|unit|part|section|module)\s+(?:\d+\b\s*[:.–—-]?|[IVXLC]+\s*[:.–—-])\s*"
    r"|\d{1,3}(?:\.\d{1,3})*\.?\s+)(?=\w)",
    re.IGNORECASE,
)
#: Titles of documents that explain nothing: they belong to another one, or are about the book.
_NO_CONCEPT = re.compile(
    r"\b(?:exercises?|exercise sheet|quiz|solutions|problem set|demo|answer key)\b"
    r"|^(?:preface|foreword|acknowledge?ments?|answers?|index|contents|about the authors?)$",
    re.IGNORECASE,
)
_CODE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
#: A line with a label ("Friction cone: The forces …"), and a sentence that says what something is.
_TELLS = re.compile(
    r"^(?:[-*•] |\d{1,2}[.)] )?[A-Z][^:.!?;|`()\n]{2,58}: [A-Z]"
    r"|(?:^|[.!?] )(?:An? |The )?[A-Z][^.,;:!?\n]{1,60}? (?:is|are|refers? to) (?:an?|the) ",
    re.MULTILINE,
)


def plan_from_corpus(host: Host, corpus: str, *, part: str = "", most: int = 60, title: str = "") -> ImportedPlan:
    """A plan of the corpus's documents, or of those whose book, chapter or title is ``part``, as a table of contents.

    A chapter or title may be named without the number before it; what several books have is named with its book:
    ``Book: Chapter``. Raises ``NotFound`` for a corpus that is not there, and ``BadRequest`` where ``part`` has no
    documents, more than ``most``, or may be one of several.
    """
    check_type(host, "host", Host, "an open Host")
    for value, name in ((corpus, "corpus"), (part, "part"), (title, "title")):
        check_type(value, name, str, "a string")
    check_type(most, "most", int, "a whole number")
    if not 1 <= most <= _MOST:
        raise BadRequest(f"a plan from a corpus has 1 to {_MOST} concepts")
    parts = _parts(host.find_corpus(corpus), part, most)
    found = [(one, sources) for one in parts if (sources := _sources(one, corpus))]
    if not found:
        what = f"no passage of at least {_LEAST_WORDS} words that explains something" if parts else "nothing to learn"
        under = f" under {part!r}" if part else ""
        raise BadRequest(f"the corpus {corpus!r} has {what}{under}", hint="name a book or a chapter")
    if len(found) > most:
        chapters = list(dict.fromkeys(one.fact("chapter") or one.title for one, _ in found))
        raise BadRequest(
            f"there are more than {most} documents, the most that were allowed",
            where=corpus,
            hint=f"name one of its chapters, such as: {', '.join(chapters[:5])}",
        )
    concepts: list[ConceptSchema] = []
    before: dict[tuple[str, str], str] = {}
    for name, (one, sources) in zip(_concept_names([one for one, _ in found]), found, strict=True):
        chapter = one.fact("book"), one.fact("chapter")
        needs = () if chapter not in before else (NeedSchema(concept=before[chapter], reason="comes before it"),)
        concepts.append(ConceptSchema(name=name, needs=needs, sources=sources))
        before[chapter] = name
    titles = list(dict.fromkeys(one.book_title for one, _ in found if one.book_title))
    is_book = part.casefold() in found[0][0].books  # by its slug perhaps
    schema = PlanSchema(title=title or (titles[0] if is_book and titles else part) or corpus, concepts=tuple(concepts))
    origin = " and ".join(f"“{each}”" for each in titles) or f"the corpus {corpus}"
    made = assemble(schema, title=title, origin=f"from {origin}")
    books = sorted({one.fact("book") for one, _ in found if one.fact("book")})
    return replace(made, plan=replace(made.plan, books=tuple(books) or None))


def _parts(corpus: Corpus, part: str, most: int) -> list[DocumentPart]:
    """What is learned: the documents, or of one with several chapters its sections, or its chapters if these are more
    than ``most``."""

    def split(parts: Iterable[DocumentPart]) -> list[DocumentPart]:
        return list(chain.from_iterable(chapters_of(corpus, each) for each in parts))

    documents = sorted(
        (DocumentPart(document.metadata, document.doc_id) for document in corpus.contents.documents()),
        key=lambda one: (str(one.metadata.get("book", "")), int(one.metadata.get("position") or 0)),
    )
    # A chapter may be a document, or one of several in a document, of the book that is named with it if one is.
    wanted = part.casefold()
    of_book = [one for one in documents if any(wanted.startswith(f"{book}: ") for book in one.books)]
    named = _of_part(documents, part, corpus.name) or _of_part(split(of_book or documents), part, corpus.name)
    chapters = split((_explaining(named) or named)[: _MOST * 2])
    sections = list(chain.from_iterable(map(sections_of, chapters)))
    return _explaining(chapters if len(sections) > most else sections) or chapters


def _explaining(parts: Sequence[DocumentPart]) -> list[DocumentPart]:
    """The parts whose titles do not say that they explain nothing."""
    return [one for one in parts if not _NO_CONCEPT.search(one.title) and section_kind(one.title) not in _LEFT_OUT]


def books_of(host: Host) -> list[tuple[str, str, str]]:
    """Each book that the request may read: the name of its corpus, its own ``book`` and its title."""
    found = [
        (info.name, str(book), str(title or book))
        for info in host.corpora()
        for (book, title), _ in host.find_corpus(info.name).contents.document_facets("book", "book_title")
        if book
    ]
    return sorted(found, key=lambda each: each[2].casefold())


def _of_part(documents: Sequence[DocumentPart], part: str, corpus: str) -> list[DocumentPart]:
    """The parts whose book, chapter or title it is, all of one book unless it names the books themselves."""
    wanted = part.casefold()
    if not wanted or any(wanted in one.books for one in documents):
        return [one for one in documents if not wanted or wanted in one.books]
    named = [(one, name) for one in documents if (name := _named(one, wanted))]
    if not named:  # "Investments" for "Chapter 9. Investments"
        named = [(one, name) for one in documents if (name := _named(one, wanted, numbered=False))]
    books = {one.fact("book"): one.book_title for one, _ in named}
    if len(books) > 1:
        names = sorted(book if list(books.values()).count(book) == 1 else slug for slug, book in books.items())
        raise BadRequest(
            f"several books have a part {part!r}: {', '.join(names)}",
            where=corpus,
            hint=f'name it with its book: --part "{names[0]}: {part}"',
        )
    titles = dict.fromkeys(name for _, name in named)
    if len(titles) > 1:
        raise BadRequest(f"{part!r} may be one of {', '.join(titles)}", where=corpus, hint="name one of them in full")
    return [one for one, _ in named]


def _named(part: DocumentPart, wanted: str, *, numbered: bool = True) -> str:
    """The part's chapter or title that is wanted, with its book or alone; empty if it is neither."""

    def bare(name: str) -> str:
        return name if numbered else _without_number(name)

    asked = {bare(wanted), *(bare(wanted.removeprefix(f"{book}: ")) for book in part.books)}
    titles = (part.fact(key) for key in ("chapter", "title") if part.fact(key))
    return next((title for title in titles if bare(title.casefold()) in asked), "")


def _without_number(title: str) -> str:
    """What is learned is "Path planning"; its source stays "Chapter 8: Path planning"."""
    return _NUMBERED.sub("", title)


def _concept_names(parts: Sequence[DocumentPart]) -> list[str]:
    """Their titles; what several have, with the chapter before it, then with the book, then with a number."""
    names = titles = [_without_number(one.title) for one in parts]
    chapters = [_without_number(one.fact("chapter")) for one in parts]
    for before in (chapters, [one.book_title for one in parts], [str(at) for at in range(1, len(names) + 1)]):
        often = Counter(names)
        names = [
            f"{more}: {name}"[:200] if often[name] > 1 and more not in {"", title} else name
            for name, more, title in zip(names, before, titles, strict=True)
        ]
    return names


def _sources(part: DocumentPart, corpus: str) -> tuple[SourceSchema, ...]:
    """The opening, what explains terms, and the others that tell most, in their order where they tell as much."""
    kinds = [(node, section_kind(section_of(node).rpartition(SEPARATOR)[2])) for node in part.nodes]
    terms = [node for node, kind in kinds if kind == "definition"]
    texts = ((node, _CODE.sub("", node.text)) for node, kind in kinds if kind not in (*_LEFT_OUT, "definition"))
    prose = [(node, text) for node, text in texts if len(text.split()) >= _LEAST_WORDS]
    telling = sorted(prose[1:], key=lambda each: -len(_TELLS.findall(each[1])))
    chosen = [*(node for node, _ in prose[:1]), *terms[: _CHUNKS // 2], *(node for node, _ in telling)][:_CHUNKS]
    return tuple(_source(node, part, corpus, 1 - rank / 100) for rank, node in enumerate(chosen))


def _source(node: TextNode, part: DocumentPart, corpus: str, relevance: float) -> SourceSchema:
    url = str(node.metadata.get("url") or "")
    return SourceSchema(
        page_title=part.title,
        content=node.text.strip()[:20_000],
        section=section_of(node).removeprefix(part.title).removeprefix(SEPARATOR)[:1000],
        licence=str(node.metadata.get("licence") or "")[:200],
        url=url if url.startswith(("https://", "http://")) and url.isascii() and " " not in url else "",
        source=(BOOK + part.book_title if part.book_title else f"corpus {corpus}")[:300],
        revision=part.fact("edition")[:64],
        language=part.fact("language")[:35],
        relevance=relevance,
        categories=tuple(chapter[:300] for chapter in (part.fact("chapter"),) if chapter),
    )
