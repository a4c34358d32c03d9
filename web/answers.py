"""Every assistant as JSON and as server-sent events."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import chain

from flask import Flask, Response, g, request

from ragstone.core import Answer, Assistant, Delta, Host, Question
from ragstone.core.pages import EventStream, ViewOptions, event

from .errors import BUG, PLUGIN, problem_of
from .json_body import json_response, read_json
from .mounts import Mounts
from .openapi import asking

Item = Delta | Answer

_log = logging.getLogger(__name__)


def install(app: Flask, host: Host, mounts: Mounts) -> None:
    """Mount ``POST`` endpoints for all assistants of ``host``."""
    for name, assistant in host.hooks.assistants.items():
        profile = assistant.profile
        paths = {False: profile.paths.query or f"/assistants/{name}/query", True: profile.paths.selection}
        for selection, path in paths.items():
            if path is None:
                continue
            if taken := mounts.owner("POST", path):
                spare = f"/assistants/{name}/{'query-selection' if selection else 'query'}"
                _log.error("assistant %s and %s both want POST %s: %s is at %s", name, taken, path, name, spare)
                path = spare
            view = _view(assistant, selection)
            app.add_url_rule(path, endpoint_of(name, selection=selection), view, methods=["POST"])
            mounts.claim(f"assistant {name}")


def endpoint_of(name: str, *, selection: bool) -> str:
    """Return the Flask endpoint at which an assistant is asked."""
    return f"{'ask_selection' if selection else 'ask'}:{name}"


def _view(assistant: Assistant, selection: bool) -> Callable[[], Response]:
    @ViewOptions(reach="listed", assistant=assistant.name, openapi=asking(assistant, selection=selection))
    def ask() -> Response:
        g.setdefault(PLUGIN, assistant.plugin)
        question = Question.from_json(read_json(), filters=assistant.profile.filters.by_name, selection=selection)
        offered = ["application/json", "text/event-stream"]
        if request.accept_mimetypes.best_match(offered) == "text/event-stream":
            return stream_response(assistant.stream(question), _events)
        return json_response(assistant.ask(question).to_dict())

    return ask


def stream_response(items: Iterable[Item], events: Callable[[Iterator[Item]], Generator[str, None, None]]) -> Response:
    """Return a response that sends an assistant's stream as the ``events`` made of it.

    Raises what is raised before the first item: that is an ordinary error, with a status of its own.
    """
    items = iter(items)
    first = next(items, None)
    given = items if first is None else chain([first], items)
    body = EventStream(events(given), getattr(items, "close", lambda: None))  # a client that leaves ends the work
    return Response(body, headers=EventStream.HEADERS)


def _events(items: Iterator[Item]) -> Generator[str, None, None]:
    """Give the items as events, the last one being the answer or an error."""
    try:
        for item in items:
            if isinstance(item, Answer):
                yield event(item.to_dict(), "answer")
                return
            yield event({"text": item.text}, "delta")
    except (Exception, SystemExit) as error:  # the status has been sent: only an event can report it
        yield event(problem_of(error), "error")
    else:
        _log.error("an assistant's stream ended without its answer")
        yield event(BUG, "error")
