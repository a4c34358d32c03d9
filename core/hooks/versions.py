"""Plugins that were written for a later release are refused."""

from __future__ import annotations

from importlib import metadata

from ..errors import PluginError

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
