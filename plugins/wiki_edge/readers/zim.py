"""Articles of a ZIM file, cluster after cluster, so that each is unpacked once."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from ragstone.core import SourceError
from ragstone.core.parsoid import read_page
from ragstone.core.runtime import Unanswered

from .articles import HEADING_SEPARATOR, LONGEST_ARTICLE, About, Block, Page, Source, Span, Text, address, fragment
from .prose import is_boilerplate
from .zim_file import Entry, ZimFile

#: Three letters, as Kiwix writes languages, to two, as Wikipedia does.
_LANGUAGES = {
    "ara": "ar", "bel": "be", "bul": "bg", "ces": "cs", "deu": "de", "ell": "el", "eng": "en", "fas": "fa", "fra": "fr",
    "heb": "he", "hin": "hi", "ita": "it", "jpn": "ja", "kor": "ko", "nld": "nl", "pol": "pl", "por": "pt", "ron": "ro",
    "rus": "ru", "spa": "es", "swe": "sv", "tur": "tr", "ukr": "uk", "vie": "vi", "zho": "zh",
}  # fmt: skip
_SUFFIX = ".html"
_ORDER = np.dtype([("place", np.uint64), ("index", np.uint64)])
#: How much smaller a file is than the text in it.
_PACKED = 2
_LONGEST_NOTE = 1000
_OLDID = re.compile(rb"""href=["'](https?://[^\s?#"']{1,2000})\?oldid=(\d{1,20})["']""")
_LICENSE = re.compile(rb"creativecommons\.org/licenses/([a-z-]{2,8})/(\d\.\d)")
#: Bytes at the end of a page in which its colophon is looked for.
_COLOPHON = 4000


class Zim(Source):
    """A ZIM file's articles in HTML; neither redirects nor the page with which readers begin, unless it is the only.

    Beside is the order of reading, 16 bytes an article.
    """

    def about(self) -> About:
        """What the file's own metadata say."""
        with ZimFile(self.path) as file:
            notes = {name: self._note(file, name) for name in ("Language", "License", "Date", "Source")}
            language = (notes["Language"] or "").partition(",")[0] or None
            return About(
                language=_LANGUAGES.get(language or "", language),
                license=notes["License"] or self._license(file),
                revision=file.uuid,
                date=notes["Date"],
            )

    def pages(self, span: Span | None = None) -> Iterator[Page]:
        """Its articles. A span is of places in the order of clusters."""
        with ZimFile(self.path) as file, self._order(file) as order:
            prefix = self.prefix or self._own_prefix(file)
            main = file.target(file.main) if file.main is not None and file.main < file.entries else None
            span = span or Span(0, len(order))
            for place in order[span.start : span.stop]:
                entry = file.entry(int(place["index"]))
                if entry is not None and (entry.index != main or len(order) == 1):
                    yield self._page(file, entry, prefix)

    def spans(self, size: int) -> Iterator[Span]:
        """Clusters, together where they are small."""
        with ZimFile(self.path) as file, self._order(file) as order:
            start, enough, before = 0, max(1, len(order) * (size // _PACKED) // file.size), None
            for number, place in enumerate(order):
                cluster = int(place["place"]) >> 32
                if number - start >= enough and cluster != before:
                    yield Span(start, number)
                    start = number
                before = cluster
            if len(order):
                yield Span(start, len(order))

    @contextmanager
    def _order(self, file: ZimFile) -> Iterator[npt.NDArray[np.void]]:
        """The places of all articles, in the order of clusters: what was written beside, or else made now."""
        is_made = self.beside is not None and self.beside.exists()
        with self.beside.open("rb" if is_made else "w+b") if self.beside else tempfile.TemporaryFile() as order:
            if not is_made:
                file.check_clusters()
                for index in range(file.entries):
                    entry = file.entry(index)
                    if entry is not None and _is_article(entry, file.content):
                        order.write(np.array([(entry.cluster << 32 | entry.blob, index)], _ORDER).tobytes())
                order.flush()
            if not order.seek(0, os.SEEK_END):
                yield np.zeros(0, _ORDER)
                return
            places = np.memmap(order, _ORDER, "r" if is_made else "r+")
            if not is_made:
                places.sort(order="place", kind="heapsort")  # in place: nothing of the order is held in memory
            yield places

    def _page(self, file: ZimFile, entry: Entry, prefix: str) -> Page:
        return Page(
            id=entry.path.removesuffix(_SUFFIX),
            title=entry.title.removesuffix(_SUFFIX).replace("_", " ").strip(),
            url=address(prefix, entry.path.removesuffix(_SUFFIX)),
            read=lambda: self._text(file, entry),
        )

    def _text(self, file: ZimFile, entry: Entry) -> Text:
        import lxml.etree

        try:
            return text_of_html(file.blob(entry))
        except (lxml.etree.LxmlError, ValueError, RecursionError) as error:
            where = f"{self.path}: {entry.namespace}/{entry.path}"
            raise SourceError(f"is no HTML that can be read: {error}", where=where) from error

    def _license(self, file: ZimFile) -> str | None:
        """That of the first article."""
        entries = (file.entry(index) for index in range(file.entries))
        first = next((entry for entry in entries if entry is not None and _is_article(entry, file.content)), None)
        return license_in(file.blob(first)) if first is not None else None

    def _note(self, file: ZimFile, name: str) -> str | None:
        entry = file.find("M", name)
        if entry is None or not entry.mime.startswith("text/plain"):
            return None
        text = file.blob(entry)[:_LONGEST_NOTE].decode("utf-8", "replace").strip().lstrip("=").strip()
        return text if text and text.isprintable() else None

    def _own_prefix(self, file: ZimFile) -> str:
        """``https://en.wikipedia.org/wiki/``, from the address that the file names as its source."""
        source = self._note(file, "Source") or ""
        if source and "://" not in source:
            source = f"https://{source}"
        scheme, _, rest = source.partition("://")
        host = rest.partition("/")[0]
        return f"{scheme}://{host}/wiki/" if scheme in {"http", "https"} and "wiki" in host else ""


def _is_article(entry: Entry, namespace: str) -> bool:
    return entry.namespace == namespace and entry.mime.partition(";")[0].strip() == "text/html"


def text_of_html(raw: bytes) -> Text:
    """The page's paragraphs, lists and tables under their headings, without boxes, references and boilerplate.

    Its address and revision are those of the colophon with which Kiwix ends an article. Raises ``Unanswered``, and what
    lxml raises.
    """
    raw, url, revision = _without_colophon(raw)
    page = read_page(raw, drops=lambda heading, *_: is_boilerplate(heading))
    blocks = [
        # Old files have no anchors: MediaWiki makes them of the headings.
        Block(block.text, HEADING_SEPARATOR.join(path), fragment(section.anchor or path[-1]) if path else "")
        for section in page.sections
        for path in (section.path,)
        for block in section.blocks
    ]
    if sum(len(block.text) for block in blocks) > LONGEST_ARTICLE:  # a cell is repeated in each of its rows
        raise Unanswered("too_large", f"has more than {LONGEST_ARTICLE:,} characters")
    return Text(blocks, url, revision)


def license_in(raw: bytes) -> str | None:
    """``CC-BY-SA-3.0``, where the page's last licence link is one of Creative Commons."""
    found = _LICENSE.findall(raw[-_COLOPHON:])
    return f"CC-{found[-1][0].decode().upper()}-{found[-1][1].decode()}" if found else None


def _without_colophon(raw: bytes) -> tuple[bytes, str | None, str | None]:
    """The page without "This article is issued from …"; its link has the article's address and revision."""
    found = list(_OLDID.finditer(raw, max(0, len(raw) - _COLOPHON)))
    box = raw.rfind(b"<div", 0, found[-1].start()) if found else -1
    if box < 0 or _LICENSE.search(raw, found[-1].end()) is None:
        return raw, None, None
    return raw[:box], found[-1][1].decode("utf-8", "replace"), found[-1][2].decode()
