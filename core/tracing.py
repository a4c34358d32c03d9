"""Traces the steps of a question through LlamaIndex's instrumentation.

Tools for LlamaIndex (OpenInference, and with it all of OpenTelemetry) add handlers to its dispatcher. LlamaIndex's own
classes report to it; this module adds the host's steps, so that a question is one trace. Handlers get questions,
passages and answers, never settings or keys.
"""

from __future__ import annotations

import inspect
import logging
import uuid
from contextlib import contextmanager, suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from llama_index.core.instrumentation import NullEventHandler, NullSpanHandler, get_dispatcher
from llama_index.core.instrumentation.dispatcher import active_instrument_tags
from llama_index.core.instrumentation.events.span import SpanDropEvent
from llama_index.core.instrumentation.span import active_span_id

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping
    from types import TracebackType

    from llama_index.core.instrumentation import Dispatcher
    from llama_index.core.instrumentation.events.base import BaseEvent

Piece = TypeVar("Piece")

_log = logging.getLogger(__name__)

_NAME = "ragstone"


def has_listeners() -> bool:
    """Whether LlamaIndex's dispatcher, or Ragstone's below it, has a handler."""
    own = get_dispatcher(_NAME)
    return _has_handlers(own) or _has_handlers(own.root)


def _has_handlers(dispatcher: Dispatcher) -> bool:
    # Called for every step: loops take half as long as generators.
    for spans in dispatcher.span_handlers:
        if type(spans) is not NullSpanHandler:
            return True
    for events in dispatcher.event_handlers:  # noqa: SIM110
        if type(events) is not NullEventHandler:
            return True
    return False


class Step(Protocol):
    """A context manager for a step. The functions are called only if there are listeners."""

    def __enter__(self) -> Step: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def emit(self, event: Callable[[], BaseEvent]) -> None:
        """Dispatch one of LlamaIndex's events."""

    def set_result(self, result: Callable[[], object]) -> None:
        """Set the span's result, as JSON values."""


def step(name: str, instance: object = None, **arguments: object) -> Step:
    """A context manager that traces one step as a span, with ``name`` as ``Class.method``.

    ``instance``: an object of a LlamaIndex class, by which handlers recognize the kind of step. ``arguments``: the
    inputs, as JSON values. In a generator it may stay open across a ``yield`` only under ``in_its_own_context``.
    """
    return _Span(name, instance, arguments) if has_listeners() else _NO_SPAN


def in_its_own_context(pieces: Generator[Piece, None, None]) -> Iterator[Piece]:
    """Run the generator in its own copy of the current context, whichever thread reads it.

    A generator has no context of its own: variables that it sets would stay set for its caller, and would be missing in
    another thread.
    """
    return OwnContext(pieces) if has_listeners() else pieces


class _NoSpan:
    """A step without listeners."""

    def __enter__(self) -> _NoSpan:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def emit(self, event: Callable[[], BaseEvent]) -> None:
        pass

    def set_result(self, result: Callable[[], object]) -> None:
        pass


_NO_SPAN = _NoSpan()


class _Span:
    """A step as a span, like the decorator ``Dispatcher.span`` for a call."""

    def __init__(self, name: str, instance: object, arguments: Mapping[str, object]) -> None:
        self._id = f"{name}-{uuid.uuid4()}"
        self._instance = instance
        self._arguments = _as_arguments(arguments)
        self._result: object = None
        self._parent: str | None = None
        self._dispatcher = get_dispatcher(_NAME)

    def __enter__(self) -> _Span:
        self._parent = active_span_id.get()
        active_span_id.set(self._id)
        self._dispatcher.span_enter(
            id_=self._id,
            bound_args=self._arguments,
            instance=self._instance,
            parent_id=self._parent,
            tags=active_instrument_tags.get(),
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        span: dict[str, Any] = {"id_": self._id, "bound_args": self._arguments, "instance": self._instance}
        try:
            if error is None or isinstance(error, GeneratorExit):  # the reader has stopped: no failure of the step
                self._dispatcher.span_exit(**span, result=self._result)
            else:
                self._dispatcher.event(SpanDropEvent(span_id=self._id, err_str=str(error)))
                self._dispatcher.span_drop(**span, err=error)
        finally:
            active_span_id.set(self._parent)

    def emit(self, event: Callable[[], BaseEvent]) -> None:
        with _log_errors():
            self._dispatcher.event(event())

    def set_result(self, result: Callable[[], object]) -> None:
        with _log_errors():
            self._result = result()


class OwnContext(Generic[Piece]):
    """A generator that runs in a copy of the context in which it was created."""

    def __init__(self, pieces: Generator[Piece, None, None]) -> None:
        self._pieces = pieces
        self._context = copy_context()

    def __iter__(self) -> OwnContext[Piece]:
        return self

    def __next__(self) -> Piece:
        return self._context.run(next, self._pieces)

    def close(self) -> None:
        self._context.run(self._pieces.close)

    def __del__(self) -> None:
        with suppress(Exception):  # an error at an arbitrary moment of garbage collection helps nobody
            self.close()


@contextmanager
def _log_errors() -> Iterator[None]:
    """Log a listener's errors, so that they do not fail the answer."""
    try:
        yield
    except Exception as error:
        _log.info("a step could not be traced: %s: %s", type(error).__name__, error)


def _as_arguments(arguments: Mapping[str, object]) -> inspect.BoundArguments:
    """The inputs in the form that handlers expect: the bound arguments of a call."""
    kind = inspect.Parameter.KEYWORD_ONLY
    signature = inspect.Signature([inspect.Parameter(name, kind) for name in arguments])
    return signature.bind(**arguments)
