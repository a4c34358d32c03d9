"""Iris memory: an agent's files as its working memory."""

from typing import TYPE_CHECKING

from ragstone.core.runtime import lazy_names

if TYPE_CHECKING:
    from .indexing.memory import Memory, memory_of
    from .parsers.node_parser import MemoryNodeParser
    from .readers.mail import MailReader
    from .readers.state import StateReader
    from .readers.transcript import TranscriptReader
    from .recall.chunk import MemoryChunk
    from .recall.functions import format_for_prompt, query_memory, update_memory_for_file, working_memory_for_email

__all__ = [
    "MailReader",
    "Memory",
    "MemoryChunk",
    "MemoryNodeParser",
    "StateReader",
    "TranscriptReader",
    "format_for_prompt",
    "memory_of",
    "query_memory",
    "update_memory_for_file",
    "working_memory_for_email",
]

__getattr__, __dir__ = lazy_names(__name__)
