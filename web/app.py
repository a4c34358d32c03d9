"""Makes the Flask app of an open host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask

from . import answers, errors, home, rendering, security
from .mounting import Mounts
from .settings import WebSettings

if TYPE_CHECKING:
    from ragstone.core import Host


def create_app(host: Host, *, listen: str | None = None) -> Flask:
    """Return the WSGI app of ``host``: home, health, every assistant's endpoints, the plugins' pages.

    Args:
        host: an open host; the app neither opens nor closes it.
        listen: the address that the server listens on, where it is not the one in the settings.
    """
    options = host.options(WebSettings)
    app = Flask(__package__ or "ragstone.web")
    app.config.update(
        MAX_CONTENT_LENGTH=options.max_body_bytes,
        MAX_FORM_MEMORY_SIZE=options.max_body_bytes,
        TRUSTED_HOSTS=None,  # security.py checks them: Flask's own check knows no IP literals
    )
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_options = {**app.jinja_options, "trim_blocks": True, "lstrip_blocks": True}
    errors.install(app)
    security.install(app, security.HostNames.of(listen or options.host, options.allowed_hosts))
    rendering.install(app, host)

    mounts = Mounts(app, host)
    app.register_blueprint(home.blueprint(host))
    mounts.claim("ragstone's own pages")
    answers.install(app, host, mounts)
    for plugin, pages in host.pages():
        mounts.register(plugin, pages)
    return app
