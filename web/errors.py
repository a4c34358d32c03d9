"""Errors as problem details (RFC 9457) for programs and as a page for people."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, current_app, jsonify, render_template, request
from werkzeug.exceptions import HTTPException

from ragstone.core import RagstoneError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Manner = Callable[[Mapping[str, Any]], dict[str, Any]]

_log = logging.getLogger(__name__)

_MANNERS = "ragstone.manners"

#: ``Retry-After`` of a response with status 503 that says nothing else.
RETRY_SECONDS = "2"

#: What a caller hears of a bug: nothing of our insides, which stand in the log.
BUG = {
    "type": "about:blank",
    "title": "Something went wrong",
    "status": 500,
    "detail": "Ragstone made a mistake of its own. Its log says more.",
}

_WORDS = {
    404: ("There is no such page here", "The address is wrong, or what it named has been removed."),
    405: ("This address is used in another way", "It does not answer this method."),
    413: ("That is too much at once", "The request is larger than this server takes."),
    415: ("This is not JSON", "Send the request as application/json."),
}
#: Plain titles for errors whose details say what there is to say.
_TITLES = {401: "The key is wrong", 403: "This may not be done", 429: "That was too often", 503: "Not now"}


def install(app: Flask, manners: Mapping[str, Manner]) -> None:
    """Answer every error of ``app`` in the caller's own language.

    ``manners``: how problem details are told instead, below which path.
    """
    app.extensions[_MANNERS] = dict(manners)
    app.register_error_handler(RagstoneError, _expected)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _bug)

    @app.after_request
    def say_when_to_retry(response: Response) -> Response:
        if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
            response.headers.setdefault("Retry-After", RETRY_SECONDS)
        return response


def problem_of(error: BaseException) -> dict[str, Any]:
    """Return the problem details of any error, and log those that are the server's."""
    if isinstance(error, RagstoneError):
        if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            _log.error("%s: %s", type(error).__name__, error)
        return error.to_problem()
    _log.error("an answer failed", exc_info=error)
    return dict(BUG)


def _expected(error: RagstoneError) -> Response:
    return _answer(problem_of(error))


def _http(error: HTTPException) -> Response | HTTPException:
    status = error.code or 500
    if status < HTTPStatus.BAD_REQUEST:
        return error  # a redirect
    title, detail = _WORDS.get(status, (_TITLES.get(status, error.name), error.description or error.name))
    problem = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    if code := getattr(error, "openai_code", None):
        problem |= {"detail": error.description, "code": code}
    response = _answer(problem)
    for name, value in error.get_headers(request.environ):
        if name.lower() not in {"content-type", "content-length"}:
            response.headers[name] = value
    return response


def _bug(error: Exception) -> Response:
    _log.error("%s %s failed", request.method, request.path, exc_info=error)
    return _answer(dict(BUG))


def _answer(problem: dict[str, Any]) -> Response:
    manners: dict[str, Manner] = current_app.extensions[_MANNERS]
    manner = next((told for path, told in manners.items() if request.path.startswith(path)), None)
    if manner is not None:
        response = jsonify(manner(problem))
        response.status_code = problem["status"]
    elif _reads_pages():
        response = Response(render_template("ragstone/error.html", problem=problem), problem["status"])
    else:
        response = jsonify(problem)
        response.status_code = problem["status"]
        response.mimetype = "application/problem+json"
    response.headers["Cache-Control"] = "no-store"
    response.vary.add("Accept")
    return response


def _reads_pages() -> bool:
    """Whether the caller is a browser on its way to a page: only those ask for HTML by its name."""
    return request.method in {"GET", "HEAD"} and any(
        kind == "text/html" and quality > 0 for kind, quality in request.accept_mimetypes
    )
