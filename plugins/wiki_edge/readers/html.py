"""HTML of wiki pages as Kiwix keeps it: the article's text, and the colophon below it."""

from __future__ import annotations

import re

from ragstone.core.parsoid import read_page
from ragstone.core.runtime import Unanswered

from .articles import HEADING_SEPARATOR, LONGEST_ARTICLE, Block, Text, fragment
from .prose import is_boilerplate

_OLDID = re.compile(rb"""href=["'](https?://[^\s?#"']{1,2000})\?oldid=(\d{1,20})["']""")
_LICENSE = re.compile(rb"creativecommons\.org/licenses/([a-z-]{2,8})/(\d\.\d)")
#: Bytes at the end of a page in which its colophon is looked for.
_COLOPHON = 4000


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
