"""Quality, measured through the very code that serves: ``ragstone eval``."""

from .corpora import QuestionSet, open_corpus, read_question_set, read_questions_file
from .measures import AnswerQuality, RefusalQuality, answers, refusal, retrieval

__all__ = [
    "AnswerQuality",
    "QuestionSet",
    "RefusalQuality",
    "answers",
    "open_corpus",
    "read_question_set",
    "read_questions_file",
    "refusal",
    "retrieval",
]
