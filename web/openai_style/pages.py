"""``/v1/models``, ``/v1/chat/completions``, ``/v1/embeddings``: assistants as models."""

from __future__ import annotations

import time
from typing import Any

from flask import Blueprint, Response, g, jsonify, request
from werkzeug.exceptions import ServiceUnavailable

from ragstone.core import EncoderError, Host
from ragstone.core.pages import ViewOptions
from ragstone.core.runtime import Slots

from ..answers import stream_response
from ..errors import PLUGIN
from ..json_body import json_response, read_object
from ..keys.access import access
from ..settings import WebSettings
from . import description as described
from .chat_request import read_chat, string
from .embeddings import embeddings
from .replies import NoSuchModel, Reply

#: Path prefix below which errors have OpenAI's form.
PREFIX = "/v1/"


def blueprint(host: Host, options: WebSettings) -> Blueprint:
    """Return the pages of this interface over an open host."""
    pages = Blueprint("ragstone_openai", __name__, url_prefix="/v1")
    made = int(time.time())
    # one of these keeps a thread and all processors for seconds: questions have the other threads
    busy = "As many texts as can be embedded at the same time already are. Please try again."
    slots = Slots(max(1, options.threads // 4), lambda: ServiceUnavailable(busy))

    def assistants() -> tuple[str, ...]:
        return tuple(name for name in host.hooks.assistants if access().may_ask(name))

    def models() -> list[dict[str, Any]]:
        known = ((name, host.assistant(name)) for name in assistants())
        asked = [(name, assistant.title, assistant.description) for name, assistant in known]
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
        chat = read_chat(read_object('{"model": "…", "messages": […]}'))
        if chat.model not in assistants():
            raise NoSuchModel(chat.model, assistants())
        assistant = host.hooks.assistants[chat.model]
        g.setdefault(PLUGIN, assistant.plugin)
        reply = Reply(chat, assistant.corpus.encoder.count_tokens, request.host_url)
        items = assistant.stream(chat.question)
        if chat.stream:
            return stream_response(items, reply.events)
        *_, answer = items
        return json_response(reply.whole(answer))  # type: ignore[arg-type]  # a stream ends with its answer

    def embed() -> Response:
        body = read_object('{"model": "…", "input": "…"}')
        if string(body, "model") not in _encoders(host):
            _ = host.hooks.encoder  # why there is none is the better answer
            raise NoSuchModel(string(body, "model"), _encoders(host))
        with slots.acquire():
            return json_response(embeddings(body, host.hooks.encoder, options.embedding_tokens))

    for method, rule, view, operation in (
        ("GET", "/models", list_models, described.MODELS),
        ("GET", "/models/<path:name>", one_model, described.MODEL),
        ("POST", "/chat/completions", complete, described.complete(host)),
        ("POST", "/embeddings", embed, described.EMBEDDINGS),
    ):
        ViewOptions(reach="listed", interface="openai", any_assistant=True, openapi=operation)(view)
        pages.add_url_rule(rule, view_func=view, methods=[method])
    return pages


def _encoders(host: Host) -> tuple[str, ...]:
    """The encoder's name, if there is an encoder."""
    try:
        return (host.hooks.encoder.model.model_name,)
    except EncoderError:
        return ()
