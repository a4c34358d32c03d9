"""Traces the steps of a question through LlamaIndex's instrumentation.

Tools for LlamaIndex (OpenInference, and with it all of OpenTelemetry) add handlers to its dispatcher. LlamaIndex's own
classes report to it; this module adds the host's steps, so that a question is one trace. Handlers get questions,
chunks and answers, never settings or keys.
"""

from __future__ import annotations

import inspect
import logging
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import copy_context
from typing import Any, Generic, TypeVar

from llama_index.core.instrumentation import Dispatcher, NullEventHandler, NullSpanHandler, get_dispatcher
from llama_index.core.instrumentation.dispatcher import active_instrument_tags
from llama_index.core.instrumentation.events.base import BaseEvent
from llama_index.core.instrumentation.events.span import SpanDropEvent
from llama_index.core.instrumentation.span import active_span_id

Piece = TypeVar("Piece")

_log = logging.getLogger(__name__)

_NAME = "ragstone"


def has_listeners() -> bool:
    """Whether LlamaIndex's dispatcher, or Ragstone's below it, has a handler."""
    own = get_dispatcher(_NAME)
    handlers = [*own.span_handlers, *own.event_handlers, *own.root.span_handlers, *own.root.event_handlers]
    return any(type(each) not in {NullSpanHandler, NullEventHandler} for each in handlers)


class Step:
    """A step while it runs. The functions are called only if there are listeners."""

    def __init__(self, dispatcher: Dispatcher | None) -> None:
        self._dispatcher = dispatcher
        self.result: object = None

    def emit(self, event: Callable[[], BaseEvent]) -> None:
        """Dispatch one of LlamaIndex's events."""
        if self._dispatcher is not None:
            with _log_errors():
                self._dispatcher.event(event())

    def set_result(self, result: Callable[[], object]) -> None:
        """Set the span's result, as JSON values."""
        if self._dispatcher is not None:
            with _log_errors():
                self.result = result()


_WITHOUT_LISTENERS = nullcontext(Step(None))


def step(name: str, instance: object = None, **arguments: object) -> AbstractContextManager[Step]:
    """A context manager that traces one step as a span, with ``name`` as ``Class.method``.

    ``instance``: an object of a LlamaIndex class, by which handlers recognize the kind of step. ``arguments``: the
    inputs, as JSON values. In a generator it may stay open across a ``yield`` only in an ``OwnContext``.
    """
    return _span(name, instance, arguments) if has_listeners() else _WITHOUT_LISTENERS


@contextmanager
def _span(name: str, instance: object, arguments: Mapping[str, object]) -> Iterator[Step]:
    """A step as a span, like the decorator ``Dispatcher.span`` for a call."""
    dispatcher, parent = get_dispatcher(_NAME), active_span_id.get()
    # The inputs in the form that handlers expect: the bound arguments of a call.
    signature = inspect.Signature([inspect.Parameter(each, inspect.Parameter.KEYWORD_ONLY) for each in arguments])
    bound = signature.bind(**arguments)
    span: dict[str, Any] = {"id_": f"{name}-{uuid.uuid4()}", "bound_args": bound, "instance": instance}
    active_span_id.set(span["id_"])
    dispatcher.span_enter(**span, parent_id=parent, tags=active_instrument_tags.get())
    running = Step(dispatcher)
    try:
        yield running
    except GeneratorExit:  # the reader has stopped: no failure of the step
        dispatcher.span_exit(**span, result=running.result)
        raise
    except BaseException as error:
        dispatcher.event(SpanDropEvent(span_id=span["id_"], err_str=str(error)))
        dispatcher.span_drop(**span, err=error)
        raise
    else:
        dispatcher.span_exit(**span, result=running.result)
    finally:
        active_span_id.set(parent)


class OwnContext(Generic[Piece]):
    """A generator that runs in a copy of the context in which it was created, whichever thread reads it.

    A generator has no context of its own: variables that it sets would stay set for its caller, and would be missing in
    another thread.
    """

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
