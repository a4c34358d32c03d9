"""Grades of answers, with the encoder of the base install."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragstone.core import Host, Settings
from tests.plugins.concept_tutor.learning.texts import Given

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.plugins.concept_tutor.learning.texts import Grade, Question


@pytest.fixture(scope="session")
def grade(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Iterator[Callable[[Question, str], Grade]]:
    """Grades an answer to a question."""
    folder = tmp_path_factory.mktemp("grading")
    with Host(Settings(data_dir=folder, cache_dir=model_cache, index={"store": "none"})) as host:
        lessons = Given(host, ())

        def answered(question: Question, answer: str) -> Grade:
            lessons.given = (question,)
            return lessons.answer(question.question_id, answer)

        yield answered
