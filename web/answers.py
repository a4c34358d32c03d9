"""Every assistant as JSON and as server-sent events."""

from __future__ import annotations

import json
import logging
from itertools import chain
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, g, jsonify, request

from ragstone.core import Answer
from ragstone.core.answering import read_question
from ragstone.core.pages import ViewOptions

from .errors import BUG, PLUGIN, problem_of
from .json_body import read_json
from .openapi import asking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ragstone.core import Assistant, Delta, Host

    from .mounting import Mounts

_log = logging.getLogger(__name__)


def install(app: Flask, host: Host, mounts: Mounts) -> None:
    """Mount ``POST`` endpoints for all assistants of ``host``."""
    for name, assistant in host.assistants.items():
        paths = {False: assistant.query_path, True: assistant.selection_path}
        for selection, path in paths.items():
            if path is None:
                continue
            if taken := mounts.owner("POST", path):
                spare = f"/assistants/{name}/{'query-selection' if selection else 'query'}"
                _log.error("assistant %s and %s both want POST %s: %s is at %s", name, taken, path, name, spare)
                path = spare
            view = _view(assistant, selection, host.plugin_of(name))
            app.add_url_rule(path, endpoint_of(name, selection=selection), view, methods=["POST"])
            mounts.claim(f"assistant {name}")


def endpoint_of(name: str, *, selection: bool) -> str:
    """Return the Flask endpoint at which an assistant is asked."""
    return f"{'ask_selection' if selection else 'ask'}:{name}"


def _view(assistant: Assistant, selection: bool, plugin: str) -> Callable[[], Response]:
    @ViewOptions(reach="listed", assistant=assistant.name, openapi=asking(assistant, selection=selection))
    def ask() -> Response:
        g.setdefault(PLUGIN, plugin)
        question = read_question(read_json(), narrowings=assistant.narrowings.keys(), selection=selection)
        if _wants_events():
            return _stream(assistant, question)
        response = jsonify(assistant.ask(**question).to_dict())
        response.headers["Cache-Control"] = "no-store"
        return response

    return ask


def _wants_events() -> bool:
    offered = ["application/json", "text/event-stream"]
    return request.accept_mimetypes.best_match(offered) == "text/event-stream"


def _stream(assistant: Assistant, question: Mapping[str, Any]) -> Response:
    items = iter(assistant.stream(**question))
    # what fails before the first word is still an ordinary error, with its own status
    first = next(items, None)
    response = Response(_events(first, items), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    if stop := getattr(items, "close", None):
        # the server closes a response whose client has gone: so ends the assistant's work on it
        response.call_on_close(stop)
    return response


def _events(first: Delta | Answer | None, items: Iterator[Delta | Answer]) -> Iterator[str]:
    """Give the items as events, the last one being the answer or an error."""
    try:
        for item in chain([first] if first is not None else [], items):
            if isinstance(item, Answer):
                yield _event("answer", item.to_dict())
                return
            yield _event("delta", {"text": item.text})
    except (Exception, SystemExit) as error:  # the status has been sent: the stream itself has to say it
        yield _event("error", problem_of(error))
    else:
        _log.error("an assistant's stream ended without its answer")
        yield _event("error", BUG)


def _event(name: str, data: Mapping[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
