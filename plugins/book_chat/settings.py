"""The options of ``[plugins.book_chat]``."""

from typing import Annotated

from pydantic import Field

from ragstone.core import Table


class BookChatSettings(Table):
    """All options have defaults."""

    #: Chunks that an answer may draw on.
    top_k: int = Field(default=5, ge=1, le=50)
    #: Tokens of the encoder that a chunk should have, and how many of them it shares with the one before.
    chunk_tokens: int = Field(default=400, ge=50, le=2000)
    min_chunk_tokens: int = Field(default=300, ge=20, le=2000)
    overlap_tokens: int = Field(default=50, ge=0, le=500)
    #: Put the sample book on the shelf when the shelf is empty at the first start of the server.
    sample: bool = True
    #: What reading one PDF may take: seconds for up to 300 pages, megabytes of memory for up to 1,000.
    pdf_seconds: float = Field(default=30.0, gt=0, le=3600)
    pdf_megabytes: int = Field(default=512, ge=128, le=65536)
    #: Languages as tesseract names them, in which pages of PDFs without text are read by OCR; empty: they are not.
    ocr: tuple[Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z_/]{1,30}$")], ...] = Field(default=(), max_length=5)
    #: Slugs of the books whose PDF may be opened by all who may ask; "*" for all books.
    serve_pdf: tuple[str, ...] = ()
