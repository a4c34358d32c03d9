"""MediaWiki dumps of a few pages, as the tests need them."""

from __future__ import annotations

import bz2
from html import escape
from pathlib import Path

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Wikipedia</sitename>
    <base>https://en.wikipedia.org/wiki/Main_Page</base>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="6" case="first-letter">File</namespace>
      <namespace key="14" case="first-letter">Kategorie</namespace>
    </namespaces>
  </siteinfo>
"""
FOOT = "</mediawiki>\n"


def page(number: int, title: str, text: str, *, ns: int = 0, redirect: str | None = None, revision: int = 7) -> str:
    """A page as a dump has it."""
    target = f'\n    <redirect title="{escape(redirect)}" />' if redirect else ""
    return f"""  <page>
    <title>{escape(title)}</title>
    <ns>{ns}</ns>
    <id>{number}</id>{target}
    <revision>
      <id>{revision}</id>
      <timestamp>2026-01-{1 + number % 28:02}T00:00:00Z</timestamp>
      <contributor><username>Somebody</username><id>3</id></contributor>
      <model>wikitext</model>
      <text bytes="{len(text)}" xml:space="preserve">{escape(text)}</text>
    </revision>
  </page>
"""


def multistream(path: Path, pages: list[str], *, a_stream: int = 3) -> Path:
    """A dump as Wikimedia packs them: a stream for the head, one for every few pages, one for the foot."""
    parts = [HEAD, *("".join(pages[at : at + a_stream]) for at in range(0, len(pages), a_stream)), FOOT]
    path.write_bytes(b"".join(bz2.compress(part.encode()) for part in parts))
    return path


def plain(path: Path, pages: list[str]) -> Path:
    """The same without compression."""
    path.write_text(HEAD + "".join(pages) + FOOT, "utf-8")
    return path
