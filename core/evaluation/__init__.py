"""Quality measures of retrieval, refusal and answers, for ``ragstone eval``."""

from .corpora import QuestionSet, open_corpus, read_question_set, read_questions_file
from .measures import DEPTH, answers, refusal, retrieval, sides

__all__ = [
    "DEPTH",
    "QuestionSet",
    "answers",
    "open_corpus",
    "read_question_set",
    "read_questions_file",
    "refusal",
    "retrieval",
    "sides",
]
