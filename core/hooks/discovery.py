"""Discovers the plugins, installed ones and those passed to the host, in their calling order; refuses later ones."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path
from typing import Literal

from ..errors import PluginError
from ..settings import PluginsTable

PLUGINS = "ragstone"
#: The distribution whose plugins come first where the deployment does not say otherwise.
_OWN = "ragstone"
#: Enabled wherever their extra is installed, without being listed: the interfaces, and Ragstone's own, called last.
INTERFACES = "ragstone.doors"
BUILTINS = "ragstone.builtins"

_UPGRADE = "pip install --upgrade ragstone"

State = Literal["loaded", "disabled", "failed"]


@dataclass(frozen=True)
class PluginState:
    """What ``ragstone plugins`` and ``/health`` show of a plugin."""

    name: str
    version: str
    #: Its distribution, or ``given`` for one that was passed to the host.
    origin: str
    state: State
    reason: str | None = None
    #: The command that repairs it, where it is known.
    install: str | None = None


@dataclass(frozen=True)
class Candidate:
    """A plugin that may be loaded."""

    state: PluginState
    load: Callable[[], object] | None
    #: The module to import; empty for one that was passed to the host.
    module: str = ""


def candidates(table: PluginsTable, given: Mapping[str, object]) -> list[Candidate]:
    """Candidates in calling order: the deployment's, else Ragstone's own by name, then the others by name.

    Ragstone's interfaces that the deployment does not list come first: no plugin displaces what they contribute.
    """
    groups = installed_plugins()
    installed, interfaces, builtins = [*groups[PLUGINS], *_given(given)], groups[INTERFACES], groups[BUILTINS]
    if table.enabled is None:
        own = [candidate for candidate in installed if candidate.state.origin == _OWN]
        ordered = [*own, *(candidate for candidate in installed if candidate.state.origin != _OWN)]
    else:
        by_name: dict[str, list[Candidate]] = {}
        for candidate in [*installed, *interfaces, *builtins]:
            by_name.setdefault(candidate.state.name, []).append(candidate)
        ordered = []
        for name in dict.fromkeys(table.enabled):
            ordered += by_name.get(name) or [_unknown(name, by_name)]
        installed, interfaces, builtins = (
            [c for c in group if c.state.name not in table.enabled] for group in (installed, interfaces, builtins)
        )
        ordered += [_disabled(c, "not in the deployment's list of plugins") for c in installed]
    before = [each for each in interfaces if each.state.origin == _OWN]
    after = [each for each in interfaces if each.state.origin != _OWN]
    return [
        _disabled(candidate, "disabled by the settings") if candidate.state.name in table.disabled else candidate
        for candidate in [*before, *ordered, *after, *builtins]
    ]


def installed_plugins() -> dict[str, list[Candidate]]:
    """Each group's installed plugins, sorted by name; of two with the same name Ragstone's own comes first.

    They are read again only when a folder of the path of modules has changed.
    """
    return _installed(tuple((folder, _changed(Path(folder))) for folder in sys.path))


def _changed(folder: Path) -> int | None:
    try:
        return folder.stat().st_mtime_ns
    except OSError:  # not there, or nobody may look: modules are not found there either
        return None


@lru_cache(maxsize=1)
def _installed(_changes: tuple[tuple[str, int | None], ...]) -> dict[str, list[Candidate]]:
    points = metadata.entry_points()  # reads a file of every installed distribution
    about = cache(lambda dist: (dist.metadata["Name"], dist.metadata["Version"]))
    found: dict[str, list[Candidate]] = {}
    for group in (PLUGINS, INTERFACES, BUILTINS):
        found[group] = []
        for point in points.select(group=group):
            origin, version = about(point.dist) if point.dist else ("?", "?")
            found[group].append(Candidate(PluginState(point.name, version, origin, "loaded"), point.load, point.module))
        found[group].sort(key=lambda each: (each.state.name, each.state.origin != _OWN, each.state.origin))
    return found


def _given(given: Mapping[str, object]) -> Iterator[Candidate]:
    for name, plugin in given.items():
        version = str(getattr(plugin, "__version__", "-"))

        def load(plugin: object = plugin) -> object:
            return plugin

        yield Candidate(PluginState(name, version, "given", "loaded"), load)


def _disabled(candidate: Candidate, reason: str) -> Candidate:
    return Candidate(replace(candidate.state, state="disabled", reason=reason), None)


def _unknown(name: str, known: dict[str, list[Candidate]]) -> Candidate:
    closest = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {closest[0]}?" if closest else ""
    return Candidate(PluginState(name, "-", "-", "failed", f"no such plugin is installed{hint}"), None)


def check_version(plugin: object, known: int) -> None:
    """Raise ``PluginError`` if the plugin's ``ragstone_hooks`` is later than ``known`` or no version."""
    version = getattr(plugin, "ragstone_hooks", 1)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise PluginError(f"its ragstone_hooks is {version!r}, not a version of the hooks, such as {known}")
    if version > known:
        message = f"it is made for version {version} of the hooks, and Ragstone {_release()} has version {known}"
        raise PluginError(message, hint=_UPGRADE)


def upgrade_hint(error: BaseException) -> str:
    """A hint for an import of a module or name that Ragstone does not have; else ""."""
    module = (error.name or "") if isinstance(error, ImportError) else ""
    if module.partition(".")[0] != "ragstone":
        return ""
    return f"; it may be made for a later Ragstone than {_release()} ({_UPGRADE})"


def _release() -> str:
    return metadata.version("ragstone")
