"""The sample book, and the questions that the assistant offers."""

from __future__ import annotations

import logging
from pathlib import Path

from ragstone.core import Host, RagstoneError

from ..settings import BookChatSettings
from .shelf import Shelf

SAMPLE = Path(__file__).parents[1] / "sample" / "primer"
_SLUG = "physical-ai-humanoid-robotics-a-primer"
_SAMPLE_QUESTIONS = (
    "What is the zero moment point?",
    "Why does a motor control loop have to run so fast?",
    "What does a category 1 stop do?",
)
_OF_ANY_BOOK = "What is this book about?"

_log = logging.getLogger(__name__)


def example_questions(shelf: Shelf) -> tuple[str, ...]:
    """Questions that are answered, about the sample or any book; none names a book, which not all may see."""
    books = shelf.books()
    of_sample = _SAMPLE_QUESTIONS if any(book.slug == _SLUG for book in books) else ()
    return (*of_sample, _OF_ANY_BOOK) if books else ()


def put_sample_on_empty_shelf(host: Host) -> None:
    """Add the sample book to a shelf that was never used. One that was emptied stays empty."""
    shelf = Shelf(host)
    if not host.hooks.options(BookChatSettings).sample or shelf.corpus.contents.exists:
        return
    try:
        shelf.add(shelf.plan(SAMPLE))
    except RagstoneError as error:
        _log.warning("the sample book was not added: %s", error)
