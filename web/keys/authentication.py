"""Authentication: the check of a request's key, where the deployment needs one."""

from __future__ import annotations

from flask import Flask, abort, g, request
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Unauthorized

from ragstone.core import Host, StorageError
from ragstone.core.pages import ViewOptions
from ragstone.core.runtime import in_background, set_scope

from ..admission import HEALTH, add_check, is_free, view_options
from ..mounts import plugin_of_page
from ..security import is_loopback
from ..settings import WebSettings
from .access import NOTHING, WITHOUT_KEY, Access, access
from .sessions import COOKIE, SIGN_IN, Sessions
from .store import LONGEST, Keys


def needs_keys(options: WebSettings, listen: str) -> bool:
    """Whether a server that listens at ``listen`` needs keys."""
    if options.access == "key":
        return True
    return options.access == "key-beyond-loopback" and not is_loopback(listen)


def install(app: Flask, host: Host) -> None:
    """Refuse requests without a key that is for the view's interface and assistants (see ``ViewOptions``).

    Views then read only the books that the key is for.
    """
    keys, sessions = Keys(host), Sessions(host)
    app.extensions[WITHOUT_KEY] = NOTHING

    def check() -> None:
        view = view_options()
        # a browser's preflight (CORS) comes without a key, and the answer shows nothing
        if request.method == "OPTIONS" or view.own_key is not None:
            return
        given, token = _given(), request.cookies.get(COOKIE)

        def find() -> Access | None:
            if given is not None:
                return keys.find(given)
            return sessions.find(token) if token and view.interface == "web" else None

        if request.endpoint == HEALTH:  # the key is looked up by is_unknown, in bounded time
            g.ragstone_unknown = find if given or token else True
            return
        if is_free() or request.endpoint == SIGN_IN:
            return
        found = find()
        if found is None:
            raise _refusal(given)
        g.ragstone_access = found
        if not found.opens(view.interface):
            abort(403, f"This key is not for the interface {view.interface!r}.")
        if not view.any_assistant and not found.may_ask(*_asked(host, view)):
            abort(403, "This key is not for this assistant.")

    add_check(app, check)
    # in the thread that calls the view; an assistant's stream keeps the scope that it was made in
    app.before_request(lambda: set_scope(access().scope))
    app.teardown_request(lambda _error: set_scope(None))


def is_unknown(seconds: float) -> bool:
    """Whether a key would be needed and none came with the request, or none that was found in so many seconds."""
    unknown = g.get("ragstone_unknown", False)
    if not callable(unknown):
        return bool(unknown)
    if not seconds:
        return True
    try:
        g.ragstone_access = in_background(unknown, "ragstone-health").result(seconds)
    except (TimeoutError, StorageError):
        return True
    return g.ragstone_access is None


def _asked(host: Host, view: ViewOptions) -> tuple[str, ...]:
    """Return the assistants that a view shows something of: its own, or those of the plugin whose page it is."""
    named = view.assistant or (request.view_args or {}).get("assistant")
    if named:
        return (named,)
    plugin = plugin_of_page()
    return tuple(name for name, made in host.hooks.assistants.items() if made.plugin == plugin)


def _given() -> str | None:
    """Return the key: ``Authorization: Bearer KEY``, or the password of HTTP Basic."""
    header = request.headers.get("Authorization", "")
    scheme, _, rest = header.partition(" ")
    key = rest.strip() if scheme.lower() == "bearer" else None
    if scheme.lower() == "basic":
        given = request.authorization
        key = given.password or given.username if given is not None else None
    return key if key and len(key) <= LONGEST else None


def _refusal(given: str | None) -> Unauthorized:
    g.ragstone_sign_in = True  # a browser gets the form, see errors.py
    challenge = WWWAuthenticate("bearer", {"realm": "Ragstone key"})
    words = "This server does not know this key." if given else "This server answers only requests with a key."
    how = "send it as Authorization: Bearer KEY; in a browser, sign in at /sign-in"
    return Unauthorized(f"{words} `ragstone key add NAME` makes one; {how}.", www_authenticate=challenge)
