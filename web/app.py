"""Makes the Flask app of an open host."""

from __future__ import annotations

from flask import Flask, Response, request

from ragstone.core import Host, LLMBusy
from ragstone.core.pages import ViewOptions
from ragstone.core.runtime import Budget, Slots, set_budget

from . import (
    admission,
    answers,
    compression,
    conversations,
    errors,
    formulas,
    home,
    mcp,
    openai_style,
    rates,
    rendering,
    security,
)
from .keys import authentication, sessions
from .mounts import Mounts
from .settings import WebSettings

_FORM_MEMORY = 500_000


def create_app(host: Host, *, listen: str | None = None) -> Flask:
    """Return the WSGI app of an open host: home, health, every assistant's endpoints, the plugins' pages.

    ``listen``: the address that the server listens on, where it is not the one in the settings.
    """
    options = host.hooks.options(WebSettings)
    app = errors.App(__package__ or "ragstone.web")
    app.config.update(
        MAX_CONTENT_LENGTH=options.max_body_bytes,
        MAX_FORM_MEMORY_SIZE=options.max_body_bytes,
        TRUSTED_HOSTS=None,  # security.py checks them: Flask's own check knows no IP literals
    )
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_options = {**app.jinja_options, "trim_blocks": True, "lstrip_blocks": True}
    compression.install(app)  # after everything that changes a response: the first one runs last
    errors.install(app, {openai_style.PREFIX: openai_style.error_of, mcp.PATH: mcp.error_of}, host.plugins.note)
    listen = listen or options.host
    admission.install(app)
    names = security.HostNames(listen, options.allowed_hosts)
    security.install(app, names, security.Origins(options.origins))
    rates.install(app, options)
    if authentication.needs_keys(options, listen):
        authentication.install(app, host)
    admission.add_check(app, admission.check_own_key)
    _let_files_in(app, options.max_upload_bytes)
    _limit_work(app, options)
    rendering.install(app)

    mounts = Mounts(app, host)
    app.register_blueprint(home.blueprint(host))
    app.register_blueprint(sessions.blueprint(host))
    if options.conversations_per_key:
        app.register_blueprint(conversations.blueprint(host, options.conversations_per_key))
    app.register_blueprint(formulas.blueprint())
    app.register_blueprint(openai_style.blueprint(host, options))
    mounts.claim("ragstone's own pages")
    answers.install(app, host, mounts)
    for plugin, pages in host.hooks.pages():
        mounts.register(plugin, pages)
    return app


def takes_files(app: Flask) -> bool:
    """Whether a view of ``app`` takes files."""
    return any(ViewOptions.of(view).takes_files for view in app.view_functions.values())


def _limit_work(app: Flask, options: WebSettings) -> None:
    """Give every request a budget, but those of the administration, which may take as long as they need."""
    # the other threads stay free for what needs no language model
    busy = "as many questions as may wait for the language model already do"
    count = max(1, options.threads - max(1, options.threads // 4))
    slots = Slots(count, lambda: LLMBusy(busy, hint="ask again in a moment"))

    @app.before_request
    def begin() -> None:
        own_key = admission.view_options().own_key
        left = request.environ.get("waitress.client_disconnected", lambda: False)
        set_budget(Budget(options.request_cpu_seconds, slots, left) if own_key is None else None)

    @app.after_request
    def end(response: Response) -> Response:
        if response.is_streamed:  # the thread works for it until the last piece
            response.call_on_close(lambda: set_budget(None))
        else:
            set_budget(None)
        return response


def _let_files_in(app: Flask, most: int) -> None:
    """Give views that take files the larger limit of a request's body."""

    def widen() -> None:
        if admission.view_options().takes_files:
            request.max_content_length = most
            # also what is read of a file in one go, however little is kept in memory
            request.max_form_memory_size = max(_FORM_MEMORY, app.config["MAX_FORM_MEMORY_SIZE"])

    admission.add_check(app, widen)
    app.before_request(widen)  # an earlier admission widened another object of the same request
