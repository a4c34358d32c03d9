"""Sessions of readers who gave their key in the form: what their browser has in its cookie is not the key."""

from __future__ import annotations

import secrets
import time

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from sqlalchemy import Column, Float, MetaData, Table, Text, delete, insert, select
from werkzeug.wrappers import Response

from ragstone.core import Host
from ragstone.core.catalog import PluginTables
from ragstone.core.pages import ViewOptions

from .access import WITHOUT_KEY, Access
from .store import LONGEST, Keys, hash_of

COOKIE = "ragstone_session"
SIGN_IN = "ragstone_keys.sign_in"
#: Seconds after which a key is asked for again.
_AGE = 30 * 86_400

_metadata = MetaData()
_session = Table(
    "web_sign_in_session",
    _metadata,
    Column("hash", Text, primary_key=True),
    Column("key_id", Text, nullable=False),
    Column("ends", Float, nullable=False),
)


class Sessions:
    """The sessions of a host's keys. One ends with its key, or after 30 days; of a session only a hash is kept."""

    def __init__(self, host: Host) -> None:
        self._host = host

    @property
    def _tables(self) -> PluginTables:
        return self._host.catalog.tables("web_sign_in", _metadata)

    def begin(self, key: str) -> str | None:
        """Begin a session and return its token; ``None`` for an unknown key."""
        found = Keys(self._host).find(key)
        if found is None:
            return None
        token, now = secrets.token_urlsafe(32), time.time()
        with self._tables.write() as connection:
            connection.execute(delete(_session).where(_session.c.ends < now))
            row = {"hash": hash_of(token).hex(), "key_id": found.key, "ends": now + _AGE}
            connection.execute(insert(_session).values(**row))
        return token

    def find(self, token: str) -> Access | None:
        """Return what the session's key is for; ``None`` for a session that is not, or whose key was removed."""
        wanted = (_session.c.hash == hash_of(token[:LONGEST]).hex(), _session.c.ends > time.time())
        with self._tables.read() as connection:
            key_id = connection.execute(select(_session.c.key_id).where(*wanted)).scalar()
        return None if key_id is None else Keys(self._host).by_id(key_id)

    def end(self, token: str) -> None:
        with self._tables.write() as connection:
            connection.execute(delete(_session).where(_session.c.hash == hash_of(token[:LONGEST]).hex()))


def blueprint(host: Host) -> Blueprint:
    """Return the form that asks for a key, and the way out. Where no key is needed both lead to the home page."""
    pages, sessions = Blueprint("ragstone_keys", __name__), Sessions(host)

    @pages.app_context_processor
    def state() -> dict[str, bool]:
        return {"signed_in": COOKIE in request.cookies and WITHOUT_KEY in current_app.extensions}

    @pages.route("/sign-in", methods=["GET", "POST"])
    @ViewOptions(any_assistant=True)
    def sign_in() -> Response | tuple[str, int]:
        wanted = request.values.get("next", "/")
        # tabs and line ends are dropped from an address, and two slashes may follow one another then
        if not wanted.startswith("/") or wanted.startswith(("//", "/\\")) or not wanted.isprintable():
            wanted = "/"
        if WITHOUT_KEY not in current_app.extensions:
            return redirect("/")
        token = sessions.begin(request.form.get("key", "").strip()[:LONGEST]) if request.method == "POST" else None
        if token is None:
            return render_template("ragstone/sign_in.html", wanted=wanted, wrong=request.method == "POST"), 401
        response = redirect(wanted, 303)
        # a proxy speaks TLS for this server
        secure = request.is_secure or request.headers.get("X-Forwarded-Proto") == "https"
        response.set_cookie(COOKIE, token, _AGE, httponly=True, samesite="Lax", secure=secure)
        return response

    @pages.post("/sign-out")
    @ViewOptions(any_assistant=True)
    def sign_out() -> Response:
        sessions.end(request.cookies.get(COOKIE, ""))
        response = redirect(url_for(SIGN_IN), 303)
        response.delete_cookie(COOKIE)
        return response

    return pages
