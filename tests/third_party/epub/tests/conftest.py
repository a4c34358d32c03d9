"""What the tests share."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

pytest_plugins = ["ragstone.core.testing"]

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>"""

PACKAGE = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:title>Robot  parts</dc:title><dc:creator>Ada Smith</dc:creator>
  </metadata>
  <manifest>
    <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
    <item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/>
    <item id="two" href="text/tw%6f.xhtml" media-type="application/xhtml+xml"/>
    <item id="notes" href="text/notes.xhtml" media-type="application/xhtml+xml"/>
    <item id="cover" href="cover.png" media-type="image/png"/>
  </manifest>
  <spine>
    <itemref idref="cover"/><itemref idref="nav"/><itemref idref="two"/><itemref idref="one"/>
    <itemref idref="notes" linear="no"/><itemref idref="none"/>
  </spine>
</package>"""

PARTS: dict[str, str | bytes] = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": PACKAGE,
    "OEBPS/nav.xhtml": "<html><body><nav><ol><li>Wheels</li></ol></nav></body></html>",
    "OEBPS/text/one.xhtml": """<html><head><title>No text</title><style>p {}</style></head><body>
      <h1>Grippers</h1><p>A parallel gripper closes two jaws along one line.</p></body></html>""",
    "OEBPS/text/two.xhtml": """<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html>
      <html xmlns="http://www.w3.org/1999/xhtml"><body><h1>Wheels</h1><section><h2>Casters</h2>
      <p>A caster is a wheel that <em>swivels</em> about a vertical&#160;axis.<script>alert(1)</script></p>
      </section></body></html>""",
    "OEBPS/text/notes.xhtml": "<html><body><p>Left out.</p></body></html>",
}


@pytest.fixture
def make(tmp_path: Path) -> Callable[[Mapping[str, str | bytes | None]], Path]:
    """Writes the book, with parts changed, added, or left out (``None``)."""

    def made(changed: Mapping[str, str | bytes | None]) -> Path:
        path = tmp_path / "book.epub"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in {**PARTS, **changed}.items():
                if text is not None:
                    archive.writestr(name, text)
        return path

    return made


@pytest.fixture
def book(make: Callable[[Mapping[str, str | bytes | None]], Path]) -> Path:
    """A small book of two chapters."""
    return make({})
