"""The steps of a question, told to LlamaIndex's instrumentation.

Tools that are made for LlamaIndex (OpenInference, and by it everything that reads OpenTelemetry) hang their handlers on
its dispatcher. LlamaIndex's own classes tell it what they do; this tells the rest, so that a question is one trace. Who
listens sees questions, passages and answers: never a setting, and no key.
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


def listened_to() -> bool:
    """Whether anybody has hung a handler on LlamaIndex's dispatcher, or on ours below it."""
    own = get_dispatcher(_NAME)
    return _is_heard(own) or _is_heard(own.root)


def _is_heard(dispatcher: Dispatcher) -> bool:
    # Asked with every step: loops, for they take half as long as generators.
    for spans in dispatcher.span_handlers:
        if type(spans) is not NullSpanHandler:
            return True
    for events in dispatcher.event_handlers:  # noqa: SIM110
        if type(events) is not NullEventHandler:
            return True
    return False


class Step(Protocol):
    """What a step tells while it is under way."""

    def __enter__(self) -> Step:
        """It begins."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """It has ended, or failed."""

    def tells(self, event: Callable[[], BaseEvent]) -> None:
        """Dispatch one of LlamaIndex's events; it is made only if somebody listens."""

    def gave(self, result: Callable[[], object]) -> None:
        """What came of it, in what JSON can say; made only if somebody listens."""


def step(name: str, instance: object = None, **told: object) -> Step:
    """A context manager for one step: a span, ``name`` as ``Class.method``.

    ``instance``: an object of LlamaIndex's, by which handlers know what kind of step it is. ``told``: what goes in,
    in what JSON can say. In a generator it may stay open across a ``yield`` only under ``in_its_own_context``.
    """
    return _Heard(name, instance, told) if listened_to() else _UNHEARD


def in_its_own_context(pieces: Generator[Piece, None, None]) -> Iterator[Piece]:
    """The generator's pieces, its steps kept apart from whoever takes them, in whichever thread.

    A generator has no context of its own: what it sets would stay set for its caller, and be gone in another thread.
    """
    return _Apart(pieces) if listened_to() else pieces


class _Unheard:
    """A step that nobody listens to."""

    def __enter__(self) -> _Unheard:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def tells(self, event: Callable[[], BaseEvent]) -> None:
        pass

    def gave(self, result: Callable[[], object]) -> None:
        pass


_UNHEARD = _Unheard()


class _Heard:
    """A step that is told of, as the decorator ``Dispatcher.span`` tells of a call."""

    def __init__(self, name: str, instance: object, told: Mapping[str, object]) -> None:
        self._id = f"{name}-{uuid.uuid4()}"
        self._instance = instance
        self._arguments = _as_arguments(told)
        self._result: object = None
        self._parent: str | None = None
        self._dispatcher = get_dispatcher(_NAME)

    def __enter__(self) -> _Heard:
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
        told: dict[str, Any] = {"id_": self._id, "bound_args": self._arguments, "instance": self._instance}
        try:
            if error is None or isinstance(error, GeneratorExit):  # whoever read it has gone: no failure of the step
                self._dispatcher.span_exit(**told, result=self._result)
            else:
                self._dispatcher.event(SpanDropEvent(span_id=self._id, err_str=str(error)))
                self._dispatcher.span_drop(**told, err=error)
        finally:
            active_span_id.set(self._parent)

    def tells(self, event: Callable[[], BaseEvent]) -> None:
        with _without_harm():
            self._dispatcher.event(event())

    def gave(self, result: Callable[[], object]) -> None:
        with _without_harm():
            self._result = result()


class _Apart(Generic[Piece]):
    """A generator that runs in a copy of the context that it was made in."""

    def __init__(self, pieces: Generator[Piece, None, None]) -> None:
        self._pieces = pieces
        self._context = copy_context()

    def __iter__(self) -> _Apart[Piece]:
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
    """Nobody's answer fails because somebody listens."""
    try:
        yield
    except Exception as error:
        _log.info("a step could not be told: %s: %s", type(error).__name__, error)


def _as_arguments(told: Mapping[str, object]) -> inspect.BoundArguments:
    """The form in which handlers expect what goes in: the arguments of a call."""
    kind = inspect.Parameter.KEYWORD_ONLY
    signature = inspect.Signature([inspect.Parameter(name, kind) for name in told])
    return signature.bind(**told)
