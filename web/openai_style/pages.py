"""``/v1/models``, ``/v1/chat/completions``, ``/v1/embeddings``: assistants as models."""

from __future__ import annotations

import time
from itertools import chain
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, g, jsonify, request
from werkzeug.exceptions import ServiceUnavailable

from ragstone.core import BadRequest, EncoderError
from ragstone.core.runtime import Slots

from ..errors import PLUGIN
from ..json_body import read_json
from ..keys.access import access
from ..origins import Reach
from . import description as described
from .embeddings import embeddings
from .failures import NoSuchModel
from .reading import read_chat, string
from .replies import Reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragstone.core import Answer, Delta, Host

    from ..settings import WebSettings


#: Below it errors are told in OpenAI's form.
PREFIX = "/v1/"


def blueprint(host: Host, options: WebSettings) -> Blueprint:
    """The door over an open host."""
    pages = Blueprint("ragstone_openai", __name__, url_prefix="/v1")
    made = int(time.time())
    # one of these keeps a thread and all processors for seconds: questions have the other threads
    slots = Slots(max(1, options.threads // 4), _embeddings_busy)

    def assistants() -> tuple[str, ...]:
        return tuple(name for name in host.assistants if access().may_ask(name))

    def models() -> list[dict[str, Any]]:
        asked = [(name, host.assistants[name].title, host.assistants[name].description) for name in assistants()]
        named = [(name, "The sentence encoder", "For /v1/embeddings.") for name in _encoders(host)]
        common = {"object": "model", "created": made, "owned_by": "ragstone"}
        return [
            {"id": name, **common, "title": title, "description": description}
            for name, title, description in (*asked, *named)
        ]

    def list_models() -> Response:
        return jsonify({"object": "list", "data": models()})

    def one_model(name: str) -> Response:
        known = {model["id"]: model for model in models()}
        if name not in known:
            raise NoSuchModel(name, tuple(known))
        return jsonify(known[name])

    def complete() -> Response:
        chat = read_chat(read_json())
        if chat.model not in assistants():
            raise NoSuchModel(chat.model, assistants())
        assistant = host.assistants[chat.model]
        g.setdefault(PLUGIN, host.plugin_of(chat.model))
        reply = Reply(chat, host.encoder.count_tokens, request.host_url)
        items = assistant.stream(chat.question, top_k=chat.top_k, narrow=chat.narrow, history=chat.history)
        if chat.stream:
            return _streamed(reply, items)
        *_, answer = items
        return _told(reply.whole(answer))  # type: ignore[arg-type]  # a stream ends with its answer

    def embed() -> Response:
        body = read_json()
        if not isinstance(body, dict):
            raise BadRequest("the body must be a JSON object", hint='like {"model": "…", "input": "…"}')
        if string(body, "model") not in _encoders(host):
            _ = host.encoder  # why there is none is the better answer
            raise NoSuchModel(string(body, "model"), _encoders(host))
        with slots.acquire():
            return _told(embeddings(body, host.encoder, options.embedding_tokens))

    for view, told in (
        (list_models, described.MODELS),
        (one_model, described.MODEL),
        (complete, described.complete(host)),
        (embed, described.EMBEDDINGS),
    ):
        view.__dict__.update(reach=Reach.LISTED, door="openai", for_all=True, openapi=told)
    pages.add_url_rule("/models", view_func=list_models)
    pages.add_url_rule("/models/<path:name>", view_func=one_model)
    pages.add_url_rule("/chat/completions", view_func=complete, methods=["POST"])
    pages.add_url_rule("/embeddings", view_func=embed, methods=["POST"])
    return pages


def _embeddings_busy() -> ServiceUnavailable:
    return ServiceUnavailable("As many texts as can be embedded at the same time already are. Please try again.")


def _encoders(host: Host) -> tuple[str, ...]:
    """The encoder's name, if there is an encoder."""
    try:
        return (host.encoder.model.model_name,)
    except EncoderError:
        return ()


def _told(body: dict[str, Any]) -> Response:
    response = jsonify(body)
    response.headers["Cache-Control"] = "no-store"
    return response


def _streamed(reply: Reply, items: Iterator[Delta | Answer]) -> Response:
    # what fails before the first word is still an ordinary error, with its own status
    first = next(items, None)
    response = Response(reply.events(chain([] if first is None else [first], items)), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    if stop := getattr(items, "close", None):
        # the server closes a response whose client has gone: so ends the assistant's work on it
        response.call_on_close(stop)
    return response
