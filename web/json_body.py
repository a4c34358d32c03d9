"""JSON bodies of requests and responses."""

from __future__ import annotations

from typing import Any

from flask import Response, abort, jsonify, request

from ragstone.core import BadRequest
from ragstone.core.runtime import parse_json


def read_json() -> object:
    """Return the request's decoded JSON body, read strictly: no key may be there twice.

    Raises ``BadRequest`` for what is not JSON, or no text that can be stored; ``UnsupportedMediaType`` for another
    content type; ``RequestEntityTooLarge`` for more than the settings allow.
    """
    body = request.get_data(cache=False)
    if not request.is_json:
        abort(415)
    try:
        return parse_json(body.decode("utf-8"))
    except UnicodeError as error:
        raise BadRequest("the body is not valid UTF-8 text") from error
    except ValueError as error:
        raise BadRequest("the body is not valid JSON", hint='send an object such as {"question": "…"}') from error


def read_object(example: str) -> dict[str, Any]:
    """Return the request's JSON body. Raises what ``read_json`` does, and ``BadRequest`` where it is no object."""
    body = read_json()
    if not isinstance(body, dict):
        raise BadRequest("the body must be a JSON object", hint=f"like {example}")
    return body


def json_response(body: object, status: int = 200) -> Response:
    """Return a JSON response that no cache may store."""
    response = jsonify(body)
    response.status_code = status
    response.headers["Cache-Control"] = "no-store"
    return response
