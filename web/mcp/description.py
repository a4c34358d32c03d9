"""The OpenAPI operation of ``/mcp``. What a message contains is defined by the Model Context Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..openapi import TEXT, response_of

if TYPE_CHECKING:
    from ..openapi import Operation

_ID = {"type": ["string", "integer", "null"]}
_MESSAGE = {
    "type": "object",
    "properties": {
        "jsonrpc": {"const": "2.0"},
        "id": {"type": ["string", "integer"]},
        "method": TEXT,
        "params": {"type": "object"},
    },
    "required": ["jsonrpc", "method"],
}
_REPLY = {"type": "object", "properties": {"jsonrpc": {"const": "2.0"}, "id": _ID}, "required": ["jsonrpc"]}
_ERROR = response_of("What went wrong, as JSON-RPC", _REPLY)

DESCRIPTION: Operation = {
    "summary": "The Model Context Protocol: one message, and what answers it",
    "requestBody": {"required": True, "content": {"application/json": {"schema": _MESSAGE}}},
    "responses": {
        "200": {
            "description": "The answer",
            "content": {"application/json": {"schema": _REPLY}, "text/event-stream": {}},
        },
        "202": {"description": "A notification was taken"},
        **{str(status): _ERROR for status in (400, 401, 403, 404, 413, 421, 429, 503)},
        "406": {"description": "The client must accept application/json and text/event-stream"},
    },
}
