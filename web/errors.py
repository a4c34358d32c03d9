"""Errors as problem details (RFC 9457) for programs and as a page for people."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from flask import Flask, Response, current_app, g, has_request_context, render_template, request
from markupsafe import escape
from werkzeug.exceptions import HTTPException
from werkzeug.wsgi import ClosingIterator

from ragstone.core import PluginError, RagstoneError
from ragstone.core.errors import is_failure

from .json_body import json_response
from .mounts import plugin_of_page

Format = Callable[[Mapping[str, Any]], dict[str, Any]]

_log = logging.getLogger(__name__)

_FORMATS = "ragstone.error_formats"
_NOTE = "ragstone.note"
#: Where a request's ``g`` names the plugin of the assistant that it asks.
PLUGIN = "ragstone_plugin"

#: ``Retry-After`` of a response with status 503 that has none.
RETRY_SECONDS = "2"

#: Problem details of a bug. They show nothing of the code; the log does.
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
#: Plain titles for errors whose details are their own.
_TITLES = {401: "A valid key is needed", 403: "This may not be done", 429: "That was too often", 503: "Not now"}
#: What a page says in place of the details of a bug, and of a form without its key.
_OURS = "That was a mistake of this server, not yours. Please try again; if it stays, tell the person who runs it."
_NO_KEY = "Please open the page before it again and give the key: without it this cannot be done."


def install(app: Flask, formats: Mapping[str, Format], note: Callable[[str, str], None]) -> None:
    """Answer every error of ``app`` in the format that the caller reads.

    ``formats``: by prefix of the path, what makes the JSON there of problem details. ``note``: called with a plugin's
    name and what failed in a page or assistant of it.
    """
    app.extensions[_NOTE] = note
    app.extensions[_FORMATS] = dict(formats)
    app.register_error_handler(RagstoneError, _expected)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _bug)

    @app.after_request
    def set_retry_after(response: Response) -> Response:
        if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
            response.headers.setdefault("Retry-After", RETRY_SECONDS)
        return response


class App(Flask):
    """A Flask app in which ``sys.exit`` in a page is an error of that page, and does not end a thread of the server."""

    def preprocess_request(self) -> Any:
        """Run what a blueprint has before its pages. Raises ``PluginError``."""
        with _without_exit():
            return super().preprocess_request()

    def dispatch_request(self) -> Any:
        """Run the page. Raises ``PluginError``."""
        with _without_exit():
            return super().dispatch_request()

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        body: Iterable[bytes]
        try:
            body = super().wsgi_app(environ, start_response)
        except BaseException as error:
            if isinstance(error, Exception) or not is_failure(error):
                raise
            _log.error("%s %s was ended", environ["REQUEST_METHOD"], environ.get("PATH_INFO"), exc_info=error)
            body = Response(json.dumps(BUG), 500, mimetype="application/problem+json")(environ, start_response)
        # a file is sent by the server itself, and no code of a page is asked for its pieces
        return _Body(body) if isinstance(body, ClosingIterator) else body


class _Body:
    """The pieces of a response, from which no ``SystemExit`` comes."""

    def __init__(self, pieces: ClosingIterator) -> None:
        self._pieces = pieces
        self.close = pieces.close

    def __iter__(self) -> _Body:
        return self

    def __next__(self) -> bytes:
        with _without_exit():
            return next(self._pieces)


@contextmanager
def _without_exit() -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        if isinstance(error, Exception) or not is_failure(error):
            raise
        plugin = _plugin() if has_request_context() else None
        whose = f"the plugin {plugin}" if plugin else "a page"
        raise PluginError(f"{whose} raised {type(error).__name__}, which would end the process") from error


def _plugin() -> str | None:
    """The plugin whose page or assistant the request is for."""
    named: str | None = g.get(PLUGIN)
    return named or plugin_of_page()


def _note(error: BaseException) -> str | None:
    """Note in the state of the request's plugin what failed; returns the plugin's name."""
    plugin = _plugin()
    if plugin is not None:
        rule = request.url_rule.rule if request.url_rule else request.path
        noted: Callable[[str, str], None] = current_app.extensions[_NOTE]
        noted(plugin, f"{request.method} {rule} raised {type(error).__name__}")
    return plugin


def problem_of(error: BaseException) -> dict[str, Any]:
    """Return the problem details of any error, and log those that are the server's."""
    if isinstance(error, RagstoneError):
        if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            _log.error("%s: %s", type(error).__name__, error)
        return error.to_problem()
    _log.error("an answer failed", exc_info=error)  # also SystemExit
    return dict(BUG)


def _expected(error: RagstoneError) -> Response:
    if isinstance(error, PluginError):
        _note(error.__cause__ or error)
    return _answer(problem_of(error), error.to_reader())


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
    plugin = _note(error)
    of = f" of the plugin {plugin}" if plugin else ""
    _log.error("%s %s%s failed", request.method, request.path, of, exc_info=error)
    if plugin is None:
        return _answer(dict(BUG), _OURS)
    detail = f"The plugin {plugin} failed. Ragstone's log says more."
    return _answer({**BUG, "title": PluginError.title, "detail": detail})


def _answer(problem: dict[str, Any], words: str | None = None) -> Response:
    """``words``: what a page says in place of the details, which are for programs and who runs the server."""
    formats: dict[str, Format] = current_app.extensions[_FORMATS]
    convert = next((found for path, found in formats.items() if request.path.startswith(path)), None)
    if convert is None and reads_pages():
        shown = (_NO_KEY if problem["status"] == HTTPStatus.UNAUTHORIZED else words) or problem["detail"]
        response = Response(_page(problem | {"detail": shown}), problem["status"], {"Cache-Control": "no-store"})
    else:
        response = json_response(problem if convert is None else convert(problem), problem["status"])
        if convert is None:
            response.mimetype = "application/problem+json"
    response.vary.add("Accept")
    return response


def _page(problem: dict[str, Any]) -> str:
    try:
        if g.get("ragstone_sign_in"):
            return render_template("ragstone/sign_in.html", wanted=request.full_path.rstrip("?"), wrong=False)
        return render_template("ragstone/error.html", problem=problem)
    except (Exception, SystemExit):  # a blueprint's context processor, which runs for this page too
        _log.exception("the page that shows an error could not be made")
        return f"<!doctype html><title>{escape(problem['title'])}</title><p>{escape(problem['detail'])}"


def reads_pages() -> bool:
    """Whether the caller is a browser on its way to a page, also by a form: only those ask for HTML by its name."""
    by_form = request.mimetype in {"application/x-www-form-urlencoded", "multipart/form-data"}
    return (by_form or request.method in {"GET", "HEAD"}) and any(
        kind == "text/html" and quality > 0 for kind, quality in request.accept_mimetypes
    )
