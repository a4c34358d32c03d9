"""Tests of the contracts' clauses: each has an object that breaks it, and a message."""

from __future__ import annotations

import inspect
import re
import threading
from collections.abc import Callable
from typing import Any

import pytest


def clauses(contract: type) -> set[str]:
    """The names of its clauses, those that it has from another contract included."""
    return {name for name, value in inspect.getmembers(contract) if name.startswith("test_") and callable(value)}


def breaks(contract: type, clause: str, words: str, **given: Any) -> None:
    """The clause fails, with these words, for what it is given."""
    method: Callable[..., None] = getattr(contract(), clause)
    with pytest.raises(AssertionError, match=re.escape(words)):
        method(**{name: given[name] for name in inspect.signature(method).parameters})


class OneThread:
    """Raises in every thread but the one that made it, as an object of SQLite does."""

    def __init__(self) -> None:
        self._made_in = threading.get_ident()

    def check(self) -> None:
        if threading.get_ident() != self._made_in:
            raise RuntimeError("made in another thread")
