"""Lessons: the next question, a hint, the grade of an answer, what is due, and how well each concept is known."""

from __future__ import annotations

import hashlib
import re
import threading
import uuid
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

from ragstone.core import BadRequest, Host, NotFound, TooLarge
from ragstone.core.runtime import current_scope

from ..plans.graph import study_order
from ..plans.store import PlanStore
from ..settings import ConceptTutorSettings
from .grading.feedback import STEPS, cited, feedback, hint
from .grading.free import grade_free
from .grading.short import grade_choice, grade_short
from .memory import Spacing, credit_of, known
from .reading.spelling import normal
from .records import ME, Attempt, Finding, Grade, Hint, Mastery, Question, Review, check_id, check_learner, is_id
from .store import LearnStore
from .writers import Writers

if TYPE_CHECKING:
    from fsrs import Card

#: No database keeps a lone half of a character, PostgreSQL no NUL.
_NOT_KEPT = re.compile("[\x00\ud800-\udfff]")


class Lessons:
    """What there is to learn from on one host: ``host.once(Lessons)``. Safe to use from several threads.

    Plans and concepts are named by slug and key, learners by any short name. Every method raises what the catalog
    raises, and ``NotFound`` for what is not there.
    """

    def __init__(self, host: Host, clock: Callable[[], datetime] | None = None) -> None:
        """``clock``: gives the moment, in UTC; the system's without it."""
        self._host = host
        self.clock = clock or partial(datetime.now, UTC)
        self._options = host.hooks.options(ConceptTutorSettings).learn
        self._plans = host.once(PlanStore)
        self._store = LearnStore(host)
        self._spacing = Spacing(self._options.retention, self._options.longest_days)
        self._writers = Writers(host, self._options)
        self._writing = threading.Lock()

    def questions(self, plan: str, concept: str) -> tuple[Question, ...]:
        """The concept's questions, written when they are first asked for; none where it has no sources yet."""
        chunks = self._plans.sources(plan, concept)[: self._options.chunks]
        if not chunks:
            return ()
        texts = "\0".join([self._writers.fingerprint, *(chunk.chunk_id + chunk.content for chunk in chunks)])
        made_of = hashlib.sha256(texts.encode("utf-8", "replace")).hexdigest()
        # With much more to choose from there are more wrong options.
        made_of += f"/{self._plans.size(plan).chunks.bit_length()}"
        found = self._store.written(plan, concept, made_of)
        if found is not None:
            return found
        with self._writing:  # one at a time: the second finds what the first has written
            found = self._store.written(plan, concept, made_of)
            if found is None:
                names = {each.key: each.name for each in self._plans.concepts(plan)}
                found = self._writers.write(plan, concept, names, chunks, self._plans.all_sources(plan))
                self._store.put(plan, concept, made_of, found)
        return found

    def question(self, question_id: str) -> Question:
        """The question of that id."""
        if not is_id(question_id):
            raise NotFound("there is no such question", hint="ask for the next one")
        found = self._store.question(question_id)
        if current_scope():
            self._plans.plan(found.plan)  # raises NotFound where the request may not read its books
        return found

    def next(
        self, plan: str, concept: str | None = None, learner: str = ME, skip: Collection[str] = ()
    ) -> Question | None:
        """What to ask now: what is due, then what is new, concept by concept as the plan is to be learned.

        ``skip``: ids that are not to be asked again now. ``None`` where there is nothing to ask. A plan that is known
        is gone through again, what is due next first.
        """
        for question in self.queue(plan, concept, learner):
            if question.question_id not in skip:
                return question
        memories = self._store.memories(learner, plan)
        later = (one for one in memories if concept in (None, one.concept) and one.question_id not in skip)
        return next(later, None)

    def queue(self, plan: str, concept: str | None = None, learner: str = ME) -> Iterator[Question]:
        """What is due, then what is new, concept by concept as the plan is to be learned; written as it is reached."""
        if concept is not None:
            self._plans.concept(plan, concept)
        memories = self._store.memories(learner, plan)
        now = self.clock()
        yield from (one for one, memory in memories.items() if memory.due <= now and concept in (None, one.concept))
        asked = {question.question_id for question in memories}
        if concept is not None:
            keys = [concept]
        else:  # what is mastered comes last
            mastery, mastered = self.mastery(plan, learner), self._options.mastered
            keys = sorted(self.order(plan), key=lambda key: mastery[key].level >= mastered)
        for key in keys:
            yield from (one for one in self.questions(plan, key) if one.question_id not in asked)

    def hint(self, question_id: str, step: int) -> Hint:
        """The ``step``-th of three hints."""
        if not 1 <= step <= STEPS:
            raise BadRequest(f"there is no hint {step}", hint=f"1 to {STEPS}, then the answer")
        question = self.question(question_id)
        chunks = {chunk.chunk_id: chunk for chunk in self._plans.sources(question.plan, question.concept)}
        return hint(question, step, chunks.get(question.support.chunk_id))

    def answer(
        self, question_id: str, text: str | None, attempt_id: str | None = None, hints: int = 0, learner: str = ME
    ) -> Grade:
        """Grade an answer and keep it; ``None``: the learner does not know. ``hints``: how many were given before.

        The same ``attempt_id`` counts once, and gets the same grade. Raises ``TooLarge`` for a long answer,
        ``BadRequest`` for what is none of the options.
        """
        attempt_id = uuid.uuid4().hex if attempt_id is None else attempt_id
        unknown, text = text is None, _NOT_KEPT.sub("\ufffd", text or "")
        check_learner(learner)
        check_id(attempt_id, "attempt's id")
        if len(text) > self._options.longest_answer:
            raise TooLarge(
                f"the answer has {len(text):,} characters, and {self._options.longest_answer:,} are read",
                hint="say it in a few sentences",
            )
        question = self.question(question_id)
        done = self._store.grade_of(attempt_id, learner, question_id)
        if done is not None:
            return done
        hints = min(max(hints, 0), STEPS)
        finding = Finding("wrong") if unknown else self._finding(question, text)
        written = None if unknown else self._writers.feedback(question, text, finding)
        words = written or feedback(question, finding)
        credit = credit_of(finding.credit, hints)
        now = self.clock()
        attempt = Attempt(
            attempt_id, learner, question.plan, question.concept, question_id, question.text, text,
            finding.verdict, credit, hints, now,
        )  # fmt: skip

        def graded(before: Card | None) -> tuple[Grade, Card]:
            memory = self._spacing.reviewed(before, finding.verdict, hints, now)
            made = Grade(
                finding.verdict, words, cited(words, question), question.key, question.explanation, question.sources,
                credit, memory.due,
            )  # fmt: skip
            return made, memory

        return self._store.record(attempt, question.form, graded)

    def last(self, plan: str | None = None, learner: str = ME, most: int = 5) -> list[Attempt]:
        """The learner's last answers, the newest first."""
        found = self._store.attempts(learner, plan, most)
        visible = {size.plan.slug for size in self._plans.plans()} if current_scope() else None
        return found if visible is None else [attempt for attempt in found if attempt.plan in visible]

    def due(self, plan: str | None = None, learner: str = ME) -> list[Review]:
        """The questions that are due now, those due longest first."""
        now = self.clock()
        memories = self._store.memories(learner, plan)
        return [Review(question, memory.due) for question, memory in memories.items() if memory.due <= now]

    def mastery(self, plan: str, learner: str = ME) -> dict[str, Mastery]:
        """For each concept of the plan how well the learner knows it now."""
        now = self.clock()
        answers = self._store.answers(learner, plan)
        recalled: dict[str, list[float]] = {}
        waiting: dict[str, int] = {}
        for question, memory in self._store.memories(learner, plan).items():
            recalled.setdefault(question.concept, []).append(self._spacing.recall(memory, now))
            waiting[question.concept] = waiting.get(question.concept, 0) + (memory.due <= now)
        found = {}
        for concept in self._plans.concepts(plan):
            given = answers.get(concept.key, [])
            level = known(given) * fmean(recalled.get(concept.key, [1.0]))
            found[concept.key] = Mastery(concept.key, round(level, 4), len(given), waiting.get(concept.key, 0))
        return found

    def weakest(self, plan: str, learner: str = ME, most: int = 3) -> list[Mastery]:
        """The concepts that the learner knows least: those that were tried, then the next ones to be learned."""
        found = self.mastery(plan, learner)
        tried = sorted(
            (one for one in found.values() if one.attempts and one.level < self._options.mastered),
            key=lambda one: one.level,
        )
        untried = (found[key] for key in self.order(plan) if not found[key].attempts)
        return [*tried, *untried][:most]

    def _finding(self, question: Question, text: str) -> Finding:
        if question.form == "choice":
            if normal(text) not in {normal(option) for option in question.options}:
                raise BadRequest("this is none of the options", hint="choose one of them")
            return grade_choice(question, text)
        if question.form == "blank":
            return grade_short(question, text)
        return grade_free(question, text, self._host.hooks.encoder)

    def able(self, plan: str) -> set[str]:
        """The keys of the concepts that have sources, without those whose sources turned out to prove no question."""
        found = {one.key for one in self._plans.concepts(plan) if one.state == "found"}
        return found - self._store.without_questions(plan)

    def order(self, plan: str) -> tuple[str, ...]:
        """The keys of the plan's concepts in an order to learn them in."""
        return tuple(study_order([each.key for each in self._plans.concepts(plan)], self._plans.edges(plan)))
