"""Answering: from a question to an answer whose sentences carry citations."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names
from ..retrieval.follow_up import LONGEST_HISTORY
from ..retrieval.models import MOST_PASSAGES

if TYPE_CHECKING:
    from .answer import Timings
    from .conversation import Conversation
    from .extractive import rank_quotes
    from .findings import Findings, FoundPassage, find_passages
    from .overview import Overview
    from .profile import AssistantPaths, EmptyState, QuestionFilters
    from .prompting import PassagePrompt, answer_prompt
    from .question import LONGEST_QUESTION, LONGEST_SELECTION, check_type

__all__ = [
    "LONGEST_HISTORY",
    "LONGEST_QUESTION",
    "LONGEST_SELECTION",
    "MOST_PASSAGES",
    "AssistantPaths",
    "Conversation",
    "EmptyState",
    "Findings",
    "FoundPassage",
    "Overview",
    "PassagePrompt",
    "QuestionFilters",
    "Timings",
    "answer_prompt",
    "check_type",
    "find_passages",
    "rank_quotes",
]

__getattr__, __dir__ = lazy_names(__name__)
