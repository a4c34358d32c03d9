"""``POST /mcp``: streamable HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, request

from ragstone.core.pages import ViewOptions

from ..keys.access import access
from .bridge import Bridge, Sent
from .description import DESCRIPTION
from .failures import PATH

if TYPE_CHECKING:
    from ragstone.core import Host


def blueprint(host: Host) -> Blueprint:
    """Return the page over an open host. It takes no ``GET``: the server sends nothing of its own accord."""
    pages = Blueprint("ragstone_mcp", __name__)

    @pages.post(PATH)
    @ViewOptions(interface="mcp", any_assistant=True, openapi=DESCRIPTION)
    def exchange() -> Response:
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
