"""What one request may use and read: processor time, a slot for the language model, and a scope of documents."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from ..errors import TooLarge

#: The values that are allowed, by metadata key. A document without the key is not concerned.
Scope = Mapping[str, frozenset[str]]


class Deadline:
    """A moment, ``seconds`` from when it was made."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, 0 or more."""
        return max(0.0, self._ends - time.monotonic())


class Slots:
    """A semaphore that raises instead of waiting when no slot is free."""

    def __init__(self, count: int, full: Callable[[], Exception]) -> None:
        """``full`` makes the error that ``acquire`` raises when no slot is free."""
        self._free = threading.BoundedSemaphore(count)
        self._full = full

    @contextmanager
    def acquire(self) -> Iterator[None]:
        if not self._free.acquire(blocking=False):
            raise self._full()
        try:
            yield
        finally:
            self._free.release()


@dataclass(frozen=True)
class Budget:
    """The limits of one request, valid in the context where ``set_budget`` was called and in copies of it."""

    #: Seconds of processor time, in each thread that works for the request.
    cpu_seconds: float
    #: Slots of all requests that use the language model at the same time.
    llm_slots: Slots | None = None
    #: Whether the client has gone, so that nobody waits for the answer.
    client_left: Callable[[], bool] = lambda: False
    _started: dict[int, float] = field(default_factory=dict)

    def check(self) -> None:
        """Raise ``TooLarge`` if the processor time is used up. It counts from the first check in each thread."""
        now = time.thread_time()
        if now - self._started.setdefault(threading.get_ident(), now) > self.cpu_seconds:
            raise TooLarge(
                f"the request needs more than {self.cpu_seconds:g} s of processor time",
                hint="ask with less text, or raise request_cpu_seconds under [plugins.web]",
            )


_budget: ContextVar[Budget | None] = ContextVar("ragstone_budget", default=None)
_scope: ContextVar[Scope | None] = ContextVar("ragstone_scope", default=None)


def set_budget(budget: Budget | None) -> None:
    """Set the current context's budget; ``None`` means no limits, as on the command line."""
    _budget.set(budget)
    if budget is not None:
        budget.check()


def check_budget() -> None:
    """Raise ``TooLarge`` if the current request has used up its processor time. For loops over untrusted input."""
    budget = _budget.get()
    if budget is not None:
        budget.check()


def llm_slot() -> AbstractContextManager[None]:
    """A slot for a request to the language model. Entering raises ``LLMBusy`` if none is free."""
    budget = _budget.get()
    return nullcontext() if budget is None or budget.llm_slots is None else budget.llm_slots.acquire()


def client_left() -> bool:
    """Whether the client of the current request has gone."""
    budget = _budget.get()
    return budget is not None and budget.client_left()


def set_scope(scope: Scope | None) -> None:
    """Let the current context, and copies of it, read only what is in the scope; ``None``: everything."""
    _scope.set(scope)


def current_scope() -> Scope:
    """The scope of the current context; empty where everything may be read."""
    return _scope.get() or {}


def in_scope(metadata: Mapping[str, Any]) -> bool:
    """Whether a document or a chunk with these metadata may be read in the current context."""
    return all(metadata.get(key) is None or metadata[key] in allowed for key, allowed in current_scope().items())


@contextmanager
def limited_to(scope: Scope | None) -> Iterator[None]:
    """Set the scope for the duration of the context."""
    token = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(token)
