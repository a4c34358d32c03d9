"""Checks that a plugin's optional packages are installed."""

from __future__ import annotations

from importlib.util import find_spec

from .errors import MissingExtra


def require_extra(extra: str, *modules: str, distribution: str = "ragstone") -> None:
    """For the top of a plugin: raise ``MissingExtra`` unless the modules are installed. Imports none of them."""
    missing = tuple(module for module in modules if not _is_installed(module))
    if missing:
        raise MissingExtra(extra, missing, distribution=distribution)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of its parent package
        return False
