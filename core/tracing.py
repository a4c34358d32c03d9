"""Traces the steps of a question through LlamaIndex's instrumentation.

Tools for LlamaIndex (OpenInference, and with it everything that reads OpenTelemetry) add handlers to its dispatcher.
LlamaIndex's own classes report to it; this module reports the host's steps, so that a question is one trace. A handler
sees questions, passages and answers: never a setting, and no key.
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
    """Whether LlamaIndex's dispatcher, or ours below it, has a handler."""
    own = get_dispatcher(_NAME)
    return _has_handlers(own) or _has_handlers(own.root)


def _has_handlers(dispatcher: Dispatcher) -> bool:
    # Asked with every step: loops, for they take half as long as generators.
    for spans in dispatcher.span_handlers:
        if type(spans) is not NullSpanHandler:
            return True
    for events in dispatcher.event_handlers:  # noqa: SIM110
        if type(events) is not NullEventHandler:
            return True
    return False


class Step(Protocol):
    """A step while it is under way."""

    def __enter__(self) -> Step:
        """It begins."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """It has ended, or failed."""

    def emit(self, event: Callable[[], BaseEvent]) -> None:
        """Dispatch one of LlamaIndex's events; made only for listeners."""

    def set_result(self, result: Callable[[], object]) -> None:
        """The result, as JSON; made only for listeners."""


def step(name: str, instance: object = None, **arguments: object) -> Step:
    """A context manager for one step: a span, ``name`` as ``Class.method``.

    ``instance``: an object of LlamaIndex's, by which handlers know what kind of step it is. ``arguments``: the inputs,
    in what JSON can say. In a generator it may stay open across a ``yield`` only under ``in_its_own_context``.
    """
    return _Span(name, instance, arguments) if has_listeners() else _NO_SPAN


def in_its_own_context(pieces: Generator[Piece, None, None]) -> Iterator[Piece]:
    """The generator's pieces, its steps kept apart from whoever takes them, in whichever thread.

    A generator has no context of its own: what it sets would stay set for its caller, and be gone in another thread.
    """
    return _OwnContext(pieces) if has_listeners() else pieces


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
    """A step as a span, as the decorator ``Dispatcher.span`` makes one of a call."""

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
            if error is None or isinstance(error, GeneratorExit):  # whoever read it has gone: no failure of the step
                self._dispatcher.span_exit(**span, result=self._result)
            else:
                self._dispatcher.event(SpanDropEvent(span_id=self._id, err_str=str(error)))
                self._dispatcher.span_drop(**span, err=error)
        finally:
            active_span_id.set(self._parent)

    def emit(self, event: Callable[[], BaseEvent]) -> None:
        with _without_harm():
            self._dispatcher.event(event())

    def set_result(self, result: Callable[[], object]) -> None:
        with _without_harm():
            self._result = result()


class _OwnContext(Generic[Piece]):
    """A generator that runs in a copy of the context that it was made in."""

    def __init__(self, pieces: Generator[Piece, None, None]) -> None:
        self._pieces = pieces
        self._context = copy_context()

    def __iter__(self) -> _OwnContext[Piece]:
        return self

    def __next__(self) -> Piece:
        return self._context.run(next, self._pieces)

    def close(self) -> None:
        """End it; its steps end with it."""
        self._context.run(self._pieces.close)

    def __del__(self) -> None:
        with suppress(Exception):  # whoever forgot it must not hear of it at some other moment
            self.close()


@contextmanager
def _without_harm() -> Iterator[None]:
    """A failing listener fails no answer."""
    try:
        yield
    except Exception as error:
        _log.info("a step could not be traced: %s: %s", type(error).__name__, error)


def _as_arguments(arguments: Mapping[str, object]) -> inspect.BoundArguments:
    """The form in which handlers expect what goes in: the arguments of a call."""
    kind = inspect.Parameter.KEYWORD_ONLY
    signature = inspect.Signature([inspect.Parameter(name, kind) for name in arguments])
    return signature.bind(**arguments)
