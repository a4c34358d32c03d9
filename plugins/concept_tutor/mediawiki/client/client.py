"""The client of one wiki: its searches and pages, from the wiki or from the cache."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote, unquote, urlencode

from ragstone.core import BadRequest, SettingsError
from ragstone.core.runtime import Deadline
from ragstone.core.text import storable

from ...settings import WikiSettings
from .addresses import Lookup, look_up
from .cache import Cache, Entry
from .errors import (
    WikiError,
    WikiForbidden,
    WikiInvalidAnswer,
    WikiPageMissing,
    WikiRateLimited,
    WikiTooLarge,
    WikiUnavailable,
)
from .fetcher import Fetched, Fetcher
from .request_slots import RequestSlots
from .responses import WikiOutcome, WikiPage, check_text, key_of, read_keys, redirect_of, revision_of, title_of

_MOST_HITS = 100
_LONGEST_QUERY = 300
_LONGEST_KEY = 255
#: What no title may hold (https://www.mediawiki.org/wiki/Manual:Page_title), and what would leave the path.
_NO_KEY = re.compile(r"[\x00-\x1f\x7f#<>\[\]|{}]|(?:^|/)\.{1,2}(?:/|$)")
_JSON, _HTML = "application/json", "text/html"
#: Redirects that older MediaWikis leave to the client: pages that only name another one.
_HOPS = 2
#: How long the outcome of the last request is reported.
_REMEMBERED = timedelta(hours=1)


class WikiClient:
    """Asks the wiki ``name`` of the settings. It may be used by many threads; nothing has to be closed."""

    def __init__(
        self,
        name: str,
        settings: WikiSettings,
        folder: Path,
        *,
        slots: RequestSlots | None = None,
        lookup: Lookup = look_up,
    ) -> None:
        """``folder``: of what is kept on disk. ``slots``: those that all clients of a host share."""
        self.name = name
        self._outcome: WikiOutcome | None = None
        self._site = settings.sites[name]
        self._fresh = timedelta(hours=settings.fresh_hours)
        self._fetcher = Fetcher(name, settings, slots or RequestSlots(), lookup=lookup)
        self._cache = Cache(folder, megabytes=settings.cache_mb, unpacked=int(settings.unpacked_mb * 1_000_000) + 1)

    def check(self) -> None:
        """Raise ``SettingsError`` if the wiki may not be asked with these settings."""
        self._fetcher.check()

    @property
    def last_outcome(self) -> WikiOutcome | None:
        """Of the last request that this process made; ``None`` without one, or when it is an hour old."""
        outcome = self._outcome
        return outcome if outcome and datetime.now(UTC) - outcome.at < _REMEMBERED else None

    def probe(self, seconds: float) -> None:
        """Ask the wiki for one search, for ``last_outcome``; nothing if it may not be asked."""
        with suppress(WikiError, SettingsError):
            self._ask(_search_path("wiki", 1), Deadline(seconds), _JSON)

    def search(self, query: str, limit: int = 3) -> tuple[str, ...]:
        """The keys of up to ``limit`` (1 to 100) pages that hold ``query``, best first; they are untrusted.

        A search that was kept is given while it is fresh, and while the wiki cannot be asked. Raises ``WikiError``,
        ``SettingsError`` without a contact, and ``BadRequest``.
        """
        query = " ".join(query.split())
        if not query or len(query) > _LONGEST_QUERY or not 1 <= limit <= _MOST_HITS or storable(query) != query:
            raise BadRequest(
                f"a search has 1 to {_LONGEST_QUERY} characters and 1 to {_MOST_HITS} hits", where=self.name
            )

        def fetch(_: Entry | None) -> Entry:
            _answer, body = self._ask(path, self._fetcher.deadline(), _JSON)
            read_keys(body)  # raises where it is no list of pages
            return Entry("", "0", None, datetime.now(UTC), body)

        path = _search_path(query, limit)
        with self._located(path):
            return read_keys(self._stored_or(fetch, "search", query, str(limit)).body)[:limit]

    def page(self, key: str) -> WikiPage:
        """The page of this key as it is now; a redirect is followed to the page that it names.

        A page that was kept is given while it is fresh; afterwards the wiki is asked whether it is still the one. While
        the wiki cannot be asked, the page that was kept is given. Raises ``WikiPageMissing``, ``WikiError``,
        ``SettingsError`` without a contact, and ``BadRequest`` for what can be no key.
        """
        key = _checked(key, self.name)
        with self._located(_page_path(key)):
            entry = self._stored_or(lambda stored: self._fetch(key, stored), "page", key)
        return WikiPage(
            key=entry.key,
            title=title_of(entry.body, entry.key),
            html=entry.body,
            revision=entry.revision,
            url=self._site.page_url(entry.key),
            licence=self._site.licence,
            retrieved_at=entry.retrieved_at,
            language=self._site.language,
        )

    @contextmanager
    def _located(self, path: str) -> Iterator[None]:
        """Add to an error of the wiki its name, and the address that it was asked for."""
        try:
            yield
        except WikiError as error:
            error.where = f"{self.name} ({self._fetcher.url(path)[:300]})"
            raise

    def _stored_or(self, fetch: Callable[[Entry | None], Entry], kind: str, *asked: str) -> Entry:
        """The stored entry while it is fresh or the wiki cannot be asked, else what ``fetch`` makes of it."""
        name = (kind, self._site.url, self._site.api_path, *asked)
        stored = self._cache.get(name)
        if stored and timedelta() <= datetime.now(UTC) - stored.retrieved_at < self._fresh:
            return stored
        try:
            entry = fetch(stored)
        except (WikiUnavailable, WikiRateLimited, SettingsError):
            if stored:
                return stored
            raise
        self._cache.put(name, entry)
        return entry

    def _fetch(self, key: str, stored: Entry | None) -> Entry:
        deadline = self._fetcher.deadline()
        for hop in range(_HOPS + 1):
            # What is stored under a redirect's key is the page that it leads to: its mark is none of the redirect's.
            etag = stored.etag if stored and stored.key == key else None
            answer, body = self._ask(_page_path(key), deadline, _HTML, etag)
            now = datetime.now(UTC)
            if stored and etag and answer.status == 304:
                return Entry(stored.key, stored.revision, etag, now, stored.body)
            if not body.rstrip().lower().endswith(b"</html>"):  # a server that sends no length may have been cut off
                raise WikiInvalidAnswer("gives a page that ends too early")
            mark = answer.headers.get("ETag")
            own = self._key_from_wiki(key_of(answer.url, key))
            leads_to = redirect_of(body)
            if leads_to is None or hop == _HOPS:
                revision = revision_of(body, mark)
                if revision is None:
                    raise WikiInvalidAnswer("gives a page without its revision")
                return Entry(own, revision, mark, now, body)
            key = self._key_from_wiki(unquote(leads_to))
        raise AssertionError("the last hop returns")

    def _ask(self, path: str, deadline: Deadline, kind: str, etag: str | None = None) -> tuple[Fetched, bytes]:
        """An answer of status 200 with its text, or of 304. Raises ``WikiError`` and ``SettingsError``."""
        try:
            answer = self._fetcher.get(path, deadline, accept=kind, etag=etag)
            body = b""
            if not etag or answer.status != 304:
                self._check_status(answer)
                body = check_text(answer.body, answer.headers, kind=kind)
        except WikiError as error:
            # A page that is missing or too large is no fault of the wiki.
            is_answer = kind == _HTML and isinstance(error, WikiPageMissing | WikiTooLarge)
            self._outcome = WikiOutcome(datetime.now(UTC), None if is_answer else error)
            raise
        self._outcome = WikiOutcome(datetime.now(UTC), None)
        return answer, body

    def _key_from_wiki(self, key: str) -> str:
        """A key that the wiki gave: a wrong one is the wiki's fault, not the caller's."""
        try:
            return _checked(key, self.name)
        except BadRequest as error:
            raise WikiInvalidAnswer(f"leads to a page that cannot be: {error.what}") from error

    def _check_status(self, answer: Fetched) -> None:
        if answer.status == 404:
            raise WikiPageMissing("has no such page", hint="search for its title")
        if answer.status in {401, 403}:
            raise WikiForbidden(
                f"does not serve this client (status {answer.status})", hint="see whether contact is set"
            )
        if answer.status != 200:
            raise WikiError(
                f"answers with {answer.status}",
                hint="see whether url and api_path of the wiki are those of a MediaWiki's REST API",
            )


def _search_path(query: str, limit: int) -> str:
    return f"/v1/search/page?{urlencode({'q': query, 'limit': limit}, quote_via=quote)}"


def _page_path(key: str) -> str:
    return f"/v1/page/{quote(key, safe='')}/html"


def _checked(key: str, where: str) -> str:
    key = key.strip().replace(" ", "_")
    if not key or storable(key) != key or len(key.encode()) > _LONGEST_KEY or _NO_KEY.search(key):
        raise BadRequest(f"{key[:80]!r} can be no page's key", where=where)
    return key
