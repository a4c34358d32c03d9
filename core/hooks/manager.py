"""Loads the plugins one by one, calls their hooks, and disables those that fail."""

from __future__ import annotations

import difflib
import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import CoroutineType, ModuleType
from typing import Any, TypeVar

import pluggy

from ..errors import MissingExtra, PluginError, RagstoneError, StorageAway, StorageBusy, failures
from ..runtime.time_limits import PluginTimeout, TimeLimit, TookTooLong, Watchdog, run_limited
from ..settings import LimitsSettings, PluginsTable
from . import spec
from .discovery import Candidate, PluginState, candidates, check_version, upgrade_hint
from .results import Shape, anything

_log = logging.getLogger(__name__)

#: Hooks that are called for each question.
_QUESTION_HOOKS = frozenset({"ragstone_retriever", "ragstone_postprocessors"})
#: Hooks that return a model, which may have to be downloaded.
_MODEL_HOOKS = frozenset({"ragstone_embed_model", "ragstone_llm"})
#: Different questions in a row for which a plugin takes too long and is disabled.
_SLOW_QUESTIONS = 3
#: Characters of an error's text that a plugin's state shows.
_LONGEST_ERROR = 300

_Result = TypeVar("_Result")
_Errors = tuple[type[Exception], ...]
#: Errors that pass and are not the plugin's: it stays enabled, and the hook is called again the next time.
_TRANSIENT_ERRORS = (StorageAway, StorageBusy)


