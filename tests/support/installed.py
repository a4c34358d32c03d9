"""Names of Ragstone's own plugins, so that a new one breaks no test of something else."""

from __future__ import annotations

from importlib import metadata
from typing import Any


def _names(group: str) -> list[str]:
    return sorted(point.name for point in metadata.distribution("ragstone").entry_points.select(group=group))


PLUGINS = _names("ragstone")
INTERFACES = _names("ragstone.doors")
BUILTINS = _names("ragstone.builtins")
#: Always enabled, in calling order.
ALWAYS = [*INTERFACES, *BUILTINS]


def plugin(name: str) -> Any:
    """The module of an installed plugin that has its hooks."""
    (point,) = metadata.entry_points(group="ragstone", name=name)
    return point.load()
