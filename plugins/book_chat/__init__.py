"""Book chat: a tutor that answers only from books, to chapter and section."""

from typing import TYPE_CHECKING

from ragstone.core.runtime import lazy_names

if TYPE_CHECKING:
    from .library.editions import SectionDiff, diff
    from .library.files import ChapterFile, LeftOut
    from .library.layouts import BookLayout
    from .library.shelf import AddReport, Book, CountedBook, Shelf
    from .library.sites import SeveralBooks
    from .library.source_pages import ShownBlock, SourcePage
    from .parsers import BookNodeParser
    from .readers import MarkdownReader, PdfReader, UnreadablePdf
    from .settings import BookChatSettings

__all__ = [
    "AddReport",
    "Book",
    "BookChatSettings",
    "BookLayout",
    "BookNodeParser",
    "ChapterFile",
    "CountedBook",
    "LeftOut",
    "MarkdownReader",
    "PdfReader",
    "SectionDiff",
    "SeveralBooks",
    "Shelf",
    "ShownBlock",
    "SourcePage",
    "UnreadablePdf",
    "diff",
]

_NAMES = {
    "library.editions": "SectionDiff diff",
    "library.files": "ChapterFile LeftOut",
    "library.layouts": "BookLayout",
    "library.shelf": "AddReport Book CountedBook Shelf",
    "library.sites": "SeveralBooks",
    "library.source_pages": "ShownBlock SourcePage",
    "parsers": "BookNodeParser",
    "readers": "MarkdownReader PdfReader UnreadablePdf",
    "settings": "BookChatSettings",
}
__getattr__, __dir__ = lazy_names(__name__, _NAMES)
