"""The interface for agents: assistants as tools of the Model Context Protocol, over stdio and over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PATH = "/mcp"
#: JSON-RPC's own number for a request that is none.
_INVALID_REQUEST = -32600


def error_of(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Problem details as a JSON-RPC error of no request in particular."""
    return {"jsonrpc": "2.0", "id": None, "error": {"code": _INVALID_REQUEST, "message": problem["detail"]}}
