"""Checks of every request's host name and origin (CORS), and the security headers of every response."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

from flask import Flask, Response, abort, request
from werkzeug.exceptions import HTTPException

from ragstone.core.pages import Reach

from .admission import add_check, view_options

#: Nothing but this server's own files: an answer that carried markup could neither run nor load anything.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
_READS = frozenset({"GET", "HEAD", "OPTIONS"})


class WrongHost(HTTPException):
    """The request names a server that this one is not."""

    code = 421
    description = (
        "This server does not go by that name. If it should, add the name to allowed_hosts "
        "under [plugins.web] in ragstone.toml."
    )


class HostNames:
    """The host names that a server accepts.

    A page of another site can point a name of its own at this server's address and then read it as its own
    (DNS rebinding). It cannot do that with an address, or with a name that is ours, so those are let through.
    """

    def __init__(self, listen: str, allowed: Iterable[str]) -> None:
        """``listen``: where the server listens. ``allowed``: further names that the deployment allows."""
        self._names = {"localhost", listen.strip("[]").lower(), *(name.strip().lower() for name in allowed)}
        #: Whether any address will do.
        self._is_beyond_loopback = not is_loopback(listen)
        if self._is_beyond_loopback:
            own = socket.gethostname().lower()
            self._names |= {own, own.partition(".")[0], f"{own.partition('.')[0]}.local"}

    def allow(self, host: str) -> bool:
        """Whether a request whose ``Host`` header is ``host`` is meant for this server."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            return False
        if "*" in self._names or name in self._names or name.endswith(".localhost"):
            return bool(name)
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return self._is_beyond_loopback or address.is_loopback


class Origins:
    """The origins that the deployment lists, such as ``https://book.example``."""

    def __init__(self, listed: Iterable[str]) -> None:
        self._listed = {origin.strip().lower() for origin in listed}  # as a browser writes them

    def refuse(self) -> bool:
        """Whether to refuse the request: a browser sends it for a page that may not. Programs send no origin."""
        origin = request.headers.get("Origin")
        reach = reach_of(request.method)
        if origin is not None and reach == "listed" and origin.lower() in self._listed:
            return False
        reads = request.method in _READS
        if request.headers.get("Sec-Fetch-Site", "none") not in {"same-origin", "none"}:
            if reach == "any" and reads:
                return False
            # a link may lead here; an image or a script of another page may not make an assistant work
            follows = request.headers.get("Sec-Fetch-Mode") == "navigate"
            return not (reads and follows and request.headers.get("Sec-Fetch-Dest") not in {"object", "embed"})
        if origin == "null" and request.headers.get("Sec-Fetch-Site") == "same-origin":
            return False  # our own form: as our pages send no referrer, browsers do not name their origin either
        return not reads and origin is not None and urlsplit(origin).netloc.lower() != request.host.lower()

    def set_headers(self, response: Response) -> None:
        """Set the headers that let a listed page read the response; those of a preflight name what may be sent."""
        reach = reach_of(request.method)
        if reach == "own":
            return
        response.vary.add("Origin")
        if reach == "any":
            response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        origin = request.headers.get("Origin")
        if origin is None or origin.lower() not in self._listed:
            return
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Expose-Headers"] = "Retry-After"
        if request.method == "OPTIONS":
            response.headers["Access-Control-Allow-Methods"] = ", ".join(sorted(response.allow))
            response.headers["Access-Control-Allow-Headers"] = "content-type"
            response.headers["Access-Control-Max-Age"] = "600"


def reach_of(method: str) -> Reach:
    """Return from which pages the view of the current request may be reached by ``method``."""
    reach = view_options().reach
    return "own" if reach == "any" and method not in _READS else reach


def is_loopback(listen: str) -> bool:
    """Whether a server that listens on ``listen`` is reached from its own machine only."""
    try:
        return ipaddress.ip_address(listen.strip("[]")).is_loopback
    except ValueError:
        return listen.lower() == "localhost" or listen.lower().endswith(".localhost")


def install(app: Flask, names: HostNames, origins: Origins) -> None:
    """Check every request of ``app`` and put the headers on every response."""

    def check() -> None:
        if not names.allow(request.headers.get("Host", "")):
            raise WrongHost
        if origins.refuse():
            abort(403, "Another site's page may not ask in your name, unless [plugins.web] origins lists its origin.")

    add_check(app, check)

    @app.after_request
    def protect(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers[name] = value
        response.headers.setdefault("Cache-Control", "private, no-cache")  # a key may be for it
        origins.set_headers(response)
        return response
