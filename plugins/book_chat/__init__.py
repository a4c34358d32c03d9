"""Book chat: a tutor that answers only from books, to chapter and section."""

from typing import TYPE_CHECKING

from ragstone.core.runtime import lazy_names

if TYPE_CHECKING:
    from .library.books import AddReport, Book, CountedBook
    from .library.editions import SectionDiff, diff
    from .library.files import ChapterFile, LeftOut
    from .library.layouts.layout import BookLayout
    from .library.layouts.sites import SeveralBooks
    from .library.shelf import Shelf
    from .library.source_pages import ShownBlock, SourcePage
    from .parsers import BookNodeParser
    from .readers import FormatReader, MarkdownReader, PdfReader, PlainTextReader, UnreadableFile, UnreadablePdf
    from .settings import BookChatSettings

__all__ = [
    "AddReport",
    "Book",
    "BookChatSettings",
    "BookLayout",
    "BookNodeParser",
    "ChapterFile",
    "CountedBook",
    "FormatReader",
    "LeftOut",
    "MarkdownReader",
    "PdfReader",
    "PlainTextReader",
    "SectionDiff",
    "SeveralBooks",
    "Shelf",
    "ShownBlock",
    "SourcePage",
    "UnreadableFile",
    "UnreadablePdf",
    "diff",
]

__getattr__, __dir__ = lazy_names(__name__)
