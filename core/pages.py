"""What plugins' pages share with the web front: options of a view, server-sent events, OpenAPI. Imports no Flask."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar, get_args

View = TypeVar("View", bound=Callable[..., Any])

__all__ = [
    "COUNT",
    "KEEP_ALIVE",
    "TEXT",
    "EventStream",
    "Operation",
    "Reach",
    "ViewOptions",
    "body_of",
    "event",
    "list_of",
    "object_of",
    "response_of",
]

#: An operation of OpenAPI 3.1, and two schemas.
Operation = dict[str, Any]
TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}

Reach = Literal["own", "listed", "any"]
_ATTRIBUTE = "__ragstone_view_options__"

#: A comment between events: sending it shows whether the client has left.
KEEP_ALIVE = ": still here\n\n"


@dataclass(frozen=True)
class ViewOptions:
    """Options of a Flask view function, and the decorator that attaches them: ``@ViewOptions(reach="any")``."""

    #: Pages that may load the view: this server's own, also those of the listed ``origins``, or any (reading only).
    reach: Reach = "own"
    #: The interface that a key must be for: ``web``, ``openai`` or ``mcp``.
    interface: str = "web"
    #: The assistant that a limited key must be for; without one, all assistants of the view's plugin.
    assistant: str | None = None
    #: A key for any assistant will do: the view shows nothing of one, or checks itself which ones the key is for.
    any_assistant: bool = False
    #: Raises for a request without the view's own key. Called in place of the check of the server's keys.
    own_key: Callable[[], object] | None = None
    #: A request's body may have ``max_upload_bytes``.
    takes_files: bool = False
    #: The operation in ``/openapi.json``; a view without one is a page for people.
    openapi: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.reach not in get_args(Reach):
            raise ValueError(f"reach must be one of {', '.join(get_args(Reach))}, not {self.reach!r}")

    def __call__(self, view: View) -> View:
        setattr(view, _ATTRIBUTE, self)
        return view

    @classmethod
    def of(cls, view: object) -> ViewOptions:
        """Return the options of a view; the defaults for one that has none, and for ``None``."""
        found = getattr(view, _ATTRIBUTE, None)
        return found if isinstance(found, cls) else cls()


def event(data: object, name: str | None = None) -> str:
    """Return one server-sent event whose data is ``data`` as JSON."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n"


class EventStream(Iterator[str]):
    """The body of a response with server-sent events: ``flask.Response(EventStream(…), headers=EventStream.HEADERS)``.

    The server closes it at the end, also when the client has left. That closes ``events`` and calls ``on_close``.
    """

    HEADERS: ClassVar[Mapping[str, str]] = {
        "Content-Type": "text/event-stream; charset=utf-8",
        "Cache-Control": "no-store",
        "X-Accel-Buffering": "no",  # nginx passes each event on at once
    }

    def __init__(
        self,
        events: Generator[str, None, None],
        on_close: Callable[[], object] = lambda: None,
        slot: AbstractContextManager[object] | None = None,
    ) -> None:
        """``slot``: entered now and exited at the end, such as ``Slots.acquire()``: a stream keeps a thread busy."""
        self._events = events
        self._ends = ExitStack()
        if slot is not None:
            self._ends.enter_context(slot)
        self._ends.callback(on_close)
        self._ends.callback(events.close)

    def __next__(self) -> str:
        return next(self._events)

    def close(self) -> None:
        """Close the events; ``on_close`` is called also where none of them was read."""
        self._ends.close()


def list_of(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the schema of a list."""
    return {"type": "array", "items": items, **more}


def object_of(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with these properties, each of which is required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def response_of(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a response of an operation, whose body is JSON."""
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def body_of(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the body of an operation's request, which is JSON."""
    return {"required": True, "content": {"application/json": {"schema": schema}}}
