"""Checks of every request's host name and origin, and the security headers of every response."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Flask, Response, abort, request
from werkzeug.exceptions import HTTPException

from .admission import add_check

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .origins import Origins

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


class WrongHost(HTTPException):
    """The request names a server that this one is not."""

    code = 421
    description = (
        "This server does not go by that name. If it should, add the name to allowed_hosts "
        "under [plugins.web] in ragstone.toml."
    )


@dataclass(frozen=True)
class HostNames:
    """The host names that a server accepts.

    A page of another site can point a name of its own at this server's address and then read it as its own
    (DNS rebinding). It cannot do that with an address, or with a name that is ours, so those are let through.
    """

    names: frozenset[str]
    #: Whether any address will do: so it is when the server listens on more than the loopback.
    addresses: bool

    @classmethod
    def of(cls, listen: str, allowed: Iterable[str]) -> HostNames:
        """Return the names of a server that listens on ``listen``, with those that the deployment allows."""
        names = {"localhost", listen.strip("[]").lower(), *(name.strip().lower() for name in allowed)}
        loopback = is_loopback(listen)
        if not loopback:
            own = socket.gethostname().lower()
            names |= {own, own.partition(".")[0], f"{own.partition('.')[0]}.local"}
        return cls(frozenset(names), addresses=not loopback)

    def allow(self, host: str) -> bool:
        """Whether a request whose ``Host`` header is ``host`` is meant for this server."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            return False
        if "*" in self.names or name in self.names or name.endswith(".localhost"):
            return bool(name)
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return self.addresses or address.is_loopback


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
        origins.set_headers(response)
        return response
