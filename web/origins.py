"""Requests from pages of other sites: which are allowed, and the headers for the browser (CORS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Response, request

from .admission import view_options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragstone.core.pages import Reach

_READS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True)
class Origins:
    """The origins that the deployment lists, such as ``https://book.example``."""

    listed: frozenset[str]

    @classmethod
    def of(cls, listed: Iterable[str]) -> Origins:
        """The origins as a browser writes them."""
        return cls(frozenset(origin.strip().lower() for origin in listed))

    def refuse(self) -> bool:
        """Whether to refuse the request: a browser sends it for a page that may not. Programs send no origin."""
        origin = request.headers.get("Origin")
        reach = reach_of(request.method)
        if origin is not None and reach == "listed" and self.allow(origin):
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

    def allow(self, origin: str) -> bool:
        return origin.lower() in self.listed

    def set_headers(self, response: Response) -> None:
        """Set the headers that let a listed page read the response; those of a preflight name what may be sent."""
        reach = reach_of(request.method)
        if reach == "own":
            return
        response.vary.add("Origin")
        if reach == "any":
            response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        origin = request.headers.get("Origin")
        if origin is None or not self.allow(origin):
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
