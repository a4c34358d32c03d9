"""Plugins that were written for another release: for a later one refused, for the one before served and warned."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any

import pluggy

from ..errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType

_UPGRADE = "pip install --upgrade ragstone"


def check_version(plugin: object, known: int) -> None:
    """Raise ``PluginError`` for a plugin that says by ``ragstone_hooks`` that it needs a later version of the hooks."""
    version = getattr(plugin, "ragstone_hooks", 1)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise PluginError(f"its ragstone_hooks is {version!r}, not a version of the hooks, such as {known}")
    if version > known:
        made = f"it is made for version {version} of the hooks, and Ragstone {_release()} has version {known}"
        raise PluginError(made, hint=_UPGRADE)


def perhaps_later(error: BaseException) -> str:
    """What is to be said besides of an import that asked Ragstone for what it does not have."""
    asked = (error.name or "") if isinstance(error, ImportError) else ""
    if asked.partition(".")[0] != "ragstone":
        return ""
    return f"; it may be made for a later Ragstone than {_release()} ({_UPGRADE})"


def _release() -> str:
    return metadata.version("ragstone")


@dataclass(frozen=True)
class Renamed:
    """A hook that was called ``old``, or an argument of it. ``gone_in``: the release that knows ``old`` no more."""

    #: The hook, by its present name.
    hook: str
    old: str
    #: The present name: the hook's own, or that of its argument.
    new: str
    gone_in: str

    @property
    def is_argument(self) -> bool:
        """Whether not the hook but an argument of it was renamed."""
        return self.new != self.hook

    def told(self, plugin: str) -> str:
        """What a plugin that uses the old name is warned with."""
        uses = f"takes the argument {self.old} of {self.hook}" if self.is_argument else f"has {self.old}"
        return f"the plugin {plugin} {uses}, which is {self.new} now; the old name goes in Ragstone {self.gone_in}"


class HookManager(pluggy.PluginManager):
    """pluggy's manager of the hooks; it takes the older names for the present ones."""

    def __init__(self, specs: ModuleType, renamed: Sequence[Renamed]) -> None:
        super().__init__("ragstone")
        self._hooks = {each.old: each for each in renamed if not each.is_argument}
        self._arguments = [each for each in renamed if each.is_argument]
        self.add_hookspecs(specs)
        for each in self._arguments:
            spec = getattr(self.hook, each.hook).spec
            spec.argnames = (*spec.argnames, each.old)

    def parse_hookimpl_opts(self, plugin: object, name: str) -> Any:
        """pluggy's question what a plugin's attribute is: a hook's older name is the present one's, where the plugin
        has not both."""
        options = super().parse_hookimpl_opts(plugin, name)
        renamed = self._hooks.get(_called(options, name)) if options is not None else None
        if options is None or renamed is None:
            return options
        if super().parse_hookimpl_opts(plugin, renamed.new) is not None:
            return None
        return {**options, "specname": renamed.new}

    def having(self, hook: str) -> frozenset[str]:
        """The names of the plugins that have the hook."""
        return frozenset(each.plugin_name for each in getattr(self.hook, hook).get_hookimpls())

    def with_old_names(self, hook: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The hook's arguments, also by their older names."""
        older = {each.old: arguments[each.new] for each in self._arguments if each.hook == hook}
        return {**arguments, **older}

    def warn_of_old_names(self, plugin: object, name: str) -> list[str]:
        """Issue a ``DeprecationWarning`` for each older name that the plugin uses; returns their words."""
        found = list(self._old_names(plugin))
        for renamed, function in found:
            place = inspect.unwrap(function)
            code = getattr(place, "__code__", None)
            file, line = (code.co_filename, code.co_firstlineno) if code else ("<plugin>", 0)
            module = getattr(place, "__module__", None)
            warnings.warn_explicit(renamed.told(name), DeprecationWarning, file, line, module=module)
        return [renamed.told(name) for renamed, _function in found]

    def _old_names(self, plugin: object) -> Iterator[tuple[Renamed, Callable[..., object]]]:
        for attribute in dir(plugin) if self._hooks else ():
            options = super().parse_hookimpl_opts(plugin, attribute)
            renamed = self._hooks.get(_called(options, attribute)) if options is not None else None
            if renamed is not None and self.parse_hookimpl_opts(plugin, attribute) is not None:
                yield renamed, getattr(plugin, attribute)
        for renamed in self._arguments:
            for implementation in getattr(self.hook, renamed.hook).get_hookimpls():
                if implementation.plugin is plugin and renamed.old in implementation.argnames:
                    yield renamed, implementation.function


def _called(options: Any, name: str) -> str:
    return str(options.get("specname") or name)
