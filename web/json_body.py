"""JSON bodies of requests and responses."""

from __future__ import annotations

import json

from flask import Response, abort, jsonify, request

from ragstone.core import BadRequest


def read_json() -> object:
    """Return the request's decoded JSON body.

    Raises:
        BadRequest: it is not JSON, or not text that can be stored.
        UnsupportedMediaType: its content type is not JSON.
        RequestEntityTooLarge: it is longer than the settings allow.
    """
    body = request.get_data(cache=False)
    if not request.is_json:
        abort(415)
    try:
        decoded: object = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
        # a lone surrogate ("\ud800") decodes, but no database or tokenizer takes it
        json.dumps(decoded, ensure_ascii=False).encode("utf-8")
    except UnicodeError as error:
        raise BadRequest("the body is not valid UTF-8 text") from error
    except (ValueError, RecursionError) as error:
        raise BadRequest("the body is not valid JSON", hint='send an object such as {"question": "…"}') from error
    return decoded


def json_response(body: object, status: int = 200) -> Response:
    """Return a JSON response that no cache may store."""
    response = jsonify(body)
    response.status_code = status
    response.headers["Cache-Control"] = "no-store"
    return response


def _no_constant(name: str) -> float:
    raise ValueError(name)
