"""Compression of responses with gzip, where it saves something and gives nothing away.

A page that repeats an attacker's words beside a reader's secret shows by its compressed length how far they agree
(BREACH). So nothing is compressed that another site's page has asked for or led to, but scripts and styles, which are
the same for all. Event streams are not either: they would be held back until there is enough of them.
"""

from __future__ import annotations

import gzip

from flask import Flask, Response, request

from .admission import view_options

_KINDS = frozenset({"application/json", "application/problem+json", "text/javascript", "image/svg+xml"})
_LEAST, _LEVEL = 600, 6


def install(app: Flask) -> None:
    """Compress the responses of ``app`` for clients that take it."""

    @app.after_request
    def compress(response: Response) -> Response:
        fixed = (request.endpoint or "").rpartition(".")[2] == "static" or view_options().reach == "any"
        kind = response.mimetype or ""
        if (kind in _KINDS or kind.startswith("text/")) and kind != "text/event-stream":
            response.vary.add("Accept-Encoding")
            file = fixed and response.direct_passthrough
            can_be = response.status_code not in {204, 206, 304} and "Content-Encoding" not in response.headers
            if can_be and _is_wanted(fixed) and (file or not response.is_streamed):
                _compress(response)
        return response


def _is_wanted(fixed: bool) -> bool:
    own = request.headers.get("Sec-Fetch-Site", "none") in {"same-origin", "none"}
    return (fixed or own) and request.method != "HEAD" and request.accept_encodings.quality("gzip") > 0


def _compress(response: Response) -> None:
    response.direct_passthrough = False
    data = response.get_data()
    if len(data) < _LEAST:
        return
    response.set_data(gzip.compress(data, _LEVEL, mtime=0))
    response.headers["Content-Encoding"] = "gzip"
    etag, _ = response.get_etag()
    if etag is not None:
        response.set_etag(etag, weak=True)  # the same content in other bytes
