"""Health: small checks that the host and its plugins contribute. ``/health`` and ``ragstone doctor`` show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .errors import RagstoneError


@dataclass(frozen=True)
class Check:
    """One thing that was looked at, and how it is."""

    name: str
    ok: bool
    detail: str
    #: Whether nothing can be answered while this is not well.
    fatal: bool = False
    #: What mends it, or what to do next: a command to type where there is one.
    mend: str | None = None
    #: The file, folder or key that it is about; for who looks after the machine, and not told over HTTP.
    where: str | None = None

    @classmethod
    def failed(cls, name: str, error: RagstoneError, *, fatal: bool = False) -> Check:
        """The check of something that raised: an error's hint is what mends it."""
        return cls(name, False, error.what, fatal, error.hint, error.where)
