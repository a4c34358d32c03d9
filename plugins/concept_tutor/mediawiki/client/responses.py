"""The wiki's answers: bodies within their limits, the keys that a search found, the facts in a page's head.

A page is only searched by bounded patterns here: a parser may need seconds for it, and runs in a worker process.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from urllib3.exceptions import DecodeError

from .errors import WikiError, WikiInvalidAnswer, WikiTooLarge

#: Of a body at a time: a piece of gzip may be a thousand times as long unpacked.
_PIECE = 16_384
_HINT = "{key} in [plugins.concept_tutor.wikis] is the limit"
_NO_LIST = "answers a search with what is no list of pages"
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,1000}>|<!--.{0,1000}?-->", re.DOTALL)
_ABOUT = re.compile(rb"<html\b[^>]{0,2000}?\babout=[\"'][^\"'>]{0,500}/revision/(\d{1,18})[\"']", re.IGNORECASE)
_ETAG = re.compile(r"(?:W/)?\"(\d{1,18})/")
_TITLE = re.compile(rb"<title\b[^>]{0,200}>([^<]{0,2000})</title>", re.IGNORECASE)
_REDIRECT = re.compile(
    rb"<link\b[^>]{0,500}?\brel=[\"']mw:PageProp/redirect[\"'][^>]{0,500}?\bhref=[\"']\./([^\"'#?<>]{1,800})"
)
#: Bytes of a page in which these are searched for.
_HEAD = 65_536


@dataclass(frozen=True)
class WikiOutcome:
    """When a request to a wiki ended (UTC), and its error; ``None`` if the wiki answered."""

    at: datetime
    error: WikiError | None


@dataclass(frozen=True)
class WikiPage:
    """One revision of a page, as Parsoid's HTML in UTF-8, which is untrusted.

    ``key`` is the page's own, also where a redirect led to it; ``url`` the address that a reader opens, made from the
    settings and the key alone; ``retrieved_at`` (UTC) when the wiki last confirmed it, which is long ago where it does
    not answer.
    """

    key: str
    title: str
    html: bytes
    #: In digits; larger ones are newer.
    revision: str
    url: str
    licence: str
    retrieved_at: datetime
    language: str


def read_body(raw: Any, headers: Mapping[str, str], *, limits: tuple[int, int]) -> bytes:
    """All of urllib3's ``raw`` answer, unpacked; ``limits``: of its bytes as they are sent, and unpacked.

    Raises ``WikiTooLarge``, ``WikiInvalidAnswer`` and what ``raw.read`` raises when the connection ends too early.
    """
    sent, unpacked = limits
    coding = headers.get("Content-Encoding", "").strip().lower()
    if coding not in {"", "identity", "gzip", "x-gzip"}:
        raise WikiInvalidAnswer(f"answers packed as {coding[:40]!r}, which it was not asked for")
    pieces, made = list[bytes](), 0
    try:
        while piece := raw.read(_PIECE, decode_content=True):
            made += len(piece)
            for does, size, limit, key in (
                ("sends", raw.tell(), sent, "sent_mb"),
                ("unpacks to", made, unpacked, "unpacked_mb"),
            ):
                if size > limit:
                    raise WikiTooLarge(f"{does} more than {limit:,} bytes", hint=_HINT.format(key=key))
            pieces.append(piece)
    except DecodeError as error:
        raise WikiInvalidAnswer("sends gzip that cannot be unpacked") from error
    return b"".join(pieces)


def check_text(body: bytes, headers: Mapping[str, str], *, kind: str) -> bytes:
    """The body if it is of the type ``kind`` and in UTF-8. Raises ``WikiInvalidAnswer``."""
    given, *parameters = [part.strip() for part in headers.get("Content-Type", "").split(";")]
    if given.lower() != kind:
        raise WikiInvalidAnswer(
            f"answers with {given[:60] or 'no type'!r} where {kind} was asked for",
            hint="see whether url and api_path of the wiki are those of a MediaWiki's REST API",
        )
    charset = next((p[8:].strip("\"' ").lower() for p in parameters if p.lower().startswith("charset=")), "utf-8")
    if charset not in {"utf-8", "utf8"}:
        raise WikiInvalidAnswer(f"answers in {charset[:40]!r}, and MediaWiki's is UTF-8")
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WikiInvalidAnswer(f"answers in what is not UTF-8 at byte {error.start}") from error
    return body


def read_keys(body: bytes) -> tuple[str, ...]:
    """The keys of the hits of ``/search/page``; one without key or title is left out. Raises ``WikiInvalidAnswer``."""
    try:
        pages = json.loads(body)["pages"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise WikiInvalidAnswer(_NO_LIST) from error
    if not isinstance(pages, list):
        raise WikiInvalidAnswer(_NO_LIST)
    return tuple(
        page["key"]
        for page in pages
        if isinstance(page, dict) and all(isinstance(page.get(k), str) and page[k] for k in ("key", "title"))
    )


def revision_of(page: bytes, etag: str | None) -> str | None:
    """The revision of a page, in digits."""
    found = _ABOUT.search(page, 0, _HEAD // 8)
    if found:
        return found[1].decode()
    marked = _ETAG.match(etag or "")
    return marked[1] if marked else None


def redirect_of(page: bytes) -> str | None:
    """The key, still encoded, that a page leads to which is a redirect (MediaWiki before 1.41 gives it as a page)."""
    found = _REDIRECT.search(page, 0, _HEAD)
    return html.unescape(found[1].decode("utf-8", "replace")) if found else None


def title_of(page: bytes, key: str) -> str:
    """The page's title as text; its key's words if it has none."""
    found = _TITLE.search(page, 0, _HEAD)
    title = html.unescape(found[1].decode("utf-8", "replace")) if found else ""
    return " ".join(_TAG.sub("", title).replace("_", " ").split()) or key.replace("_", " ")


def key_of(url: str, asked: str) -> str:
    """The key of the page that an address of ``/page/KEY/html`` gives: not the one asked for after a redirect."""
    found = re.search(r"/page/([^/]+)/html$", urlsplit(url).path)
    return unquote(found[1]).replace(" ", "_") if found else asked
