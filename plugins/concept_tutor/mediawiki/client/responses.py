"""Reads the wiki's answers: the keys that a search found, and the facts in a page's head.

A page is only searched by bounded patterns here: a parser may need seconds for it, and runs in a worker process.
"""

from __future__ import annotations

import html
import json
import re
from urllib.parse import unquote, urlsplit

from .errors import WikiInvalidAnswer

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


def read_keys(body: bytes, where: str) -> tuple[str, ...]:
    """The keys of the hits of ``/search/page``; one without key or title is left out. Raises ``WikiInvalidAnswer``."""
    try:
        pages = json.loads(body)["pages"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise WikiInvalidAnswer(_NO_LIST, where=where) from error
    if not isinstance(pages, list):
        raise WikiInvalidAnswer(_NO_LIST, where=where)
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
