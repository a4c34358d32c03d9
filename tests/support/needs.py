"""Parts of the machine that some tests need."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Skip with a message, or fail in CI, which must have every part."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and CI must have it")
    pytest.skip(f"{what} is missing on this machine", allow_module_level=True)


class _Module:
    """A module that is imported with the first of its names: each of several processes collects all tests."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest looks for names of its own in whatever a test file has
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


def needed(module: str) -> Any:
    """The module, which is imported when it is used; without its package skip with a message, or fail in CI."""
    if find_spec(module.partition(".")[0]) is None:
        missing(f"the module {module}")
    return _Module(module)
