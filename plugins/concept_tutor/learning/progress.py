"""A learner's progress in a plan, day by day: reviews to come, mastery up to now, days in a row with an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ..plans.store import PlanStore
from ..settings import ConceptTutorSettings
from .lessons import Lessons
from .memory import Spacing, known
from .records import ME, Form
from .store import Answered, LearnStore

if TYPE_CHECKING:
    from fsrs import Card

    from ragstone.core import Host

#: Days of reviews to come, and of answers that were given; points of the curve of mastery at most.
AHEAD, BACK, POINTS = 21, 84, 24


@dataclass(frozen=True)
class Progress:
    """Days are those of the server's time zone."""

    #: How many reviews are due on each of the next days; what is overdue is due on the first of them, today.
    due: tuple[tuple[date, int], ...]
    #: Mean mastery, 0 to 100, at the end of days from the one before the first answer to today.
    mastery: tuple[tuple[date, int], ...]
    #: Answers on each of the last days, today being the last.
    answers: tuple[tuple[date, int], ...]
    #: Days in a row with an answer, up to today or yesterday; the longest such row; answers in all.
    streak: int
    longest: int
    total: int

    def as_json(self) -> dict[str, Any]:
        """Ready for JSON."""
        days = {name: {day.isoformat(): n for day, n in getattr(self, name)} for name in ("due", "mastery", "answers")}
        return {**days, "streak": self.streak, "longest": self.longest, "total": self.total}


class Progresses:
    """Progress in the plans of a host: ``host.once(Progresses)``."""

    def __init__(self, host: Host, lessons: Lessons | None = None) -> None:
        options = host.hooks.options(ConceptTutorSettings).learn
        self._lessons = host.once(Lessons) if lessons is None else lessons
        self._plans = host.once(PlanStore)
        self._answers = LearnStore(host)
        self._spacing = Spacing(options.retention, options.longest_days)

    def progress(self, plan: str, learner: str = ME) -> Progress:
        """The learner's progress in the plan. Raises ``NotFound``."""
        self._plans.plan(plan)
        concepts = self._lessons.able(plan)
        history = self._answers.history(learner, plan)
        memories = self._answers.memories(learner, plan)
        today = _day(self._lessons.clock())
        due = Counter(max(today, _day(memory.due)) for memory in memories.values())
        given = Counter(_day(row.at) for row in history)
        rows = _rows(given)
        return Progress(
            due=tuple((day, due[day]) for day in (today + timedelta(n) for n in range(AHEAD))),
            mastery=self._mastery(history, concepts, {one.question_id for one in memories}),
            answers=tuple((day, given[day]) for day in (today - timedelta(n) for n in range(BACK - 1, -1, -1))),
            streak=next((length for last, length in rows if last >= today - timedelta(1)), 0),
            longest=max((length for _, length in rows), default=0),
            total=len(history),
        )

    def _mastery(
        self, history: Sequence[Answered], concepts: set[str], asked: set[str]
    ) -> tuple[tuple[date, int], ...]:
        """The curve: the answers are gone through once more, as ``Lessons.mastery`` takes them."""
        if not history or not concepts:
            return ()
        now = self._lessons.clock()
        moments = _moments(history[0].at, now)
        answers: dict[str, list[tuple[Form, float]]] = {key: [] for key in concepts}
        memories: dict[str, dict[str, Card]] = {key: {} for key in concepts}
        found, at = [], 0
        for moment in moments:
            while at < len(history) and history[at].at <= moment:
                row, at = history[at], at + 1
                if row.concept not in concepts:
                    continue
                answers[row.concept].append((row.form, row.credit))
                if row.question_id in asked:
                    before = memories[row.concept].get(row.question_id)
                    memory = self._spacing.reviewed(before, row.verdict, row.hints, row.at)
                    memories[row.concept][row.question_id] = memory
            levels = [
                known(answers[key])
                * fmean([self._spacing.recall(one, moment) for one in memories[key].values()] or [1.0])
                for key in concepts
            ]
            found.append((_day(moment), round(100 * fmean(levels))))
        return tuple(found)


def _moments(first: datetime, now: datetime) -> list[datetime]:
    """Ends of days from the first to now, at most ``POINTS``; the last one is now."""
    days = (_day(now) - _day(first)).days + 1
    step = max(1, -(-days // (POINTS - 1)))
    ends = [datetime.combine(_day(now) - timedelta(n), time.max).astimezone() for n in range(step, days + 1, step)]
    return [*reversed(ends), now]


def _day(moment: datetime) -> date:
    return moment.astimezone().date()


def _rows(days: Counter[date]) -> list[tuple[date, int]]:
    """Rows of days without a gap: the last day of each and its length, the latest first."""
    rows: list[tuple[date, int]] = []
    for day in sorted(days):
        if rows and rows[-1][0] == day - timedelta(1):
            rows[-1] = (day, rows[-1][1] + 1)
        else:
            rows.append((day, 1))
    return rows[::-1]