class Plugins:
    """The loaded plugins in calling order, and the state of the others. The only class that knows pluggy."""

    def __init__(self, table: PluginsTable, limits: LimitsSettings, given: Mapping[str, object]) -> None:
        """``given``: further plugins by name, beside the installed ones."""
        self._manager = pluggy.PluginManager("ragstone")
        self._manager.add_hookspecs(spec)
        self._states: dict[str, PluginState] = {}
        self._order: list[str] = []
        self._limits = limits
        self._packages: dict[str, str] = {}
        self._watchdog = Watchdog(self._took_too_long)
        #: By plugin the hashes of the questions for which it took too long since it was last in time.
        self._slow_questions: dict[str, set[int]] = {}
        self._mutex = threading.Lock()
        for candidate in candidates(table, given):
            self._load(candidate)

    def __iter__(self) -> Iterator[PluginState]:
        """The state of every known plugin in calling order: loaded, disabled or failed, and why."""
        return iter(tuple(self._states.values()))

    def failure_of(self, name: str) -> str | None:
        """Why the plugin of that name gives nothing, if there is one and it does not."""
        state = self._states.get(name)
        return None if state is None else state.reason

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._order)

    def call(
        self, hook: str, shape: Shape = anything, may_raise: _Errors = (), /, **arguments: Any
    ) -> Iterator[tuple[str, Any]]:
        """Each loaded plugin's name and checked result of the hook, in calling order, without ``None``."""
        implementing = {each.plugin_name for each in getattr(self._manager.hook, hook).get_hookimpls()}
        for name in [each for each in self.names if each in implementing]:
            found = self.call_one(name, hook, shape, may_raise, **arguments)
            yield from ((name, result) for result in found)

    def call_one(
        self, name: str, hook: str, shape: Shape = anything, may_raise: _Errors = (), /, **arguments: Any
    ) -> list[Any]:
        """One plugin's checked result of the hook, as a list of none or one.

        A plugin that raises, returns a wrong type or calls ``sys.exit`` is disabled and logged. ``may_raise``: errors
        that are the deployment's and not the plugin's; they are raised, as are those of a storage that is away or busy.
        """
        others = [self._manager.get_plugin(other) for other in self._order if other != name]
        caller = self._manager.subset_hook_caller(hook, others)

        def work() -> list[Any]:
            return [shape(_sync_result(result)) for result in caller(**arguments)]

        try:
            if hook in _QUESTION_HOOKS:
                return self.run_for_question(name, hook, work)
            return self.run(name, hook, work)
        except _TRANSIENT_ERRORS + may_raise:
            raise
        except failures() as error:
            self.disable(name, reason_of(hook, error), error)
            return []

    def run_for_question(self, name: str, what: str, work: Callable[[], _Result], question: str = "") -> _Result:
        """Run a plugin's code for a question within its time limit and return its result.

        ``question``: its words, where the code gets them. The plugin is then disabled only if it takes too long for
        several questions in a row. Raises ``TookTooLong``, ``PluginTimeout`` for a question that it is not disabled
        for, and any error of ``work``.
        """
        limit, started = replace(self._limit(name, what), question=question), time.monotonic()
        try:
            result = self._watchdog.run(work, limit)
        except TookTooLong as error:
            if question and not self._took_too_long(limit, str(error)):
                message = f"the plugin {name} took too long for this question"
                raise PluginTimeout(message, where=name, hint="ask in other words, or later") from error
            raise
        if question and time.monotonic() - started < limit.seconds:
            self._slow_questions.pop(name, None)
        return result

    def _took_too_long(self, limit: TimeLimit, reason: str) -> bool:
        """Whether the plugin is disabled for it: one question must not take it from everybody."""
        if limit.question:
            asked = self._slow_questions.setdefault(limit.plugin, set())
            asked.add(hash(limit.question))
            if len(asked) < _SLOW_QUESTIONS:
                _log.warning("the plugin %s: %s, for a question", limit.plugin, reason)
                return False
        self.disable(limit.plugin, reason)
        return True

    def run(self, name: str, what: str, work: Callable[[], _Result]) -> _Result:
        """The same for code that is seldom called: always in a thread of its own."""
        return run_limited(work, self._limit(name, what))

    def _limit(self, name: str, what: str) -> TimeLimit:
        limits = self._limits
        seconds = limits.model_seconds if what in _MODEL_HOOKS else limits.hook_seconds
        package = self._packages.get(name, name)
        return TimeLimit(name, what, package, seconds, limits.import_seconds, limits.model_seconds)

    def disable(self, name: str, reason: str, error: BaseException | None = None) -> None:
        """Disable a plugin for a reason; a later reason does not replace the first."""
        _log.error("plugin %s is disabled: %s", name, reason)
        if error is not None:
            _log.info("where it happened", exc_info=error)
        with self._mutex:
            if name in self._order:
                self._order.remove(name)
                self._manager.unregister(name=name)
            state = self._states.get(name) or PluginState(name, "?", "?", "loaded")
            if state.state != "failed":
                self._states[name] = replace(state, state="failed", reason=reason)

    def note(self, name: str, reason: str) -> None:
        """Set the reason in a loaded plugin's state without disabling it."""
        with self._mutex:
            state = self._states.get(name)
            if state is not None and state.state == "loaded":
                self._states[name] = replace(state, reason=reason)

    def _load(self, candidate: Candidate) -> None:
        name = candidate.state.name
        if name in self._states:
            other = self._states[name].origin
            reason = f"the name {name} is taken by the plugin of {other}"
            self._states[f"{name} ({candidate.state.origin})"] = replace(candidate.state, state="failed", reason=reason)
            _log.error("plugin %s of %s is disabled: %s", name, candidate.state.origin, reason)
            return
        self._states[name] = candidate.state
        if candidate.load is None:
            return
        seconds = self._limits.import_seconds
        limit = TimeLimit(name, "its import", candidate.module, seconds, seconds, seconds)
        try:
            plugin = run_limited(candidate.load, limit) if candidate.module else candidate.load()
        except MissingExtra as error:
            self._states[name] = replace(candidate.state, state="disabled", reason=str(error), install=error.install)
            return
        except failures() as error:
            self.disable(name, f"{reason_of('its import', error)}{upgrade_hint(error)}", error)
            return
        try:
            check_version(plugin, spec.HOOKS_VERSION)
            hash(plugin)  # pluggy keeps plugins in sets
            module = plugin.__name__ if isinstance(plugin, ModuleType) else type(plugin).__module__
            self._packages[name] = module.rpartition(".")[0] or module  # the package whose code is the plugin's own
            self._manager.register(plugin, name)
            self._order.append(name)
            self._manager.check_pending()
        except PluginError as error:
            self._states[name] = replace(candidate.state, install=error.hint)
            self.disable(name, str(error))
        except pluggy.PluginValidationError as error:
            self.disable(name, _validation_message(error), None)
        except (Exception, SystemExit) as error:
            self.disable(name, f"it cannot be registered: {_error_text(error)}", error)


def reason_of(what: str, error: BaseException) -> str:
    """The failure of a plugin's code as a message of one line; ``what`` names the code."""
    return str(error) if isinstance(error, TookTooLong) else f"{what} raised {_error_text(error)}"


def _error_text(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"SystemExit({error.code!r}): a plugin must not end the process"
    try:
        text = str(error) if isinstance(error, RagstoneError) else f"{type(error).__name__}: {error}"
    except Exception:  # a plugin's own error class may raise here
        return type(error).__name__
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_ERROR else f"{line[:_LONGEST_ERROR]}…"


def _sync_result(result: Any) -> Any:
    """A hook's result. Raises ``TypeError`` for a coroutine, which would never be awaited."""
    if isinstance(result, CoroutineType):
        result.close()
        raise TypeError("it returns a coroutine: hooks are plain functions, not async ones")
    return result


def _validation_message(error: pluggy.PluginValidationError) -> str:
    """pluggy's message without the plugin's memory address; for an unknown hook with the closest known one."""
    known = [name for name in vars(spec) if name.startswith("ragstone_")]
    message = " ".join(str(error).split())
    for word in re.findall(r"\bragstone_\w+", message):
        if word not in known:
            closest = difflib.get_close_matches(word, known, n=1)
            return f"unknown hook {word}" + (f"; did you mean {closest[0]}?" if closest else "")
    return message
