"""Rate limits: a token bucket for each client, for a bounded number of clients."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import OrderedDict
from math import ceil
from typing import TYPE_CHECKING

from flask import Flask, request
from werkzeug.exceptions import TooManyRequests

from .admission import add_check, is_free

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .settings import WebSettings

#: Clients that are remembered; the one that was away longest is forgotten first, and so begins with a full bucket.
MOST_CLIENTS = 10_000

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Buckets:
    """Token buckets by client; safe to use from several threads."""

    def __init__(self, per_minute: float, burst: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_minute / 60
        self._burst = float(burst)
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, client: str) -> int:
        """Take a token. Returns 0, or after how many whole seconds there will be one."""
        with self._lock:
            now = self._clock()
            tokens, then = self._buckets.pop(client, (self._burst, now))
            tokens = min(self._burst, tokens + (now - then) * self._per_second)
            wait = 0 if tokens >= 1 else max(1, ceil((1 - tokens) / self._per_second))
            self._buckets[client] = (tokens if wait else tokens - 1, now)
            if len(self._buckets) > MOST_CLIENTS:
                self._buckets.popitem(last=False)
            return wait


def client_of(peer: str, forwarded: str, proxies: Sequence[Network]) -> str:
    """The client's address; of IPv6 its /64, which is one household's.

    Args:
        peer: the address at the other end of the connection.
        forwarded: the header ``X-Forwarded-For``. It counts only as far as trusted proxies wrote it, read from the
            right: what is left of those the client itself may have written.
        proxies: the networks of the trusted proxies.
    """
    address = peer
    before = [step.strip() for step in forwarded.split(",") if step.strip()]
    while before and _is_in(address, proxies):
        address = before.pop()
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(known, ipaddress.IPv6Address):
        if known.ipv4_mapped:
            return str(known.ipv4_mapped)
        return str(ipaddress.ip_network((int(known) >> 64 << 64, 64)))
    return str(known)


def _is_in(address: str, networks: Sequence[Network]) -> bool:
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(known in network for network in networks)


def install(app: Flask, options: WebSettings) -> None:
    """Limit each client's requests to what the settings allow; 0 a minute means no limit."""
    if not options.requests_per_minute:
        return
    buckets = Buckets(options.requests_per_minute, options.burst)
    proxies = [ipaddress.ip_network(proxy) for proxy in options.trusted_proxies]

    def count() -> None:
        if request.method == "OPTIONS" or is_free():
            return
        forwarded = ",".join(request.headers.getlist("X-Forwarded-For"))
        wait = buckets.take(client_of(request.remote_addr or "", forwarded, proxies))
        if wait:
            again = "in a second" if wait == 1 else f"in {wait} seconds"
            raise TooManyRequests(f"You have asked very often. Please try again {again}.", retry_after=wait)

    add_check(app, count)
