"""What is installed of the plugins that Ragstone brings, so that one more of them breaks no test of something else."""

from __future__ import annotations

from importlib import metadata


def _brought(group: str) -> list[str]:
    return sorted(point.name for point in metadata.distribution("ragstone").entry_points.select(group=group))


PLUGINS = _brought("ragstone")
INTERFACES = _brought("ragstone.doors")
BUILTINS = _brought("ragstone.builtins")
#: What is always on: the interfaces come first, and what the host brings last.
ALWAYS = [*INTERFACES, *BUILTINS]
