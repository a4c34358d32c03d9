"""Refuses plugins that were written for a later version of the hooks."""

from __future__ import annotations

from importlib import metadata

from ..errors import PluginError

_UPGRADE = "pip install --upgrade ragstone"


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
