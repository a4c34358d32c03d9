"""Admission: the checks that a request must pass before its body is read, and what it is refused with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask, Response, current_app, g, request
from werkzeug.exceptions import RequestEntityTooLarge, ServiceUnavailable

from ragstone.core.pages import ViewOptions

Environ = dict[str, Any]

_EXTENSION = "ragstone.admission"
#: Key of the WSGI environment under which an earlier admission of the same request has left what it found.
_ADMITTED = "ragstone.admitted"
#: Path and endpoint of the health report, which also has a thread of its own.
HEALTH_PATH, HEALTH = "/health", "ragstone.health"
#: Names in ``flask.g`` that checks set for the view.
_FOUND = ("ragstone_access", "ragstone_unknown")


class Overloaded(ServiceUnavailable):
    """More requests are waiting than can be answered in time."""

    def __init__(self) -> None:
        super().__init__(retry_after=5)

    description = "The server has more requests than it can answer in time. Please try again in a moment."


def install(app: Flask) -> None:
    """Run the checks of ``app`` before each view, unless the HTTP server has already run them for the request."""
    app.extensions[_EXTENSION] = []

    @app.before_request
    def admit() -> None:
        found = request.environ.get(_ADMITTED)
        if found is None:
            _check(app)
        else:
            for name, value in found.items():
                setattr(g, name, value)


def add_check(app: Flask, check: Callable[[], None]) -> None:
    """Add a check, which raises what the caller is to be answered. Checks run in the order in which they were added."""
    app.extensions[_EXTENSION].append(check)


def refusal(app: Flask, environ: Environ) -> Response | None:
    """Return the response to a request that may not pass, judged by its headers alone; ``None`` for one that may."""
    with app.request_context(environ):
        try:
            _check(app)
            _check_length()
        except Exception as error:
            return app.finalize_request(app.handle_user_exception(error))
        environ[_ADMITTED] = {name: getattr(g, name) for name in _FOUND if name in g}
    return None


def error_response(app: Flask, environ: Environ, error: Exception) -> Response:
    """Return the response with which ``app`` answers a request that failed with ``error``."""
    with app.request_context(environ):
        return app.finalize_request(app.handle_user_exception(error))


def check_own_key() -> None:
    """Raise for a request to a view with a key of its own (``ViewOptions.own_key``) that comes without this key."""
    check = view_options().own_key
    if check is not None and request.method != "OPTIONS":
        check()


def view_options() -> ViewOptions:
    """Return the options of the view that the current request is for."""
    return ViewOptions.of(current_app.view_functions.get(request.endpoint or ""))


def is_free() -> bool:
    """Whether the current request needs no key and counts for no limit: the health report, the icon, a static file."""
    endpoint = request.endpoint or ""
    return endpoint in {HEALTH, "ragstone.favicon"} or endpoint.rpartition(".")[2] == "static"


def _check_length() -> None:
    length, most = request.content_length, request.max_content_length
    if length is not None and most is not None and length > most:
        raise RequestEntityTooLarge


def _check(app: Flask) -> None:
    for check in app.extensions[_EXTENSION]:
        check()
