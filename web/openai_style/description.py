"""OpenAPI 3.1 operations of this interface, for ``/openapi.json``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragstone.core import Host

Operation = dict[str, Any]

_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}
_MAYBE_TEXT = {"type": ["string", "null"]}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _json(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


_ERROR = _json(
    "What went wrong, in OpenAI's form",
    _object(error=_object(message=_TEXT, type=_TEXT, param=_MAYBE_TEXT, code=_MAYBE_TEXT)),
)
#: Statuses of any route, here with OpenAI's form of an error instead of problem details.
_ALWAYS = (401, 403, 421, 429)


def _errors(*statuses: int) -> dict[str, Any]:
    return {str(status): _ERROR for status in (*statuses, *_ALWAYS)}


_MODEL = _object(id=_TEXT, object={"const": "model"}, created=_COUNT, owned_by=_TEXT, title=_TEXT, description=_TEXT)
_USAGE = _object(prompt_tokens=_COUNT, completion_tokens=_COUNT, total_tokens=_COUNT)
_OWN = {
    "allOf": [{"$ref": "#/components/schemas/Answer"}, _object(ignored={"type": "array", "items": _TEXT})],
    "description": "The answer as the other interfaces return it; `ignored`: what was sent and has no effect.",
}
_COMPLETION = _object(
    id=_TEXT,
    object={"const": "chat.completion"},
    created=_COUNT,
    model=_TEXT,
    choices={
        "type": "array",
        "items": _object(
            index={"const": 0},
            message=_object(role={"const": "assistant"}, content=_TEXT, refusal=_MAYBE_TEXT),
            finish_reason={"const": "stop"},
        ),
    },
    usage=_USAGE,
    ragstone=_OWN,
)
_PART = {
    "type": "object",
    "properties": {"type": {"const": "text"}, "text": _TEXT},
    "required": ["type", "text"],
}
_MESSAGE = {
    "type": "object",
    "properties": {
        "role": {"enum": ["system", "developer", "user", "assistant", "tool", "function"]},
        "content": {"anyOf": [_TEXT, {"type": "array", "items": _PART}]},
    },
    "required": ["role", "content"],
}

MODELS: Operation = {
    "summary": "The assistants, and the encoder, as models",
    "responses": {
        "200": _json("The models", _object(object={"const": "list"}, data={"type": "array", "items": _MODEL})),
        **_errors(),
    },
}
MODEL: Operation = {"summary": "One model", "responses": {"200": _json("The model", _MODEL), **_errors(404)}}
EMBEDDINGS: Operation = {
    "summary": "Vectors of texts, by the deployment's encoder",
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "model": {**_TEXT, "minLength": 1},
                        "input": {
                            "anyOf": [
                                {**_TEXT, "pattern": "[A-Za-z]", "maxLength": 200},
                                {
                                    "type": "array",
                                    "items": {**_TEXT, "pattern": "[A-Za-z]", "maxLength": 200},
                                    "minItems": 1,
                                    "maxItems": 2048,
                                },
                            ],
                            "description": "Each text may have as many tokens as the encoder reads.",
                        },
                        "encoding_format": {"enum": ["float", "base64"]},
                        "dimensions": {"type": "integer", "minimum": 1},
                    },
                    "required": ["model", "input"],
                }
            }
        },
    },
    "responses": {
        "200": _json(
            "The vectors",
            _object(
                object={"const": "list"},
                data={
                    "type": "array",
                    "items": _object(
                        object={"const": "embedding"},
                        index=_COUNT,
                        embedding={"anyOf": [{"type": "array", "items": {"type": "number"}}, _TEXT]},
                    ),
                },
                model=_TEXT,
                usage=_object(prompt_tokens=_COUNT, total_tokens=_COUNT),
            ),
        ),
        **_errors(400, 404, 413, 415, 503),
    },
}


def complete(host: Host) -> Operation:
    """The operation that asks an assistant."""
    answered = _json("The answer, or a refusal", _COMPLETION)
    # no schema: the last event, [DONE], is no JSON
    answered["content"]["text/event-stream"] = {}
    answered["description"] += "; streamed as `chat.completion.chunk`s, the last of which has `ragstone`, then `[DONE]`"
    schema = {
        "type": "object",
        "properties": {
            "model": {"enum": list(host.assistants)},
            "messages": {"type": "array", "items": _MESSAGE, "minItems": 1, "maxItems": 2000},
            "stream": {"type": "boolean"},
            "stream_options": {"type": "object", "properties": {"include_usage": {"type": "boolean"}}},
            "n": {"const": 1},
            "ragstone": {
                "type": "object",
                "properties": {
                    "top_k": {"type": "integer", "minimum": 1, "maximum": 50},
                    "narrow": {"type": "object", "additionalProperties": _TEXT},
                },
                "additionalProperties": False,
            },
        },
        "required": ["model", "messages"],
    }
    return {
        "summary": "Ask an assistant, as a chat completion",
        "description": "The last message is the question; the turns before it are its history.",
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {"200": answered, **_errors(400, 404, 413, 415, 500, 502, 503)},
    }
