"""A robot's planner asks: what is seen and wanted goes in, facts and an answer with its origin come out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from types import NoneType
from typing import TYPE_CHECKING, Any

from ragstone.core import BadRequest, Host, RagstoneError, TooLarge
from ragstone.core.answering import check_type
from ragstone.core.text import question_stems

from ..settings import WikiEdgeSettings, places
from .agents import ask_remote, ask_slm
from .clock import Clock
from .fencing import flags
from .ledger import Ledger
from .library import Weighing, library_of, passages_of, refusals_of
from .logbook import Logbook
from .memories import Memories
from .prompts import PLANNER, compose, prompts
from .quoting import quote
from .situation import Attempt, Passage, PlannerAnswer, PlannerContext, Situation, Source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from .agents import Asked, ToolCall
    from .library import Library
    from .situation import Origin

UNKNOWN = "I do not know."
#: Characters of a goal.
_LONGEST_GOAL = 4_000
#: Characters of a token at least, where no encoder counts them.
_CHARACTERS_A_TOKEN = 3


class Planner:
    """What a robot's planner gets of a deployment. A context manager::

        with Planner.open("ragstone.toml") as planner:
            print(planner.answer(Situation(goal="Clean the coffee mug")).text)

    It gives text and where the text is from. Nothing in it moves anything.
    """

    def __init__(self, host: Host, *, library: Library | None = None, clock: Clock | None = None) -> None:
        """``host``: an open one, which stays open. ``library``: other shards than the deployment's."""
        check_type(host, "host", Host, "an open Host")
        if library is not None and not callable(getattr(library, "search", None)):
            raise BadRequest(f"library must have a method search, not be of {type(library).__name__}")
        check_type(clock, "clock", (Clock, NoneType), "a Clock or None")
        self._host = host
        self._own_host: Host | None = None
        self._options = host.options(WikiEdgeSettings)
        found, data = places(host), host.settings.data_dir
        self._library = library if library is not None else library_of(host)
        self._memories = Memories(host, found.episodic, self._options.planner)
        ledger = self._options.remote.ledger or data / "wiki_edge" / "ledger.sqlite"
        self._ledger = Ledger(ledger.expanduser(), clock=clock, require_clock=self._options.remote.clock)
        episodes = self._options.episodes.folder or data / "episodes"
        self._logbook = Logbook(episodes.expanduser(), self._options.episodes)

    @classmethod
    def open(cls, config: Path | str | None = None, *, library: Library | None = None) -> Planner:
        """A planner on a deployment; ``config`` as for ``Host.open``. Raises ``SettingsError``, ``StorageError``."""
        check_type(config, "config", (str, PathLike, NoneType), "a path or None")
        host = Host.open(config)
        try:
            made = cls(host, library=library)
        except BaseException:
            host.close()
            raise
        made._own_host = host
        return made

    def close(self) -> None:
        """End the episode, and close the deployment if it was opened here."""
        self.end_episode()
        if self._own_host is not None:
            self._own_host.close()

    def __enter__(self) -> Planner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def context(self, situation: Situation) -> PlannerContext:
        """The prompt's slots as data and the prompt. A step of the episode.

        Raises ``BadRequest``, ``TooLarge``. Where shards or the encoder fail, ``notes`` says so.
        """
        made = self._context(situation)
        self._logbook.step(made, "")
        return made

    def answer(self, situation: Situation) -> PlannerAnswer:
        """What is known: by the model on the robot, else by its shards, else by the agent elsewhere, if that may be
        asked; or that nobody knows. A step of the episode. Raises ``BadRequest``, ``TooLarge``."""
        context = self._context(situation)
        tried: list[Attempt] = []
        calls: list[ToolCall] = []
        answer = (
            self._from_slm(context, tried, calls)
            or self._from_shards(context, tried)
            or self._from_remote(self._for_remote(situation, context), tried, calls)
            or PlannerAnswer(UNKNOWN, None)
        )
        cost = sum(attempt.cost for attempt in tried)
        answer = replace(answer, flags=flags(answer.text), cost=cost, tried=tuple(tried), context=context)
        self._logbook.step(context, answer.text, calls)
        return answer

    def remember(self, text: str, **metadata: Any) -> str:
        """Add a memory, for good when this returns; its id. ``title``, ``url``, ``license`` and anything else that is
        JSON stay with it. Raises ``BadRequest``, ``TooLarge``, ``ShardError``, ``StorageError``, ``EncoderError``."""
        return self._memories.remember(text, metadata)

    def forget(self, memory: str) -> None:
        """Remove a memory, its words included, by its id. Raises ``NotFound``, ``ShardError``, ``StorageError``."""
        check_type(memory, "memory", str, "an id, a string")
        self._memories.store.forget(memory)

    def end_episode(self, *, terminal: bool = False) -> None:
        """End the episode; the next step begins another. ``terminal``: the goal was reached or given up."""
        check_type(terminal, "terminal", bool, "True or False")
        self._logbook.end(terminal=terminal)

    def _context(self, situation: Situation) -> PlannerContext:
        goal = _checked(situation)
        options, notes = self._options.planner, []

        def found(what: str, search: Callable[[], list[Passage]]) -> list[Passage]:
            try:
                return search()
            except RagstoneError as error:
                notes.append(f"{what}: {error}")
                return []

        facts = found(
            "facts",
            lambda: self._facts(situation, goal),
        )
        notes += [f"shard {each}" for each in refusals_of(self._library)]
        recalls = found("recalls", lambda: self._memories.recalls(goal, self._library, options.recalls))
        return self._composed(situation, facts, recalls, notes)

    def _facts(self, situation: Situation, goal: str) -> list[Passage]:
        k = self._options.planner.facts
        if k == 0:
            return []
        hits = self._library.search(goal, k=k, kind="wiki", domain=situation.domain, language=situation.language)
        return passages_of(hits[:k], "wiki")

    def _composed(
        self, situation: Situation, facts: list[Passage], recalls: list[Passage], notes: list[str]
    ) -> PlannerContext:
        return compose(
            situation,
            facts,
            recalls,
            template=self._host.hooks.prompts.get(PLANNER) or prompts()[PLANNER],
            count=self._tokens(),
            budget=self._options.planner.prompt_tokens,
            notes=notes,
        )

    def _tokens(self) -> Callable[[str], int]:
        try:
            return self._host.encoder.count_tokens
        except RagstoneError:
            return lambda text: len(text) // _CHARACTERS_A_TOKEN + 1

    def _from_slm(self, context: PlannerContext, tried: list[Attempt], calls: list[ToolCall]) -> PlannerAnswer | None:
        asked = ask_slm(self._options.slm, context)
        return _accepted("slm", asked, self._options.planner.slm_threshold, context, tried, calls)

    def _from_shards(self, context: PlannerContext, tried: list[Attempt]) -> PlannerAnswer | None:
        threshold = self._options.planner.rag_threshold
        if not context.passages:
            tried.append(Attempt("rag", ok=False, reason="; ".join(context.notes) or "nothing was found"))
            return None
        idf = self._library.idf(question_stems(context.goal)) if isinstance(self._library, Weighing) else None
        quoted = quote(context.goal, context.passages, idf=idf)
        reason = ""
        if quoted.confidence < threshold:
            reason = f"its confidence is under {threshold:g}"
        elif not quoted.sentences:
            reason = "what it found reads like orders" if quoted.withheld else "no sentence answers"
        tried.append(Attempt("rag", ok=not reason, reason=reason, confidence=quoted.confidence))
        if reason:
            return None
        return PlannerAnswer(
            " ".join(f"{sentence} [{number + 1}]" for number, sentence in quoted.sentences),
            "rag",
            quoted.confidence,
            _sources(context, {number + 1: sentence for number, sentence in reversed(quoted.sentences)}),
        )

    def _for_remote(self, situation: Situation, context: PlannerContext) -> PlannerContext:
        """What may leave the robot: its memories only where the deployment says so."""
        if self._options.remote.recalls or not context.recalls:
            return context
        return self._composed(situation, [*context.facts], [], [])

    def _from_remote(
        self, context: PlannerContext, tried: list[Attempt], calls: list[ToolCall]
    ) -> PlannerAnswer | None:
        asked = ask_remote(self._options.remote, self._ledger, context)
        return _accepted("remote", asked, 0.0, context, tried, calls)


