"""The sample book, and the questions that the assistant offers."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ragstone.core import Host, RagstoneError

from ..settings import BookChatSettings
from .books import Book
from .editions import newest_editions
from .headings import NUMBERED
from .shelf import Shelf

SAMPLE = Path(__file__).parents[1] / "sample" / "primer"
_SLUG = "physical-ai-humanoid-robotics-a-primer"
_SAMPLE_QUESTIONS = (
    "What is the zero moment point?",
    "Why does a motor control loop have to run so fast?",
    "What does a category 1 stop do?",
)
_OF_ANY_BOOK = "What is this book about?"
_OF_CHAPTER = "What does the book say about “{}”?"
#: Chapters that are asked about, and the characters of a title that is short enough for it.
_CHAPTERS = 3
_LONGEST_TITLE = 48
_NUMBER = re.compile(r"^(?:\d[\d.]*)?[\s.:)–—-]+")
#: Titles of chapters that are on no subject.
_NO_SUBJECT = re.compile(
    r"(?:about|acknowledg\w+|answers?|appendi\w+|bibliography|change ?log|conclusions?|contents|copyright|cover|credits"
    r"|exercises|foreword|front matter|further reading|glossary|index|introduction|license|overview|preface|quiz\w*"
    r"|references|release notes|revision history|solutions?|summary|title page)\b",
    re.IGNORECASE,
)

_log = logging.getLogger(__name__)


def example_questions(shelf: Shelf) -> tuple[str, ...]:
    """Questions that are answered: of the sample its own, of a single other book those on its longest chapters."""
    books = newest_editions(shelf.books())
    if any(book.slug == _SLUG for book in books):
        return (*_SAMPLE_QUESTIONS, _OF_ANY_BOOK)
    of_chapters = _of_chapters(shelf, books[0]) if len(books) == 1 else ()
    return (_OF_ANY_BOOK, *of_chapters) if books else ()


def _of_chapters(shelf: Shelf, book: Book) -> Iterator[str]:
    """Questions on its longest chapters, by their titles without their numbers."""
    sizes = Counter[str]()
    for (slug, chapter), chunks in shelf.corpus.contents.facets("book", "chapter"):
        title = _NUMBER.sub("", NUMBERED.sub("", str(chapter)))
        is_subject = 2 < len(title) <= _LONGEST_TITLE and not _NO_SUBJECT.match(title) and title != book.title
        if slug == book.slug and is_subject and '"' not in title:
            sizes[title] += chunks
    return (_OF_CHAPTER.format(title) for title, _ in sizes.most_common(_CHAPTERS))


def put_sample_on_empty_shelf(host: Host) -> None:
    """Add the sample book to a shelf that was never used. One that was emptied stays empty."""
    shelf = Shelf(host)
    if not host.hooks.options(BookChatSettings).sample or shelf.corpus.contents.exists:
        return
    try:
        shelf.add(shelf.plan(SAMPLE))
    except RagstoneError as error:
        _log.warning("the sample book was not added: %s", error)
