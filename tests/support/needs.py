"""Parts of the machine that some tests need."""

from __future__ import annotations

import importlib
import os
from typing import Any, NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Skip with a message, or fail in CI, which must have every part."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and CI must have it")
    pytest.skip(f"{what} is missing on this machine", allow_module_level=True)


def needed(module: str) -> Any:
    """The module; without it skip with a message, or fail in CI."""
    try:
        return importlib.import_module(module)
    except ImportError:
        missing(f"the module {module}")
