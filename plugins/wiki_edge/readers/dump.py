"""MediaWiki's XML dumps: ``.xml``, ``.xml.bz2`` (multi-stream too), ``.xml.gz``.

A dump is untrusted XML. It is parsed by expat piece by piece: document types and entities are refused, depth, titles
and texts have limits, and never more than one page is in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from operator import sub
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from ragstone.core import SourceError

from .articles import LONGEST_ARTICLE, About, Page, Source, Span, Text, address
from .compression import bz2_streams, copied, is_packed, pieces
from .wikitext import Site, blocks_of

_DEEPEST = 24
_LONGEST_FIELD = 4096
_PAGE = ("mediawiki", "page")
_REVISION = (*_PAGE, "revision")
#: What is kept of a page, by its path.
_FIELDS = {
    (*_PAGE, "title"): "title",
    (*_PAGE, "ns"): "ns",
    (*_PAGE, "id"): "id",
    (*_REVISION, "id"): "revision",
    (*_REVISION, "timestamp"): "changed",
    (*_REVISION, "model"): "model",
    (*_REVISION, "text"): "text",
    ("mediawiki", "siteinfo", "base"): "base",
    ("mediawiki", "siteinfo", "namespaces", "namespace"): "namespace",
}
_HINT = "it should be a dump such as enwiki-latest-pages-articles.xml.bz2"
#: What stands before a page, of which half is markup; and how much smaller bz2 makes it.
_BEFORE_A_PAGE = re.compile(rb"\n[ \t]*(?=<page>)")
#: Bytes that are read at once, and of them again with the next.
_READ, _MARK = 1 << 18, 64
_MARKUP, _PACKED = 2, 4
#: A dump whose streams are so many times larger than a span should be is copied.
_UNEVEN = 8


class Dump(Source):
    """A dump; only pages of the main namespace that are no redirects."""

    def about(self) -> About:
        """The dump's language; a dump names no licence, but Wikipedia's is known."""
        site = self._site()
        wikimedia = ".wikipedia.org/" in site.prefix
        licensed = "CC-BY-SA-4.0" if wikimedia else None
        return About(language=site.language, license=licensed)

    def pages(self, span: Span | None = None) -> Iterator[Page]:
        """Its articles. A span is one of bytes, from the beginning of a page on."""
        site = self._site()
        path, start, stop = (self.copy, span.start, span.stop) if span else (self.path, 0, None)
        reader = _Reader(self.path)
        if start:
            reader.feed(b"<mediawiki>")
        for piece in pieces(path, start, stop):
            for page in reader.feed(piece):
                if _is_article(page):
                    yield _page(page, site)
        if stop is None or stop >= path.stat().st_size:
            reader.finish()

    def spans(self, size: int) -> Iterator[Span]:
        """Streams of a multi-stream dump, pages of a plain one; any other is copied beside."""
        size *= _MARKUP
        whole = self.path.stat().st_size
        if is_packed(self.path):
            cuts = [*self._stream_cuts(size // _PACKED), whole]
            if self.beside and max(map(sub, cuts, [0, *cuts])) > _UNEVEN * size // _PACKED:
                cuts = [end for end, _ in copied(self.path, self.beside, size, _BEFORE_A_PAGE)]
        else:
            cuts = [*self._page_cuts(size), whole]
        yield from (Span(start, stop) for start, stop in pairwise([0, *cuts]) if stop > start)

    def _stream_cuts(self, size: int, last: int = 0) -> Iterator[int]:
        """Offsets of streams that begin with a page, ``size`` bytes apart."""
        for offset in bz2_streams(self.path):
            if offset - last >= size:
                with suppress(SourceError):  # these bytes may stand within a stream
                    if next(pieces(self.path, offset)).lstrip().startswith(b"<page>"):
                        yield (last := offset)

    def _page_cuts(self, size: int) -> Iterator[int]:
        with self.path.open("rb") as file:
            data, _ = b"", file.seek(size)
            while more := file.read(_READ):
                data = data[-_MARK:] + more
                if (found := _BEFORE_A_PAGE.search(data)) is not None:
                    yield (cut := file.tell() - len(data) + found.end())
                    data, _ = b"", file.seek(cut + size)

    def _site(self) -> Site:
        """The metadata before the first page."""
        reader = _Reader(self.path)
        for piece in pieces(self.path):
            reader.feed(piece)
            if reader.in_pages:
                break
        if not reader.in_pages:
            reader.finish()
        return replace(reader.site, prefix=self.prefix or reader.site.prefix)


def _page(page: dict[str, str], site: Site) -> Page:
    title = page["title"]
    return Page(
        id=page.get("id") or title,
        title=title,
        url=address(site.prefix, title),
        read=lambda: Text(blocks_of(page.get("text", ""), site)),
        revision=page.get("revision"),
        changed=page.get("changed"),
    )


def _is_article(page: dict[str, str]) -> bool:
    return (
        page.get("ns", "0").strip() == "0"
        and "redirect" not in page
        and page.get("model", "wikitext") == "wikitext"
        and bool(page.get("title", "").strip())
        and not page.get("text", "").lstrip()[:9].casefold().startswith("#redirect")
    )


class _Reader:
    """Expat's handlers: collects the fields of one page after the other."""

    def __init__(self, path: Path) -> None:
        self._where = path
        self._parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        self._stack: list[str] = []
        self._page: dict[str, str] = {}
        self._field: str | None = None
        self._parts: list[str] = []
        self._length = 0
        self._done: list[dict[str, str]] = []
        self.site = Site()
        self.in_pages = False

    def feed(self, data: bytes) -> list[dict[str, str]]:
        """The pages that end within the data. Raises ``SourceError``."""
        self._parse(data, False)
        done, self._done = self._done, []
        return done

    def finish(self) -> None:
        """The source has ended. Raises ``SourceError`` unless the XML has too."""
        self._parse(b"", True)

    def _parse(self, data: bytes, final: bool) -> None:
        try:
            self._parser.Parse(data, final)
        except expat.ExpatError as error:
            self._fail(f"is not well-formed XML: {expat.ErrorString(error.code)}")

    def _fail(self, what: str) -> NoReturn:
        raise SourceError(what, where=f"{self._where}:{self._parser.CurrentLineNumber}", hint=_HINT) from None

    def _refuse(self, *_declaration: Any) -> None:
        self._fail("declares a document type or an entity, which no dump does")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._stack.append(name)
        path = tuple(self._stack)
        if len(path) == 1 and name != "mediawiki":
            self._fail(f"is no MediaWiki dump: its root is <{name[:40]}>")
        if len(path) > _DEEPEST:
            self._fail(f"is nested deeper than {_DEEPEST} elements")
        if len(path) == 1:
            self.site = replace(self.site, language=attributes.get("xml:lang") or None)
        elif path == _PAGE:
            self.in_pages = True
            self._page = {}
        elif path == (*_PAGE, "redirect"):
            self._page["redirect"] = attributes.get("title", "")
        self._field = _FIELDS.get(path)
        self._parts, self._length = [], 0

    def _text(self, data: str) -> None:
        if self._field is None:
            return
        self._length += len(data)
        limit = LONGEST_ARTICLE if self._field == "text" else _LONGEST_FIELD
        if self._length > limit:
            self._fail(f"a page's {self._field} is longer than {limit} characters")
        self._parts.append(data)

    def _end(self, _name: str) -> None:
        path = tuple(self._stack)
        self._stack.pop()
        if self._field is not None:
            self._keep(self._field, "".join(self._parts))
            self._field = None
        if path == _PAGE:
            self._done.append(self._page)
            self._page = {}

    def _keep(self, field: str, text: str) -> None:
        if self.in_pages:
            self._page[field] = text
        elif field == "base" and text.startswith(("http://", "https://")):
            self.site = replace(self.site, prefix=text.rpartition("/")[0] + "/")
        elif field == "namespace" and text:
            self.site = replace(self.site, namespaces=self.site.namespaces | {text.casefold()})
