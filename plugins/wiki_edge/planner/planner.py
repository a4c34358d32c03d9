"""The planner's interface: facts, recalls and answers with their sources for a robot's situation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import NoneType
from typing import Any

from ragstone.core import BadRequest, Host, RagstoneError
from ragstone.core.answering import check_type
from ragstone.core.text import question_stems

from ..retrievers import searcher_of
from ..settings import WikiEdgeSettings, places
from .drafts import Draft, ToolCall, quote_chunks
from .episodes import EpisodeRecorder
from .ledger import Ledger
from .memory import Memory
from .models import ask_remote, ask_slm
from .order_flags import flags
from .prompt import PLANNER, PromptComposer, planner_prompts
from .situation import (
    Attempt,
    Chunk,
    Library,
    Origin,
    PlannerAnswer,
    PlannerContext,
    Situation,
    checked_goal,
    chunks_of,
)

UNKNOWN = "I do not know."
#: Characters of a token at least, where no encoder counts them.
_CHARACTERS_A_TOKEN = 3


class Planner:
    """Facts, recalls and answers for a robot's planner. A context manager::

        with Planner.open("ragstone.toml") as planner:
            print(planner.answer(Situation(goal="Clean the coffee mug")).text)

    It returns text and its sources. Nothing in it moves anything.
    """

    def __init__(self, host: Host, *, library: Library | None = None) -> None:
        """``host``: an open one, which stays open. ``library``: other shards than the deployment's."""
        check_type(host, "host", Host, "an open Host")
        if library is not None and not callable(getattr(library, "search", None)):
            raise BadRequest(f"library must have a method search, not be of {type(library).__name__}")
        self._host = host
        self._own_host: Host | None = None
        self._options = host.hooks.options(WikiEdgeSettings)
        self._library = library if library is not None else searcher_of(host)
        ours = places(host)
        self._memory = Memory(host, ours.episodic, self._options.planner)
        self._ledger = Ledger(ours.ledger)
        self._recorder = EpisodeRecorder(ours.episodes, self._options.episodes)

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

    def __exit__(self, *_: object) -> None:
        self.close()

    def context(self, situation: Situation) -> PlannerContext:
        """The prompt's slots as data and the prompt. A step of the episode.

        Raises ``BadRequest``, ``TooLarge``. Where shards or the encoder fail, ``notes`` says so.
        """
        context = self._context(situation)
        self._recorder.step(context, "")
        return context

    def answer(self, situation: Situation) -> PlannerAnswer:
        """The answer of the model on the robot, else of its shards, else of the remote agent, if that is allowed; or
        that nothing is known. A step of the episode. Raises ``BadRequest``, ``TooLarge``."""
        context, options = self._context(situation), self._options
        origins: tuple[tuple[Origin, float, Callable[[], Draft]], ...] = (
            ("slm", options.planner.slm_threshold, lambda: ask_slm(options.slm, context)),
            ("rag", options.planner.rag_threshold, lambda: self._quoted(context)),
            ("remote", 0.0, lambda: ask_remote(options.remote, self._ledger, self._for_remote(situation, context))),
        )
        answer = PlannerAnswer(UNKNOWN, None)
        tried: list[Attempt] = []
        calls: list[ToolCall] = []
        for origin, threshold, ask in origins:
            draft = ask()
            calls += [draft.call] if draft.call else []
            tried.append(_attempt(origin, draft, threshold))
            if tried[-1].ok:
                answer = PlannerAnswer(draft.text, origin, draft.confidence or 0.0, draft.sources, flags(draft.text))
                break
        cost = sum(attempt.cost for attempt in tried)
        answer = replace(answer, cost=cost, tried=tuple(tried), context=context)
        self._recorder.step(context, answer.text, calls)
        return answer

    def remember(self, text: str, **metadata: Any) -> str:
        """Add a memory; it is on the disk when this returns its id. ``title``, ``url``, ``license`` and anything else
        that is JSON is kept with it. Raises ``BadRequest``, ``TooLarge``, ``ShardError``, ``StorageError``,
        ``EncoderError``."""
        return self._memory.remember(text, metadata)

    def forget(self, memory: str) -> None:
        """Remove a memory, its words included, by its id. Raises ``NotFound``, ``ShardError``, ``StorageError``."""
        check_type(memory, "memory", str, "an id, a string")
        self._memory.store.forget(memory)

    def end_episode(self, *, terminal: bool = False) -> None:
        """End the episode; the next step begins another. ``terminal``: the goal was reached or given up."""
        check_type(terminal, "terminal", bool, "True or False")
        self._recorder.end(terminal=terminal)

    def _context(self, situation: Situation) -> PlannerContext:
        goal = checked_goal(situation)
        notes: list[str] = []

        def found(what: str, search: Callable[[], list[Chunk]]) -> list[Chunk]:
            try:
                return search()
            except RagstoneError as error:
                notes.append(f"{what}: {error}")
                return []

        facts = found("facts", lambda: self._facts(situation, goal))
        notes += [f"shard {each.place}: {each.reason}" for each in getattr(self._library, "refused", ())]
        recalls = found("recalls", lambda: self._memory.recalls(goal, self._library, self._options.planner.recalls))
        return self._composer().compose(situation, facts, recalls, notes)

    def _facts(self, situation: Situation, goal: str) -> list[Chunk]:
        k = self._options.planner.facts
        if k == 0:
            return []
        hits = self._library.search(goal, k=k, kind="wiki", domain=situation.domain, language=situation.language)
        return chunks_of(hits[:k], "wiki")

    def _composer(self) -> PromptComposer:
        template = self._host.hooks.prompts.get(PLANNER) or planner_prompts()[PLANNER]
        return PromptComposer(template, self._token_counter(), self._options.planner.prompt_tokens)

    def _token_counter(self) -> Callable[[str], int]:
        try:
            return self._host.hooks.encoder.count_tokens
        except RagstoneError:
            return lambda text: len(text) // _CHARACTERS_A_TOKEN + 1

    def _quoted(self, context: PlannerContext) -> Draft:
        idf = getattr(self._library, "idf", None)
        return quote_chunks(context, idf(question_stems(context.goal)) if idf and context.chunks else {})

    def _for_remote(self, situation: Situation, context: PlannerContext) -> PlannerContext:
        """The context that may be sent: without the robot's memories unless the deployment allows them."""
        if self._options.remote.recalls or not context.recalls:
            return context
        return self._composer().compose(situation, context.facts, ())


def _attempt(origin: Origin, draft: Draft, threshold: float) -> Attempt:
    reason = draft.fault
    if draft.confidence is not None and draft.confidence < threshold:
        reason = f"its confidence is under {threshold:g}"
    cost = draft.call.cost_micro_cents if draft.call else 0
    return Attempt(origin, ok=not reason, reason=reason, confidence=draft.confidence, cost=cost)
