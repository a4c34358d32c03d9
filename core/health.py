"""Health checks of the host and its plugins, shown by ``/health`` and ``ragstone doctor``."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import RagstoneError


@dataclass(frozen=True)
class Check:
    """The result of one health check."""

    name: str
    ok: bool
    detail: str
    #: Whether a failure prevents all answers.
    fatal: bool = False
    #: How to repair it, or what to do next: a command if there is one.
    mend: str | None = None
    #: The file, folder or key that was checked; for the administrator, not shown over HTTP.
    where: str | None = None

    @classmethod
    def failed(cls, name: str, error: RagstoneError, *, fatal: bool = False) -> Check:
        """A failed check from an error, whose hint becomes ``mend``."""
        return cls(name, False, error.what, fatal, error.hint, error.where)
