"""Plugins: found by their entry points, loaded one by one, each in its own try."""

from __future__ import annotations

import difflib
import logging
import re
from dataclasses import dataclass, replace
from importlib import metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import pluggy

from . import hookspecs
from .compatibility import HookManager, check_version, perhaps_later
from .contributions import Shape, anything
from .errors import MissingExtra, PluginError, RagstoneError, StorageAway, StorageBusy
from .uncollected import uncollected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .settings import PluginsTable

_log = logging.getLogger(__name__)

PLUGINS = "ragstone"
#: On wherever their extra is installed, without being listed, and called last: the doors, and what the host brings.
DOORS = "ragstone.doors"
BUILTINS = "ragstone.builtins"

_Errors = tuple[type[Exception], ...]
#: What passes by itself and is no plugin's fault; the hook is called again the next time.
_A_MOMENT = (StorageAway, StorageBusy)
State = Literal["loaded", "disabled", "failed"]


@dataclass(frozen=True)
class PluginState:
    """What ``ragstone plugins`` and ``/health`` show of a plugin."""

    name: str
    version: str
    #: The distribution that brought it, or ``given`` for one that was handed to the host.
    origin: str
    state: State
    reason: str | None = None
    #: What is to be typed to mend it, where that is known.
    install: str | None = None


def require_extra(extra: str, *modules: str, distribution: str = "ragstone") -> None:
    """For the top of a plugin: raise ``MissingExtra`` unless the modules are installed. Imports none of them."""
    missing = tuple(module for module in modules if not _is_installed(module))
    if missing:
        raise MissingExtra(extra, missing, distribution=distribution)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it
        return False


class Plugins:
    """The loaded plugins in their order, and what became of the others. Hides pluggy from everybody else."""

    def __init__(self, table: PluginsTable, *, given: dict[str, object] | None = None) -> None:
        self._manager = HookManager(hookspecs, hookspecs.RENAMED)
        self._states: dict[str, PluginState] = {}
        self._order: list[str] = []
        with uncollected():
            for candidate in _ordered(table, given or {}):
                self._load(candidate)

    @property
    def states(self) -> tuple[PluginState, ...]:
        """Every known plugin in calling order, the ones that are not loaded included."""
        return tuple(self._states.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The loaded plugins in calling order."""
        return tuple(self._order)

    def call(
        self, hook: str, shape: Shape = anything, may_raise: _Errors = (), /, **arguments: Any
    ) -> Iterator[tuple[str, Any]]:
        """Each loaded plugin's result of the hook in its shape, in order, ``None`` left out."""
        having = self._manager.having(hook)
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
        named = self._manager.with_old_names(hook, arguments)
        try:
            return [shape(result) for result in self._manager.subset_hook_caller(hook, others)(**named)]
        except _A_MOMENT:
            raise
        except may_raise:
            raise
        except (Exception, SystemExit) as error:
            self.disable(name, f"{hook} raised {_told(error)}", error)
            return []

    def disable(self, name: str, reason: str, error: BaseException | None = None) -> None:
        """Take a plugin out because of what it did."""
        _log.error("plugin %s is disabled: %s", name, reason)
        if error is not None:
            _log.info("where it happened", exc_info=error)
        if name in self._order:
            self._order.remove(name)
            self._manager.unregister(name=name)
        state = self._states.get(name) or PluginState(name, "?", "?", "failed")
        self._states[name] = replace(state, state="failed", reason=reason)

    def _load(self, candidate: _Candidate) -> None:
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
        try:
            plugin = candidate.load()
        except MissingExtra as error:
            self._states[name] = replace(candidate.state, state="disabled", reason=str(error), install=error.install)
            return
        except (Exception, SystemExit) as error:
            self.disable(name, f"its import raised {_told(error)}{perhaps_later(error)}", error)
            return
        try:
            check_version(plugin, hookspecs.HOOKS_VERSION)
            hash(plugin)  # pluggy keeps plugins in sets
            self._manager.register(plugin, name)
            self._order.append(name)
            self._manager.check_pending()
            for words in self._manager.warn_of_old_names(plugin, name):
                _log.warning("%s", words)
        except PluginError as error:
            self._states[name] = replace(candidate.state, install=error.hint)
            self.disable(name, str(error))
        except pluggy.PluginValidationError as error:
            self.disable(name, _validation_words(error), None)
        except (Exception, SystemExit) as error:
            self.disable(name, f"it cannot be registered: {_told(error)}", error)


@dataclass(frozen=True)
class _Candidate:
    state: PluginState
    load: Callable[[], object] | None


def _ordered(table: PluginsTable, given: dict[str, object]) -> list[_Candidate]:
    """Candidates in calling order: the deployment's, else the installed ones by name; then what is always on."""
    installed = [*_installed(PLUGINS), *_given(given)]
    always_on = [*_installed(DOORS), *_installed(BUILTINS)]
    if table.enabled is None:
        ordered = installed
    else:
        by_name: dict[str, list[_Candidate]] = {}
        for candidate in [*installed, *always_on]:
            by_name.setdefault(candidate.state.name, []).append(candidate)
        ordered = []
        for name in dict.fromkeys(table.enabled):
            ordered += by_name.get(name) or [_unknown(name, by_name)]
        left_out = [c for c in installed if c.state.name not in table.enabled]
        ordered += [_disabled(c, "not in the deployment's list of plugins") for c in left_out]
        always_on = [last for last in always_on if last.state.name not in table.enabled]
    return [
        _disabled(candidate, "disabled by the settings") if candidate.state.name in table.disabled else candidate
        for candidate in [*ordered, *always_on]
    ]


def _installed(group: str) -> Iterator[_Candidate]:
    found = metadata.entry_points(group=group)
    for point in sorted(found, key=lambda point: (point.name, point.dist.name if point.dist else "")):
        origin = point.dist.name if point.dist else "?"
        version = point.dist.version if point.dist else "?"
        yield _Candidate(PluginState(point.name, version, origin, "loaded"), point.load)


def _given(given: dict[str, object]) -> Iterator[_Candidate]:
    for name, plugin in given.items():
        version = str(getattr(plugin, "__version__", "-"))

        def load(plugin: object = plugin) -> object:
            return plugin

        yield _Candidate(PluginState(name, version, "given", "loaded"), load)


def _disabled(candidate: _Candidate, reason: str) -> _Candidate:
    return _Candidate(replace(candidate.state, state="disabled", reason=reason), None)


def _unknown(name: str, known: dict[str, list[_Candidate]]) -> _Candidate:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return _Candidate(PluginState(name, "-", "-", "failed", f"no such plugin is installed{hint}"), None)


def _told(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"SystemExit({error.code!r}): a plugin must not end the process"
    if isinstance(error, RagstoneError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def _validation_words(error: pluggy.PluginValidationError) -> str:
    """pluggy's words without the plugin's memory address."""
    known = [name for name in vars(hookspecs) if name.startswith("ragstone_")]
    said = " ".join(str(error).split())
    for word in re.findall(r"\bragstone_\w+", said):
        if word not in known:
            near = difflib.get_close_matches(word, known, n=1)
            return f"unknown hook {word}" + (f"; did you mean {near[0]}?" if near else "")
    return said
