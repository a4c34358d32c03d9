"""Answering: from a question to an answer whose sentences carry citations."""

from .extractive import Quote
from .extractive import choose as choose_quotes
from .findings import Findings, FoundPassage, find_passages
from .question import check_type, read_question

__all__ = [
    "Findings",
    "FoundPassage",
    "Quote",
    "check_type",
    "choose_quotes",
    "find_passages",
    "read_question",
]
