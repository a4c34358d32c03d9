"""The budget of a request: the processor time that it may use, and a place among those that wait for the model."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import TooLarge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager


class Places:
    """A number of places, of which each is taken by one thread at a time. Nobody waits for one."""

    def __init__(self, count: int, full: Callable[[], Exception]) -> None:
        """``full`` makes the error that ``take`` raises where no place is free."""
        self._free = threading.BoundedSemaphore(count)
        self._full = full

    @contextmanager
    def take(self) -> Iterator[None]:
        """Have a place."""
        if not self._free.acquire(blocking=False):
            raise self._full()
        try:
            yield
        finally:
            self._free.release()


@dataclass(frozen=True)
class Budget:
    """What one request may use; it holds for the context that ``set_budget`` was called in and those copied from it."""

    #: Seconds of processor time, in each thread that works for the request.
    cpu_seconds: float
    #: The places of all requests that wait for the language model at the same time.
    llm_places: Places | None = None
    _begun: dict[int, float] = field(default_factory=dict)

    def check(self) -> None:
        """Raise ``TooLarge`` if the processor time is used up. It counts from the first check in each thread."""
        now = time.thread_time()
        if now - self._begun.setdefault(threading.get_ident(), now) > self.cpu_seconds:
            raise TooLarge(
                f"the request needs more than {self.cpu_seconds:g} s of processor time",
                hint="ask with less text, or raise request_cpu_seconds under [plugins.web]",
            )


_current: ContextVar[Budget | None] = ContextVar("ragstone_budget", default=None)


def set_budget(budget: Budget | None) -> None:
    """Let ``budget`` hold from here on; ``None`` for no limits, as on the command line."""
    _current.set(budget)
    if budget is not None:
        budget.check()


def check_budget() -> None:
    """Raise ``TooLarge`` if the current request has used up its processor time. For loops over untrusted input."""
    budget = _current.get()
    if budget is not None:
        budget.check()


def llm_place() -> AbstractContextManager[None]:
    """A place among the requests that wait for the language model. Entering raises ``LLMBusy`` where none is free."""
    budget = _current.get()
    return nullcontext() if budget is None or budget.llm_places is None else budget.llm_places.take()
