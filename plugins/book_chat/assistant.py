"""Book chat's assistant: its profile, filters, citations and refusals."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from llama_index.core.schema import BaseNode

from ragstone.core import Assistant, CitationFormat, Host, Profile, QuestionFilter
from ragstone.core.answering import AssistantPaths, EmptyState, QuestionFilters
from ragstone.core.text import BY_OCR

from .guardrails import GENERAL, HARDWARE, SIMULATION, SafetyWarnings, setting_of
from .library.editions import newest_editions
from .library.sample import example_questions
from .library.shelf import Shelf
from .overview import overview
from .prompts import ANSWER
from .settings import BookChatSettings

NAME = "book_chat"
_NO_BOOK = (
    "There is no book on the shelf yet. Add a PDF, an EPUB, a Markdown file or a zipped book: on the page "
    "/book_chat/books/, or with ragstone book add PATH."
)
#: Path of the shelf's page.
SHELF = "/book_chat/books"
#: What a citation shows of its chunk, in the order of the specification.
_FIELDS = (
    "book_title",
    "edition",
    "chapter",
    "section",
    "page_label",
    "page_index",
    "content_type",
    "is_simulation",
    "setting",
    "licence",
)


_FILTERS = {
    "book": QuestionFilter("slug of one book; see ragstone book list; without it the newest edition of each is asked"),
    "setting": QuestionFilter(
        "simulation or hardware; what is about neither is asked in both cases", choices=(SIMULATION, HARDWARE)
    ),
}


def assistant(host: Host) -> Assistant:
    """The assistant ``book_chat`` over all books of the host."""
    shelf = Shelf(host)

    def refusal(filters: Mapping[str, str]) -> str:
        books = [shelf.book(filters["book"])] if "book" in filters else shelf.books()
        if not books:
            return _NO_BOOK
        titles = list(dict.fromkeys(book.title for book in books))
        if len(titles) == 1:
            return f"As an AI tutor for '{titles[0]},' I can only answer questions related to the book's content."
        return "As an AI tutor for the books on this shelf, I can only answer questions related to their content."

    def conditions(filters: Mapping[str, str]) -> Mapping[str, str | tuple[str, ...]]:
        found: dict[str, str | tuple[str, ...]] = {}
        if "book" in filters:
            found["book"] = shelf.book(filters["book"]).slug
        elif (newest := newest_editions(books := shelf.books())) != books:
            found["book"] = tuple(book.slug for book in newest)
        if "setting" in filters:
            found["setting"] = (filters["setting"], GENERAL)  # what holds for both is wanted with either
        return found

    def setting_shown(node: BaseNode, _quote: str) -> str | None:
        shown = setting_of(node)
        return shown if shown and node.metadata.get("book") in shelf.books_on_simulation() else None

    def empty() -> EmptyState | None:
        return None if shelf.books() else EmptyState(_NO_BOOK, f"{SHELF}/", "Add a book")

    return Assistant(
        host,
        shelf.corpus,
        Profile(
            name=NAME,
            title="Book chat",
            description="A tutor that answers only from the books on its shelf, to chapter and section.",
            citations=CitationFormat(
                _FIELDS,
                url=_url,
                title="book_title",
                parts=("edition", "chapter", "section"),
                picture="page_index",
                tags={"is_simulation": "Simulation", BY_OCR: "read by OCR"},
                shown=lambda node: {BY_OCR: True} if node.metadata.get(BY_OCR) else {},
            ),
            guard=SafetyWarnings(shelf.corpus),
            setting=setting_shown,
            overview=partial(overview, shelf),
            refusal=refusal,
            prompt=ANSWER,
            examples=lambda: example_questions(shelf),
            empty=empty,
            filters=QuestionFilters(_FILTERS, conditions, scope="book"),
            top_k=host.hooks.options(BookChatSettings).top_k,
            paths=AssistantPaths(page="/book_chat/", query="/query", selection="/query-selection"),
        ),
    )


def _url(node: BaseNode) -> str:
    """Where the book's owner publishes the page, else our own page with the chunk."""
    known: Mapping[str, Any] = node.metadata
    if known.get("url"):
        return str(known["url"])
    return f"/book_chat/source/{node.node_id}" if known.get("path") else ""
