"""The plugins that are installed or given, in their calling order."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from importlib import metadata
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..settings import PluginsTable

PLUGINS = "ragstone"
#: The distribution whose plugins come first where the deployment does not say otherwise.
_OWN = "ragstone"
#: On wherever their extra is installed, without being listed: the interfaces, and, called last, what the host brings.
DOORS = "ragstone.doors"
BUILTINS = "ragstone.builtins"

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


@dataclass(frozen=True)
class Candidate:
    """A plugin that may be loaded."""

    state: PluginState
    load: Callable[[], object] | None
    #: What is imported to load it; empty for one that was handed to the host.
    module: str = ""


def candidates(table: PluginsTable, given: dict[str, object]) -> list[Candidate]:
    """Candidates in calling order.

    The deployment's order, else Ragstone's own by name and then the others by name. Its interfaces come before all of
    them where the deployment does not list them: what they bring is not displaced.
    """
    installed = [*_installed(PLUGINS), *_given(given)]
    doors, builtins = _installed(DOORS), _installed(BUILTINS)
    if table.enabled is None:
        own = [candidate for candidate in installed if candidate.state.origin == _OWN]
        ordered = [*own, *(candidate for candidate in installed if candidate.state.origin != _OWN)]
    else:
        by_name: dict[str, list[Candidate]] = {}
        for candidate in [*installed, *doors, *builtins]:
            by_name.setdefault(candidate.state.name, []).append(candidate)
        ordered = []
        for name in dict.fromkeys(table.enabled):
            ordered += by_name.get(name) or [_unknown(name, by_name)]
        left_out = [c for c in installed if c.state.name not in table.enabled]
        ordered += [_disabled(c, "not in the deployment's list of plugins") for c in left_out]
        doors, builtins = ([c for c in group if c.state.name not in table.enabled] for group in (doors, builtins))
    first = [door for door in doors if door.state.origin == _OWN]
    last = [door for door in doors if door.state.origin != _OWN]
    return [
        _disabled(candidate, "disabled by the settings") if candidate.state.name in table.disabled else candidate
        for candidate in [*first, *ordered, *last, *builtins]
    ]


def _installed(group: str) -> list[Candidate]:
    """The installed plugins of a group by name; of two of one name Ragstone's own first."""
    found = []
    for point in metadata.entry_points(group=group):
        origin = point.dist.name if point.dist else "?"
        version = point.dist.version if point.dist else "?"
        found.append(Candidate(PluginState(point.name, version, origin, "loaded"), point.load, point.module))
    return sorted(found, key=lambda each: (each.state.name, each.state.origin != _OWN, each.state.origin))


def _given(given: dict[str, object]) -> Iterator[Candidate]:
    for name, plugin in given.items():
        version = str(getattr(plugin, "__version__", "-"))

        def load(plugin: object = plugin) -> object:
            return plugin

        yield Candidate(PluginState(name, version, "given", "loaded"), load)


def _disabled(candidate: Candidate, reason: str) -> Candidate:
    return Candidate(replace(candidate.state, state="disabled", reason=reason), None)


def _unknown(name: str, known: dict[str, list[Candidate]]) -> Candidate:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return Candidate(PluginState(name, "-", "-", "failed", f"no such plugin is installed{hint}"), None)
