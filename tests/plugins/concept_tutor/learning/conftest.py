"""The planted garden with its lessons; grades of answers, with the encoder of the base install."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragstone.core import Host, Settings
from ragstone.plugins.concept_tutor import Lessons
from tests.plugins.concept_tutor.learning import texts
from tests.plugins.concept_tutor.learning.texts import Given, Grade, Question


class Clock:
    """A clock that stands still until a test sets it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 8, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def host(tmp_path: Path, database: str | None) -> Iterator[Host]:
    with texts.planted(tmp_path, database=database) as opened:
        yield opened


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lessons(host: Host, clock: Clock) -> Lessons:
    return Lessons(host, clock)


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
