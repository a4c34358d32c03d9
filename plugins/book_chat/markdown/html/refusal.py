"""Why a file gives no text, in one word."""

from __future__ import annotations

from typing import Literal

from ragstone.core.runtime import Unanswered

Reason = Literal["encrypted", "broken", "too_large", "empty", "timeout", "crashed"]


class Refused(Unanswered):
    """A file that is not read: the reason, and what is wrong with it as words that follow its name."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(reason, detail)
