"""Rate limits: a token bucket for each client, for a bounded number of clients."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from math import ceil

from flask import Flask, request
from werkzeug.exceptions import TooManyRequests

from ragstone.core.catalog import Notices

from .admission import add_check, is_free
from .settings import WebSettings

#: Clients that are remembered; the one that was away longest is forgotten first, and so begins with a full bucket.
MOST_CLIENTS = 10_000
_TOPIC = "web/rates"

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Buckets:
    """Token buckets by client; safe to use from several threads."""

    def __init__(self, per_minute: float, burst: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_minute / 60
        self._burst = float(burst)
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        #: Called with the client that has taken a token.
        self.on_take: Callable[[str], None] = lambda _client: None

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, client: str) -> int:
        """Take a token. Returns 0, or after how many whole seconds there will be one."""
        with self._lock:
            tokens = self._tokens(client)
            wait = 0 if tokens >= 1 else max(1, ceil((1 - tokens) / self._per_second))
            self._put(client, tokens if wait else tokens - 1)
        if not wait:
            self.on_take(client)
        return wait

    def note(self, client: str) -> None:
        """Take a token that another process has already given; of two that gave the last one at once both count."""
        with self._lock:
            self._put(client, max(self._tokens(client) - 1, -self._burst))

    def _tokens(self, client: str) -> float:
        tokens, then = self._buckets.pop(client, (self._burst, self._clock()))
        return min(self._burst, tokens + (self._clock() - then) * self._per_second)

    def _put(self, client: str, tokens: float) -> None:
        self._buckets[client] = (tokens, self._clock())
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)


def client_of(peer: str, forwarded: str, proxies: Sequence[Network]) -> str:
    """The client's address; of IPv6 its /64, which is one household's. ``peer``: at the other end of the connection.

    ``forwarded``: the header ``X-Forwarded-For``. It counts only as far as trusted ``proxies`` wrote it, read from the
    right: what is left of those the client itself may have written.
    """
    address = peer
    before = [step.strip() for step in forwarded.split(",") if step.strip()]
    while before and (at := _parsed(address)) and any(at in network for network in proxies):
        address = before.pop()
    known = _parsed(address)
    if isinstance(known, ipaddress.IPv6Address):
        return str(known.ipv4_mapped or ipaddress.ip_network((int(known) >> 64 << 64, 64)))
    return address[:64] if known is None else str(known)


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(address)
    except ValueError:
        return None


def install(app: Flask, options: WebSettings) -> None:
    """Limit each client's requests to what the settings allow; 0 a minute means no limit."""
    if not options.requests_per_minute:
        return
    buckets = Buckets(options.requests_per_minute, options.burst)
    app.extensions[_TOPIC] = buckets
    proxies = [ipaddress.ip_network(proxy) for proxy in options.trusted_proxies]

    def count() -> None:
        if request.method == "OPTIONS" or is_free():
            return
        forwarded = ",".join(request.headers.getlist("X-Forwarded-For"))
        client = client_of(request.remote_addr or "", forwarded, proxies)
        wait = buckets.take(client)
        if wait:
            again = "in a second" if wait == 1 else f"in {wait} seconds"
            raise TooManyRequests(f"You have asked very often. Please try again {again}.", retry_after=wait)

    add_check(app, count)


def share(app: Flask, notices: Notices) -> None:
    """Count the requests to the other web workers on the catalog's PostgreSQL too.

    They are sent within a tenth of a second: no request waits for the database, and the limit holds while it is away.
    """
    buckets: Buckets | None = app.extensions.get(_TOPIC)
    if buckets is not None:
        buckets.on_take = lambda client: notices.send(_TOPIC, client)
        notices.subscribe(_TOPIC, lambda client: buckets.note(str(client)))
