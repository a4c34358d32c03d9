"""OpenAPI 3.1 operations of this interface, for ``/openapi.json``."""

from __future__ import annotations

from typing import Any

from ragstone.core import Host
from ragstone.core.pages import COUNT, TEXT, Operation, body_of, list_of, object_of, response_of

from ..openapi import ALWAYS, MAYBE_TEXT

_ERROR = response_of(
    "What went wrong, in OpenAI's form",
    object_of(error=object_of(message=TEXT, type=TEXT, param=MAYBE_TEXT, code=MAYBE_TEXT)),
)


def _errors(*statuses: int) -> dict[str, Any]:
    return {str(status): _ERROR for status in (*statuses, *ALWAYS)}


_MODEL = object_of(id=TEXT, object={"const": "model"}, created=COUNT, owned_by=TEXT, title=TEXT, description=TEXT)
_USAGE = object_of(prompt_tokens=COUNT, completion_tokens=COUNT, total_tokens=COUNT)
_OWN = {
    "allOf": [{"$ref": "#/components/schemas/Answer"}, object_of(ignored=list_of(TEXT))],
    "description": "The answer as the other interfaces return it; `ignored`: what was sent and has no effect.",
}
_ANNOTATION = object_of(
    type={"const": "url_citation"}, url_citation=object_of(start_index=COUNT, end_index=COUNT, title=TEXT, url=TEXT)
)
_COMPLETION = object_of(
    id=TEXT,
    object={"const": "chat.completion"},
    created=COUNT,
    model=TEXT,
    choices=list_of(
        object_of(
            index={"const": 0},
            message=object_of(
                role={"const": "assistant"}, content=TEXT, refusal=MAYBE_TEXT, annotations=list_of(_ANNOTATION)
            ),
            finish_reason={"const": "stop"},
        )
    ),
    usage=_USAGE,
    ragstone=_OWN,
)
_PART = object_of(type={"const": "text"}, text=TEXT)
_MESSAGE = object_of(
    role={"enum": ["system", "developer", "user", "assistant", "tool", "function"]},
    content={"anyOf": [TEXT, list_of(_PART)]},
)

MODELS: Operation = {
    "summary": "The assistants, and the encoder, as models",
    "responses": {
        "200": response_of("The models", object_of(object={"const": "list"}, data=list_of(_MODEL))),
        **_errors(),
    },
}
MODEL: Operation = {"summary": "One model", "responses": {"200": response_of("The model", _MODEL), **_errors(404)}}
_INPUT = {**TEXT, "pattern": "[A-Za-z]", "maxLength": 200}
_EMBEDDING = object_of(
    object={"const": "embedding"}, index=COUNT, embedding={"anyOf": [list_of({"type": "number"}), TEXT]}
)
_EMBEDDINGS = object_of(
    object={"const": "list"},
    data=list_of(_EMBEDDING),
    model=TEXT,
    usage=object_of(prompt_tokens=COUNT, total_tokens=COUNT),
)
_TEXTS = {
    "type": "object",
    "properties": {
        "model": {**TEXT, "minLength": 1},
        "input": {
            "anyOf": [_INPUT, list_of(_INPUT, minItems=1, maxItems=2048)],
            "description": "Each text may have as many tokens as the encoder reads.",
        },
        "encoding_format": {"enum": ["float", "base64"]},
        "dimensions": {"type": "integer", "minimum": 1},
    },
    "required": ["model", "input"],
}
EMBEDDINGS: Operation = {
    "summary": "Vectors of texts, by the deployment's encoder",
    "requestBody": body_of(_TEXTS),
    "responses": {"200": response_of("The vectors", _EMBEDDINGS), **_errors(400, 404, 413, 415, 503)},
}


def complete(host: Host) -> Operation:
    """The operation that asks an assistant."""
    answered = response_of("The answer, or a refusal", _COMPLETION)
    # no schema: the last event, [DONE], is no JSON
    answered["content"]["text/event-stream"] = {}
    answered["description"] += "; streamed as `chat.completion.chunk`s, the last of which has `ragstone`, then `[DONE]`"
    schema = {
        "type": "object",
        "properties": {
            "model": {"enum": list(host.hooks.assistants)},
            "messages": list_of(_MESSAGE, minItems=1, maxItems=2000),
            "stream": {"type": "boolean"},
            "stream_options": {"type": "object", "properties": {"include_usage": {"type": "boolean"}}},
            "n": {"const": 1},
            "ragstone": {
                "type": "object",
                "properties": {
                    "top_k": {"type": "integer", "minimum": 1, "maximum": 50},
                    "narrow": {"type": "object", "additionalProperties": TEXT},
                },
                "additionalProperties": False,
            },
        },
        "required": ["model", "messages"],
    }
    return {
        "summary": "Ask an assistant, as a chat completion",
        "description": "The last message is the question; the turns before it are its history.",
        "requestBody": body_of(schema),
        "responses": {"200": answered, **_errors(400, 404, 413, 415, 500, 502, 503)},
    }
