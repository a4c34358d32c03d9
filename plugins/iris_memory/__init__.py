"""Iris memory: what an agent's files say now, never what they said before."""

from .recall.chunk import MemoryChunk
from .recall.functions import format_for_prompt, query_memory, update_memory_for_file, working_memory_for_email

__all__ = ["MemoryChunk", "format_for_prompt", "query_memory", "update_memory_for_file", "working_memory_for_email"]
