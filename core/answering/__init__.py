"""Answering: from a question to an answer whose sentences carry citations."""

from ..retrieval.follow_up import LONGEST_HISTORY
from ..retrieval.models import MOST_PASSAGES
from .answer import Timings
from .extractive import Quote
from .extractive import choose as choose_quotes
from .findings import Findings, FoundPassage, find_passages
from .question import LONGEST_QUESTION, LONGEST_SELECTION, check_type

__all__ = [
    "LONGEST_HISTORY",
    "LONGEST_QUESTION",
    "LONGEST_SELECTION",
    "MOST_PASSAGES",
    "Findings",
    "FoundPassage",
    "Quote",
    "Timings",
    "check_type",
    "choose_quotes",
    "find_passages",
]
