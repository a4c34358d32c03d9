"""One GET: at most three tries within one deadline, redirects by hand, and only to the wiki itself."""

from __future__ import annotations

import importlib.metadata
import math
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from urllib.parse import urljoin, urlsplit

import requests
import urllib3.exceptions
from requests.utils import get_environ_proxies
from urllib3.util import Retry

from ragstone.core.runtime import Deadline

from ...settings import WikiSettings
from .addresses import Lookup, addresses_of, is_loopback, look_up
from .connections import Watch, dialler, session
from .errors import NoWikiAllowed, WikiError, WikiForbidden, WikiInvalidAnswer, WikiRateLimited, WikiUnavailable
from .request_slots import RequestSlots
from .responses import read_body

#: Of the patience, what a request counts as under way after its answer has come, while the wiki has not closed it.
_AFTERWARDS = 0.2
_REDIRECTS = 5
#: Seconds before the second and the third try, less a random part of up to a half.
_PAUSES = (0.4, 0.8)
_MOVED = frozenset({301, 302, 303, 307, 308})
_AGAIN = frozenset({429, 500, 502, 503, 504})
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Fetched:
    """An answer: its status (200, 304, or one that is not tried again), the address that gave it, and the body."""

    status: int
    url: str
    headers: Mapping[str, str]
    body: bytes


class Fetcher:
    """Asks one wiki. It may be used by many threads."""

    def __init__(self, name: str, settings: WikiSettings, slots: RequestSlots, *, lookup: Lookup = look_up) -> None:
        self._site = site = settings.sites[name]
        self._settings = settings
        self._slots = slots
        self._lookup = lookup
        parts = urlsplit(site.url)
        self._host = (parts.hostname or "").lower()
        self._port = parts.port or _PORTS[parts.scheme]
        self._account = f"{self._host}:{self._port}"

    def check(self) -> None:
        """Raise ``SettingsError`` if this wiki may not be asked with these settings."""
        if self._settings.contact is None and not is_loopback(self._host):
            raise NoWikiAllowed(
                "contact is not set, and a wiki's operators must be able to reach the operator of this client",
                where="[plugins.concept_tutor.wikis]",
                hint='contact = "you@example.org", or the address of a page about you',
            )

    def deadline(self) -> Deadline:
        """The one of a call that begins now."""
        return Deadline(self._settings.seconds)

    def url(self, path: str) -> str:
        """The address that ``path`` is asked for at."""
        return self._site.url + self._site.api_path.rstrip("/") + path

    def get(self, path: str, deadline: Deadline, *, accept: str, etag: str | None = None) -> Fetched:
        """The answer to ``path``. Raises ``WikiError`` and, without a contact, ``SettingsError``."""
        self.check()
        url = self.url(path)
        headers = {"Accept": accept, "Accept-Encoding": "gzip", "User-Agent": self._agent, "Connection": "close"}
        if etag:
            headers["If-None-Match"] = etag
        for pause in (*_PAUSES, math.inf):
            try:
                return self._follow(url, headers, deadline)
            except WikiUnavailable:
                pause *= random.uniform(0.5, 1.0)  # noqa: S311 - no secret
                if pause >= deadline.left:
                    raise
                time.sleep(pause)
        raise AssertionError("the last try raises")

    def _follow(self, url: str, headers: dict[str, str], deadline: Deadline) -> Fetched:
        for _ in range(_REDIRECTS + 1):
            with self._slots.acquire(self._account, deadline):
                answer = self._exchange(url, headers, deadline)
            if answer.status in _AGAIN:  # the request is sent again, after the pause that the wiki asks for
                pause = _seconds_of(answer.headers.get("Retry-After"))
                self._slots.pause(self._account, pause)
                if pause and pause >= deadline.left:
                    raise WikiRateLimited(pause)
                raise WikiUnavailable(f"answers with {answer.status}")
            if answer.status not in _MOVED:
                return answer
            url = self._moved(url, answer.headers.get("Location"))
        raise WikiForbidden(f"redirects more than {_REDIRECTS} times")

    def _moved(self, url: str, location: str | None) -> str:
        if not location:
            raise WikiInvalidAnswer("redirects to nowhere")
        try:
            # The header comes as Latin-1; MediaWiki's own are percent-encoded.
            target = urljoin(url, location.encode("latin-1").decode("utf-8").strip())
            parts = urlsplit(target)
            port = parts.port or _PORTS.get(parts.scheme)
        except (ValueError, UnicodeError) as error:
            raise WikiForbidden("redirects to what is no address") from error
        before = urlsplit(url).scheme
        own = port == self._port or (before, parts.scheme, self._port, port) == ("http", "https", 80, 443)
        if (parts.hostname or "").lower() != self._host or not own or parts.username is not None:
            shown = f"{parts.scheme}://{parts.hostname}:{port}"[:120]
            raise WikiForbidden(
                f"redirects to {shown!r}, which is not the wiki", hint="if it has moved, change its url"
            )
        if parts.scheme not in _PORTS or (before == "https" and parts.scheme != "https"):
            raise WikiForbidden(f"redirects to {parts.scheme[:40]!r}, which is not what it was")
        return target

    def _exchange(self, url: str, headers: dict[str, str], deadline: Deadline) -> Fetched:
        proxies = get_environ_proxies(url) if self._settings.environment_proxies else {}
        addresses: tuple[str, ...] = ()
        if not proxies:
            private = self._host in self._settings.private_hosts
            lookup = partial(self._lookup, self._host, self._port)
            addresses = addresses_of(self._host, lookup, deadline, private=private)
        limits = int(self._settings.sent_mb * 1_000_000), int(self._settings.unpacked_mb * 1_000_000)
        try:
            with (
                Watch(deadline) as watch,
                session(dialler(addresses, self._host, deadline, watch)) as asking,
                asking.get(
                    url,
                    headers=headers,
                    proxies=proxies,
                    stream=True,
                    allow_redirects=False,
                    timeout=max(0.001, min(self._settings.patience, deadline.left)),
                    verify=str(self._site.certificates) if self._site.certificates else True,
                ) as response,
            ):
                wanted = response.status_code == 200
                body = read_body(response.raw, response.headers, limits=limits) if wanted else b""
                answer = Fetched(response.status_code, url, response.headers, body)
                watch.wait_for_the_end(self._settings.patience * _AFTERWARDS)
        except WikiError:
            if not deadline.left:  # what was cut off looks garbled
                raise _late(deadline) from None
            raise
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            if not deadline.left:
                raise _late(deadline) from error
            raise WikiUnavailable(f"cannot be reached: {_short(error)}") from error
        if watch.cut:
            raise _late(deadline)
        return answer

    @cached_property  # to look up one's own version costs more than to send a request
    def _agent(self) -> str:
        contact = self._settings.contact or "on its own machine"
        return f"Ragstone/{importlib.metadata.version('ragstone')} (concept tutor; {contact})"


def _seconds_of(retry_after: str | None) -> float:
    """Of a ``Retry-After`` header, a number or a date (RFC 9110, 10.2.3); 0 if it is neither."""
    try:
        return Retry().parse_retry_after(retry_after or "0")
    except (urllib3.exceptions.InvalidHeader, ValueError, OverflowError):
        return 0.0


def _late(deadline: Deadline) -> WikiUnavailable:
    return WikiUnavailable(f"did not answer within {deadline.seconds:g} s")


def _short(error: BaseException) -> str:
    """The innermost reason: urllib3's own words hold the address of an object."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return str(error)[:200] or type(error).__name__
