"""Answering: from a question to an answer whose sentences carry citations."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names
from ..retrieval.follow_up import LONGEST_HISTORY
from ..retrieval.models import MOST_CHUNKS

if TYPE_CHECKING:
    from .conversation import Conversation
    from .extractive import rank_quotes
    from .findings import Findings, FoundChunk, find_chunks
    from .overview import Overview, OverviewInParts
    from .profile import AssistantPaths, EmptyState, QuestionFilters
    from .prompting import ChunkPrompt, answer_prompt
    from .question import LONGEST_QUESTION, LONGEST_SELECTION, check_type

__all__ = [
    "LONGEST_HISTORY",
    "LONGEST_QUESTION",
    "LONGEST_SELECTION",
    "MOST_CHUNKS",
    "AssistantPaths",
    "ChunkPrompt",
    "Conversation",
    "EmptyState",
    "Findings",
    "FoundChunk",
    "Overview",
    "OverviewInParts",
    "QuestionFilters",
    "answer_prompt",
    "check_type",
    "find_chunks",
    "rank_quotes",
]

__getattr__, __dir__ = lazy_names(__name__)
