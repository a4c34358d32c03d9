"""Iris memory: what an agent's files say now, never what they said before."""

from typing import TYPE_CHECKING

from ragstone.core.runtime import lazy_names

if TYPE_CHECKING:
    from .recall.chunk import MemoryChunk
    from .recall.functions import format_for_prompt, query_memory, update_memory_for_file, working_memory_for_email

__all__ = ["MemoryChunk", "format_for_prompt", "query_memory", "update_memory_for_file", "working_memory_for_email"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "recall.chunk": "MemoryChunk",
        "recall.functions": "format_for_prompt query_memory update_memory_for_file working_memory_for_email",
    },
)
