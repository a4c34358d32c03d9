"""``[plugins.concept_tutor.learn]``: what is asked, how it is graded, when it is asked again."""

from __future__ import annotations

from pydantic import Field

from ragstone.core import Table


class LearnSettings(Table):
    """``[plugins.concept_tutor.learn]``."""

    #: Chunks of a concept, the most relevant ones, that its questions are made of.
    chunks: int = Field(default=4, ge=1, le=8)
    #: Questions of one concept at most.
    questions: int = Field(default=6, ge=1, le=40)
    #: Another number gives other wrong options and another order of them.
    seed: int = 0
    #: Whether the deployment's language model, where there is one, writes questions, and feedback to answers.
    llm_questions: bool = True
    llm_feedback: bool = True
    #: Characters that an answer may have.
    longest_answer: int = Field(default=2000, ge=100, le=20_000)
    #: Probability of remembering at which a question is asked again, and days after which it is in any case.
    retention: float = Field(default=0.9, ge=0.7, le=0.97)
    longest_days: int = Field(default=365, ge=1, le=36_500)
    #: Mastery of a concept, 0 to 1, from which on the next one comes.
    mastered: float = Field(default=0.85, gt=0, le=1)
