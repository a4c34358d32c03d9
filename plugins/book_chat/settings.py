"""The options of ``[plugins.book_chat]``."""

from pydantic import Field

from ragstone.core import Table


class BookChatSettings(Table):
    """Every option has a default that needs no thought."""

    #: Passages that an answer may draw on.
    top_k: int = Field(default=5, ge=1, le=50)
    #: Tokens of the encoder that a chunk should have, and how many of them it shares with the one before.
    chunk_tokens: int = Field(default=400, ge=50, le=2000)
    min_chunk_tokens: int = Field(default=300, ge=20, le=2000)
    overlap_tokens: int = Field(default=50, ge=0, le=500)
    #: Put the sample book on the shelf when the shelf is empty at the first start of the server.
    sample: bool = True
