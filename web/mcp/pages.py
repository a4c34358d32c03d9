"""``POST /mcp``: streamable HTTP."""

from __future__ import annotations

from flask import Blueprint, Response, request

from ragstone.core import Host
from ragstone.core.pages import TEXT, Operation, ViewOptions, body_of, response_of

from ..keys.access import access
from . import PATH

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

#: In ``/openapi.json``; what a message contains is defined by the Model Context Protocol.
_DESCRIPTION: Operation = {
    "summary": "The Model Context Protocol: one message, and what answers it",
    "requestBody": body_of(_MESSAGE),
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


def blueprint(host: Host) -> Blueprint:
    """Return the page over an open host. It takes no ``GET``: the server sends nothing of its own accord."""
    pages = Blueprint("ragstone_mcp", __name__)

    @pages.post(PATH)
    @ViewOptions(interface="mcp", any_assistant=True, openapi=_DESCRIPTION)
    def exchange() -> Response:
        # its SDK takes a quarter of a server's start, and most servers are never asked this way
        from .bridge import Bridge, Sent

        sent = Sent(
            headers=[(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in request.headers],
            body=request.get_data(cache=False),
            access=access(),
            left=request.environ.get("waitress.client_disconnected", lambda: False),
        )
        status, headers, body = host.once(Bridge).answer(sent)
        response = Response(body, status)
        response.headers.clear()
        response.headers.extend(headers)
        response.headers["Cache-Control"] = "no-store"
        return response

    return pages
