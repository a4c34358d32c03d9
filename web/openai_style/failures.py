"""Errors as OpenAI's clients know them."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from werkzeug.exceptions import NotFound

_TYPES = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}
_CODES = {
    HTTPStatus.UNAUTHORIZED: "invalid_api_key",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_exceeded",
}


class NoSuchModel(NotFound):
    """No assistant of that name, or none that this key may ask."""

    #: What clients look for.
    openai_code = "model_not_found"

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(f"There is no model {name[:80]!r} here. Known: {', '.join(known) or 'none'}.")


def error_of(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Problem details in OpenAI's form: ``{"error": {"message", "type", "param", "code"}}``."""
    status = problem["status"]
    kind = "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
    return {
        "error": {
            "message": problem["detail"],
            "type": _TYPES.get(status, kind),
            "param": None,
            "code": problem.get("code", _CODES.get(status)),
        }
    }
