"""Loads the plugins one by one, calls their hooks, and disables those that fail."""

from __future__ import annotations

import difflib
import logging
import re
import threading
from dataclasses import replace
from types import CoroutineType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import pluggy

from ..errors import MissingExtra, PluginError, RagstoneError, StorageAway, StorageBusy, is_failure
from ..runtime.time_limits import TimeLimit, TookTooLong, Watchdog, run_limited
from ..settings import LimitsSettings
from . import spec
from .discovery import Candidate, PluginState, candidates
from .results import Shape, anything
from .versions import check_version, perhaps_later

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..settings import PluginsTable

_log = logging.getLogger(__name__)

#: Hooks that are called for every question.
_OF_QUESTIONS = frozenset({"ragstone_retriever", "ragstone_postprocessors"})
#: Hooks that make a model, which may have to be downloaded.
_OF_MODELS = frozenset({"ragstone_embed_model", "ragstone_llm"})
#: Characters of an error's text that a plugin's state shows.
_LONGEST_TEXT = 300

_Result = TypeVar("_Result")
_Errors = tuple[type[Exception], ...]
#: What passes by itself and is no plugin's fault; the hook is called again the next time.
_A_MOMENT = (StorageAway, StorageBusy)


class Plugins:
    """The loaded plugins in their order, and what became of the others. Hides pluggy from everybody else."""

    def __init__(
        self,
        table: PluginsTable,
        *,
        given: dict[str, object] | None = None,
        limits: LimitsSettings | None = None,
    ) -> None:
        self._manager = pluggy.PluginManager("ragstone")
        self._manager.add_hookspecs(spec)
        self._states: dict[str, PluginState] = {}
        self._order: list[str] = []
        self._limits = limits or LimitsSettings()
        self._packages: dict[str, str] = {}
        self._watchdog = Watchdog(self.disable)
        self._mutex = threading.Lock()
        for candidate in candidates(table, given or {}):
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
        """The loaded plugins in calling order."""
        return tuple(self._order)

    def call(
        self, hook: str, shape: Shape = anything, may_raise: _Errors = (), /, **arguments: Any
    ) -> Iterator[tuple[str, Any]]:
        """Each loaded plugin's result of the hook in its shape, in order, ``None`` left out."""
        having = {each.plugin_name for each in getattr(self._manager.hook, hook).get_hookimpls()}
        for name in [each for each in self.names if each in having]:
            found = self.call_one(name, hook, shape, may_raise, **arguments)
            yield from ((name, result) for result in found)

    def call_one(
        self, name: str, hook: str, shape: Shape = anything, may_raise: _Errors = (), /, **arguments: Any
    ) -> list[Any]:
        """One plugin's results of the hook: none or one.

        A plugin that raises, returns what it must not, or calls ``sys.exit``, is disabled and named; the others are
        called all the same. ``may_raise``: errors that are the deployment's fault and not the plugin's, as it always is
        that a database is away or busy for a moment.
        """
        others = [self._manager.get_plugin(other) for other in self._order if other != name]
        caller = self._manager.subset_hook_caller(hook, others)

        def work() -> list[Any]:
            return [shape(_waited_for(result)) for result in caller(**arguments)]

        try:
            if hook in _OF_QUESTIONS:
                return self.run_for_question(name, hook, work)
            return self.run(name, hook, work)
        except _A_MOMENT:
            raise
        except may_raise:
            raise
        except BaseException as error:
            if not is_failure(error):
                raise
            self.disable(name, reason_of(hook, error), error)
            return []

    def run_for_question(self, name: str, what: str, work: Callable[[], _Result]) -> _Result:
        """What ``work`` returns: a plugin's code that a question is answered with, within its time limit.

        Raises ``TookTooLong``, and what ``work`` raises.
        """
        return self._watchdog.run(work, self._limit(name, what))

    def run(self, name: str, what: str, work: Callable[[], _Result]) -> _Result:
        """The same for what is seldom called: always in a thread of its own."""
        return run_limited(work, self._limit(name, what))

    def _limit(self, name: str, what: str) -> TimeLimit:
        limits = self._limits
        seconds = limits.model_seconds if what in _OF_MODELS else limits.hook_seconds
        package = self._packages.get(name, name)
        return TimeLimit(name, what, package, seconds, limits.import_seconds, limits.model_seconds)

    def disable(self, name: str, reason: str, error: BaseException | None = None) -> None:
        """Take a plugin out because of what it did. The first reason stays."""
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
        """Say in a plugin's state what it did wrong without taking it out."""
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
        limits = self._limits
        limit = TimeLimit(name, "its import", candidate.module, *[limits.import_seconds] * 3)
        try:
            plugin = run_limited(candidate.load, limit) if candidate.module else candidate.load()
        except MissingExtra as error:
            self._states[name] = replace(candidate.state, state="disabled", reason=str(error), install=error.install)
            return
        except BaseException as error:
            if not is_failure(error):
                raise
            self.disable(name, f"{reason_of('its import', error)}{perhaps_later(error)}", error)
            return
        try:
            check_version(plugin, spec.HOOKS_VERSION)
            hash(plugin)  # pluggy keeps plugins in sets
            self._packages[name] = _package_of(plugin)
            self._manager.register(plugin, name)
            self._order.append(name)
            self._manager.check_pending()
        except PluginError as error:
            self._states[name] = replace(candidate.state, install=error.hint)
            self.disable(name, str(error))
        except pluggy.PluginValidationError as error:
            self.disable(name, _validation_words(error), None)
        except (Exception, SystemExit) as error:
            self.disable(name, f"it cannot be registered: {_text_of(error)}", error)


def reason_of(what: str, error: BaseException) -> str:
    """How a piece of a plugin's code failed, in one line."""
    return str(error) if isinstance(error, TookTooLong) else f"{what} raised {_text_of(error)}"


def _text_of(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"SystemExit({error.code!r}): a plugin must not end the process"
    try:
        text = str(error) if isinstance(error, RagstoneError) else f"{type(error).__name__}: {error}"
    except Exception:  # an error of a plugin's own class may fail at this too
        return type(error).__name__
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_TEXT else f"{line[:_LONGEST_TEXT]}…"


def _waited_for(result: Any) -> Any:
    """A hook's result. Raises ``TypeError`` for a coroutine, which nobody would await."""
    if isinstance(result, CoroutineType):
        result.close()
        raise TypeError("it returns a coroutine: hooks are plain functions, not async ones")
    return result


def _package_of(plugin: object) -> str:
    """The package whose code is a plugin's own."""
    module = plugin.__name__ if isinstance(plugin, ModuleType) else type(plugin).__module__
    return module.rpartition(".")[0] or module


def _validation_words(error: pluggy.PluginValidationError) -> str:
    """pluggy's words without the plugin's memory address."""
    known = [name for name in vars(spec) if name.startswith("ragstone_")]
    said = " ".join(str(error).split())
    for word in re.findall(r"\bragstone_\w+", said):
        if word not in known:
            near = difflib.get_close_matches(word, known, n=1)
            return f"unknown hook {word}" + (f"; did you mean {near[0]}?" if near else "")
    return said
