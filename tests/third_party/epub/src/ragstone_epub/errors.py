"""Why a book is not read."""

from __future__ import annotations

from typing import Literal

from ragstone.core import SourceError
from ragstone.core.text import one_line

Reason = Literal["broken", "too_large", "bomb", "entities", "escapes", "encrypted", "empty"]


class Refused(SourceError):
    """A book that is not read; ``reason`` says why in one word."""

    def __init__(self, reason: Reason, what: str) -> None:
        super().__init__(one_line(what))
        self.reason = reason
