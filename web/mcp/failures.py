"""Errors of HTTP as a client of MCP reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

PATH = "/mcp"
#: JSON-RPC's own number for a request that is none.
_INVALID_REQUEST = -32600


def error_of(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Problem details as a JSON-RPC error of no request in particular."""
    return {"jsonrpc": "2.0", "id": None, "error": {"code": _INVALID_REQUEST, "message": problem["detail"]}}
