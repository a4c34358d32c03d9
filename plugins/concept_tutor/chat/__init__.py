"""The tutor as an assistant: which concepts a question is about, and what is offered to it."""

from .prompts import prompts
from .retriever import retriever
from .service import assistant

__all__ = ["assistant", "prompts", "retriever"]