def _accepted(
    origin: Origin,
    asked: Asked,
    threshold: float,
    context: PlannerContext,
    tried: list[Attempt],
    calls: list[ToolCall],
) -> PlannerAnswer | None:
    """A model's answer, if it is sure enough; what was tried is noted."""
    calls += asked.calls
    said, reason = asked.said, asked.reason
    if said is not None and said.confidence < threshold:
        reason = f"its confidence is under {threshold:g}"
    confidence = said.confidence if said is not None else None
    tried.append(Attempt(origin, ok=not reason, reason=reason, confidence=confidence, cost=asked.cost))
    if said is None or reason:
        return None
    return PlannerAnswer(said.text, origin, said.confidence, _sources(context, dict.fromkeys(said.cited, "")))


def _sources(context: PlannerContext, cited: dict[int, str]) -> tuple[Source, ...]:
    passages = context.passages
    return tuple(
        Source(n, of.id, of.kind, of.title, of.url, of.license, quote)
        for n, quote in sorted(cited.items())
        for of in [passages[n - 1]]
    )


def _checked(situation: Situation) -> str:
    """The goal. Raises ``BadRequest``, ``TooLarge``."""
    check_type(situation, "situation", Situation, "a Situation")
    check_type(situation.goal, "goal", str, "a string")
    check_type(situation.detections, "detections", (list, tuple), "a list of strings and mappings")
    for each in situation.detections:
        check_type(each, "each of detections", (str, Mapping), "a string or a mapping")
    check_type(situation.pose, "pose", (str, Mapping, NoneType), "a string, a mapping or None")
    check_type(situation.context, "context", str, "a string")
    check_type(situation.safety, "safety", str, "a string")
    check_type(situation.domain, "domain", (str, NoneType), "a string or None")
    check_type(situation.language, "language", (str, NoneType), "a string or None")
    if not situation.goal.strip():
        raise BadRequest("the goal is empty")
    if len(situation.goal) > _LONGEST_GOAL:
        raise TooLarge(f"the goal has {len(situation.goal):,} characters; {_LONGEST_GOAL:,} are allowed")
    return situation.goal.strip()
